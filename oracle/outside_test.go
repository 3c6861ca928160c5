package oracle_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"

	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/oracle"
)

// outsideFixtures are the checkpoints that carry answers from elsewhere.
var outsideFixtures = []string{"gosling-4m", "tiny-qwen3-moe", "tiny-qwen3-moe-mixed", "tiny-qwen3"}

// packedFixtures are the same checkpoints in int4.
var packedFixtures = []string{"gosling-4m-int4", "tiny-qwen3-moe-int4", "tiny-qwen3-moe-int4-affine", "tiny-qwen3-moe-mixed-int4", "tiny-qwen3-int4"}

// outsidePrompt is one prompt of expected.json.
type outsidePrompt struct {
	IDs       []int     `json:"ids"`
	KeptRows  int       `json:"kept_rows"`
	GreedyF64 []int     `json:"greedy_f64"`
	MarginF64 []float64 `json:"margin_f64"`
}

func fixture(name string) string { return filepath.Join("..", "fixtures", name) }

// models stay open for the whole suite: they are read-only and safe for concurrent use.
var models sync.Map

func open(name string) *oracle.Model {
	if m, ok := models.Load(name); ok {
		return m.(*oracle.Model)
	}
	m, err := oracle.Open(fixture(name))
	Expect(err).NotTo(HaveOccurred())
	models.Store(name, m)
	return m
}

// outsidePrompts reads the prompts of a fixture. It panics on a broken file, as specs are made from what it returns.
func outsidePrompts(name string) map[string]outsidePrompt {
	text, err := os.ReadFile(filepath.Join(fixture(name), "expected.json"))
	if err != nil {
		panic(err)
	}
	var file struct {
		Prompts map[string]outsidePrompt `json:"prompts"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		panic(err)
	}
	return file.Prompts
}

// outsideTensor reads a matrix of expected.safetensors; nil if there is none of that name. It is a third reader of the
// format, so that a mistake in the oracle's own cannot hide here.
func outsideTensor(fixtureName, tensor string) [][]float64 {
	data, err := os.ReadFile(filepath.Join(fixture(fixtureName), "expected.safetensors"))
	Expect(err).NotTo(HaveOccurred())
	n := binary.LittleEndian.Uint64(data)
	var header map[string]struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets []int  `json:"data_offsets"`
	}
	Expect(json.Unmarshal(data[8:8+n], &header)).To(Succeed())
	h, ok := header[tensor]
	if !ok {
		return nil
	}
	body := data[8+n:][h.Offsets[0]:h.Offsets[1]]
	matrix := make([][]float64, h.Shape[0])
	for r := range matrix {
		matrix[r] = make([]float64, h.Shape[1])
		for c := range matrix[r] {
			i := r*h.Shape[1] + c
			switch h.DType {
			case "F64":
				matrix[r][c] = math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:]))
			case "F32":
				matrix[r][c] = float64(math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:])))
			case "BF16":
				matrix[r][c] = float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(body[2*i:])) << 16))
			default:
				panic("dtype " + h.DType)
			}
		}
	}
	return matrix
}

// compare gives the largest difference of two matrices as a share of the largest magnitude in want, and an error that
// names its place if it is not at most limit. NaN anywhere is an error.
func compare(got, want [][]float64, limit float64) (worst float64, err error) {
	if len(got) != len(want) || len(want) == 0 {
		return math.NaN(), fmt.Errorf("got %d rows, want %d", len(got), len(want))
	}
	largest := largest(want)
	if !(largest > 0 && largest <= math.MaxFloat64) {
		return math.NaN(), fmt.Errorf("want holds nothing to compare with: largest magnitude %v", largest)
	}
	for r := range want {
		if len(got[r]) != len(want[r]) {
			return math.NaN(), fmt.Errorf("row %d: got %d columns, want %d", r, len(got[r]), len(want[r]))
		}
		for c, w := range want[r] {
			d := math.Abs(got[r][c]-w) / largest
			if !(d <= limit) && err == nil {
				err = fmt.Errorf("[%d][%d]: got %.17g, want %.17g: %.3g of the largest, want at most %.3g", r, c, got[r][c], w, d, limit)
			}
			worst = max(worst, d)
		}
	}
	return worst, err
}

// largest is the largest magnitude in a matrix.
func largest(matrix [][]float64) float64 {
	top := 0.0
	for _, row := range matrix {
		for _, v := range row {
			top = max(top, math.Abs(v))
		}
	}
	return top
}
