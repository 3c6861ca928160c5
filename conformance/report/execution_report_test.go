package report_test

// Purpose: verdicts never come from absence, and each format keeps every claim visible. Control cases: a claim
// without specs, an undecided spec, a report where nothing was tested.

import (
	"encoding/json"
	"encoding/xml"
	"math"
	"strings"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance/report"
)

func sample() *report.Report {
	return &report.Report{
		Model: "fixtures/x", Device: "msl",
		Claims: []report.Claim{
			{ID: "A", Title: "The oracle is right", Verdict: report.Pass, Summary: strings.Repeat("several words ", 12), Rerun: "assay certify x --claims A",
				Specs: []report.Spec{{Name: "one", Status: report.Passed}, {Name: "two", Status: report.Skipped, Findings: []string{"no answers here"}}}},
			{ID: "C", Title: "Greedy byte-identity", Verdict: report.Fail, Figures: report.Figures{"margin": math.NaN(), "ids": []int{1, 2}}, Rerun: "assay certify x --claims C",
				Specs: []report.Spec{{Name: "ids", Status: report.Undecided, Findings: []string{"undecided at step 3: margin 1e-7 <= bound 2e-7"}}}},
			{ID: "F", Title: "One synchronisation", Verdict: report.NotTested, Summary: "not asked for", Omitted: true},
			{ID: "D", Title: "Self-identity", Verdict: report.NotTested, Summary: "no specs <yet>"},
		},
		Notes:      []string{"drift: small"},
		Provenance: report.Figures{"go": "go1.26"},
	}
}

var _ = Describe("The report", Label("purpose:execution", "area:report", "level:required"), func() {
	DescribeTable("derives a claim's verdict", func(want report.Verdict, statuses ...report.Status) {
		var specs []report.Spec
		for _, s := range statuses {
			specs = append(specs, report.Spec{Status: s})
		}
		Expect(report.VerdictOf(specs)).To(Equal(want))
	},
		Entry("from nothing: not tested", report.NotTested),
		Entry("from skipped specs alone: not tested", report.NotTested, report.Skipped),
		Entry("from a pass beside a skip: pass", report.Pass, report.Passed, report.Skipped),
		Entry("from one failure: fail", report.Fail, report.Passed, report.Failed),
		Entry("from an undecided spec: fail", report.Fail, report.Passed, report.Undecided),
	)
	It("does not pass when nothing was tested", func() {
		r := &report.Report{Claims: []report.Claim{{ID: "A", Verdict: report.NotTested}}}
		Expect(r.Verdict()).To(Equal(report.Fail))
	})
	It("counts an undecided spec as run and failed", func() {
		Expect(sample().Counts()).To(Equal(report.Counts{Run: 2, Failed: 1, Skipped: 1}))
	})
	It("writes JSON in the fixed shape, with numbers JSON cannot hold as strings", func() {
		var b strings.Builder
		Expect(sample().WriteJSON(&b)).To(Succeed())
		var got map[string]any
		Expect(json.Unmarshal([]byte(b.String()), &got)).To(Succeed())
		Expect(got).To(HaveLen(4))
		Expect(got).To(HaveKeyWithValue("verdict", "fail"))
		Expect(got).To(HaveKeyWithValue("specs", map[string]any{"run": 2.0, "failed": 1.0, "skipped": 1.0}))
		claim := got["claims"].([]any)[1].(map[string]any)
		Expect(claim).To(HaveLen(4))
		Expect(claim["figures"]).To(HaveKeyWithValue("margin", "NaN"))
		Expect(claim["rerun"]).To(Equal("assay certify x --claims C"))
	})
	It("writes JUnit with a case for every claim, also the untested", func() {
		var b strings.Builder
		Expect(sample().WriteJUnit(&b)).To(Succeed())
		var got struct {
			Suites []struct {
				Tests    int        `xml:"tests,attr"`
				Failures int        `xml:"failures,attr"`
				Skipped  int        `xml:"skipped,attr"`
				Cases    []struct{} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		Expect(xml.Unmarshal([]byte(b.String()), &got)).To(Succeed())
		Expect(got.Suites).To(HaveLen(4))
		Expect(got.Suites[1].Failures).To(Equal(1))
		Expect(got.Suites[2].Skipped).To(Equal(1))
		Expect(got.Suites[3].Skipped).To(Equal(1))
	})
	It("writes a table within 80 columns that spells out the failure and how to repeat it", func() {
		var b strings.Builder
		Expect(sample().WriteTable(&b, 40)).To(Succeed())
		for line := range strings.SplitSeq(b.String(), "\n") {
			Expect(utf8.RuneCountInString(line)).To(BeNumerically("<=", 80), line)
		}
		Expect(b.String()).To(ContainSubstring("C UNDECIDED: ids"))
		Expect(b.String()).To(ContainSubstring("undecided at step 3: margin 1e-7 <= bound 2e-7"))
		Expect(b.String()).To(ContainSubstring("again: assay certify x --claims C"))
		Expect(b.String()).To(ContainSubstring("D  Self-identity            not tested"))
		Expect(b.String()).To(ContainSubstring("VERDICT: FAIL. 1 claim holds, 1 failed, 2 not tested"))
		Expect(b.String()).To(ContainSubstring("not asked for: F\n"))
	})
})
