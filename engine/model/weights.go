package model

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
)

// packed is a packed matrix on the device. Offsets are unset in the symmetric scheme.
type packed struct{ codes, scales, offsets view }

// layerWeights are the weights of one decoder block.
type layerWeights struct {
	inputNorm, postNorm, qNorm, kNorm view // float32
	qkv, o, gateUp, down              packed
	qkvBias, oBias                    view // float32; unset without attention_bias
	router                            view // as stored; unset in dense layers
	routerWide                        bool // the router is float32
}

// weights are all of a model's.
type weights struct {
	views          *views
	owned          []device.Buffer
	layers         []layerWeights
	embeddings     view
	embeddingsWide bool // embeddings are float32, else bfloat16
	finalNorm      view
	lmHead         packed
	rope           view
}

// loadWeights binds the folder's tensors.
func loadWeights(dev device.Device, f *checkpoint.Folder, maxSeqLen int, progress func(done, total int64)) (_ *weights, err error) {
	w := &weights{}
	defer func() {
		if err != nil {
			w.release()
		}
	}()
	c := f.Config()
	if w.views, err = newViews(dev, f.Shards(), boundTensors(f)); err != nil {
		return nil, err
	}
	if w.rope, err = w.own(dev, "rope", ropeTable(c, maxSeqLen)); err != nil {
		return nil, err
	}
	if w.finalNorm, err = w.widened(dev, f.FinalNorm()); err != nil {
		return nil, err
	}
	w.embeddings, w.embeddingsWide = w.views.of(f.EmbedTokens()), f.EmbedTokens().DType == checkpoint.F32
	w.lmHead = w.matrix(f.LMHead())
	w.layers = make([]layerWeights, c.NumLayers)
	for i := range w.layers {
		l := &w.layers[i]
		l.qkv, l.o, l.gateUp, l.down = w.matrix(f.QKVProj(i)), w.matrix(f.OProj(i)), w.matrix(f.GateUpProj(i)), w.matrix(f.DownProj(i))
		small := []struct {
			to *view
			t  checkpoint.Tensor
		}{{&l.inputNorm, f.InputNorm(i)}, {&l.postNorm, f.PostAttentionNorm(i)}, {&l.qNorm, f.QNorm(i)}, {&l.kNorm, f.KNorm(i)}}
		if c.AttentionBias {
			small = append(small, []struct {
				to *view
				t  checkpoint.Tensor
			}{{&l.qkvBias, f.QKVBias(i)}, {&l.oBias, f.OBias(i)}}...)
		}
		for _, s := range small {
			if *s.to, err = w.widened(dev, s.t); err != nil {
				return nil, err
			}
		}
		if c.IsSparse(i) {
			if l.router, err = w.routerView(dev, f.Router(i)); err != nil {
				return nil, err
			}
			l.routerWide = f.Router(i).DType == checkpoint.F32
		}
		if progress != nil {
			progress(int64(i+1), int64(len(w.layers)))
		}
	}
	return w, nil
}

// boundTensors lists what is used in place.
func boundTensors(f *checkpoint.Folder) []checkpoint.Tensor {
	out := []checkpoint.Tensor{f.EmbedTokens()}
	add := func(m checkpoint.Matrix) {
		out = append(out, m.Codes, m.Scales)
		if m.Offsets.Name != "" {
			out = append(out, m.Offsets)
		}
	}
	add(f.LMHead())
	for i := range f.Config().NumLayers {
		add(f.QKVProj(i))
		add(f.OProj(i))
		add(f.GateUpProj(i))
		add(f.DownProj(i))
		if f.Config().IsSparse(i) {
			out = append(out, f.Router(i))
		}
	}
	return out
}

func (w *weights) matrix(m checkpoint.Matrix) packed {
	return packed{w.views.of(m.Codes), w.views.of(m.Scales), w.views.of(m.Offsets)}
}

// own makes a float32 buffer.
func (w *weights) own(dev device.Device, label string, values []float32) (view, error) {
	b, err := dev.NewBuffer(label, 4*len(values))
	if err != nil {
		return view{}, fmt.Errorf("model: %s: %w", label, err)
	}
	w.owned = append(w.owned, b)
	bytes := make([]byte, 4*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(v))
	}
	if err := b.Write(0, bytes); err != nil {
		return view{}, fmt.Errorf("model: %s: %w", label, err)
	}
	return view{buffer: b}, nil
}

// widened makes a float32 copy of a small tensor, zapped.
func (w *weights) widened(dev device.Device, t checkpoint.Tensor) (view, error) {
	values := floats(t)
	for i, v := range values {
		values[i] = zap(v)
	}
	return w.own(dev, t.Name, values)
}

// routerView binds a router matrix in place, or a zapped copy of it in the rare case that a weight is below 2^-40.
func (w *weights) routerView(dev device.Device, t checkpoint.Tensor) (view, error) {
	values := floats(t)
	clean := true
	for i, v := range values {
		if z := zap(v); z != v { // a zero's sign is lost in every sum
			values[i], clean = z, false
		}
	}
	if clean {
		return w.views.of(t), nil
	}
	if t.DType == checkpoint.F32 {
		return w.own(dev, t.Name, values)
	}
	b, err := dev.NewBuffer(t.Name, 2*len(values))
	if err != nil {
		return view{}, fmt.Errorf("model: %s: %w", t.Name, err)
	}
	w.owned = append(w.owned, b)
	bytes := make([]byte, 2*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint16(bytes[2*i:], uint16(math.Float32bits(v)>>16))
	}
	if err := b.Write(0, bytes); err != nil {
		return view{}, fmt.Errorf("model: %s: %w", t.Name, err)
	}
	return view{buffer: b}, nil
}

func (w *weights) release() {
	for _, b := range w.owned {
		b.Release()
	}
	if w.views != nil {
		w.views.release()
	}
	w.owned, w.views = nil, nil
}

// floats widens a bfloat16 or float32 tensor.
func floats(t checkpoint.Tensor) []float32 {
	if t.DType == checkpoint.F32 {
		out := make([]float32, len(t.Data)/4)
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
		}
		return out
	}
	out := make([]float32, len(t.Data)/2)
	for i := range out {
		out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(t.Data[2*i:])) << 16)
	}
	return out
}

// zap is the numeric contract's: magnitudes below 2^-40, and negative zero, become +0.
func zap(v float32) float32 {
	if v < 0x1p-40 && v > -0x1p-40 {
		return 0
	}
	return v
}

// ropeTable holds cos and sin of position * theta^(-2i/headDim) for each position and i < headDim/2, computed in
// float64 and rounded once. Shape [maxSeqLen, headDim/2, 2].
func ropeTable(c checkpoint.Config, maxSeqLen int) []float32 {
	half := c.HeadDim / 2
	out := make([]float32, 0, 2*maxSeqLen*half)
	frequencies := make([]float64, half)
	for i := range frequencies {
		frequencies[i] = math.Pow(c.RopeTheta, -2*float64(i)/float64(c.HeadDim))
	}
	for pos := range maxSeqLen {
		for _, f := range frequencies {
			sin, cos := math.Sincos(float64(pos) * f)
			out = append(out, zap(float32(cos)), zap(float32(sin)))
		}
	}
	return out
}
