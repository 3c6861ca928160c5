package checkpoint

// Plan. Purpose: a file of tensors that is not what its header, index or configuration says is refused with one *Error that
// names file, tensor, got and want, by Pack of original weights and by Open of packed ones. Controls: the untouched copies pack
// and open. Boundaries: one byte missing, one byte too many, a header one byte longer than the file, 2^60 bytes of it.
// Source: the safetensors format; the index format of Hugging Face.

import (
	"context"
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	qProj = "model.layers.0.self_attn.q_proj.weight"
	qkv   = "model.layers.0.self_attn.qkv_proj"
)

// packCopy packs a changed copy of a fixture.
func packCopy(ctx context.Context, name string, f change) error {
	GinkgoHelper()
	dir, out := copyOf(name), filepath.Join(GinkgoT().TempDir(), "out")
	f(dir)
	err := Pack(ctx, dir, out, PackOptions{Workers: 2})
	if err != nil { // nothing half-written
		Expect(out).NotTo(BeAnExistingFile())
		left, globErr := filepath.Glob(filepath.Join(filepath.Dir(out), ".*"))
		Expect(globErr).NotTo(HaveOccurred())
		Expect(left).To(BeEmpty())
	}
	return err
}

// openCopy opens a changed copy of a packed fixture.
func openCopy(name string, f change) error {
	GinkgoHelper()
	dir := copyOf(name)
	f(dir)
	folder, err := Open(dir)
	if err == nil {
		Expect(folder.Close()).To(Succeed())
	}
	return err
}

// Changes of model.safetensors, good for original and packed folders.

func headerLength(n func(size int) uint64) change {
	return editBytes(singleFile, func(b []byte) []byte {
		binary.LittleEndian.PutUint64(b, n(len(b)))
		return b
	})
}

// headerText replaces text in the header and keeps the data.
func headerText(from, to string) change {
	return editBytes(singleFile, func(b []byte) []byte {
		n := binary.LittleEndian.Uint64(b)
		text := string(b[8 : 8+n])
		Expect(text).To(ContainSubstring(from))
		return frame(strings.Replace(text, from, to, 1), b[8+n:])
	})
}

func truncate(bytes int) change {
	return editBytes(singleFile, func(b []byte) []byte { return b[:len(b)-bytes] })
}

// put16 sets element i of a 16-bit tensor.
func put16(name string, i int, bits uint16) change {
	return editTensors(func(t map[string]*stored) { binary.LittleEndian.PutUint16(t[name].data[2*i:], bits) })
}

func dropTensor(name string) change {
	return editTensors(func(t map[string]*stored) { delete(t, name) })
}

func reshape(name string, shape ...int) change {
	return editTensors(func(t map[string]*stored) { t[name].shape = shape })
}

