package conformance

import "context"

// Fork is a subject that shares the oracle's runs of s on the packed weights and has an engine of its own: what a
// control plants its fault in.
func (s *Subject) Fork() *Subject {
	for i := range s.Prompts {
		slot(&s.packedTraces, i)
		slot(&s.bounded, i)
	}
	return &Subject{Name: s.Name, Source: s.Source, Packed: s.Packed, Prompts: s.Prompts, Expected: s.Expected, Decoder: s.Decoder,
		Device: s.Device, Checked: s.Checked, DeviceName: s.DeviceName, packedTraces: s.packedTraces, bounded: s.bounded,
		OpenReference: func(ctx context.Context, dir string, progress func(done, total int64)) (Reference, error) {
			if dir != s.Packed {
				return OpenOracle(ctx, dir, progress)
			}
			m, err := s.packed(ctx)
			return keptOpen{m}, err
		}}
}

// keptOpen is a model that its owner closes.
type keptOpen struct{ Reference }

func (keptOpen) Close() error { return nil }

// CopyFolder, EditTensor and CopyRow plant faults in copies of folders.
var (
	CopyFolder = copyFolder
	EditTensor = editTensor
)

// Entry is a tensor's place in a safetensors file.
type Entry = tensorEntry

// CheckAnswer compares with an answer from elsewhere.
var CheckAnswer = compareAnswer

// ChoosePrompts decides what a subject is judged on.
var ChoosePrompts = choosePrompts

// CopyRow copies one row of a tensor over others.
var CopyRow = copyRow

// Judge turns a fork to another packed folder, for oracle and engine; nothing of the old one is kept.
func (s *Subject) Judge(packed string) {
	s.Packed, s.packedTraces, s.bounded = packed, nil, nil
	s.OpenReference = nil
}

// Parity runs the engine over prompt i.
func (s *Subject) Parity(ctx context.Context, i int) (*Parity, error) { return s.parity(ctx, i) }

// Encoder turns text into ids.
type Encoder = encoder

// TraceAndBounds is the oracle's run over prompt i on the packed weights, and how far an engine may stray from it.
func (s *Subject) TraceAndBounds(ctx context.Context, i int) (*Trace, *Bounds, error) {
	want, err := s.packedTrace(ctx, i)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.bounds(ctx, i)
	return want, b, err
}

// Fed lists the tokens a trace fed.
func (t *Trace) Fed() []int { return t.fed() }

// SetParity stands in for the engine's run over prompt i.
func (s *Subject) SetParity(i int, p *Parity) {
	slot(&s.parities, i).get(func() (*Parity, error) { return p, nil })
}
