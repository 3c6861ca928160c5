package device

// Device is one machine that runs kernels.
//
// Its methods may be called from several goroutines; a single CommandBuffer may not.
type Device interface {
	// Info describes the device and its limits.
	Info() Info
	// Compile compiles the sources, in order, as one translation unit, and returns every kernel in them.
	// Diagnostics name the Source and line.
	Compile(sources []Source) (Library, error)
	// NewBuffer makes a buffer of lengthBytes bytes. Its contents are undefined: devices that can,
	// fill it with a poison pattern.
	NewBuffer(label string, lengthBytes int) (Buffer, error)
	// NewBufferNoCopy makes a buffer over data without copying it; kernels may not write it. The caller
	// keeps data alive and unchanged until Release.
	NewBufferNoCopy(label string, data []byte) (Buffer, error)
	// NewCommandBuffer starts an empty command buffer.
	NewCommandBuffer(label string) (CommandBuffer, error)
	// Close releases the device. Buffers and pipelines made by it must not be used afterwards.
	Close() error
}

// Info is what a device says of itself.
type Info struct {
	Name                       string // "msl", "metal", ...: the name accepted by --device
	Hardware                   string // what executes, in the vendor's words
	ThreadExecutionWidth       int    // lanes per simdgroup
	MaxThreadsPerThreadgroup   int
	MaxThreadgroupMemoryBytes  int
	MaxBufferBytes             int
	MaxBuffersPerDispatch      int // argument slots of buffers and inline bytes together
	MaxInlineBytes             int // longest Arg.Bytes
	SupportsSimdShuffle        bool
	ConcurrentThreadgroupsHint int // threadgroups the device runs at once; tuning only, never bits
	RecommendedWorkingSetBytes int64
}

// Source is one named piece of Metal Shading Language text.
type Source struct {
	Name string // file name used in diagnostics, such as "rms_norm.metal"
	Text string
}

// Library is the compiled form of a list of sources.
type Library interface {
	// Kernels lists the kernel functions, sorted.
	Kernels() []string
	// Pipeline specialises a kernel. Every function constant the kernel uses must be given.
	Pipeline(kernel string, constants []Constant) (Pipeline, error)
}

// Constant is the value of one function constant: a bool, int32, uint32 or float32.
type Constant struct {
	Index int
	Value any
}

// Pipeline is a kernel ready to dispatch.
type Pipeline interface {
	Kernel() string
	MaxThreadsPerThreadgroup() int
	// StaticThreadgroupMemoryBytes is what the kernel's own threadgroup variables take.
	StaticThreadgroupMemoryBytes() int
}

// Buffer is device memory the host can reach between command buffers.
//
// Read and Write are host accesses: they are recorded, and they must not overlap a committed command
// buffer that has not been waited for.
type Buffer interface {
	Label() string
	LengthBytes() int
	Write(offsetBytes int, src []byte) error
	Read(offsetBytes int, dst []byte) error
	Release()
}

// CommandBuffer collects dispatches. Dispatches between two barriers may run concurrently.
type CommandBuffer interface {
	// Dispatch appends a launch. Arguments are checked now; faults of execution surface in Wait.
	Dispatch(d Dispatch) error
	// Barrier makes all buffer writes of earlier dispatches visible to later ones.
	Barrier() error
	// Commit hands the work to the device. Nothing can be appended afterwards.
	Commit() error
	// Wait blocks until the work has finished. A *Fault says what a kernel did wrong.
	Wait() error
}

// Dispatch is one launch of a kernel.
type Dispatch struct {
	Tag                   Tag
	Pipeline              Pipeline
	Args                  []Arg
	Threadgroups          Size // number of threadgroups in each dimension
	ThreadsPerThreadgroup Size
}

// Tag says what a dispatch is for, so that a trace can be read as (layer, step, role).
type Tag struct {
	Role  string // the kernel's part in the model: "qkv", "attention_block", ...
	Layer int    // -1 outside layers
	Step  int    // index of the token within the command buffer
}

// Size counts in three dimensions; zero means one.
type Size struct{ X, Y, Z int }

// Count is the product of the three dimensions.
func (s Size) Count() int { return max(s.X, 1) * max(s.Y, 1) * max(s.Z, 1) }

// Arg binds one argument slot. Exactly one of Buffer, Bytes and ThreadgroupBytes is set.
type Arg struct {
	Index            int // [[buffer(Index)]], or [[threadgroup(Index)]] for ThreadgroupBytes
	Buffer           Buffer
	OffsetBytes      int
	Bytes            []byte // copied at Dispatch; at most Info.MaxInlineBytes
	ThreadgroupBytes int    // dynamic threadgroup memory; a multiple of 16
}
