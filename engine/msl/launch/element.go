package launch

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/octoryn/assay/engine/msl/internal/ir"
	"github.com/octoryn/assay/engine/msl/internal/num"
)

// Element is a scalar type of MSL that buffers, inline bytes and function constants hold.
type Element struct {
	Name string
	t    ir.Type
}

var elements = []Element{{"bool", ir.Bool}, {"char", ir.I8}, {"uchar", ir.U8}, {"short", ir.I16}, {"ushort", ir.U16}, {"int", ir.I32}, {"uint", ir.U32},
	{"long", ir.I64}, {"ulong", ir.U64}, {"half", ir.F16}, {"bfloat", ir.BF16}, {"float", ir.F32}}

// Bytes is the size in memory.
func (e Element) Bytes() int { return e.t.Bytes() }

// IsFloat reports half, bfloat and float.
func (e Element) IsFloat() bool { return e.t.IsFloat() }

func (v value) element() (Element, error) {
	s, err := v.text()
	if err != nil {
		return Element{}, err
	}
	names := make([]string, len(elements))
	for i, e := range elements {
		if e.Name == s {
			return e, nil
		}
		names[i] = e.Name
	}
	return Element{}, v.want("one of " + strings.Join(names, ", "))
}

// bits reads one element as the bits it has in memory: a JSON number, for floats also "nan", "inf" and "-inf", for bool true and
// false; "0x..." gives the bits of any type. A float is rounded once, to nearest, ties to even.
func (e Element) bits(v value) (uint64, error) {
	text := string(bytes.TrimSpace(v.raw))
	if strings.HasPrefix(text, `"`) {
		var s string
		if json.Unmarshal(v.raw, &s) != nil {
			return 0, v.want(e.wanted())
		}
		if hex, ok := strings.CutPrefix(s, "0x"); ok {
			u, err := strconv.ParseUint(hex, 16, 64)
			if err != nil || e.Bytes() < 8 && u>>(8*e.Bytes()) != 0 {
				return 0, v.want(fmt.Sprintf("the bits of a %s, %d hexadecimal digits at most", e.Name, 2*e.Bytes()))
			}
			return u, nil
		}
		special := map[string]float64{"nan": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1)}
		if f, ok := special[s]; ok && e.IsFloat() {
			return e.fromFloat(f), nil
		}
		return 0, v.want(e.wanted())
	}
	switch {
	case e.IsFloat():
		f, err := e.parseFloat(text)
		if err != nil {
			return 0, v.want(e.wanted())
		}
		return f, nil
	case e.t == ir.Bool:
		switch text {
		case "true", "1":
			return 1, nil
		case "false", "0":
			return 0, nil
		}
		return 0, v.want(e.wanted())
	case e.t.IsSigned():
		n, err := strconv.ParseInt(text, 10, 8*e.Bytes())
		if err != nil {
			return 0, v.want(e.wanted())
		}
		return e.cut(uint64(n)), nil
	}
	n, err := strconv.ParseUint(text, 10, 8*e.Bytes())
	if err != nil {
		return 0, v.want(e.wanted())
	}
	return n, nil
}

func (e Element) wanted() string {
	switch {
	case e.IsFloat():
		return fmt.Sprintf("a %s: a finite number in its range, \"nan\", \"inf\", \"-inf\" or the bits as \"0x...\"", e.Name)
	case e.t == ir.Bool:
		return "true or false"
	case e.t.IsSigned():
		n := 8*e.Bytes() - 1
		return fmt.Sprintf("a whole number from %d to %d (%s)", int64(-1)<<n, int64(uint64(1)<<n-1), e.Name)
	}
	return fmt.Sprintf("a whole number from 0 to %d (%s)", ^uint64(0)>>(64-8*e.Bytes()), e.Name)
}

func (e Element) cut(u uint64) uint64 {
	if n := 8 * e.Bytes(); n < 64 {
		return u & (1<<n - 1)
	}
	return u
}

// parseFloat rounds a decimal to the type; out of range is an error.
func (e Element) parseFloat(text string) (uint64, error) {
	if !json.Valid([]byte(text)) || strings.Trim(text, "+-0123456789.eE") != "" {
		return 0, strconv.ErrSyntax
	}
	if e.t == ir.F32 {
		f, err := strconv.ParseFloat(text, 32)
		return uint64(math.Float32bits(float32(f))), err
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}
	u := e.fromFloat(f)
	if math.IsInf(e.toFloat(u), 0) {
		return 0, strconv.ErrRange
	}
	return u, nil
}

// fromFloat rounds to the type once: a float64 rounded to odd in float32 keeps what the narrower rounding needs.
func (e Element) fromFloat(f float64) uint64 {
	switch e.t {
	case ir.F16:
		return uint64(num.F32ToF16(num.Odd32(f)))
	case ir.BF16:
		return uint64(num.F32ToBF16(num.Odd32(f)))
	}
	return uint64(math.Float32bits(float32(f)))
}

func (e Element) toFloat(u uint64) float64 {
	switch e.t {
	case ir.F16:
		return float64(num.F16ToF32(uint16(u)))
	case ir.BF16:
		return float64(num.BF16ToF32(uint16(u)))
	}
	return float64(math.Float32frombits(uint32(u)))
}

// put and get move bits to and from memory, little-endian.
func (e Element) put(dst []byte, bits uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	copy(dst[:e.Bytes()], word[:])
}

func (e Element) get(src []byte) uint64 {
	var word [8]byte
	copy(word[:], src[:e.Bytes()])
	return binary.LittleEndian.Uint64(word[:])
}

// Text prints the bits of an element: the shortest decimal that gives them back.
func (e Element) Text(bits uint64) string {
	switch {
	case e.t == ir.Bool:
		return strconv.FormatBool(bits != 0)
	case e.IsFloat():
		f := e.toFloat(bits)
		switch {
		case f != f:
			return "nan"
		case math.IsInf(f, 1):
			return "inf"
		case math.IsInf(f, -1):
			return "-inf"
		}
		return strconv.FormatFloat(f, 'g', -1, 32)
	case e.t.IsSigned():
		shift := 64 - 8*e.Bytes()
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	}
	return strconv.FormatUint(bits, 10)
}

// JSON is Text as a JSON value.
func (e Element) JSON(bits uint64) json.RawMessage {
	s := e.Text(bits)
	switch s {
	case "nan", "inf", "-inf":
		s = strconv.Quote(s)
	}
	return json.RawMessage(s)
}

// ulps is the number of representable values from a to b; ok is false if one is NaN or only one is infinite.
func (e Element) ulps(a, b uint64) (n uint64, ok bool) {
	x, y := e.toFloat(a), e.toFloat(b)
	if x != x || y != y || math.IsInf(x, 0) != math.IsInf(y, 0) {
		return 0, false
	}
	ordered := func(u uint64) int64 {
		sign := uint64(1) << (8*e.Bytes() - 1)
		if u&sign != 0 {
			return -int64(u &^ sign)
		}
		return int64(u)
	}
	d := ordered(a) - ordered(b)
	if d < 0 {
		d = -d
	}
	return uint64(d), true
}
