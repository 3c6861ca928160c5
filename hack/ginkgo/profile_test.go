package main

// Plan. Purpose: profiles become exactly the flags written, and a required profile cannot be green with a
// spec missing. Control: the repository's own file. Boundaries: unknown profile, a value that is no scalar,
// skipped, pending, focused and empty reports. Source: ginkgo.yaml, house rule that a skip is not a pass.

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func write(name, text string) string {
	GinkgoHelper()
	file := filepath.Join(GinkgoT().TempDir(), name)
	Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
	return file
}

var _ = Describe("a profile", Label("area:harness"), func() {
	It("becomes Ginkgo's flags in a stable order", func() {
		p, err := readProfile(write("g.yaml", "ci:\n  required: true\n  r: true\n  timeout: 9m\n  procs: 2\n"), "ci")
		Expect(err).NotTo(HaveOccurred())
		Expect(p.required).To(BeTrue())
		Expect(p.args()).To(Equal([]string{"--procs=2", "-r=true", "--timeout=9m"}))
	})

	It("of the repository exists under the names the README quotes", func() {
		for _, name := range []string{"local", "ci"} {
			_, err := readProfile("../../ginkgo.yaml", name)
			Expect(err).NotTo(HaveOccurred())
		}
	})

	DescribeTable("is refused", func(text, name, want string) {
		_, err := readProfile(write("g.yaml", text), name)
		Expect(err).To(MatchError(ContainSubstring(want)))
	},
		Entry("when the name is unknown", "ci: {r: true}", "release", `no profile "release", want one of ci`),
		Entry("when a value is a list", "ci: {r: [1]}", "ci", "ci.r: got []interface {}"),
		Entry("when required is no bool", "ci: {required: yes please}", "ci", "ci.required: got string"),
		Entry("when the file is not YAML", "ci: [", "ci", "g.yaml"),
		Entry("when the file is empty", "", "ci", `no profile "ci"`),
	)
})

var _ = Describe("the counts of a report", Label("area:harness"), func() {
	report := func(states string) string {
		text := `[{"SuitePath":"p","SuiteHasProgrammaticFocus":false,"SpecReports":[{"LeafNodeType":"BeforeSuite","State":"passed"}`
		for _, s := range states {
			name := map[rune]string{'p': "passed", 'f': "failed", 's': "skipped", 'n': "pending", 'x': "panicked"}[s]
			text += `,{"LeafNodeType":"It","State":"` + name + `"}`
		}
		return write("report.json", text+`]}]`)
	}

	DescribeTable("fail a required profile", func(states, want string) {
		c, err := readCounts(report(states))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.breach()).To(ContainSubstring(want))
	},
		Entry("when a spec is skipped", "ps", "1 skipped"),
		Entry("when a spec is pending", "pn", "1 pending"),
		Entry("when nothing ran", "", "no spec ran"),
	)

	It("let a full run through, and count a panic as a failure", func() {
		c, err := readCounts(report("ppfx"))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.breach()).To(BeEmpty())
		Expect(c.passed).To(Equal(2))
		Expect(c.failed).To(Equal(2))
	})

	It("name a focused suite", func() {
		c, err := readCounts(write("r.json", `[{"SuitePath":"p","SuiteHasProgrammaticFocus":true,"SpecReports":[]}]`))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.breach()).To(ContainSubstring("focused specs in [p]"))
	})
})
