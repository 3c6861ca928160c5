// Package altered makes copies of checkpoint folders with one thing changed, for specs that must see the difference.
//
// It reads and writes safetensors without checking them, as what it writes is often meant to be wrong.
package altered
