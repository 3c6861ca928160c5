package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	quietFor      = 2 * time.Second        // nothing is shown for work shorter than this
	redrawEvery   = 100 * time.Millisecond // on a terminal
	lineEvery     = 5 * time.Second        // elsewhere
	progressWidth = 79
)

// progress shows one line of what is being done: redrawn in place on a terminal, now and then elsewhere.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	began    time.Time
	last     time.Time
	drawn    bool
}

// newProgress shows progress on standard error.
func newProgress() *progress {
	return &progress{w: os.Stderr, terminal: term.IsTerminal(int(os.Stderr.Fd())), began: time.Now()}
}

// show tells how far a stage has come; total 0 means unknown.
func (p *progress) show(stage string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	every := lineEvery
	if p.terminal {
		every = redrawEvery
	}
	if now.Sub(p.began) < quietFor || now.Sub(p.last) < every {
		return
	}
	p.last = now
	line := fmt.Sprintf("%4.0fs  %s", now.Sub(p.began).Seconds(), stage)
	if total > 0 {
		line = fmt.Sprintf("%4.0fs  %3d %%  %s", now.Sub(p.began).Seconds(), 100*done/total, stage)
	}
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	if r := []rune(line); len(r) > progressWidth {
		line = string(r[:progressWidth])
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
	p.drawn = true
}

// clear removes the line, so that output can follow.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// terminalWidth is the width of standard output in characters, 80 when it is no terminal.
func terminalWidth() int {
	w, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 80
	}
	return min(w, 120)
}
