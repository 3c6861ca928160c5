package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dlclark/regexp2"
)

// maxFileBytes bounds tokenizer.json; Qwen3's takes 11 MB.
const maxFileBytes = 256 << 20

// Load reads tokenizer.json in the folder. A folder without one gives an error that is fs.ErrNotExist.
func Load(dir string) (*Tokenizer, error) {
	path := filepath.Join(dir, "tokenizer.json")
	st, err := os.Stat(path)
	if err != nil {
		return nil, &Error{File: path, Err: err}
	}
	if st.Size() > maxFileBytes {
		return nil, &Error{File: path, Got: fmt.Sprintf("%d bytes", st.Size()), Want: fmt.Sprintf("at most %d", maxFileBytes)}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{File: path, Err: err}
	}
	return parse(path, raw)
}

// file is tokenizer.json. Pointers tell an absent or null field from a zero one.
type file struct {
	Truncation    json.RawMessage `json:"truncation"`
	Padding       json.RawMessage `json:"padding"`
	AddedTokens   []fileAdded     `json:"added_tokens"`
	Normalizer    *fileStep       `json:"normalizer"`
	PreTokenizer  *fileStep       `json:"pre_tokenizer"`
	PostProcessor *fileStep       `json:"post_processor"`
	Decoder       *fileStep       `json:"decoder"`
	Model         *fileModel      `json:"model"`
}

