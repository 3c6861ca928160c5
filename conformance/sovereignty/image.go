package sovereignty

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Image is what a linked program says about what it needs and what it holds.
type Image struct {
	Path      string
	Format    string   // "ELF", "Mach-O" or "Mach-O fat"
	Libraries []string // imported shared libraries, sorted, without repetition
	Imported  []string // names of imported symbols, sorted
	Defined   []string // names of defined symbols, sorted; empty when the program is stripped
}

// ReadImage reads the file at path. The error names the file and says that it is neither ELF nor Mach-O when it is
// neither.
func ReadImage(path string) (Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Image{}, fmt.Errorf("sovereignty: %w", err)
	}
	img := Image{Path: path}
	switch {
	case bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		img.Format, err = "ELF", img.readELF(data)
	case isFat(data):
		img.Format, err = "Mach-O fat", img.readFat(data)
	case isThin(data):
		img.Format = "Mach-O"
		var f *macho.File
		if f, err = macho.NewFile(bytes.NewReader(data)); err == nil {
			err = img.readMachO(f)
		}
	default:
		err = errors.New("neither ELF nor Mach-O")
	}
	if err != nil {
		return Image{}, fmt.Errorf("sovereignty: %s: %w", path, err)
	}
	for _, list := range []*[]string{&img.Libraries, &img.Imported, &img.Defined} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return img, nil
}

func isFat(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xca, 0xfe, 0xba, 0xbe})
}

func isThin(data []byte) bool {
	for _, magic := range [][]byte{{0xfe, 0xed, 0xfa, 0xce}, {0xfe, 0xed, 0xfa, 0xcf}, {0xce, 0xfa, 0xed, 0xfe}, {0xcf, 0xfa, 0xed, 0xfe}} {
		if bytes.HasPrefix(data, magic) {
			return true
		}
	}
	return false
}

func (m *Image) readELF(data []byte) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	libs, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("imported libraries: %w", err)
	}
	m.Libraries = append(m.Libraries, libs...)
	for _, table := range []func() ([]elf.Symbol, error){f.DynamicSymbols, f.Symbols} {
		symbols, err := table()
		if errors.Is(err, elf.ErrNoSymbols) { // a static or a stripped program has no such table
			continue
		}
		if err != nil {
			return fmt.Errorf("symbols: %w", err)
		}
		for _, s := range symbols {
			if s.Section == elf.SHN_UNDEF {
				m.Imported = append(m.Imported, s.Name)
			} else {
				m.Defined = append(m.Defined, s.Name)
			}
		}
	}
	return nil
}

func (m *Image) readFat(data []byte) error {
	fat, err := macho.NewFatFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for _, arch := range fat.Arches {
		if err := m.readMachO(arch.File); err != nil {
			return fmt.Errorf("slice %s: %w", arch.Cpu, err)
		}
	}
	return nil
}

func (m *Image) readMachO(f *macho.File) error {
	libs, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("imported libraries: %w", err)
	}
	m.Libraries = append(m.Libraries, libs...)
	if f.Symtab == nil {
		return nil
	}
	const stab, typeMask, undefined = 0xe0, 0x0e, 0x00 // n_type bits of <mach-o/nlist.h>
	for _, s := range f.Symtab.Syms {
		switch {
		case s.Type&stab != 0: // a debugging entry
		case s.Type&typeMask == undefined:
			m.Imported = append(m.Imported, s.Name)
		default:
			m.Defined = append(m.Defined, s.Name)
		}
	}
	return nil
}

// ReadModules lists the modules a Go program was built from, as "path version", sorted. It is an error when the
// program carries no such list, as test binaries do not: an empty list would look like an innocent one.
func ReadModules(path string) ([]string, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("sovereignty: module graph: %w", err)
	}
	if len(info.Deps) == 0 {
		return nil, fmt.Errorf("sovereignty: module graph: %s carries no module list", path)
	}
	var out []string
	for _, dep := range info.Deps {
		out = append(out, dep.Path+" "+dep.Version)
		if dep.Replace != nil {
			out = append(out, dep.Replace.Path+" "+dep.Replace.Version)
		}
	}
	slices.Sort(out)
	return out, nil
}
