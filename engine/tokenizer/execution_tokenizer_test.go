package tokenizer

// Plan. Purpose: ids and text equal the Hugging Face tokenizer's on every prompt and awkward string of gosling-4m; text
// survives the round trip; streaming cuts no character. Controls: one merge removed, two ranks exchanged, NFC off and
// another pattern must each change ids. Boundaries: empty text, one long piece, bytes that are no text.
// Source: fixtures/gosling-4m/prompts.json.

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var gosling = filepath.Join("..", "..", "fixtures", "gosling-4m")

type row struct {
	Text    string
	IDs     []int
	Decoded *string
}

// rows are the outside answers.
func rows() []row {
	raw, err := os.ReadFile(filepath.Join(gosling, "prompts.json"))
	Expect(err).NotTo(HaveOccurred())
	var f struct {
		Prompts   map[string]row
		Tokenizer []row
	}
	Expect(json.Unmarshal(raw, &f)).To(Succeed())
	out := f.Tokenizer
	for _, p := range f.Prompts {
		out = append(out, p)
	}
	Expect(len(out)).To(BeNumerically(">=", 20))
	return out
}

// wrong counts the rows whose ids differ.
func wrong(t *Tokenizer) int {
	n := 0
	for _, r := range rows() {
		ids, err := t.Encode(r.Text)
		Expect(err).NotTo(HaveOccurred())
		if len(ids) != len(r.IDs) {
			n++
			continue
		}
		for i := range ids {
			if ids[i] != r.IDs[i] {
				n++
				break
			}
		}
	}
	return n
}

// edited parses gosling's tokenizer.json after a change.
func edited(change func(m map[string]any)) (*Tokenizer, error) {
	raw, err := os.ReadFile(filepath.Join(gosling, "tokenizer.json"))
	Expect(err).NotTo(HaveOccurred())
	var m map[string]any
	Expect(json.Unmarshal(raw, &m)).To(Succeed())
	change(m)
	raw, err = json.Marshal(m)
	Expect(err).NotTo(HaveOccurred())
	return parse("tokenizer.json", raw)
}

// at walks to an object of the file.
func at(m map[string]any, path ...string) map[string]any {
	for _, p := range path {
		m = m[p].(map[string]any)
	}
	return m
}

// split is the splitting step of the file.
func split(m map[string]any) map[string]any {
	return at(m, "pre_tokenizer")["pretokenizers"].([]any)[0].(map[string]any)
}

