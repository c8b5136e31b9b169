package cases

import (
	"testing"

	"repslab/internal/param"
)

// FuzzWords reads any text as --freezing and --failure: what is accepted is, printed, read as the same.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"", "on,off,at=50", "at=-0", "at=1e3", "at=1000001",
		"none|cables=8%,place=aligned|degrade=1:0.5,dir=both,for=20", "none|", "ber-cable=1%;switches=1", "|", "cables=1,at=1,at=2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read := param.NamesOrTime("at", "on", "off")
		modes, err := read(text)
		for _, m := range modes {
			if again, err := read(m.String()); err != nil || len(again) != 1 || again[0] != m {
				t.Errorf("%q has the mode %+v, and that is %+v, error %v", text, m, again, err)
			}
		}
		if (err == nil) != (len(modes) > 0) {
			t.Errorf("%q has %d modes, error %v", text, len(modes), err)
		}
		specs, err := failureSpecs(text)
		if (err == nil) != (len(specs) > 0) {
			t.Errorf("%q has %d failures, error %v", text, len(specs), err)
		}
		for _, s := range specs {
			if again, err := failureSpecs(s.String()); err != nil || len(again) != 1 || again[0].String() != s.String() {
				t.Errorf("%q has the failure %q, and that is %v, error %v", text, s, again, err)
			}
		}
	})
}
