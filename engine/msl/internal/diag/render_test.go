package diag_test

// Plan. Purpose: a position is found from an offset, printed after #line, and rendered with the caret under the right
// character. Boundaries: first and last byte, empty lines, tabs, multi-byte characters, a column past the line.
// Control: an error of another type is rendered as its text alone.

import (
	"errors"
	"fmt"

	"github.com/octoryn/assay/engine/msl/internal/diag"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("a position", Label("area:msl"), func() {
	f := diag.NewFile("a.metal", "one\n\n\ttwo é x\nlast")

	DescribeTable("is found from an offset", func(offset int, want string) {
		Expect(f.PosAt(offset).String()).To(Equal(want))
	},
		Entry("of the first byte", 0, "a.metal:1:1"),
		Entry("of a newline", 3, "a.metal:1:4"),
		Entry("of an empty line", 4, "a.metal:2:1"),
		Entry("in a line", 6, "a.metal:3:2"),
		Entry("of the end", 19, "a.metal:4:5"),
	)

	It("is printed after #line and rendered where it is", func() {
		g := diag.NewFile("b.metal", "#line 50 \"c.metal\"\nint x;\n#line 7\nint y;\n")
		g.Renumber(1, 50, "c.metal")
		g.Renumber(3, 7, "")
		Expect(diag.Pos{File: g, Line: 1, Col: 1}.String()).To(Equal("b.metal:1:1"))
		Expect(diag.Pos{File: g, Line: 2, Col: 5}.String()).To(Equal("c.metal:50:5"))
		e := diag.Errorf(diag.Pos{File: g, Line: 4, Col: 5}, diag.Undeclared, "no %s", "y")
		Expect(diag.Render(e)).To(Equal("c.metal:7:5: MSL3001: no y\n    int y;\n        ^"))
	})

	It("that is none prints as a dash", func() {
		Expect(diag.Pos{}.String()).To(Equal("-"))
		Expect(diag.Render(diag.Errorf(diag.Pos{}, diag.Undeclared, "x"))).To(Equal("-: MSL3001: x"))
	})
})

var _ = Describe("rendering", Label("area:msl"), func() {
	f := diag.NewFile("a.metal", "\tint\té = x;\n")
	at := func(col int) *diag.Error {
		return diag.Errorf(diag.Pos{File: f, Line: 1, Col: col}, diag.Undeclared, "m")
	}

	DescribeTable("puts the caret", func(col int, want string) {
		Expect(diag.Render(at(col))).To(Equal("a.metal:1:" + fmt.Sprint(col) + ": MSL3001: m\n    int\té = x;\n" + want))
	},
		Entry("under the first word", 2, "    ^"),
		Entry("behind a tab", 6, "       \t^"),
		Entry("behind a character of two bytes", 11, "       \t    ^"),
		Entry("past the end of the line", 99, "       \t      ^"),
	)

	It("shows every error of a list, also when it is wrapped", func() {
		err := fmt.Errorf("compile: %w", diag.List{at(2), at(6)})
		Expect(diag.Render(err)).To(ContainSubstring("a.metal:1:2: MSL3001: m\n    int\té = x;\n    ^\na.metal:1:6: MSL3001: m"))
		var one *diag.Error
		Expect(errors.As(err, &one)).To(BeTrue())
		Expect(one.Pos.Col).To(Equal(2))
	})

	It("leaves other errors alone", func() {
		Expect(diag.Render(errors.New("disk full"))).To(Equal("disk full"))
	})
})
