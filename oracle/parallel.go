package oracle

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// smallWork is how many multiplications are not worth starting a goroutine for.
const smallWork = 1 << 15

// parallel calls do for every i below n, on as many goroutines as there are processors, and returns the error of ctx
// if it was cancelled meanwhile. Calls of one worker share its scratch, made by scratch. Each call must write only
// what depends on its own i, so the result does not depend on who ran it. Work is a rough count of multiplications.
func parallel[S any](ctx context.Context, n, work int, scratch func() S, do func(s S, i int)) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	if work < smallWork || workers == 1 {
		s := scratch()
		for i := range n {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			do(s, i)
		}
		return nil
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			s := scratch()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(s, i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
