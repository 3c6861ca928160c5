package msl

import (
	"fmt"
	"slices"

	"github.com/octoryn/assay/engine/device"
	"github.com/octoryn/assay/engine/msl/internal/exec"
)

// commandBuffer collects launches.
type commandBuffer struct {
	dev      *Device
	label    string
	launches []launch
	barrier  bool          // one stands after the last launch
	done     chan struct{} // not nil once committed
	err      error         // set before done is closed
	waited   bool
}

// launch is a checked dispatch.
type launch struct {
	pipeline *pipeline
	tag      device.Tag
	exec     exec.Launch
	buffers  []*buffer
}

// Dispatch checks a launch against the kernel's arguments and the device's limits, and appends it.
func (c *commandBuffer) Dispatch(d device.Dispatch) error {
	if c.done != nil {
		return fmt.Errorf("msl: command buffer %q: dispatch after Commit", c.label)
	}
	p, ok := d.Pipeline.(*pipeline)
	if !ok || p.dev != c.dev {
		return fmt.Errorf("msl: command buffer %q: the pipeline was not made by this device", c.label)
	}
	l, err := c.bind(p, d)
	if err != nil {
		return fmt.Errorf("msl: dispatch of %q (%s, layer %d, step %d): %w", p.kernel, d.Tag.Role, d.Tag.Layer, d.Tag.Step, err)
	}
	l.exec.Concurrent = len(c.launches) > 0 && !c.barrier
	c.barrier = false
	c.launches = append(c.launches, l)
	return nil
}

// Barrier is for the checks: dispatches run one after the other anyway.
func (c *commandBuffer) Barrier() error {
	if c.done != nil {
		return fmt.Errorf("msl: command buffer %q: barrier after Commit", c.label)
	}
	c.barrier = true
	return nil
}

// Commit starts the work.
func (c *commandBuffer) Commit() error {
	if c.done != nil {
		return fmt.Errorf("msl: command buffer %q: committed twice", c.label)
	}
	for _, l := range c.launches {
		for _, b := range l.buffers {
			if b.released.Load() {
				return fmt.Errorf("msl: command buffer %q: buffer %q was released before Commit", c.label, b.label)
			}
		}
	}
	c.hold(1)
	done, err := c.dev.enqueue(c.run)
	if err != nil {
		c.hold(-1)
		return err
	}
	c.done = done
	return nil
}

// Wait blocks until the work has finished; only then may the host reach the buffers again. It may be called again.
func (c *commandBuffer) Wait() error {
	if c.done == nil {
		return fmt.Errorf("msl: command buffer %q: wait without Commit", c.label)
	}
	<-c.done
	if !c.waited {
		c.waited = true
		c.hold(-1)
	}
	return c.err
}

// run executes the launches until one goes wrong.
func (c *commandBuffer) run() {
	if checks := c.dev.checks; !checks.Empty() {
		c.dev.checking.Lock()
		defer c.dev.checking.Unlock()
		checks.Overlap(slices.ContainsFunc(c.launches, func(l launch) bool { return l.exec.Concurrent }))
		for i := range c.launches {
			c.launches[i].exec.Observer = checks
		}
	}
	for _, l := range c.launches {
		l.exec.Workers, l.exec.Lanes = c.dev.workers, c.dev.lanes
		run := l.pipeline.exec.Launch
		if l.exec.Observer != nil {
			run = l.pipeline.observed.Launch
		}
		if c.dev.compare {
			run = l.bothLanes
		}
		if f := run(l.exec); f != nil {
			c.err = &device.Fault{Kind: f.Kind, Kernel: l.pipeline.kernel, Tag: l.tag, Summary: f.Summary, Parties: f.Parties}
			return
		}
	}
}

// hold counts the command buffer in, or out, of every buffer it uses.
func (c *commandBuffer) hold(n int64) {
	for _, l := range c.launches {
		for _, b := range l.buffers {
			b.inFlight.Add(n)
		}
	}
}
