package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/octoryn/assay/engine/int4"
)

const (
	packedFile    = "packed.json"
	packedName    = "assay-int4"
	packedVersion = 1
)

// packedHeader is packed.json.
type packedHeader struct {
	Format      string       `json:"format"`
	Version     int          `json:"version"`
	Scheme      string       `json:"scheme"`
	GroupSize   int          `json:"group_size"`
	ScaleSearch string       `json:"scale_search"`
	Source      packedSource `json:"source"`
}

// packedSource is what the folder was made from: sha256 in hex of every file that decided a byte of it.
type packedSource struct {
	Files map[string]string `json:"files"`
}

// IsPacked reports whether a folder is a packed one: whether it has packed.json.
func IsPacked(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, packedFile))
	return err == nil
}

// write stores packed.json; encoding/json sorts the names of a map.
func (h packedHeader) write(dir string) error {
	b, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return fmt.Errorf("checkpoint: packed.json: %w", err)
	}
	return writeFile(filepath.Join(dir, packedFile), bytes.NewReader(append(b, '\n')))
}

// readPackedHeader reads packed.json strictly.
func readPackedHeader(dir string) (int4.Format, error) {
	path := filepath.Join(dir, packedFile)
	o, err := readObject(path)
	if err != nil {
		return int4.Format{}, err
	}
	if name := o.text("format", fmt.Sprintf("%q", packedName)); o.err == nil && name != packedName {
		o.fail(Unsupported, "format", fmt.Sprintf("%q", name), fmt.Sprintf("%q", packedName))
	}
	if v := o.integer("version", 0, 1<<30); o.err == nil && v != packedVersion {
		o.fail(Unsupported, "version", fmt.Sprint(v), fmt.Sprint(packedVersion))
	}
	schemeName := o.text("scheme", `"symmetric" or "affine"`)
	f := int4.Format{GroupSize: o.integer("group_size", 0, 1<<20)}
	if o.err != nil {
		return f, o.err
	}
	if f.Scheme, err = int4.ParseScheme(schemeName); err != nil {
		o.fail(BadValue, "scheme", fmt.Sprintf("%q", schemeName), `"symmetric" or "affine"`)
	} else if f.Validate() != nil {
		o.fail(BadValue, "group_size", fmt.Sprint(f.GroupSize), "32, 64 or 128")
	}
	return f, o.err
}
