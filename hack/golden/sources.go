package main

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

const generatorFolder = "hack/golden"

// sourceHashes stand for the Go files that decide what is in a golden file.
type sourceHashes struct {
	oracle    string // packages at and below oracle
	generator string // this command and what else it imports of this module
}

// hashSources follows the imports of the generator through the module, tests apart. Reaching the engine is an error.
func hashSources(root string) (sourceHashes, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return sourceHashes{}, fmt.Errorf("golden: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	module, ok := strings.CutPrefix(strings.TrimSpace(line), "module ")
	if !ok {
		return sourceHashes{}, fmt.Errorf("golden: go.mod: first line: got %q, want module PATH", line)
	}
	oracleFiles, otherFiles := map[string]string{}, map[string]string{}
	seen := map[string]bool{}
	for queue := []string{generatorFolder}; len(queue) > 0; queue = queue[1:] {
		folder := queue[0]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		if folder == "engine" || strings.HasPrefix(folder, "engine/") {
			return sourceHashes{}, fmt.Errorf("golden: the generator imports %s/%s: goldens are written by the oracle alone", module, folder)
		}
		files := otherFiles
		if folder == "oracle" || strings.HasPrefix(folder, "oracle/") {
			files = oracleFiles
		}
		imports, err := hashPackage(root, folder, files)
		if err != nil {
			return sourceHashes{}, err
		}
		for _, i := range imports {
			if rest, ok := strings.CutPrefix(i, module+"/"); ok {
				queue = append(queue, rest)
			}
		}
	}
	return sourceHashes{oracle: hashList(oracleFiles), generator: hashList(otherFiles)}, nil
}

// hashPackage adds the hashes of a package's Go files, for every platform but without tests, and returns its imports.
func hashPackage(root, folder string, sums map[string]string) (imports []string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("golden: %w", err)
		}
		sums[name] = hashBytes(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))) // a checkout may change line ends
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return nil, fmt.Errorf("golden: %w", err)
		}
		for _, i := range parsed.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return nil, fmt.Errorf("golden: %s: import %s: %w", name, i.Path.Value, err)
			}
			imports = append(imports, p)
		}
	}
	return imports, nil
}
