package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"repslab/faults"
	"repslab/internal/claims"
	"repslab/mc"
)

// TestUnknownClaim: a figure with a finding about a claim that does not exist fails with an error that names the claim
// and the nearest ones; other panics stay panics.
func TestUnknownClaim(t *testing.T) {
	for name, finding := range map[string]func() claims.Finding{
		"a finding": func() claims.Finding { return claims.Finding{Claim: "N999", Grade: claims.Reproduced} },
		"a rule": func() claims.Finding {
			return claims.Sized("N999", mc.Estimate{Value: 1, Lo: 1, Hi: 1, N: 3}, "1", "it is")
		},
	} {
		f := Figure{ID: "new", Build: func(context.Context, Settings) (Output, error) {
			return Output{Findings: []claims.Finding{finding()}}, nil
		}}
		_, err := f.Make(context.Background(), Settings{})
		var unknown *faults.FieldError
		if !errors.As(err, &unknown) || !strings.HasPrefix(err.Error(), `figures: new: claims: claim ("N999") must be one of `) ||
			!strings.Contains(err.Error(), "; did you mean N") && !strings.Contains(err.Error(), "; the nearest are N") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("another panic is hidden")
		}
	}()
	_, _ = Figure{ID: "new", Build: func(context.Context, Settings) (Output, error) { panic("another") }}.Make(context.Background(), Settings{})
}