var brokenFiles = []TableEntry{
	Entry("is missing", removeFile(singleFile), Missing, []string{singleFile}),
	Entry("is empty", editBytes(singleFile, func([]byte) []byte { return nil }), Truncated, []string{singleFile, "got 0 bytes"}),
	Entry("ends one byte early", truncate(1), Truncated, []string{singleFile, "tensor"}),
	Entry("goes on one byte", editBytes(singleFile, func(b []byte) []byte { return append(b, 0) }), BadOffsets, []string{singleFile}),
	Entry("has a header one byte longer than itself", headerLength(func(n int) uint64 { return uint64(n - 7) }), Truncated, []string{"want a header of"}),
	Entry("claims a header of 2^60 bytes", headerLength(func(int) uint64 { return 1 << 60 }), Truncated, []string{"want a header of 1152921504606846976 bytes"}),
	Entry("claims a header of 2^64-1 bytes", headerLength(func(int) uint64 { return math.MaxUint64 }), Truncated, []string{"want a header of 18446744073709551615 bytes"}),
	Entry("has a header that is no JSON", headerLength(func(int) uint64 { return 20 }), Malformed, []string{`field "header"`}),
	Entry("has an unknown element type", headerText(`"dtype":"BF16"`, `"dtype":"BF17"`), Malformed, []string{`dtype "BF17"`}),
	Entry("has offsets the wrong way round", headerText(`"data_offsets":[0,`, `"data_offsets":[9999999,`), BadOffsets, []string{"data_offsets [9999999"}),
	Entry("has overlapping tensors", func(dir string) {
		editBytes(singleFile, func([]byte) []byte {
			return frame(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}`, make([]byte, 6))
		})(dir)
	}, BadOffsets, []string{`tensor "b"`, "got data from byte 2, want byte 4"}),
	Entry("has a gap between tensors", func(dir string) {
		editBytes(singleFile, func([]byte) []byte {
			return frame(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[5,9]}}`, make([]byte, 9))
		})(dir)
	}, BadOffsets, []string{`tensor "b"`, "got data from byte 5, want byte 4"}),
	Entry("has a shape that overflows", func(dir string) {
		editBytes(singleFile, func([]byte) []byte {
			return frame(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}}`, make([]byte, 4))
		})(dir)
	}, BadShape, []string{"below 2^64 bits"}),
	Entry("names a tensor twice", func(dir string) {
		editBytes(singleFile, func([]byte) []byte {
			return frame(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, make([]byte, 2))
		})(dir)
	}, Duplicate, []string{`tensor "a"`}),
	Entry("has a tensor nobody asks for", editTensors(func(t map[string]*stored) { t["model.extra"] = &stored{"F32", []int{1}, make([]byte, 4)} }), Unexpected, []string{`tensor "model.extra"`}),
	Entry("lacks the final norm", dropTensor("model.norm.weight"), Missing, []string{`tensor "model.norm.weight"`, "want"}),
	Entry("has a norm of another shape", reshape("model.norm.weight", 2, 32), BadShape, []string{"got [2 32], want [64]"}),
	Entry("has a norm of another type", editTensors(func(t map[string]*stored) {
		t["model.norm.weight"] = &stored{"I16", []int{64}, make([]byte, 128)}
	}), BadDType, []string{"got I16"}),
	Entry("has a NaN among norms", put16("model.norm.weight", 3, 0x7fc0), NotFinite, []string{`tensor "model.norm.weight"`, "[3]"}),
	Entry("has an infinity among embeddings", put16("model.embed_tokens.weight", 65, 0xff80), NotFinite, []string{`tensor "model.embed_tokens.weight"`, "[1 1]"}),
}

var _ = Describe("a file of original weights", Label("area:checkpoint"), func() {
	It("that is right is packed", func(ctx SpecContext) {
		Expect(packCopy(ctx, "tiny-qwen3-moe", func(string) {})).To(Succeed())
		Expect(packCopy(ctx, "tiny-qwen3-moe", editTensors(func(map[string]*stored) {}))).To(Succeed()) // the spec's own writer
	})

	DescribeTable("is refused when it", func(ctx SpecContext, f change, kind Kind, words []string) {
		expectRefusal(packCopy(ctx, "tiny-qwen3-moe", f), kind, words...)
	}, brokenFiles)

	DescribeTable("is refused when it", func(ctx SpecContext, f change, kind Kind, words []string) {
		expectRefusal(packCopy(ctx, "tiny-qwen3-moe", f), kind, words...)
	},
		Entry("lacks a projection", dropTensor(qProj), Missing, []string{qProj, "[128 64]"}),
		Entry("has a projection the other way round", reshape(qProj, 64, 128), BadShape, []string{qProj, "got [64 128], want [128 64]"}),
		Entry("has a projection in int8", editTensors(func(t map[string]*stored) {
			t[qProj] = &stored{"I8", []int{128, 64}, make([]byte, 128*64)}
		}), BadDType, []string{qProj, "got I8"}),
		Entry("has a NaN in a projection", put16(qProj, 64*5+7, 0x7fc1), NotFinite, []string{qProj, "[5 7]"}),
		Entry("has an infinity in an expert", put16("model.layers.1.mlp.experts.3.down_proj.weight", 0, 0x7f80), NotFinite, []string{"experts.3.down_proj", "[0 0]"}),
		Entry("has a weight beyond any f16 scale", put16(qProj, 1, 0x7f00), Unpackable, []string{qProj}),
	)

	It("may be f16 or f32, which pack to the same codes where the values are the same", func(ctx SpecContext) {
		want := filepath.Join(GinkgoT().TempDir(), "want")
		Expect(Pack(ctx, fixture("tiny-qwen3-moe"), want, PackOptions{})).To(Succeed())
		codes := readFile(filepath.Join(want, singleFile))[qkv+".codes"].data
		dir := copyOf("tiny-qwen3-moe")
		editTensors(func(t map[string]*stored) {
			for _, name := range []string{qProj, strings.Replace(qProj, "q_proj", "k_proj", 1)} {
				wide := make([]byte, 0, 2*len(t[name].data))
				for i := 0; i < len(t[name].data); i += 2 {
					wide = append(wide, 0, 0, t[name].data[i], t[name].data[i+1])
				}
				t[name].dtype, t[name].data = "F32", wide
			}
		})(dir)
		got := filepath.Join(GinkgoT().TempDir(), "got")
		Expect(Pack(ctx, dir, got, PackOptions{})).To(Succeed())
		Expect(readFile(filepath.Join(got, singleFile))[qkv+".codes"].data).To(Equal(codes))
	})

	It("may hold experts fused as transformers 5 does", func(ctx SpecContext) {
		want := filepath.Join(GinkgoT().TempDir(), "want")
		Expect(Pack(ctx, fixture("tiny-qwen3-moe"), want, PackOptions{})).To(Succeed())
		dir := copyOf("tiny-qwen3-moe")
		editTensors(func(t map[string]*stored) {
			for _, layer := range []string{"0", "1", "2"} {
				prefix := "model.layers." + layer + ".mlp.experts."
				gateUp, down := &stored{"BF16", []int{8, 128, 64}, nil}, &stored{"BF16", []int{8, 64, 64}, nil}
				for e := range 8 {
					one := prefix + string(rune('0'+e)) + "."
					gateUp.data = append(append(gateUp.data, t[one+"gate_proj.weight"].data...), t[one+"up_proj.weight"].data...)
					down.data = append(down.data, t[one+"down_proj.weight"].data...)
					for _, p := range []string{"gate", "up", "down"} {
						delete(t, one+p+"_proj.weight")
					}
				}
				t[prefix+"gate_up_proj"], t[prefix+"down_proj"] = gateUp, down
			}
		})(dir)
		got := filepath.Join(GinkgoT().TempDir(), "got")
		Expect(Pack(ctx, dir, got, PackOptions{})).To(Succeed())
		Expect(readFile(filepath.Join(got, singleFile))).To(Equal(readFile(filepath.Join(want, singleFile))))
	})
})

var _ = Describe("an index of shards", Label("area:checkpoint"), func() {
	place := func(tensor string, file any) change {
		return editJSON(indexFile, func(m map[string]any) {
			w := m["weight_map"].(map[string]any)
			if file == nil {
				delete(w, tensor)
				return
			}
			w[tensor] = file
		})
	}
	DescribeTable("is refused when it", func(ctx SpecContext, f change, kind Kind, words ...string) {
		expectRefusal(packCopy(ctx, "gosling-4m", f), kind, words...)
	},
		Entry("leads out of the folder", place(qProj, "../other.safetensors"), PathEscape, indexFile, `got "../other.safetensors"`),
		Entry("leads to an absolute path", place(qProj, "/etc/x.safetensors"), PathEscape, `got "/etc/x.safetensors"`),
		Entry("leads to another kind of file", place(qProj, "config.json"), PathEscape, `got "config.json"`),
		Entry("names a shard that is not there", place("model.ghost", "model-00003-of-00002.safetensors"), Missing, "model-00003-of-00002"),
		Entry("places a tensor in the wrong shard", place(qProj, "model-00002-of-00002.safetensors"), Unexpected, qProj),
		Entry("forgets a tensor", place(qProj, nil), Unexpected, qProj),
		Entry("invents a tensor", place("model.ghost", "model-00002-of-00002.safetensors"), Missing, "model.ghost"),
		Entry("is empty", setKey(indexFile, "weight_map", map[string]any{}), BadValue, "weight_map"),
		Entry("has no map", setKey(indexFile, "weight_map", nil), Missing, "weight_map"),
		Entry("stands beside a single file", func(dir string) {
			Expect(writeFile(filepath.Join(dir, singleFile), strings.NewReader("x"))).To(Succeed())
		}, Malformed, "want one of them"),
		Entry("names a shard that was cut short", editBytes("model-00002-of-00002.safetensors", func(b []byte) []byte { return b[:len(b)-10] }), Truncated, "model-00002"),
	)
})

var _ = Describe("a packed folder", Label("area:checkpoint"), func() {
	It("that is right is opened", func() {
		Expect(openCopy("tiny-qwen3-moe-int4", func(string) {})).To(Succeed())
		Expect(openCopy("tiny-qwen3-moe-int4-affine", editTensors(func(map[string]*stored) {}))).To(Succeed())
	})

	DescribeTable("is refused when its file", func(f change, kind Kind, words []string) {
		expectRefusal(openCopy("tiny-qwen3-moe-int4", f), kind, words...)
	}, brokenFiles)

	DescribeTable("is refused when its", func(f change, kind Kind, words ...string) {
		expectRefusal(openCopy("tiny-qwen3-moe-int4", f), kind, words...)
	},
		Entry("codes are missing", dropTensor(qkv+".codes"), Missing, qkv+".codes"),
		Entry("codes have another shape", reshape(qkv+".codes", 32, 256), BadShape, "got [32 256], want [256 32]"),
		Entry("codes are signed", editTensors(func(t map[string]*stored) { t[qkv+".codes"].dtype = "I8" }), BadDType, "got I8"),
		Entry("scales are bfloat16", editTensors(func(t map[string]*stored) { t[qkv+".scales"].dtype = "BF16" }), BadDType, "got BF16"),
		Entry("scales hold an infinity", put16(qkv+".scales", 4, 0x7c00), NotFinite, qkv+".scales", "[4 0]"),
		Entry("scheme is affine, and has no offsets", setKey(packedFile, "scheme", "affine"), Missing, ".offsets"),
		Entry("scheme is unknown", setKey(packedFile, "scheme", "ternary"), BadValue, `got "ternary"`),
		Entry("group size is another", setKey(packedFile, "group_size", 32), BadShape, ".scales"),
		Entry("group size is none of ours", setKey(packedFile, "group_size", 48), BadValue, "got 48, want 32, 64 or 128"),
		Entry("format is another's", setKey(packedFile, "format", "gguf"), Unsupported, `got "gguf"`),
		Entry("version is a later one", setKey(packedFile, "version", 2), Unsupported, "got 2, want 1"),
		Entry("header lacks the group size", setKey(packedFile, "group_size", nil), Missing, "group_size"),
		Entry("header is no JSON", editBytes(packedFile, func([]byte) []byte { return []byte("int4") }), Malformed, packedFile),
		Entry("header is missing", removeFile(packedFile), Missing, packedFile),
		Entry("configuration has other experts", setConfig("num_local_experts", 4), BadShape, "experts"),
	)
})
