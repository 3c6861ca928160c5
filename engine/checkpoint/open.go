package checkpoint

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/octoryn/assay/engine/int4"
)

// Open maps a packed folder and checks all of it: the configuration, every tensor's presence, dtype and shape,
// and that scales, offsets, embeddings, norms, router and biases are finite. It copies no weight.
//
// Errors are *Error. A folder that is not packed is refused, see IsPacked and Pack.
func Open(dir string) (_ *Folder, err error) {
	format, err := readPackedHeader(dir)
	if err != nil {
		return nil, err
	}
	config, err := ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	if err := checkPackable(filepath.Join(dir, "config.json"), config); err != nil {
		return nil, err
	}
	ts, err := openTensors(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			ts.close()
		}
	}()
	f := &Folder{dir: dir, config: config, format: format, tensors: map[string]Tensor{}, close: ts.close}
	for _, file := range ts.files {
		if err := file.mapAll(); err != nil {
			return nil, err
		}
		f.shards = append(f.shards, Shard{Name: filepath.Base(file.path), Data: file.mapped})
	}
	matrices, plain := packedLayout(config)
	for _, m := range matrices {
		if err := f.addMatrix(ts, m); err != nil {
			return nil, err
		}
	}
	for _, p := range plain {
		if err := f.add(ts, p.name, p.shape, BF16, F32); err != nil {
			return nil, err
		}
	}
	for _, file := range ts.files {
		for _, e := range file.entries {
			if _, ok := f.tensors[e.name]; !ok {
				return nil, &Error{Kind: Unexpected, File: file.path, Tensor: e.name, Want: fmt.Sprintf("only tensors of a packed %s model of this configuration", config.ModelType)}
			}
		}
	}
	return f, nil
}

func (f *Folder) addMatrix(ts *tensorSet, m matrixSpec) error {
	shape := func(last int) []int { return append(slices.Clone(m.leading()), last) }
	if err := f.add(ts, m.name+".codes", shape(int4.RowBytes(m.k)), U8); err != nil {
		return err
	}
	if err := f.add(ts, m.name+".scales", shape(f.format.NumGroups(m.k)), F16); err != nil {
		return err
	}
	if f.format.Scheme == int4.Affine {
		return f.add(ts, m.name+".offsets", shape(f.format.NumGroups(m.k)), F16)
	}
	return nil
}

// add checks one tensor and keeps its view.
func (f *Folder) add(ts *tensorSet, name string, shape []int, dtypes ...DType) error {
	t, err := ts.require(name, shape, dtypes...)
	if err != nil {
		return err
	}
	data := t.file.mapped[t.offset : t.offset+t.length : t.offset+t.length]
	if i := firstNotFinite(data, t.dtype); i >= 0 {
		return notFinite(t.file.path, name, int64(i), shape)
	}
	f.tensors[name] = Tensor{Name: name, DType: t.dtype, Shape: shape, Data: data, Shard: t.shard, Offset: int(t.offset)}
	return nil
}
