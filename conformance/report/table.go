package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	titleWidth   = 24
	verdictWidth = 13
)

// WriteTable writes the verdicts for people: one row a claim, failures spelled out below, the verdict last. Lines
// are at most width characters, 80 at least.
func (r *Report) WriteTable(w io.Writer, width int) error {
	width = max(width, 80)
	var b strings.Builder
	if r.Intro != "" {
		b.WriteString(strings.Join(wrap(r.Intro, width), "\n") + "\n\n")
	}
	indent := strings.Repeat(" ", 3+titleWidth+1+verdictWidth+1)
	fmt.Fprintf(&b, "%-*s %-*s %s\n", 3+titleWidth, "claim", verdictWidth, "verdict", "what was found")
	b.WriteString(strings.Repeat("-", width) + "\n")
	var omitted []string
	for _, c := range r.Claims {
		if c.Omitted {
			omitted = append(omitted, c.ID)
			continue
		}
		lines := wrap(c.Summary, width-len(indent))
		fmt.Fprintf(&b, "%-2s %-*s %-*s %s\n", c.ID, titleWidth, c.Title, verdictWidth, verdictWord(c), lines[0])
		for _, l := range lines[1:] {
			b.WriteString(indent + l + "\n")
		}
	}
	if len(omitted) > 0 {
		fmt.Fprintf(&b, "not asked for: %s\n", strings.Join(omitted, ", "))
	}
	b.WriteString(strings.Repeat("-", width) + "\n")
	r.writeFailures(&b, width)
	for _, n := range r.Notes {
		for _, l := range wrap(n, width) {
			b.WriteString(l + "\n")
		}
	}
	if len(r.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, l := range wrap(r.sentence(), width) {
		b.WriteString(l + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func verdictWord(c Claim) string {
	switch {
	case c.Verdict == NotTested:
		return "not tested"
	case c.Verdict == Fail:
		return "FAIL"
	case c.Partial:
		return "pass (part)"
	default:
		return string(c.Verdict)
	}
}

// writeFailures lists every spec that did not pass, with its findings and the command that repeats it.
func (r *Report) writeFailures(b *strings.Builder, width int) {
	for _, c := range r.Claims {
		if c.Verdict != Fail {
			continue
		}
		for _, s := range c.Specs {
			if s.Status != Failed && s.Status != Undecided {
				continue
			}
			for i, l := range wrap(fmt.Sprintf("%s %s: %s", c.ID, strings.ToUpper(string(s.Status)), s.Name), width-2) {
				b.WriteString(strings.Repeat("  ", min(i, 1)) + l + "\n")
			}
			for _, f := range s.Findings {
				for line := range strings.SplitSeq(f, "\n") {
					for _, l := range wrap(line, width-4) {
						b.WriteString("    " + l + "\n")
					}
				}
			}
		}
		b.WriteString("    again: " + c.Rerun + "\n\n")
	}
}

// sentence is the last line: the verdict and what it rests on.
func (r *Report) sentence() string {
	var pass, fail, not int
	for _, c := range r.Claims {
		switch c.Verdict {
		case Pass:
			pass++
		case Fail:
			fail++
		default:
			not++
		}
	}
	n := r.Counts()
	s := fmt.Sprintf("VERDICT: %s. %d %s, %d failed, %d not tested (nothing is said about those). Specs: %d run, %d failed, %d skipped.",
		strings.ToUpper(string(r.Verdict())), pass, plural(pass, "claim holds", "claims hold"), fail, not, n.Run, n.Failed, n.Skipped)
	return s
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// wrap breaks s at spaces into lines of at most width characters; longer words stand alone. It returns at least
// one line.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
