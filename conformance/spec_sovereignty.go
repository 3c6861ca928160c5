package conformance

import (
	"context"
	"fmt"
	"os"

	"github.com/octoryn/assay/conformance/report"
	"github.com/octoryn/assay/conformance/sovereignty"
)

var sovereignImage = Spec{
	Claim: "G",
	Name:  "the program imports and holds no vendor BLAS or ML framework",
	Doc:   "Imported libraries, imported symbols and defined symbols of the judged executable (ELF or Mach-O, every slice) against the deny lists of conformance/sovereignty.",
	Run: func(_ context.Context, s *Subject) (Outcome, error) {
		path, err := s.executable()
		if err != nil {
			return Outcome{}, err
		}
		img, err := sovereignty.ReadImage(path)
		if err != nil {
			return notTested("%v", err), nil
		}
		figures := report.Figures{"format": img.Format, "imported_libraries": len(img.Libraries), "imported_symbols": len(img.Imported),
			"defined_symbols": len(img.Defined)}
		return outcome(fmt.Sprintf("%s file: none of %d libraries and %d symbols is denied", img.Format, len(img.Libraries),
			len(img.Imported)+len(img.Defined)), figures, findingsOf(sovereignty.Judge(img, nil))), nil
	},
}

var sovereignModules = Spec{
	Claim: "G",
	Name:  "the module graph holds no ML framework and no binding to a vendor BLAS",
	Doc:   "The modules the judged executable was built from against the deny list of conformance/sovereignty.",
	Run: func(_ context.Context, s *Subject) (Outcome, error) {
		path, err := s.executable()
		if err != nil {
			return Outcome{}, err
		}
		read := s.Modules
		if read == nil {
			read = sovereignty.ReadModules
		}
		modules, err := read(path)
		if err != nil {
			return notTested("%v", err), nil
		}
		return outcome(fmt.Sprintf("none of %d modules is denied", len(modules)), report.Figures{"modules": modules},
			findingsOf(sovereignty.Judge(sovereignty.Image{}, modules))), nil
	},
}

// executable is the program judged by claim G: the running one unless the subject names another.
func (s *Subject) executable() (string, error) {
	if s.Executable != "" {
		return s.Executable, nil
	}
	return os.Executable()
}

func findingsOf(found []sovereignty.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.String())
	}
	return out
}
