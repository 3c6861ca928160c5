package exec

import (
	"fmt"
	"sync"

	"github.com/octoryn/assay/engine/msl/internal/ir"
)

// Kernel is a function ready to launch. It may be launched from several goroutines.
type Kernel struct {
	f     *ir.Func
	mu    sync.Mutex
	progs map[shapes]*program
	pool  sync.Pool // of *worker
}

// NewKernel prepares f, which must satisfy ir.Verify and must not be changed afterwards.
func NewKernel(f *ir.Func) (*Kernel, error) {
	k := &Kernel{f: f, progs: map[shapes]*program{}}
	if _, err := k.program(whole(Shape{32, 1, 1})); err != nil { // find out about limits now
		return nil, err
	}
	return k, nil
}

// Func is the function the kernel was made from.
func (k *Kernel) Func() *ir.Func { return k.f }

// MaxThreads is the most threads a threadgroup may have.
func (k *Kernel) MaxThreads() int { return 1024 }

// StaticThreadgroupBytes is the threadgroup memory that the kernel itself declares.
func (k *Kernel) StaticThreadgroupBytes() int { return k.f.ThreadgroupBytes }

// program is the code for threadgroups of a shape, made when first asked for.
func (k *Kernel) program(s shapes) (*program, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.progs[s]; p != nil {
		return p, nil
	}
	p, err := build(k.f, s)
	if err != nil {
		return nil, err
	}
	k.progs[s] = p
	return p, nil
}

func build(f *ir.Func, s shapes) (*program, error) {
	g := specialise(f, s)
	p, err := allocate(selectCode(analyse(g, s.actual)))
	if err != nil {
		return nil, err
	}
	return p, p.check()
}

// check makes sure that what run reaches without a check of its own lies within the files.
func (p *program) check() error {
	for at, in := range p.code {
		for i, r := range [4]uint16{in.d, in.a, in.b, in.c} {
			n := p.numVectors - 1 // a pair takes two
			switch kinds[in.op][i] {
			case 'S', 's':
				n = p.numScalars
			case 0:
				continue
			}
			if int(r) >= n+1 {
				return fmt.Errorf("exec: instruction %d (%s): register %d of %d", at, in.op, r, n)
			}
		}
		if in.op.jumps() && (in.imm < 0 || int(in.imm) >= len(p.code)) {
			return fmt.Errorf("exec: instruction %d (%s): target %d of %d", at, in.op, in.imm, len(p.code))
		}
	}
	return nil
}
