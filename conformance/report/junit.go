package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Name    string       `xml:"name,attr"`
	Suites  []junitSuite `xml:"testsuite"`
}

// WriteJUnit writes one test suite a claim and one test case a spec, as build servers read them. A claim without
// specs is one skipped case, so that it stays visible.
func (r *Report) WriteJUnit(w io.Writer) error {
	out := junitSuites{Name: "assay certify " + r.Model}
	for _, c := range r.Claims {
		s := junitSuite{Name: "claim " + c.ID + ": " + c.Title}
		specs := c.Specs
		if len(specs) == 0 {
			specs = []Spec{{Name: "not tested", Status: Skipped, Findings: []string{c.Summary}}}
		}
		for _, p := range specs {
			tc := junitCase{Class: "claim." + c.ID, Name: p.Name, Time: fmt.Sprintf("%.3f", p.Seconds)}
			m := &junitMessage{Message: p.Summary, Text: strings.Join(p.Findings, "\n")}
			if m.Message == "" && len(p.Findings) > 0 {
				m.Message = p.Findings[0]
			}
			switch p.Status {
			case Passed:
			case Skipped:
				tc.Skipped = m
				s.Skipped++
			default:
				tc.Failure = m
				s.Failures++
			}
			s.Cases = append(s.Cases, tc)
		}
		s.Tests = len(s.Cases)
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
