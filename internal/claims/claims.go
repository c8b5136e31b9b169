package claims

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
)

//go:embed claims.csv
var claimsCSV string

// Claim is a quantitative statement of the paper.
type Claim struct {
	ID       string // N001, N002, ...
	Section  string
	Scenario string
	Metric   string
	Claimed  string // the value as the paper gives it
	Line     string // of the paper's LaTeX source
	Comment  string
}

// Claims returns all claims in order.
func Claims() ([]Claim, error) {
	lines, err := csv.NewReader(strings.NewReader(claimsCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("claims: claims.csv: %w", err)
	}
	var claims []Claim
	scenario := ""
	for _, f := range lines[1:] {
		// "same" repeats the scenario of the row before, with or without an addition.
		if rest, same := strings.CutPrefix(f[2], "same"); same {
			f[2] = scenario + rest
		} else {
			scenario = f[2]
		}
		claims = append(claims, Claim{f[0], f[1], f[2], f[3], f[4], f[5], f[6]})
	}
	return claims, nil
}