var _ = Describe("the tokenizer", Label("area:tokenizer"), func() {
	var t *Tokenizer
	BeforeEach(func() {
		var err error
		t, err = Load(gosling)
		Expect(err).NotTo(HaveOccurred())
	})

	It("gives the outside ids for every prompt and awkward string", func() {
		for _, r := range rows() {
			Expect(t.Encode(r.Text)).To(Equal(r.IDs), "text %q", r.Text)
		}
	})

	It("gives the outside text for them", func() {
		for _, r := range rows() {
			want := r.Text
			if r.Decoded != nil {
				want = *r.Decoded
			}
			Expect(string(t.Decode(r.IDs))).To(Equal(want))
		}
	})

	It("streams the same text and never half a character", func() {
		for _, r := range rows() {
			s, whole := t.NewStream(), []byte{}
			for _, id := range r.IDs {
				out := s.Next(id)
				Expect(utf8.Valid(out)).To(BeTrue())
				whole = append(whole, out...)
			}
			whole = append(whole, s.Rest()...)
			Expect(whole).To(Equal(t.Decode(r.IDs)))
		}
	})

	It("lets bytes out of a stream that can never become a character", func() {
		s := t.NewStream()
		first, ascii := t.byteID[0xe4], t.byteID['a']
		Expect(s.Next(first)).To(BeEmpty())
		Expect(s.Next(ascii)).To(Equal([]byte{0xe4, 'a'}))
		Expect(s.Next(first)).To(BeEmpty())
		Expect(s.Rest()).To(Equal([]byte{0xe4}))
	})

	It("takes one piece of 200 000 letters", func() {
		ids, err := t.Encode(strings.Repeat("a", 200_000))
		Expect(err).NotTo(HaveOccurred())
		Expect(ids).To(HaveLen(100_000)) // prompts.json: fifty letters are twenty-five tokens
	})

	It("refuses text that is not UTF-8", func() {
		_, err := t.Encode("ab\xff")
		Expect(err).To(MatchError("tokenizer: text is not UTF-8 at byte 2"))
		Expect(t.Encode("ab\ufffd")).NotTo(BeEmpty())
	})

	It("decodes an id without a token as nothing", func() {
		Expect(t.Decode([]int{-1, 1 << 30})).To(BeEmpty())
	})

	DescribeTable("changes its ids when", func(change func(m map[string]any)) {
		Expect(wrong(t)).To(BeZero())
		broken, err := edited(change)
		Expect(err).NotTo(HaveOccurred())
		Expect(wrong(broken)).To(BeNumerically(">", 0))
	},
		Entry("a merge is missing", func(m map[string]any) {
			at(m, "model")["merges"] = at(m, "model")["merges"].([]any)[1:]
		}),
		Entry("merges are ranked the other way", func(m map[string]any) {
			list := at(m, "model")["merges"].([]any)
			for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
				list[i], list[j] = list[j], list[i]
			}
		}),
		Entry("text is not normalized", func(m map[string]any) { m["normalizer"] = nil }),
		Entry("the pattern loses its look-ahead", func(m map[string]any) {
			p := split(m)["pattern"].(map[string]any)
			p["Regex"] = strings.Replace(p["Regex"].(string), `\s+(?!\S)|`, "", 1)
		}),
		Entry("added tokens are not cut out", func(m map[string]any) { m["added_tokens"] = []any{} }),
	)

	It("reads merges in both spellings", func() {
		lines, err := edited(func(m map[string]any) {
			list := at(m, "model")["merges"].([]any)
			for i, p := range list {
				if pair, ok := p.([]any); ok {
					list[i] = pair[0].(string) + " " + pair[1].(string)
				}
			}
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(wrong(lines)).To(BeZero())
	})
})

var _ = Describe("a tokenizer.json", Label("area:tokenizer"), func() {
	It("that is absent is told from one that is wrong", func() {
		_, err := Load(GinkgoT().TempDir())
		Expect(err).To(MatchError(fs.ErrNotExist))
	})

	DescribeTable("is refused", func(change func(m map[string]any), want string) {
		_, err := edited(change)
		Expect(err).To(MatchError(ContainSubstring("tokenizer: tokenizer.json: field " + want)))
	},
		Entry("with another model", func(m map[string]any) { at(m, "model")["type"] = "Unigram" }, `"model.type": got "Unigram", want "BPE"`),
		Entry("with another normalizer", func(m map[string]any) { at(m, "normalizer")["type"] = "NFKC" }, `"normalizer.type": got "NFKC"`),
		Entry("without a pre-tokenizer", func(m map[string]any) { m["pre_tokenizer"] = nil }, `"pre_tokenizer"`),
		Entry("that splits differently", func(m map[string]any) { split(m)["behavior"] = "Removed" }, `"pre_tokenizer.pretokenizers.0.behavior": got "Removed"`),
		Entry("with another decoder", func(m map[string]any) { at(m, "decoder")["type"] = "Metaspace" }, `"decoder.type"`),
		Entry("with a template of added tokens", func(m map[string]any) { m["post_processor"] = map[string]any{"type": "TemplateProcessing"} }, `"post_processor.type"`),
		Entry("with dropout", func(m map[string]any) { at(m, "model")["dropout"] = 0.1 }, `"model.dropout": got 0.1`),
		Entry("with an unknown token", func(m map[string]any) { at(m, "model")["unk_token"] = "?" }, `"model.unk_token"`),
		Entry("with an id out of range", func(m map[string]any) { at(m, "model", "vocab")["!"] = 1e15 }, `"model.vocab`),
		Entry("with two tokens of one id", func(m map[string]any) { at(m, "model", "vocab")["!"] = 77 }, `"model.vocab.`),
		Entry("without one of the bytes", func(m map[string]any) { delete(at(m, "model", "vocab"), "!") }, `"model.vocab": got no token for byte 0x21`),
		Entry("with a merge of strangers", func(m map[string]any) { at(m, "model")["merges"].([]any)[5] = []any{"zz~", "q"} }, `"model.merges.5"`),
		Entry("with a merge of three", func(m map[string]any) { at(m, "model")["merges"].([]any)[5] = "a b c" }, `"model.merges.5"`),
		Entry("with a stripping added token", func(m map[string]any) { m["added_tokens"].([]any)[1].(map[string]any)["lstrip"] = true }, `"added_tokens.1.lstrip"`),
		Entry("with a vocabulary of the wrong kind", func(m map[string]any) { at(m, "model")["vocab"] = []any{} }, `"model.vocab": got a array`),
	)

	It("that is no JSON, or has a pattern that does not compile, is refused", func() {
		_, err := parse("tokenizer.json", []byte("{"))
		Expect(err).To(MatchError(ContainSubstring("tokenizer: tokenizer.json")))
		_, err = edited(func(m map[string]any) { split(m)["pattern"].(map[string]any)["Regex"] = "(" })
		Expect(err).To(MatchError(ContainSubstring("pattern.Regex")))
	})
})

func FuzzRoundTrip(f *testing.F) {
	t, err := Load(gosling)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"", "a", " a\n", "e\u0301", "日本", "<|im_start|>", "x\t\r\n  y", "don't"} {
		f.Add(s)
	}
	f.Fuzz(func(tt *testing.T, s string) {
		ids, err := t.Encode(s)
		if !utf8.ValidString(s) {
			if err == nil {
				tt.Fatal("text that is not UTF-8 was accepted")
			}
			return
		}
		if err != nil {
			tt.Fatal(err)
		}
		want := s
		if !strings.Contains(s, "<|") { // added tokens cut text before it is normalized
			want = norm.NFC.String(s)
		}
		if got := t.Decode(ids); want != s && !bytes.Equal(got, []byte(want)) || want == s && norm.NFC.String(string(got)) != norm.NFC.String(s) {
			tt.Fatalf("got %q, want %q", got, want)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	t, err := Load(gosling)
	if err != nil {
		b.Fatal(err)
	}
	raw, err := os.ReadFile("file.go")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := t.Encode(string(raw)); err != nil {
			b.Fatal(err)
		}
	}
}
