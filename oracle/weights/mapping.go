package weights

import (
	"os"

	"github.com/edsrzf/mmap-go"
)

// mapping is a file mapped read-only.
type mapping struct {
	path string
	data mmap.MMap
}

// openMapping maps a file. An empty file cannot be mapped and has no data.
func openMapping(path string) (*mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &InputError{File: path, Err: cause(err)}
	}
	defer f.Close() // the mapping outlives the descriptor
	info, err := f.Stat()
	if err != nil {
		return nil, &InputError{File: path, Err: cause(err)}
	}
	if !info.Mode().IsRegular() {
		return nil, wrong(path, "", "a regular file", "%s", info.Mode().Type())
	}
	if info.Size() == 0 {
		return &mapping{path: path}, nil
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, &InputError{File: path, Err: err}
	}
	return &mapping{path: path, data: data}, nil
}

func (m *mapping) close() error {
	if m.data == nil {
		return nil
	}
	return m.data.Unmap()
}

// cause takes the path out of a file system error: InputError names it already.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
