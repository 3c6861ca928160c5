package conformance

import (
	"context"
	"fmt"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/engine/checkpoint"
	"github.com/octoryn/assay/engine/device"
)

// cell is one dispatch that must happen: in a layer (-1 outside), for a step of a command buffer, in a role.
type cell struct {
	step, layer int
	role        string
}

func (c cell) String() string {
	if c.layer < 0 {
		return fmt.Sprintf("step %d: %s", c.step, c.role)
	}
	return fmt.Sprintf("layer %d step %d: %s", c.layer, c.step, c.role)
}

// fastPath lists the kernel of every cell of a step, in order, from the configuration alone. Source: the kernel plan.
func fastPath(c checkpoint.Config, step int) (cells []cell, kernels []string) {
	add := func(layer int, role, kernel string) {
		cells, kernels = append(cells, cell{step, layer, role}), append(kernels, kernel)
	}
	for layer := range c.NumLayers {
		add(layer, "qkv", "qkv")
		add(layer, "attention_block", "attention_block")
		add(layer, "attention_merge", "attention_merge")
		add(layer, "o_proj", "project_residual")
		if c.IsSparse(layer) {
			add(layer, "router", "router")
		}
		add(layer, "gate_up", "gate_up")
		if c.IsSparse(layer) {
			add(layer, "down", "expert_down")
		} else {
			add(layer, "down", "project_residual")
		}
	}
	add(-1, "lm_head", "lm_head")
	add(-1, "argmax", "argmax")
	return cells, kernels
}

var engagedGrid = Spec{
	Claim: "E",
	Name:  "every layer of every decode step runs on the kernel that ships for it",
	Doc: "Decode runs with the zero value of its options while the device's calls are recorded. The grid of (layer, step, role) that the " +
		"configuration demands is held against the dispatches: a missing, extra, reordered or substituted one is named.",
	Run: func(ctx context.Context, s *Subject) (Outcome, error) {
		t, err := s.decodeTrace(ctx)
		if err != nil {
			return Outcome{}, err
		}
		if t.Problem != nil {
			return outcome("", nil, []string{t.Problem.Error()}), nil
		}
		var findings []string
		cells := 0
		for _, buffer := range commandBuffers(t.Decode) {
			got := buffer.Dispatches()
			steps := 0
			for _, d := range got {
				steps = max(steps, d.Tag.Step+1)
			}
			cells += len(got)
			findings = append(findings, againstGrid(t.Config, steps, got)...)
		}
		figures := report.Figures{"cells": cells, "tokens": tracedTokens}
		return outcome(fmt.Sprintf("%d cells of %d layers and %d tokens, none missing, extra or substituted", cells, t.Config.NumLayers, tracedTokens), figures, findings), nil
	},
}

// againstGrid compares the dispatches of one command buffer with what its steps demand.
func againstGrid(c checkpoint.Config, steps int, got []device.DispatchRecord) (findings []string) {
	have := map[cell][]string{}
	for _, d := range got {
		at := cell{d.Tag.Step, d.Tag.Layer, d.Tag.Role}
		have[at] = append(have[at], d.Kernel)
	}
	wanted := map[cell]bool{}
	for step := range steps {
		cells, kernels := fastPath(c, step)
		for i, at := range cells {
			wanted[at] = true
			switch ran := have[at]; {
			case len(ran) == 0:
				findings = append(findings, fmt.Sprintf("%s is missing", at))
			case len(ran) > 1:
				findings = append(findings, fmt.Sprintf("%s ran %d times", at, len(ran)))
			case ran[0] != kernels[i]:
				findings = append(findings, fmt.Sprintf("%s ran kernel %s, want %s", at, ran[0], kernels[i]))
			}
		}
	}
	for _, d := range got {
		if at := (cell{d.Tag.Step, d.Tag.Layer, d.Tag.Role}); !wanted[at] {
			findings = append(findings, fmt.Sprintf("%s, kernel %s, has no place in the grid", at, d.Kernel))
		}
	}
	return findings
}

// commandBuffers cuts a trace: the events of each command buffer from its begin to its wait, host accesses in between included.
func commandBuffers(t device.Trace) (out []device.Trace) {
	open := map[int]*device.Trace{}
	var order []int
	for _, e := range t.Events {
		if e.Kind == device.EventBegin {
			open[e.CommandBuffer] = &device.Trace{}
			order = append(order, e.CommandBuffer)
		}
		for n, b := range open {
			if e.CommandBuffer == n || e.CommandBuffer < 0 {
				if last := len(b.Events) - 1; last < 0 || b.Events[last].Kind != device.EventWait {
					b.Events = append(b.Events, e)
				}
			}
		}
	}
	for _, n := range order {
		out = append(out, *open[n])
	}
	return out
}
