package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// idFlags are the two ways to give token ids.
type idFlags struct {
	list, file string
}

func (f *idFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.list, "ids", "", "token ids, separated by commas or spaces")
	cmd.Flags().StringVar(&f.file, "ids-file", "", "file of token ids, separated by commas or white space")
}

// given reports whether the user gave ids at all.
func (f *idFlags) given(cmd *cobra.Command) bool {
	return cmd.Flags().Changed("ids") || cmd.Flags().Changed("ids-file")
}

// read returns the ids. They must be at least one, and each in 0..vocab-1.
func (f *idFlags) read(cmd *cobra.Command, vocab int) ([]int, error) {
	text, name := f.list, "--ids"
	if cmd.Flags().Changed("ids-file") {
		if cmd.Flags().Changed("ids") {
			return nil, fmt.Errorf("--ids and --ids-file: give one of them")
		}
		data, err := os.ReadFile(f.file)
		if err != nil {
			return nil, fmt.Errorf("--ids-file: %w", err)
		}
		text, name = string(data), f.file
	}
	return parseIDs(name, text, vocab)
}

func parseIDs(name, text string, vocab int) ([]int, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(fields) == 0 {
		return nil, fmt.Errorf("%s: no token ids", name)
	}
	ids := make([]int, len(fields))
	for i, field := range fields {
		id, err := strconv.Atoi(field)
		if err != nil {
			return nil, fmt.Errorf("%s: token %d is %q, want a number", name, i, field)
		}
		if id < 0 || id >= vocab {
			return nil, fmt.Errorf("%s: token %d has id %d, want 0 to %d", name, i, id, vocab-1)
		}
		ids[i] = id
	}
	return ids, nil
}

// checkContext refuses a prompt that leaves no room for what is asked of it.
func checkContext(prompt, maxTokens, context int) error {
	if n := prompt + max(maxTokens-1, 0); n > context {
		return fmt.Errorf("prompt of %d tokens and %d more do not fit the context of %d (max_position_embeddings)", prompt, max(maxTokens-1, 0), context)
	}
	return nil
}

func checkMaxTokens(n, least int) error {
	if n < least {
		return fmt.Errorf("--max-tokens: got %d, want at least %d", n, least)
	}
	return nil
}
