package sovereignty

import (
	"regexp"
	"strings"
)

// denied is one entry of a deny list: what matches belongs to the named product.
type denied struct {
	pattern *regexp.Regexp
	product string
}

func deny(pattern, product string) denied { return denied{regexp.MustCompile(pattern), product} }

// deniedLibraries match the base name of an imported library, lower-cased, or a framework's name. Names are those
// the products install under.
var deniedLibraries = []denied{
	deny(`^(accelerate|veclib)$`, "Apple Accelerate"),
	deny(`^metalperformanceshaders(graph)?$|^mps(core|image|matrix|ndarray|neuralnetwork|functions|benchmarkloop)$`, "Metal Performance Shaders"),
	deny(`^(coreml|mlcompute|createml|naturallanguage)$`, "Apple machine-learning frameworks"),
	deny(`^lib(c|f|g)?blas|^lib(open|gsl|cu|hip|roc)?c?blas|^libblis|^libatlas|^libflame|^liblapack|^liblapacke|^libarmpl`, "a BLAS or LAPACK"),
	deny(`^libmkl|^libiomp|^libdnnl|^libonednn`, "Intel oneAPI"),
	deny(`^libcu(blas|blaslt|dnn|sparse|tensor|fft|solver)|^libnvinfer|^libcutlass`, "NVIDIA math and ML libraries"),
	deny(`^lib(roc|hip)(blas|solver|sparse|fft)|^libmiopen`, "AMD math and ML libraries"),
	deny(`^lib(torch|c10|caffe2)|^libtensorflow|^libonnxruntime|^libtvm|^libmxnet|^libopenvino|^libxla|^libpjrt|^libncnn|^libmnn|^libexecutorch`, "an ML framework"),
	deny(`^lib(ggml|llama|mlx|whisper)`, "ggml, llama.cpp or MLX"),
	deny(`^libpython|^python(3(\.\d+)?)?$`, "Python"),
}

// deniedSymbols match a symbol's name without Mach-O's leading underscore. Go's own symbols hold a dot or a slash
// and match none of them: pure Go linear algebra is not vendor code.
var deniedSymbols = []denied{
	deny(`^cblas_[a-z0-9_]+$|^LAPACKE_|^clapack_|^catlas_|^appleblas_`, "a BLAS or LAPACK"),
	deny(`^[sdczh](gemm|gemv|symm|syrk|trsm|trmm|gesv|getrf|potrf)_?(64_)?$|^h?gemm_|^openblas_`, "a BLAS or LAPACK"),
	deny(`^(BNNS|vDSP_|vImage|sparse_matrix_|SparseMultiply)`, "Apple Accelerate"),
	deny(`^OBJC_(CLASS|METACLASS)_\$_(MPS|MLModel|MLC)|^MPS[A-Z]`, "Metal Performance Shaders or Core ML"),
	deny(`^mkl_|^MKL_|^dnnl_|^vml[SD]`, "Intel oneAPI"),
	deny(`^cu(blas|blasLt|dnn|sparse|tensor|solver)[A-Z]|^nvinfer`, "NVIDIA math and ML libraries"),
	deny(`^(roc|hip)blas_|^miopen[A-Z]`, "AMD math and ML libraries"),
	deny(`^(TF_|TfLite|Ort[A-Z]|at_|torch_|_ZN2at|_ZN3c10|_ZN5torch|TVM|PJRT_)`, "an ML framework"),
	deny(`^(ggml_|llama_|mlx_|_ZN3mlx)`, "ggml, llama.cpp or MLX"),
	deny(`^Py(_|Object_|Import_|Run_)`, "Python"),
}

// deniedModules match a Go module path: bindings to the products above, and ML frameworks written in Go.
// gonum.org/v1/gonum is pure Go and allowed; gonum.org/v1/netlib binds a C BLAS.
var deniedModules = []denied{
	deny(`^gonum\.org/v1/netlib`, "a C BLAS"),
	deny(`^github\.com/(gonum/blas|gonum/lapack|ziutek/blas)`, "a BLAS"),
	deny(`^gorgonia\.org/|^github\.com/gomlx/|^github\.com/nlpodyssey/|^github\.com/galeone/tf|^github\.com/wamuir/graft|^github\.com/tensorflow/|^github\.com/sugarme/gotch|^github\.com/gotch|^github\.com/owulveryck/onnx-go|^github\.com/yalue/onnxruntime_go`, "an ML framework"),
	deny(`^github\.com/(ollama|ggml-org|ggerganov|go-skynet|mudler|hybridgroup/yzma|gpustack/gguf)`, "llama.cpp and its kin"),
	deny(`^gocv\.io/|^github\.com/mumax/3/cuda|^github\.com/barnex/cuda5`, "vendor GPU math"),
}

// libraryName reduces a library as the linker names it to what deniedLibraries match:
// "/System/Library/Frameworks/Accelerate.framework/Versions/A/Accelerate" is "accelerate".
func libraryName(path string) string {
	return strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
}

func match(list []denied, name string) (product string, found bool) {
	for _, d := range list {
		if d.pattern.MatchString(name) {
			return d.product, true
		}
	}
	return "", false
}
