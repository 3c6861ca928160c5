package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	fixturesFolder = "fixtures"
	promptsFile    = "expected.json"
	packedFile     = "packed.json"
)

// subject is a checkpoint to run.
type subject struct {
	folder  string // in fixtures
	source  string // folder whose prompts are run: the same, or the one this was packed from
	packed  bool
	sha256  string // of all files
	prompts []prompt
}

// prompt is what to continue.
type prompt struct {
	name   string
	ids    []int
	tokens int // to choose
}

// sha256 hashes the ids in decimal, each followed by a newline.
func (p prompt) sha256() string {
	h := sha256.New()
	for _, id := range p.ids {
		fmt.Fprintln(h, id)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// findSubjects lists the checkpoints with prompts and those packed from them, in order of their names.
func findSubjects(root string) ([]subject, error) {
	entries, err := os.ReadDir(filepath.Join(root, fixturesFolder))
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	var subjects []subject
	hashes := map[string]map[string]string{} // by folder and file
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		s := subject{folder: e.Name(), source: e.Name()}
		dir := filepath.Join(root, fixturesFolder, s.folder)
		files, err := hashFiles(dir)
		if err != nil {
			return nil, err
		}
		if files[promptsFile] == "" && files[packedFile] == "" {
			continue
		}
		hashes[s.folder], s.sha256, s.packed = files, hashList(files), files[packedFile] != ""
		if files[promptsFile] != "" {
			if s.prompts, err = readPrompts(filepath.Join(dir, promptsFile)); err != nil {
				return nil, err
			}
		}
		subjects = append(subjects, s)
	}
	for i := range subjects {
		s := &subjects[i]
		if !s.packed || s.prompts != nil {
			continue
		}
		from, err := packedFrom(filepath.Join(root, fixturesFolder, s.folder, packedFile), subjects, hashes)
		if err != nil {
			return nil, err
		}
		s.source, s.prompts = from.folder, from.prompts
	}
	return subjects, nil
}

// packedFrom finds the checkpoint whose files have the hashes that packed.json gives.
func packedFrom(file string, subjects []subject, hashes map[string]map[string]string) (subject, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return subject{}, fmt.Errorf("golden: %w", err)
	}
	var head struct {
		Source struct {
			Files map[string]string `json:"files"`
		} `json:"source"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return subject{}, fmt.Errorf("golden: %s: %w", file, err)
	}
	if len(head.Source.Files) == 0 {
		return subject{}, fmt.Errorf("golden: %s: source.files: got none, want the hashes of the files it was packed from", file)
	}
	for _, s := range subjects {
		same := !s.packed
		for name, sum := range head.Source.Files {
			same = same && hashes[s.folder][name] == sum
		}
		if same {
			return s, nil
		}
	}
	return subject{}, fmt.Errorf("golden: %s: source.files: no checkpoint in %s has these hashes; pack it again", file, fixturesFolder)
}

// readPrompts reads the prompts of a checkpoint; each is continued for as many tokens as the outside answers are.
func readPrompts(file string) ([]prompt, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	var outside struct {
		Prompts map[string]struct {
			IDs    []int `json:"ids"`
			Greedy []int `json:"greedy_f64"`
		} `json:"prompts"`
	}
	if err := json.Unmarshal(text, &outside); err != nil {
		return nil, fmt.Errorf("golden: %s: %w", file, err)
	}
	if len(outside.Prompts) == 0 {
		return nil, fmt.Errorf("golden: %s: prompts: got none, want at least one", file)
	}
	var prompts []prompt
	for _, name := range slices.Sorted(maps.Keys(outside.Prompts)) {
		p := outside.Prompts[name]
		if name == "" || strings.ContainsAny(name, `/\.`) {
			return nil, fmt.Errorf("golden: %s: prompt %q: want a name that can be a file's", file, name)
		}
		if len(p.IDs) == 0 || len(p.Greedy) == 0 {
			return nil, fmt.Errorf("golden: %s: prompt %q: got %d ids and %d greedy_f64, want at least one of each", file, name, len(p.IDs), len(p.Greedy))
		}
		prompts = append(prompts, prompt{name, p.IDs, len(p.Greedy)})
	}
	return prompts, nil
}

// hashFiles gives the SHA-256 of each file of a folder.
func hashFiles(dir string) (map[string]string, error) {
	sums := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		sums[name] = hashBytes(data)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	return sums, nil
}

// hashList is one hash for files and their names.
func hashList(sums map[string]string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(h, "%s  %s\n", sums[name], name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
