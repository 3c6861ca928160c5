package diag

import (
	"fmt"
	"sort"
	"strings"
)

// File is one source text, its name, and what #line directives in it say.
type File struct {
	Name string
	Text string

	starts []int      // byte offset of each line, filled by the first call of Line
	lines  []lineMark // in rising order of physical line
}

// lineMark is a #line directive: physical lines after at are numbered from line on, in the file called name.
type lineMark struct {
	at, line int
	name     string
}

// NewFile makes a file of a name and its text.
func NewFile(name, text string) *File {
	f := &File{Name: name, Text: text, starts: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			f.starts = append(f.starts, i+1)
		}
	}
	return f
}

// Line returns the text of physical line n, counted from 1, without its newline; "" when there is none.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.starts) {
		return ""
	}
	s := f.Text[f.starts[n-1]:]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSuffix(s, "\r")
}

// PosAt returns the position of a byte offset in the text.
func (f *File) PosAt(offset int) Pos {
	i := sort.SearchInts(f.starts, offset+1) - 1
	return Pos{File: f, Line: i + 1, Col: offset - f.starts[i] + 1}
}

// Renumber records a #line directive on physical line at: the next line is called line, of the file name
// (unchanged when name is ""). Calls come in rising order of at.
func (f *File) Renumber(at, line int, name string) {
	if name == "" {
		_, name = f.presumed(at)
	}
	f.lines = append(f.lines, lineMark{at, line, name})
}

// presumed returns the line number and file name that #line directives give a physical line.
func (f *File) presumed(line int) (int, string) {
	for i := len(f.lines) - 1; i >= 0; i-- {
		if m := f.lines[i]; m.at < line {
			return m.line + line - m.at - 1, m.name
		}
	}
	return line, f.Name
}

// Pos is a position in a File. Line and Col are physical and count from 1; Col counts bytes. The zero Pos is
// no position.
type Pos struct {
	File *File
	Line int
	Col  int
}

// IsValid reports whether p is a position at all.
func (p Pos) IsValid() bool { return p.File != nil }

// Presumed returns the line that p is on, and the file name, after #line directives.
func (p Pos) Presumed() (line int, file string) {
	if p.File == nil {
		return 0, ""
	}
	return p.File.presumed(p.Line)
}

// String returns "file:line:col", after #line directives; "-" for no position.
func (p Pos) String() string {
	if !p.IsValid() {
		return "-"
	}
	line, name := p.Presumed()
	return fmt.Sprintf("%s:%d:%d", name, line, p.Col)
}
