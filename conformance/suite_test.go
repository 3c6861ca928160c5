package conformance_test

import (
	"context"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance"
	"github.com/octoryn/assay/conformance/backend"
	"github.com/octoryn/assay/conformance/harness"
	"github.com/octoryn/assay/engine/device"
)

func TestConformance(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "conformance")
}

// subjects are the fixtures judged, prepared when a spec first needs one and shared by all specs of this process.
var subjects = map[string]*conformance.Subject{}

var _ = AfterSuite(func() {
	for _, s := range subjects {
		Expect(s.Close()).To(Succeed())
	}
})

// subjectOf prepares a fixture as assay certify does.
func subjectOf(ctx context.Context, fixture string) *conformance.Subject {
	GinkgoHelper()
	return prepared(ctx, fixture, fixture, 0)
}

// brief is a fixture with its shortest prompt alone and few tokens: what controls are planted in.
func brief(ctx context.Context, fixture string) *conformance.Subject {
	GinkgoHelper()
	s := prepared(ctx, fixture+", brief", fixture, 8)
	s.Prompts = s.Prompts[:1]
	return s
}

func prepared(ctx context.Context, key, fixture string, maxTokens int) *conformance.Subject {
	GinkgoHelper()
	if subjects[key] == nil {
		reference := ""
		if original, isPacked := strings.CutSuffix(fixture, "-int4-affine"); isPacked {
			reference = harness.Fixture(original)
		}
		s, err := conformance.Prepare(ctx, conformance.Options{Model: harness.Fixture(fixture), Reference: reference, MaxTokens: maxTokens, DeviceName: backend.Default,
			Device: func() (device.Device, error) { return backend.Open(backend.Default) }, Checked: backend.OpenChecked(backend.Default), Rerun: "assay certify fixtures/" + fixture})
		Expect(err).NotTo(HaveOccurred())
		subjects[key] = s
	}
	return subjects[key]
}

// specNamed finds a spec; the name may be shortened to its beginning.
func specNamed(name string) conformance.Spec {
	GinkgoHelper()
	for _, spec := range conformance.Specs() {
		if spec.Name == name {
			return spec
		}
	}
	Fail("no spec named " + name)
	return conformance.Spec{}
}
