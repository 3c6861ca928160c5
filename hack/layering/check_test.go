package main

// Plan. Purpose: each forbidden direction is found, directly, through a third package and in tests, and
// each has a neighbour that is allowed. Source: the import table of the design.

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func imports(path string, of ...string) pkg {
	for i := range of {
		of[i] = module + "/" + of[i]
	}
	return pkg{ImportPath: module + "/" + path, Imports: of}
}

var _ = Describe("the import rules", Label("area:harness"), func() {
	DescribeTable("find", func(want string, pkgs ...pkg) {
		Expect(check(pkgs, rules)).To(ContainElement(ContainSubstring(want)))
	},
		Entry("an oracle that imports the engine", "/oracle -> "+module+"/engine/int4", imports("oracle", "engine/int4"), imports("engine/int4")),
		Entry("an engine that imports the oracle in a test", "/oracle/bf16",
			pkg{ImportPath: module + "/engine/model", XTestImports: []string{module + "/oracle/bf16"}}, imports("oracle/bf16")),
		Entry("a way round through a third package", "/fixtures -> "+module+"/engine/int4",
			imports("oracle", "fixtures"), imports("fixtures", "engine/int4"), imports("engine/int4")),
		Entry("a golden generator that reaches the engine", "goldens are written by the oracle alone", imports("hack/golden", "engine"), imports("engine")),
		Entry("a leaf that grew a dependency", "leaf", imports("engine/device", "engine/msl"), imports("engine/msl")),
		Entry("an engine that chooses its device", "does not choose one", imports("engine", "engine/msl"), imports("engine/msl")),
		Entry("Ginkgo outside tests", "test framework", pkg{ImportPath: module + "/engine", Imports: []string{"github.com/onsi/gomega"}}),
		Entry("purego outside devices", "run time", pkg{ImportPath: module + "/engine/model", Imports: []string{"github.com/ebitengine/purego"}}),
		Entry("cgo", "no cgo", pkg{ImportPath: module + "/engine/metal", Imports: []string{"C"}}),
	)

	DescribeTable("allow", func(pkgs ...pkg) {
		Expect(check(pkgs, rules)).To(BeEmpty())
	},
		Entry("specs that see both sides", imports("conformance", "oracle", "engine"), imports("oracle", "fixtures"), imports("engine", "fixtures"), imports("fixtures")),
		Entry("a device that imports the interface", imports("engine/msl", "engine/device"), imports("engine/device")),
		Entry("an engine whose tests choose a device", pkg{ImportPath: module + "/engine", XTestImports: []string{module + "/engine/msl"}}, imports("engine/msl", "engine/device"), imports("engine/device")),
		Entry("a package whose name only starts alike", imports("oracle", "engines"), imports("engines")),
	)
})
