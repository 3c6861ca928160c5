package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

const (
	singleFile = "model.safetensors"
	indexFile  = "model.safetensors.index.json"
)

// located is a tensor and the file that holds it.
type located struct {
	entry
	file  *safetensorsFile
	shard int // index of file in tensorSet.files
}

// tensorSet is every tensor of a folder by name, with the files open.
type tensorSet struct {
	dir    string
	files  []*safetensorsFile // sorted by path
	byName map[string]located
}

// openTensors opens model.safetensors, or every shard its index names, and checks them against each other.
func openTensors(dir string) (_ *tensorSet, err error) {
	single, index := filepath.Join(dir, singleFile), filepath.Join(dir, indexFile)
	_, errSingle := os.Stat(single)
	_, errIndex := os.Stat(index)
	ts := &tensorSet{dir: dir, byName: map[string]located{}}
	defer func() {
		if err != nil {
			ts.close()
		}
	}()
	switch {
	case errSingle == nil && errIndex == nil:
		return nil, &Error{Kind: Malformed, File: dir, Got: singleFile + " and " + indexFile, Want: "one of them"}
	case errSingle == nil:
		return ts, ts.add(single, nil)
	case errIndex != nil:
		if !isNotExist(errIndex) {
			return nil, unreadable(index, errIndex)
		}
		return nil, unreadable(single, errSingle)
	}
	weightMap, err := readIndex(index)
	if err != nil {
		return nil, err
	}
	byFile := map[string][]string{}
	for name, file := range weightMap {
		byFile[file] = append(byFile[file], name)
	}
	names := make([]string, 0, len(byFile))
	for file := range byFile {
		names = append(names, file)
	}
	slices.Sort(names)
	for _, file := range names {
		listed := map[string]bool{}
		for _, n := range byFile[file] {
			listed[n] = true
		}
		if err := ts.add(filepath.Join(dir, file), listed); err != nil {
			return nil, err
		}
	}
	return ts, nil
}

// readIndex returns the weight_map of an index file: tensor name to file name within the folder.
func readIndex(path string) (map[string]string, error) {
	o, err := readObject(path)
	if err != nil {
		return nil, err
	}
	w := o.child("weight_map")
	if o.err != nil {
		return nil, o.err
	}
	m := make(map[string]string, len(w.fields))
	for name := range w.fields {
		file := w.text(name, "a file name")
		if w.err != nil {
			return nil, w.err
		}
		if file != filepath.Base(file) || !filepath.IsLocal(file) || file == "." || filepath.Ext(file) != ".safetensors" {
			return nil, &Error{Kind: PathEscape, File: path, Field: "weight_map." + name, Got: fmt.Sprintf("%q", file), Want: "the name of a .safetensors file in the same folder"}
		}
		m[name] = file
	}
	if len(m) == 0 {
		return nil, &Error{Kind: BadValue, File: path, Field: "weight_map", Got: "{}", Want: "at least one tensor"}
	}
	return m, nil
}

// add opens one file. listed, when not nil, is exactly the tensors an index promises in it.
func (ts *tensorSet) add(path string, listed map[string]bool) error {
	f, err := openSafetensors(path)
	if err != nil {
		return err
	}
	ts.files = append(ts.files, f)
	for _, e := range f.entries {
		if listed != nil && !listed[e.name] {
			return &Error{Kind: Unexpected, File: path, Tensor: e.name, Want: "only tensors that " + indexFile + " places in this file"}
		}
		if other, ok := ts.byName[e.name]; ok {
			return &Error{Kind: Duplicate, File: path, Tensor: e.name, Got: "also in " + filepath.Base(other.file.path)}
		}
		ts.byName[e.name] = located{entry: e, file: f, shard: len(ts.files) - 1}
		delete(listed, e.name)
	}
	if len(listed) > 0 {
		missing := make([]string, 0, len(listed))
		for name := range listed {
			missing = append(missing, name)
		}
		return &Error{Kind: Missing, File: path, Tensor: slices.Min(missing), Want: "the tensor that " + indexFile + " places in this file"}
	}
	return nil
}

// require returns a tensor of the given shape whose dtype is one of the given ones.
func (ts *tensorSet) require(name string, shape []int, dtypes ...DType) (located, error) {
	t, ok := ts.byName[name]
	if !ok {
		return t, &Error{Kind: Missing, File: ts.dir, Tensor: name, Want: fmt.Sprintf("%v %v", dtypes, shape)}
	}
	if !slices.Equal(t.shape, shape) {
		return t, &Error{Kind: BadShape, File: t.file.path, Tensor: name, Got: fmt.Sprint(t.shape), Want: fmt.Sprint(shape)}
	}
	if !slices.Contains(dtypes, t.dtype) {
		return t, &Error{Kind: BadDType, File: t.file.path, Tensor: name, Got: string(t.dtype), Want: fmt.Sprint(dtypes)}
	}
	return t, nil
}

func (ts *tensorSet) close() error {
	var errs []error
	for _, f := range ts.files {
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}
