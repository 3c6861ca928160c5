package check

import (
	_ "embed"
	"sync"

	"github.com/octoryn/assay/engine/msl/internal/diag"
	"github.com/octoryn/assay/engine/msl/internal/syntax"
	"github.com/octoryn/assay/engine/msl/internal/types"
)

//go:embed library.metal
var libraryText string

// libraryTree parses library.metal once. Checking never changes a tree.
var libraryTree = sync.OnceValue(func() *syntax.File {
	f, err := syntax.Parse([]syntax.Source{{Name: "metal_stdlib", Text: libraryText}}, syntax.Options{})
	if err != nil {
		panic(err)
	}
	return f
})

// libraryTemplates declares what library.metal holds.
func (c *checker) libraryTemplates() {
	c.scope = c.global
	for _, d := range libraryTree().Decls {
		c.decl(d)
	}
}

// boolType is integral_constant<bool, b>.
func (c *checker) boolType(b bool) types.Type {
	t := c.metal.names["integral_constant"].(*classTemplate)
	args := []templateArg{{typ: &qual{typ: types.Bool}}, {value: BoolValue(b)}}
	return c.structInstance(diag.Pos{}, t, args)
}
