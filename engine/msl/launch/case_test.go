package launch_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/tools/txtar"

	"github.com/octoryn/assay/engine/msl/internal/exec"
	"github.com/octoryn/assay/engine/msl/launch"
)

// Plan. Every file of testdata/*/ is a case, found by folder: a story, case.metal, and launch.json as `assay msl run` reads it; other
// parts are files that these two name. A comment // want "text" in case.metal demands a finding with a party at that line, and whose
// report holds the text; there may be no other finding. A part named want holds lines that the printed result must contain, in order;
// a part named refused, one line that the error must contain. A case without launch.json is checked, not run: its want is compared
// with what `assay msl check` prints; with a part named stage (a word), with what `assay msl dump` prints.
// Sources: the stories name the rule. Each fault stands beside the nearest launch that has none.

var _ = Describe("Cases of testdata", Label("area:executor", "backend:msl"), func() {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		panic("launch: no cases in testdata")
	}
	for _, file := range files {
		words := strings.Split(strings.TrimSuffix(file, ".txtar"), string(filepath.Separator))
		It(words[1]+": "+strings.ReplaceAll(words[2], "_", " "), func() {
			archive, err := txtar.ParseFile(file)
			Expect(err).NotTo(HaveOccurred())
			Expect(problems(archive)).To(BeEmpty())
		})
	}

	It("are judged such that they can fail", func() {
		try := func(comment string, count, value int, more string) []string {
			text := fmt.Sprintf("a story\n-- case.metal --\nkernel void k(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"+
				"    out[i] = 1;%s\n}\n-- launch.json --\n"+
				`{"kernel":"k","threads":[32],"threads_per_threadgroup":[32],"buffers":[{"index":0,"type":"int","count":%d}],`+
				`"expect":[{"index":0,"data":[%d]}]}`+"\n%s", comment, count, value, more)
			return problems(txtar.Parse([]byte(text)))
		}
		Expect(try("", 32, 1, "")).To(BeEmpty())
		Expect(try("", 32, 2, "")).To(ConsistOf(ContainSubstring("element 0: got 1, want 2")))
		Expect(try("", 31, 1, "")).To(ConsistOf(ContainSubstring("not wanted")))
		Expect(try(` // want "bounds"`, 31, 1, "")).To(BeEmpty())
		Expect(try(` // want "race"`, 31, 1, "")).To(ContainElement(ContainSubstring(`no finding "race"`)))
		Expect(try(` // want "bounds"`, 32, 1, "")).To(ConsistOf(ContainSubstring(`no finding "bounds"`)))
		Expect(try("", 32, 1, "-- want --\n32 stores (128 B)\nok\n")).To(BeEmpty())
		Expect(try("", 32, 1, "-- want --\nok\n32 stores (128 B)\n")).To(ConsistOf(ContainSubstring("32 stores")))
		Expect(try("", 32, 1, "-- refused --\nbuffers\n")).To(ConsistOf(ContainSubstring("was not refused")))
		Expect(try("", 0, 1, "-- refused --\nbuffers[0].count: got 0\n")).To(BeEmpty())
		Expect(try("", 0, 1, "")).To(ConsistOf(ContainSubstring("got 0")))
	})
})

var wantComment = regexp.MustCompile(`// want "([^"]*)"`)

// problems runs a case and says what was not as it wanted.
func problems(archive *txtar.Archive) []string {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	part := map[string]string{}
	for _, f := range archive.Files {
		part[f.Name] = string(f.Data)
		Expect(os.MkdirAll(filepath.Dir(filepath.Join(dir, f.Name)), 0o755)).To(Succeed())
		Expect(os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600)).To(Succeed())
	}
	metal := filepath.Join(dir, "case.metal")
	text, findings, mismatches, err := perform(metal, part)
	text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	if err != nil {
		msg := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
		if want := strings.TrimSpace(part["refused"]); want == "" || !strings.Contains(msg, want) {
			return []string{fmt.Sprintf("refused: %s; wanted %q", msg, want)}
		}
		return nil
	}
	var out []string
	if want := strings.TrimSpace(part["refused"]); want != "" {
		out = append(out, fmt.Sprintf("was not refused, want %q", want))
	}
	out = append(out, mismatches...)
	out = append(out, matchFindings(findings, part["case.metal"], metal)...)
	rest := text
	for line := range strings.Lines(part["want"]) {
		line = strings.TrimSpace(line)
		_, after, ok := strings.Cut(rest, line)
		if !ok {
			out = append(out, fmt.Sprintf("want %q (in order) in:\n%s", line, text))
			break
		}
		rest = after
	}
	return out
}

// perform does what the parts ask for.
func perform(metal string, part map[string]string) (text string, findings []launch.Finding, mismatches []string, err error) {
	o := launch.Sources{Include: []string{filepath.Dir(metal)}}
	if _, ok := part["launch.json"]; ok {
		s, err := launch.ReadSpec(filepath.Join(filepath.Dir(metal), "launch.json"))
		if err != nil {
			return "", nil, nil, err
		}
		r, err := launch.Run(metal, o, s)
		if err != nil {
			return "", nil, nil, err
		}
		s.Lanes = exec.Portable
		portable, err := launch.Run(metal, o, s)
		Expect(err).NotTo(HaveOccurred())
		Expect(portable.Text()).To(Equal(r.Text()), "with Go lanes")
		return r.Text(), r.Findings, r.Mismatches, nil
	}
	if stage, ok := part["stage"]; ok {
		var b strings.Builder
		err := launch.Dump(&b, metal, launch.DumpOptions{Sources: o, Stage: strings.TrimSpace(stage)})
		var source *launch.SourceError
		if errors.As(err, &source) {
			return source.Text, nil, nil, nil
		}
		return b.String(), nil, nil, err
	}
	u, err := launch.Check(metal, o)
	if err != nil {
		return "", nil, nil, err
	}
	return u.Text(), nil, nil, nil
}

// matchFindings pairs findings with the comments that want them.
func matchFindings(findings []launch.Finding, source, file string) (out []string) {
	type want struct {
		where, text string
		met         bool
	}
	var wants []*want
	for i, line := range strings.Split(source, "\n") {
		for _, m := range wantComment.FindAllStringSubmatch(line, -1) {
			wants = append(wants, &want{where: fmt.Sprintf("%s:%d:", file, i+1), text: m[1]})
		}
	}
	for i := range findings {
		report := findings[i].Error()
		met := false
		for _, w := range wants {
			if strings.Contains(report, w.where) && strings.Contains(report, w.text) {
				w.met, met = true, true
			}
		}
		if !met && len(wants) > 0 || len(wants) == 0 && !strings.Contains(source, "// as expected") {
			out = append(out, "a finding that was not wanted: "+report)
		}
	}
	for _, w := range wants {
		if !w.met {
			out = append(out, fmt.Sprintf("no finding %q at %s", w.text, w.where))
		}
	}
	return out
}
