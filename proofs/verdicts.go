package proofs

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

//go:embed verdicts.csv
var verdictsCSV string

// Recorded returns the repository's table of verdicts by step. An error is a fault of the table. O(steps).
func Recorded() (map[string]Verdict, error) {
	lines, err := csv.NewReader(strings.NewReader(verdictsCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("proofs: verdicts.csv: %w", err)
	}
	table := map[string]Verdict{}
	for _, f := range lines[1:] {
		if !slices.Contains(Verdicts(), Verdict(f[1])) {
			return nil, fmt.Errorf("proofs: verdicts.csv: verdict (%q) of step %s must be one of %v", f[1], f[0], Verdicts())
		}
		table[f[0]] = Verdict(f[1])
	}
	return table, nil
}
