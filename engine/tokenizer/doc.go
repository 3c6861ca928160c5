// Package tokenizer turns text into token ids and back with a Hugging Face tokenizer.json of the kind Qwen ships:
// byte-level byte-pair encoding, NFC, one splitting pattern, added tokens.
//
// [Load] reads the file and refuses, with the field at fault, whatever it would otherwise ignore: another normalizer, another
// pre-tokenizer, dropout, an unknown token, prefixes. A tokenizer that is nearly the right one is worse than none.
//
// Encoding goes: added tokens are cut out of the text; the rest is normalized to NFC; the pattern splits it into pieces;
// the bytes of a piece are spelled in the 256 printable letters of GPT-2's table; adjacent parts are merged, the lowest rank
// first and leftmost among equals, until no merge applies.
//
// Libraries considered: sugarme/tokenizer (the only pure-Go reader of the whole format; carries far more than is needed here, and its
// pattern engine has no look-ahead), daulet/tokenizers (cgo), tiktoken-go (other file format). Splitting needs a look-ahead,
// which Go's regexp lacks, so dlclark/regexp2 does it; NFC is golang.org/x/text.
package tokenizer
