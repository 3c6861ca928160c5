package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/octoryn/assay/golden"
	"github.com/octoryn/assay/oracle"
)

const goldenFolder = "golden"

// job is one run of the command.
type job struct {
	root, only string
	progress   io.Writer
	perturb    *oracle.Perturb // for specs: a reference that is slightly wrong
}

// run computes every file and compares it with the one on disk; what differs is written if write is set. It returns
// the number of files and one line for each that differed.
func (j job) run(ctx context.Context, write bool) (n int, found []string, err error) {
	if _, err := path.Match(j.only, ""); err != nil {
		return 0, nil, fmt.Errorf("golden: --only %q: %w", j.only, err)
	}
	hashes, err := hashSources(j.root)
	if err != nil {
		return 0, nil, err
	}
	subjects, err := findSubjects(j.root)
	if err != nil {
		return 0, nil, err
	}
	var wanted []string
	for _, s := range subjects {
		lines, err := j.subject(ctx, s, hashes, write, &wanted)
		found = append(found, lines...)
		if err != nil {
			return 0, found, err
		}
	}
	if len(wanted) == 0 {
		return 0, nil, fmt.Errorf("golden: --only %q: matches no prompt", j.only)
	}
	stray, err := j.strays(wanted, write)
	return len(wanted), append(found, stray...), err
}

// subject runs the prompts of one checkpoint.
func (j job) subject(ctx context.Context, s subject, hashes sourceHashes, write bool, wanted *[]string) (found []string, err error) {
	var model *oracle.Model
	defer func() {
		if model != nil {
			err = errors.Join(err, model.Close())
		}
	}()
	for _, p := range s.prompts {
		if ok, _ := path.Match(j.only, s.folder+"/"+p.name); !ok { // the pattern was tried before
			continue
		}
		name := golden.Name(s.folder, p.name)
		*wanted = append(*wanted, name)
		if model == nil {
			if model, err = oracle.OpenContext(ctx, filepath.Join(j.root, fixturesFolder, s.folder), nil); err != nil {
				return found, fmt.Errorf("golden: %w", err)
			}
		}
		began := time.Now()
		fmt.Fprintf(j.progress, "golden: %-42s %4d tokens ... ", name, len(p.ids))
		want, err := compute(ctx, model, s, p, hashes, j.perturb)
		if err != nil {
			fmt.Fprintln(j.progress, "stopped")
			return found, fmt.Errorf("golden: %s: %w", name, err)
		}
		lines, err := j.compare(name, want)
		if err != nil {
			return found, err
		}
		if write && len(lines) > 0 {
			if err := j.write(name, golden.Format(want)); err != nil {
				return found, err
			}
		}
		fmt.Fprintf(j.progress, "%.1f s, %s\n", time.Since(began).Seconds(), map[bool]string{true: "as it was", false: "differs"}[len(lines) == 0])
		found = append(found, lines...)
	}
	return found, nil
}

// compare says what is wrong with the file on disk, one line each; none if it is right.
func (j job) compare(name string, want *golden.File) ([]string, error) {
	file := path.Join(goldenFolder, name)
	text, err := os.ReadFile(filepath.Join(j.root, goldenFolder, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return []string{file + ": missing"}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	got, err := golden.Parse(name, text)
	if err != nil {
		return []string{err.Error()}, nil
	}
	var lines []string
	differ := func(what, got, want string) {
		if got != want {
			lines = append(lines, fmt.Sprintf("%s: %s: made with %q, now %q", file, what, got, want))
		}
	}
	g, w := got.Provenance, want.Provenance
	differ("command", g.Command, w.Command)
	differ("fixture", g.Fixture, w.Fixture)
	differ("fixture contents", g.FixtureSHA256, w.FixtureSHA256)
	differ("oracle sources", g.OracleSHA256, w.OracleSHA256)
	differ("generator sources", g.GeneratorSHA256, w.GeneratorSHA256)
	differ("weights", g.Weights, w.Weights)
	differ("arithmetic", g.Arithmetic, w.Arithmetic)
	differ("kv", g.KV, w.KV)
	differ("prompt", fmt.Sprint(got.Prompt), fmt.Sprint(want.Prompt))
	// Here the file is on trial: what is in it is got, what the oracle computes is wanted.
	if d := golden.Difference(got.Steps, want.Steps); d != "" {
		lines = append(lines, file+": "+d)
	}
	return lines, nil
}

// write replaces a file at once, so that an interrupted run leaves the old one or the new one.
func (j job) write(name string, text []byte) (err error) {
	file := filepath.Join(j.root, goldenFolder, filepath.FromSlash(name))
	defer func() {
		if err != nil {
			err = fmt.Errorf("golden: write %s: %w", name, err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	temp := file + ".new"
	if err := os.WriteFile(temp, text, 0o644); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, file)
}

// strays finds files that no prompt makes, and removes them if write is set.
func (j job) strays(wanted []string, write bool) (found []string, err error) {
	folder := filepath.Join(j.root, goldenFolder)
	names, err := fs.Glob(os.DirFS(folder), "*/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		key := name[:len(name)-len(".json")]
		if ok, _ := path.Match(j.only, key); !ok || slices.Contains(wanted, name) {
			continue
		}
		found = append(found, path.Join(goldenFolder, name)+": no prompt makes it")
		if write {
			if err := os.Remove(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
				return found, fmt.Errorf("golden: %w", err)
			}
		}
	}
	return found, nil
}
