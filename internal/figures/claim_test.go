package figures

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

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
		var unknown *mc.FieldError
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

// TestReadmeCountsClaims: the README counts the grades of the paper's results.
func TestReadmeCountsClaims(t *testing.T) {
	file, err := os.Open(gradesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.FieldsPerRecord = -1 // some grades have a comma
	lines, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	all, of := 0, map[claims.Grade]int{}
	ours := map[string]bool{}
	for _, c := range claims.Claims() {
		ours[c.ID] = c.Counts()
	}
	for _, line := range lines {
		if ours[line[0]] {
			all++
			of[claims.Grade(line[1])]++
		}
	}
	word := func(g claims.Grade) string {
		words := []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
		if n := of[g]; n < len(words) {
			return words[n]
		}
		return fmt.Sprint(of[g])
	}
	want := fmt.Sprintf("Of the paper's %d results %d are reproduced, %d hold in direction and %d in part; %s are far smaller, %s far larger, %s contradicted, also by the authors' own simulator, and %s are undecided",
		all, of[claims.Reproduced], of[claims.Direction], of[claims.InPart], word(claims.FarSmaller), word(claims.FarLarger), word(claims.Contradicted), word(claims.Undecided))
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), want) {
		t.Errorf("README.md does not say: %s", want)
	}
}