type fileAdded struct {
	ID         *int   `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

// fileStep is a normalizer, pre-tokenizer, post-processor or decoder.
type fileStep struct {
	Type           string     `json:"type"`
	PreTokenizers  []fileStep `json:"pretokenizers"`
	Processors     []fileStep `json:"processors"`
	Pattern        *struct{ Regex, String *string }
	Behavior       string `json:"behavior"`
	Invert         bool   `json:"invert"`
	AddPrefixSpace bool   `json:"add_prefix_space"`
	UseRegex       *bool  `json:"use_regex"`
}

type fileModel struct {
	Type         string            `json:"type"`
	Dropout      *float64          `json:"dropout"`
	UnkToken     *string           `json:"unk_token"`
	Prefix       *string           `json:"continuing_subword_prefix"`
	Suffix       *string           `json:"end_of_word_suffix"`
	ByteFallback bool              `json:"byte_fallback"`
	IgnoreMerges bool              `json:"ignore_merges"`
	Vocab        map[string]int    `json:"vocab"`
	Merges       []json.RawMessage `json:"merges"` // ["a","b"] or "a b"
}

// parse builds a Tokenizer from the text of a tokenizer.json.
func parse(path string, raw []byte) (*Tokenizer, error) {
	fail := func(field, got, want string) error {
		return &Error{File: path, Field: field, Got: got, Want: want}
	}
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return nil, fail(wrong.Field, "a "+wrong.Value, "a "+wrong.Type.String())
		}
		return nil, &Error{File: path, Err: err}
	}
	if err := f.supported(fail); err != nil {
		return nil, err
	}
	t := &Tokenizer{nfc: f.Normalizer != nil, encode: make(map[string]int, len(f.Model.Vocab)), ranks: make(map[pair]merge, len(f.Model.Merges))}
	t.ignoreMerges = f.Model.IgnoreMerges
	pattern := *f.PreTokenizer.PreTokenizers[0].Pattern.Regex
	re, err := regexp2.Compile(pattern, regexp2.None)
	if err != nil {
		return nil, &Error{File: path, Field: "pre_tokenizer.pretokenizers.0.pattern.Regex", Err: err}
	}
	t.pattern = re
	if err := t.readVocab(f.Model.Vocab, fail); err != nil {
		return nil, err
	}
	if err := t.readMerges(f.Model.Merges, fail); err != nil {
		return nil, err
	}
	if err := t.readAdded(f.AddedTokens, fail); err != nil {
		return nil, err
	}
	return t, nil
}

// supported refuses what the rest of the package does not do.
func (f *file) supported(fail func(field, got, want string) error) error {
	null := func(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }
	switch {
	case !null(f.Truncation):
		return fail("truncation", "a rule", "null")
	case !null(f.Padding):
		return fail("padding", "a rule", "null")
	case f.Normalizer != nil && f.Normalizer.Type != "NFC":
		return fail("normalizer.type", quote(f.Normalizer.Type), `"NFC" or null`)
	case f.PostProcessor != nil && f.PostProcessor.Type != "ByteLevel":
		return fail("post_processor.type", quote(f.PostProcessor.Type), `"ByteLevel" or null`)
	case f.Decoder == nil:
		return fail("decoder", "nothing", `"ByteLevel"`)
	case f.Decoder.Type != "ByteLevel":
		return fail("decoder.type", quote(f.Decoder.Type), `"ByteLevel"`)
	case f.PreTokenizer == nil:
		return fail("pre_tokenizer", "nothing", "a Split and a ByteLevel")
	case f.PreTokenizer.Type != "Sequence":
		return fail("pre_tokenizer.type", quote(f.PreTokenizer.Type), `"Sequence" of a Split and a ByteLevel`)
	case len(f.PreTokenizer.PreTokenizers) != 2:
		return fail("pre_tokenizer.pretokenizers", fmt.Sprintf("%d steps", len(f.PreTokenizer.PreTokenizers)), "a Split and a ByteLevel")
	}
	split, level := f.PreTokenizer.PreTokenizers[0], f.PreTokenizer.PreTokenizers[1]
	const at = "pre_tokenizer.pretokenizers."
	switch {
	case split.Type != "Split":
		return fail(at+"0.type", quote(split.Type), `"Split"`)
	case split.Pattern == nil || split.Pattern.Regex == nil:
		return fail(at+"0.pattern.Regex", "nothing", "a regular expression")
	case split.Behavior != "Isolated":
		return fail(at+"0.behavior", quote(split.Behavior), `"Isolated"`)
	case split.Invert:
		return fail(at+"0.invert", "true", "false")
	case level.Type != "ByteLevel":
		return fail(at+"1.type", quote(level.Type), `"ByteLevel"`)
	case level.AddPrefixSpace:
		return fail(at+"1.add_prefix_space", "true", "false")
	case level.UseRegex == nil || *level.UseRegex:
		return fail(at+"1.use_regex", "true", "false")
	}
	m := f.Model
	switch {
	case m == nil:
		return fail("model", "nothing", "a BPE model")
	case m.Type != "BPE":
		return fail("model.type", quote(m.Type), `"BPE"`)
	case m.Dropout != nil && *m.Dropout != 0:
		return fail("model.dropout", fmt.Sprint(*m.Dropout), "null")
	case m.UnkToken != nil:
		return fail("model.unk_token", quote(*m.UnkToken), "null")
	case m.Prefix != nil && *m.Prefix != "":
		return fail("model.continuing_subword_prefix", quote(*m.Prefix), "none")
	case m.Suffix != nil && *m.Suffix != "":
		return fail("model.end_of_word_suffix", quote(*m.Suffix), "none")
	case m.ByteFallback:
		return fail("model.byte_fallback", "true", "false")
	case len(m.Vocab) == 0:
		return fail("model.vocab", "no entries", "a vocabulary")
	}
	return nil
}

// maxID bounds token ids, so that a file cannot ask for a table of 2^60 entries.
const maxID = 1 << 24

func (t *Tokenizer) readVocab(vocab map[string]int, fail func(field, got, want string) error) error {
	for token, id := range vocab {
		if id < 0 || id >= maxID {
			return fail("model.vocab."+token, fmt.Sprint(id), fmt.Sprintf("an id in [0, %d)", maxID))
		}
		text, ok := unspell(token)
		if !ok {
			text = []byte(token) // an added token may stand in the vocabulary in plain text
		}
		if old := t.token(id); old != nil {
			return fail("model.vocab."+token, fmt.Sprintf("id %d, which another token has", id), "an id of its own")
		}
		t.encode[token] = id
		t.setToken(id, text)
	}
	for b, letter := range letterOf {
		id, ok := t.encode[string(letter)]
		if !ok {
			return fail("model.vocab", fmt.Sprintf("no token for byte 0x%02x (%q)", b, letter), "all 256 byte letters")
		}
		t.byteID[b] = id
	}
	return nil
}

func (t *Tokenizer) readMerges(merges []json.RawMessage, fail func(field, got, want string) error) error {
	for rank, raw := range merges {
		field := fmt.Sprintf("model.merges.%d", rank)
		var parts []string
		if err := json.Unmarshal(raw, &parts); err != nil {
			var line string
			if err := json.Unmarshal(raw, &line); err != nil {
				return fail(field, string(raw), "a pair of tokens")
			}
			parts = strings.Split(line, " ")
		}
		if len(parts) != 2 {
			return fail(field, string(raw), "a pair of tokens")
		}
		left, okLeft := t.encode[parts[0]]
		right, okRight := t.encode[parts[1]]
		whole, okWhole := t.encode[parts[0]+parts[1]]
		if !okLeft || !okRight || !okWhole {
			return fail(field, string(raw), "two tokens and their union, all in the vocabulary")
		}
		key := pair{left, right}
		if _, twice := t.ranks[key]; !twice {
			t.ranks[key] = merge{rank: rank, id: whole}
		}
	}
	return nil
}

func (t *Tokenizer) readAdded(added []fileAdded, fail func(field, got, want string) error) error {
	for i, a := range added {
		field := fmt.Sprintf("added_tokens.%d", i)
		switch {
		case a.ID == nil || *a.ID < 0 || *a.ID >= maxID:
			return fail(field+".id", "none in range", fmt.Sprintf("an id in [0, %d)", maxID))
		case a.Content == "":
			return fail(field+".content", "nothing", "text")
		case a.SingleWord:
			return fail(field+".single_word", "true", "false")
		case a.LStrip:
			return fail(field+".lstrip", "true", "false")
		case a.RStrip:
			return fail(field+".rstrip", "true", "false")
		case a.Normalized:
			return fail(field+".normalized", "true", "false")
		}
		if old := t.token(*a.ID); old != nil && t.encode[a.Content] != *a.ID {
			return fail(field+".id", fmt.Sprintf("%d, which another token has", *a.ID), "an id of its own")
		}
		t.setToken(*a.ID, []byte(a.Content))
		t.added = append(t.added, addedToken{content: a.Content, id: *a.ID})
	}
	return nil
}

func quote(s string) string { return fmt.Sprintf("%q", s) }
