package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names of files in a checkpoint folder.
const (
	configFile = "config.json"
	packedFile = "packed.json"
	singleFile = "model.safetensors"
	indexFile  = "model.safetensors.index.json"
)

// folder is a checkpoint's tensors by name, whichever file they lie in.
type folder struct {
	dir      string
	mappings []*mapping
	tensors  map[string]*tensor
	list     string // the file that lists the tensors: the index, or the only shard
}

// openFolder maps all shards of a folder.
func openFolder(dir string) (_ *folder, err error) {
	f := &folder{dir: dir, tensors: map[string]*tensor{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	single, index := filepath.Join(dir, singleFile), filepath.Join(dir, indexFile)
	switch hasSingle, hasIndex := exists(single), exists(index); {
	case hasSingle && hasIndex:
		return nil, wrong(index, "", "one of the two", "both an index and %s", singleFile)
	case hasIndex:
		f.list = index
		return f, f.openShards(index)
	default:
		f.list = single
		t, err := f.openShard(single)
		if err != nil {
			return nil, err
		}
		f.tensors = t
		return f, nil
	}
}

func (f *folder) openShard(path string) (map[string]*tensor, error) {
	m, err := openMapping(path)
	if err != nil {
		return nil, err
	}
	f.mappings = append(f.mappings, m)
	return readSafetensors(m)
}

// openShards maps every file an index names. Index and shards must agree on what lies where.
func (f *folder) openShards(index string) error {
	text, err := os.ReadFile(index)
	if err != nil {
		return &InputError{File: index, Err: cause(err)}
	}
	var head struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return wrong(index, "", "a JSON object with weight_map", "%v", err)
	}
	if len(head.WeightMap) == 0 {
		return wrong(index, "weight_map", "tensor names and their files", "none")
	}
	byFile := map[string][]string{}
	for name, file := range head.WeightMap {
		byFile[file] = append(byFile[file], name)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		slices.Sort(byFile[file])
		// Only plain names: a path could reach out of the folder.
		if file == "" || file == "." || file == ".." || strings.ContainsAny(file, `/\`) || filepath.VolumeName(file) != "" {
			return wrong(index, fmt.Sprintf("weight_map %q", byFile[file][0]), "the name of a file in the same folder", "%q", file)
		}
		path := filepath.Join(f.dir, file)
		tensors, err := f.openShard(path)
		if err != nil {
			return err
		}
		for _, name := range byFile[file] {
			if tensors[name] == nil {
				return wrong(path, fmt.Sprintf("tensor %q", name), "it here, as "+indexFile+" says", "nothing")
			}
			f.tensors[name] = tensors[name]
		}
		for _, name := range slices.Sorted(maps.Keys(tensors)) {
			if head.WeightMap[name] != file {
				return wrong(path, fmt.Sprintf("tensor %q", name), "only tensors that "+indexFile+" places here", "it")
			}
		}
	}
	return nil
}

func (f *folder) close() error {
	var err error
	for _, m := range f.mappings {
		err = errors.Join(err, m.close())
	}
	f.mappings = nil
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
