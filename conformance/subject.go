package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/octoryn/assay/engine"
	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/oracle"
)

// Progress is told what is being done and how far it has come; total 0 means unknown.
type Progress func(stage string, done, total int64)

// Reference is a model held by the oracle, as much of it as the claims use. Controls wrap it.
type Reference interface {
	Config() oracle.Config
	NewSequence(o oracle.Options) ReferenceSequence
	Close() error
}

// ReferenceSequence is one growing context of a [Reference].
type ReferenceSequence interface {
	Extend(ctx context.Context, ids []int, want oracle.Want) (*oracle.Output, error)
}

// Decoder turns token ids into text, whole or token by token.
type Decoder interface {
	Decode(ids []int) []byte
}

// Subject is a model on a device, with what is needed to judge it. Expensive runs are made when a spec first asks
// for them, and kept; specs of one subject may run in any order, one at a time.
type Subject struct {
	Name     string   // as the user named it
	Source   string   // folder of the original weights; "" when there is none
	Packed   string   // packed int4 folder, which oracle and engine both read
	Prompts  []Prompt // shortest first
	Expected *Expected

	PromptSource string  // where the prompts came from
	DeviceName   string  // as asked for
	Rerun        string  // the command line that judges this subject, without --claims
	Decoder      Decoder // nil when the folder has no tokenizer
	Progress     Progress

	// Executable is the program that claim G judges; "" means the running one.
	Executable string
	// Modules reads the module list of a program; nil means sovereignty.ReadModules.
	Modules func(path string) ([]string, error)

	// Device opens the device the engine runs on.
	Device func() (device.Device, error)
	// Checked opens the device with its sanitizers on; nil means that it has none.
	Checked func() (device.Device, error)
	// Recorded opens the device below a recorder, for a control that plants its fault above it; nil means a recorder above Device.
	Recorded func() (device.Device, *device.Recorder, error)
	// EngineFolder is what the engine loads; "" means Packed. A control plants its fault in a copy.
	EngineFolder string
	// OpenReference opens a folder with the oracle; nil means OpenOracle. A control wraps the result.
	OpenReference func(ctx context.Context, dir string, progress func(done, total int64)) (Reference, error)

	sourceModel, packedModel memo[Reference]
	sourceTraces             map[int]*memo[*Trace]
	packedTraces             map[int]*memo[*Trace]
	bounded                  map[int]*memo[*Bounds]
	parities                 map[int]*memo[*Parity]
	engine                   memo[*loadedEngine]
	traced                   memo[*DecodeTrace]
	temporary                string // folder to remove in Close
}

type loadedEngine struct {
	device  *countingDevice
	engine  *engine.Engine
	problem error // the engine could not be loaded: a finding, not a reason to stop
}

// Close releases the engine and its device, and removes the temporary packed folder. The subject must not be used
// afterwards.
func (s *Subject) Close() error {
	var errs []error
	if e, _ := s.engine.peek(); e != nil {
		if e.engine != nil {
			errs = append(errs, e.engine.Close())
		}
		errs = append(errs, e.device.Close())
	}
	for _, m := range []*memo[Reference]{&s.sourceModel, &s.packedModel} {
		if model, _ := m.peek(); model != nil {
			errs = append(errs, model.Close())
		}
	}
	if s.temporary != "" {
		errs = append(errs, os.RemoveAll(s.temporary))
	}
	return errors.Join(errs...)
}

func (s *Subject) report(stage string, done, total int64) {
	if s.Progress != nil {
		s.Progress(stage, done, total)
	}
}

func (s *Subject) openReference(ctx context.Context, dir string) (Reference, error) {
	open := s.OpenReference
	if open == nil {
		open = OpenOracle
	}
	return open(ctx, dir, func(done, total int64) { s.report("oracle: checking weights", done, total) })
}

// source is the oracle's model of the original weights.
func (s *Subject) source(ctx context.Context) (Reference, error) {
	return s.sourceModel.get(func() (Reference, error) { return s.openReference(ctx, s.Source) })
}

// packed is the oracle's model of the packed weights.
func (s *Subject) packed(ctx context.Context) (Reference, error) {
	return s.packedModel.get(func() (Reference, error) { return s.openReference(ctx, s.Packed) })
}

// oracleModel adapts *oracle.Model to Reference.
type oracleModel struct{ *oracle.Model }

func (m oracleModel) NewSequence(o oracle.Options) ReferenceSequence { return m.Model.NewSequence(o) }

// OpenOracle opens a folder with the oracle.
func OpenOracle(ctx context.Context, dir string, progress func(done, total int64)) (Reference, error) {
	m, err := oracle.OpenContext(ctx, dir, progress)
	if err != nil {
		return nil, err
	}
	return oracleModel{m}, nil
}

// loaded is the engine under test on its device.
func (s *Subject) loaded(ctx context.Context) (*loadedEngine, error) {
	return s.engine.get(func() (*loadedEngine, error) {
		inner, err := s.Device()
		if err != nil {
			return nil, err
		}
		dev := &countingDevice{Device: inner}
		dir := s.EngineFolder
		if dir == "" {
			dir = s.Packed
		}
		longest := 0
		for _, p := range s.Prompts {
			longest = max(longest, len(p.IDs)+p.MaxTokens)
		}
		e, err := engine.Load(ctx, dir, engine.Options{Device: dev, MaxSeqLen: longest, Progress: func(stage string, done, total int64) {
			s.report("engine: "+stage, done, total)
		}})
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), dev.Close())
		}
		if err != nil {
			return &loadedEngine{device: dev, problem: fmt.Errorf("engine: load: %w", err)}, nil
		}
		return &loadedEngine{device: dev, engine: e}, nil
	})
}

// slot finds the memo of prompt i, making it when needed.
func slot[T any](m *map[int]*memo[T], i int) *memo[T] {
	if *m == nil {
		*m = map[int]*memo[T]{}
	}
	if (*m)[i] == nil {
		(*m)[i] = &memo[T]{}
	}
	return (*m)[i]
}
