package harness

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"encoding/binary"
)

// ELFImporting makes a minimal little-endian ELF64 shared object with one needed library and one undefined
// dynamic symbol: a file header, .dynstr, .dynsym, .dynamic and .shstrtab.
func ELFImporting(library, symbol string) []byte {
	le := binary.LittleEndian
	dynstr := append([]byte{0}, library...)
	symbolAt := len(dynstr) + 1
	dynstr = append(append(append(dynstr, 0), symbol...), 0)

	var dynsym, dynamic bytes.Buffer
	binary.Write(&dynsym, le, elf.Sym64{})
	binary.Write(&dynsym, le, elf.Sym64{Name: uint32(symbolAt), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC)})
	binary.Write(&dynamic, le, []elf.Dyn64{{Tag: int64(elf.DT_NEEDED), Val: 1}, {Tag: int64(elf.DT_NULL)}})

	names := []byte("\x00.dynstr\x00.dynsym\x00.dynamic\x00.shstrtab\x00")
	at := func(name string) uint32 { return uint32(bytes.Index(names, []byte(name))) }

	const header = 64
	parts := [][]byte{dynstr, dynsym.Bytes(), dynamic.Bytes(), names}
	offsets, off := make([]uint64, len(parts)), uint64(header)
	for i, p := range parts {
		offsets[i] = off
		off += uint64(len(p))
	}
	sections := []elf.Section64{
		{},
		{Name: at(".dynstr"), Type: uint32(elf.SHT_STRTAB), Off: offsets[0], Size: uint64(len(dynstr))},
		{Name: at(".dynsym"), Type: uint32(elf.SHT_DYNSYM), Off: offsets[1], Size: uint64(dynsym.Len()), Link: 1, Info: 1, Entsize: 24},
		{Name: at(".dynamic"), Type: uint32(elf.SHT_DYNAMIC), Off: offsets[2], Size: uint64(dynamic.Len()), Link: 1, Entsize: 16},
		{Name: at(".shstrtab"), Type: uint32(elf.SHT_STRTAB), Off: offsets[3], Size: uint64(len(names))},
	}
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: off, Ehsize: header,
		Shentsize: 64, Shnum: uint16(len(sections)), Shstrndx: 4}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1

	var out bytes.Buffer
	binary.Write(&out, le, h)
	for _, p := range parts {
		out.Write(p)
	}
	binary.Write(&out, le, sections)
	return out.Bytes()
}

// MachOImporting makes a minimal 64-bit Mach-O executable with one LC_LOAD_DYLIB and one undefined symbol.
func MachOImporting(cpu macho.Cpu, library, symbol string) []byte {
	le := binary.LittleEndian
	pad := func(b []byte) []byte {
		for len(b)%8 != 0 {
			b = append(b, 0)
		}
		return b
	}
	name := pad(append([]byte(library), 0))
	var dylib bytes.Buffer
	binary.Write(&dylib, le, []uint32{uint32(macho.LoadCmdDylib), uint32(24 + len(name)), 24, 0, 0, 0})
	dylib.Write(name)

	const header, symtabLen, dysymtabLen, nlist = 32, 24, 80, 16
	symbolsAt := header + dylib.Len() + symtabLen + dysymtabLen
	stringTable := pad(append(append([]byte{0}, symbol...), 0))
	var cmds bytes.Buffer
	cmds.Write(dylib.Bytes())
	binary.Write(&cmds, le, []uint32{uint32(macho.LoadCmdSymtab), symtabLen, uint32(symbolsAt), 1, uint32(symbolsAt + nlist), uint32(len(stringTable))})
	dysym := make([]uint32, dysymtabLen/4)
	dysym[0], dysym[1] = uint32(macho.LoadCmdDysymtab), dysymtabLen
	dysym[7] = 1 // nundefsym
	binary.Write(&cmds, le, dysym)

	var out bytes.Buffer
	binary.Write(&out, le, []uint32{macho.Magic64, uint32(cpu), 0, uint32(macho.TypeExec), 3, uint32(cmds.Len()), 0, 0})
	out.Write(cmds.Bytes())
	binary.Write(&out, le, macho.Nlist64{Name: 1, Type: 0x01}) // N_UNDF | N_EXT
	out.Write(stringTable)
	return out.Bytes()
}

// FatMachO joins two thin Mach-O files behind a fat header.
func FatMachO(first, second []byte) []byte {
	be := binary.BigEndian
	const align, headerRoom = 12, 4096
	secondAt := headerRoom + (len(first)+4095)/4096*4096
	out := make([]byte, secondAt+len(second))
	var h bytes.Buffer
	binary.Write(&h, be, []uint32{macho.MagicFat, 2})
	binary.Write(&h, be, []uint32{uint32(macho.CpuAmd64), 3, headerRoom, uint32(len(first)), align})
	binary.Write(&h, be, []uint32{uint32(macho.CpuArm64), 0, uint32(secondAt), uint32(len(second)), align})
	copy(out, h.Bytes())
	copy(out[headerRoom:], first)
	copy(out[secondAt:], second)
	return out
}
