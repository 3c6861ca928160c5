package main

import (
	"fmt"
	"sort"
	"strings"
)

// pkg is what the go tool says of one package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// check returns one line a forbidden import, sorted.
func check(pkgs []pkg, rules []rule) []string {
	byPath := map[string]pkg{}
	for _, p := range pkgs {
		byPath[p.ImportPath] = p
	}
	var found []string
	for _, r := range rules {
		for _, p := range pkgs {
			if !under(p.ImportPath, r.From) || under(p.ImportPath, r.NotFrom) {
				continue
			}
			first := append([]string(nil), p.Imports...)
			if !r.SkipTest {
				first = append(append(first, p.TestImports...), p.XTestImports...)
			}
			for _, path := range reach(byPath, p.ImportPath, first, r.Direct) {
				last := path[len(path)-1]
				if last == p.ImportPath || !under(last, r.To) || under(last, r.Allowed) {
					continue
				}
				found = append(found, fmt.Sprintf("layering: %s: forbidden, %s", strings.Join(path, " -> "), r.Why))
			}
		}
	}
	sort.Strings(found)
	return found
}

// reach lists the shortest import path to every package reachable from the first imports.
func reach(byPath map[string]pkg, from string, first []string, direct bool) [][]string {
	seen := map[string]bool{}
	var out, queue [][]string
	for _, f := range first {
		queue = append(queue, []string{from, f})
	}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		last := path[len(path)-1]
		if seen[last] {
			continue
		}
		seen[last] = true
		out = append(out, path)
		if direct {
			continue
		}
		for _, next := range byPath[last].Imports {
			queue = append(queue, append(append([]string(nil), path...), next))
		}
	}
	return out
}
