package sovereignty

import (
	"fmt"
	"strings"
)

// Finding is one thing in a program that belongs to a denied product.
type Finding struct {
	Kind    string // "imported library", "imported symbol", "defined symbol" or "module"
	Name    string // as the program spells it
	Product string // whose it is
}

// String reads as a sentence without its end.
func (f Finding) String() string {
	return fmt.Sprintf("%s %q belongs to %s", f.Kind, f.Name, f.Product)
}

// Judge compares an image and a module list with the deny lists.
func Judge(img Image, modules []string) []Finding {
	var out []Finding
	look := func(kind string, list []denied, names []string, key func(string) string) {
		for _, n := range names {
			if product, found := match(list, key(n)); found {
				out = append(out, Finding{Kind: kind, Name: n, Product: product})
			}
		}
	}
	symbol := func(s string) string { // Mach-O puts "_" before every C name
		if strings.HasPrefix(img.Format, "Mach-O") {
			s = strings.TrimPrefix(s, "_")
		}
		name, _, _ := strings.Cut(s, "@") // ELF puts a version after "@"
		return name
	}
	look("imported library", deniedLibraries, img.Libraries, libraryName)
	look("imported symbol", deniedSymbols, img.Imported, symbol)
	look("defined symbol", deniedSymbols, img.Defined, symbol)
	look("module", deniedModules, modules, func(m string) string { path, _, _ := strings.Cut(m, " "); return path })
	return out
}
