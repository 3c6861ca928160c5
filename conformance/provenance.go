package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/conformance/tolerance"
)

// provenance says what was judged, on what, with what.
func (s *Subject) provenance(ctx context.Context) (report.Figures, error) {
	p := report.Figures{
		"model": s.Name, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH, "cpus": runtime.NumCPU(),
		"prompts": s.promptFigures(), "prompts_from": s.PromptSource, "perturbation_seed": perturbSeed, "perturbed_runs": perturbedRuns,
		"perturbed_by_float32_roundings": tolerance.PerturbScale,
		"bound_multiple_of_sigma":        tolerance.Multiple,
		"math_mode":                      "explicit fma, no contraction, no fast math (engine/kernels)",
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		p["assay"] = info.Main.Version
		for _, set := range info.Settings {
			switch set.Key {
			case "vcs.revision", "vcs.modified", "CGO_ENABLED", "GOAMD64", "GOARM64":
				p[set.Key] = set.Value
			}
		}
	}
	if e, _ := s.engine.peek(); e != nil {
		i := e.device.Info()
		p["device"] = report.Figures{"name": i.Name, "hardware": i.Hardware, "thread_execution_width": i.ThreadExecutionWidth, "simd_shuffle": i.SupportsSimdShuffle}
	} else {
		p["device"] = report.Figures{"name": s.DeviceName, "opened": false}
	}
	for key, dir := range map[string]string{"source_sha256": s.Source, "packed_sha256": s.Packed} {
		if dir == "" {
			continue
		}
		sums, err := s.hashFolder(ctx, dir)
		if err != nil {
			return nil, err
		}
		p[key] = sums
	}
	return p, nil
}

// promptFigures lists the prompts with the hash of their ids in decimal, separated by commas.
func (s *Subject) promptFigures() report.Figures {
	out := report.Figures{}
	for _, p := range s.Prompts {
		h := sha256.New()
		for i, id := range p.IDs {
			if i > 0 {
				io.WriteString(h, ",")
			}
			fmt.Fprint(h, id)
		}
		out[p.Name] = report.Figures{"tokens": len(p.IDs), "max_tokens": p.MaxTokens, "ids_sha256": hex.EncodeToString(h.Sum(nil))}
	}
	return out
}

// hashFolder hashes every regular file of a folder.
func (s *Subject) hashFolder(ctx context.Context, dir string) (map[string]string, error) {
	total, err := folderBytes(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	var done int64
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		for {
			if ctx.Err() != nil {
				f.Close()
				return nil, ctx.Err()
			}
			n, err := io.CopyN(h, f, 16<<20)
			done += n
			s.report("hashing", done, total)
			if err == io.EOF {
				break
			}
			if err != nil {
				f.Close()
				return nil, err
			}
		}
		f.Close()
		out[e.Name()] = hex.EncodeToString(h.Sum(nil))
	}
	return out, nil
}
