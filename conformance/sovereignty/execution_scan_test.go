package sovereignty_test

// Purpose: a program that needs a vendor BLAS or an ML framework is found out, whichever table gives it away.
// Control case: beside each, the same file with a harmless name. Boundaries: ELF, Mach-O thin, and a fat file
// whose second slice alone is guilty; symbol versions; Go symbols that merely resemble BLAS.
// Source: System V gABI chapters 4-5; <mach-o/loader.h>, <mach-o/nlist.h>, <mach-o/fat.h>.

import (
	"debug/macho"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/octoryn/assay/conformance/harness"
	"github.com/octoryn/assay/conformance/sovereignty"
)

var _ = Describe("The sovereignty scan", Label("purpose:execution", "area:sovereignty", "level:required"), func() {
	judge := func(data []byte) []sovereignty.Finding {
		GinkgoHelper()
		path := filepath.Join(GinkgoT().TempDir(), "program")
		Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
		img, err := sovereignty.ReadImage(path)
		Expect(err).NotTo(HaveOccurred())
		return sovereignty.Judge(img, nil)
	}
	accelerate := "/System/Library/Frameworks/Accelerate.framework/Versions/A/Accelerate"
	system := "/usr/lib/libSystem.B.dylib"

	It("names the library and the symbol an ELF file imports", func() {
		Expect(judge(harness.ELFImporting("libopenblas.so.0", "cblas_sgemm"))).To(ConsistOf(
			sovereignty.Finding{Kind: "imported library", Name: "libopenblas.so.0", Product: "a BLAS or LAPACK"},
			sovereignty.Finding{Kind: "imported symbol", Name: "cblas_sgemm", Product: "a BLAS or LAPACK"}))
		Expect(judge(harness.ELFImporting("libc.so.6", "memcpy"))).To(BeEmpty())
	})
	It("names the framework and the symbol a Mach-O file imports", func() {
		found := judge(harness.MachOImporting(macho.CpuArm64, accelerate, "_cblas_sgemm"))
		Expect(found).To(HaveLen(2))
		Expect(found[0].Product).To(Equal("Apple Accelerate"))
		Expect(found[1].String()).To(Equal(`imported symbol "_cblas_sgemm" belongs to a BLAS or LAPACK`))
		Expect(judge(harness.MachOImporting(macho.CpuArm64, system, "_memcpy"))).To(BeEmpty())
	})
	It("looks into every slice of a fat file", func() {
		clean := harness.MachOImporting(macho.CpuAmd64, system, "_memcpy")
		guilty := harness.MachOImporting(macho.CpuArm64, system, "_BNNSMatMul")
		Expect(judge(harness.FatMachO(clean, guilty))).To(HaveLen(1))
		Expect(judge(harness.FatMachO(clean, harness.MachOImporting(macho.CpuArm64, system, "_memcpy")))).To(BeEmpty())
	})

	DescribeTable("knows a denied", func(img sovereignty.Image, modules []string) {
		Expect(sovereignty.Judge(img, modules)).To(HaveLen(1))
	},
		Entry("framework", sovereignty.Image{Libraries: []string{"/System/Library/Frameworks/MetalPerformanceShadersGraph.framework/MetalPerformanceShadersGraph"}}, nil),
		Entry("CUDA library", sovereignty.Image{Libraries: []string{"libcublasLt.so.12"}}, nil),
		Entry("plain BLAS", sovereignty.Image{Libraries: []string{"libblas.so.3"}}, nil),
		Entry("symbol with a version", sovereignty.Image{Format: "ELF", Imported: []string{"sgemm_@OPENBLAS_0.3"}}, nil),
		Entry("statically linked symbol", sovereignty.Image{Format: "ELF", Defined: []string{"cblas_sgemm"}}, nil),
		Entry("Objective-C class", sovereignty.Image{Format: "Mach-O", Imported: []string{"_OBJC_CLASS_$_MPSMatrixMultiplication"}}, nil),
		Entry("module", sovereignty.Image{}, []string{"gonum.org/v1/netlib v0.1.0"}),
	)
	DescribeTable("lets pass a harmless", func(img sovereignty.Image, modules []string) {
		Expect(sovereignty.Judge(img, modules)).To(BeEmpty())
	},
		Entry("framework", sovereignty.Image{Libraries: []string{"/System/Library/Frameworks/Metal.framework/Versions/A/Metal"}}, nil),
		Entry("driver", sovereignty.Image{Libraries: []string{"libcuda.so.1", "libnvrtc.so.12", "libobjc.A.dylib"}}, nil),
		Entry("pure Go routine named after BLAS", sovereignty.Image{Format: "ELF", Defined: []string{"gonum.org/v1/gonum/blas/gonum.Implementation.Sgemm", "main.sgemm"}}, nil),
		Entry("module", sovereignty.Image{}, []string{"gonum.org/v1/gonum v0.17.0", "github.com/onsi/gomega v1.44.0"}),
	)

	It("finds nothing in the running program", func() {
		exe, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		img, err := sovereignty.ReadImage(exe)
		Expect(err).NotTo(HaveOccurred())
		Expect(img.Format).NotTo(BeEmpty())
		Expect(sovereignty.Judge(img, nil)).To(BeEmpty())
	})
	It("does not take a missing module list for an innocent one", func() {
		exe, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		_, err = sovereignty.ReadModules(exe) // the go tool leaves the list out of test binaries
		Expect(err).To(MatchError(HaveSuffix("carries no module list")))
	})
	It("reads the module list of a program built with modules", func() {
		goTool, err := exec.LookPath("go")
		Expect(err).NotTo(HaveOccurred())
		ginkgo, err := exec.Command(goTool, "tool", "-n", "ginkgo").Output()
		Expect(err).NotTo(HaveOccurred())
		modules, err := sovereignty.ReadModules(strings.TrimSpace(string(ginkgo)))
		Expect(err).NotTo(HaveOccurred())
		Expect(modules).To(ContainElement(HavePrefix("golang.org/x/tools v")))
		Expect(sovereignty.Judge(sovereignty.Image{}, modules)).To(BeEmpty())
	})
	It("refuses a file that is neither ELF nor Mach-O, by name", func() {
		path := filepath.Join(GinkgoT().TempDir(), "script")
		Expect(os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600)).To(Succeed())
		_, err := sovereignty.ReadImage(path)
		Expect(err).To(MatchError(ContainSubstring(path + ": neither ELF nor Mach-O")))
	})
})
