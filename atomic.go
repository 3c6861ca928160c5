package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// checkWritable refuses an output path that could not be written, before the work is done.
func checkWritable(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".assay-*")
	if err != nil {
		return fmt.Errorf("output %s: %w", path, cause(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// writeAtomically writes a file through a temporary one beside it, so that path holds either the old content or all
// of the new.
func writeAtomically(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".assay-*")
	if err != nil {
		return fmt.Errorf("output %s: %w", path, cause(err))
	}
	defer os.Remove(f.Name()) // gone already once renamed
	b := bufio.NewWriter(f)
	err = errors.Join(write(b), b.Flush(), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("output %s: %w", path, err)
	}
	return nil
}

// cause drops the temporary name from a path error.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
