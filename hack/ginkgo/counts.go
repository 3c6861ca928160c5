package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2/types"
)

// counts sums the specs of all suites of a report.
type counts struct {
	passed, failed, skipped, pending int
	focused                          []string // suites with programmatic focus
}

// readCounts sums Ginkgo's JSON report.
func readCounts(file string) (counts, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return counts{}, fmt.Errorf("ginkgo report: %w", err)
	}
	var reports []types.Report
	if err := json.Unmarshal(raw, &reports); err != nil {
		return counts{}, fmt.Errorf("ginkgo report: %s: %w", file, err)
	}
	var c counts
	for _, r := range reports {
		if r.SuiteHasProgrammaticFocus {
			c.focused = append(c.focused, r.SuitePath)
		}
		for _, s := range r.SpecReports {
			if s.LeafNodeType != types.NodeTypeIt {
				if s.Failed() {
					c.failed++
				}
				continue
			}
			switch {
			case s.State.Is(types.SpecStatePassed):
				c.passed++
			case s.State.Is(types.SpecStateSkipped):
				c.skipped++
			case s.State.Is(types.SpecStatePending):
				c.pending++
			default:
				c.failed++
			}
		}
	}
	return c, nil
}

// breach says why a required profile fails on these counts; empty when it does not.
func (c counts) breach() string {
	switch {
	case len(c.focused) > 0:
		return fmt.Sprintf("focused specs in %v", c.focused)
	case c.skipped > 0 || c.pending > 0:
		return fmt.Sprintf("%d skipped and %d pending specs, want none", c.skipped, c.pending)
	case c.passed+c.failed == 0:
		return "no spec ran"
	}
	return ""
}
