package report

import (
	"encoding/json"
	"io"
	"maps"
	"math"
)

type jsonClaim struct {
	ID      string  `json:"id"`
	Verdict Verdict `json:"verdict"`
	Figures Figures `json:"figures"`
	Rerun   string  `json:"rerun"`
}

type jsonReport struct {
	Verdict    Verdict     `json:"verdict"`
	Claims     []jsonClaim `json:"claims"`
	Specs      Counts      `json:"specs"`
	Provenance Figures     `json:"provenance"`
}

// WriteJSON writes the report as one indented JSON object. A claim's title, summary and specs are in its figures.
// Numbers that JSON cannot hold (NaN, infinities) become strings.
func (r *Report) WriteJSON(w io.Writer) error {
	out := jsonReport{Verdict: r.Verdict(), Specs: r.Counts(), Provenance: r.Provenance, Claims: []jsonClaim{}}
	for _, c := range r.Claims {
		f := Figures{"title": c.Title}
		maps.Copy(f, c.Figures)
		if c.Summary != "" {
			f["summary"] = c.Summary
		}
		if c.Partial {
			f["partial"] = true
		}
		if len(c.Specs) > 0 {
			f["specs"] = c.Specs
		}
		out.Claims = append(out.Claims, jsonClaim{c.ID, c.Verdict, printable(f).(Figures), c.Rerun})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// printable replaces numbers JSON has no spelling for.
func printable(v any) any {
	switch v := v.(type) {
	case Figures:
		out := Figures{}
		for k, x := range v {
			out[k] = printable(x)
		}
		return out
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "+Inf"
		case math.IsInf(v, -1):
			return "-Inf"
		}
	}
	return v
}
