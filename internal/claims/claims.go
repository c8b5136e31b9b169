package claims

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed claims.csv
var claimsCSV string

// Claim is a quantitative statement of the paper, and the condition under which it counts
// as reproduced.
type Claim struct {
	ID       string // N001, N002, ...
	Section  string
	Scenario string
	Metric   string
	Claimed  string // the value as the paper gives it
	Line     string // of the paper's LaTeX source
	Comment  string
	Figure   string // that decides the claim
	Rule     string // written before the figure is made
}

// Claims returns all claims in order. The caller must not change them.
var Claims = sync.OnceValue(func() []Claim {
	lines, err := csv.NewReader(strings.NewReader(claimsCSV)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("claims: claims.csv: %v", err))
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
		claims = append(claims, Claim{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]})
	}
	return claims
})

// Find returns the claim with an id. It panics if there is none.
func Find(id string) Claim {
	i := slices.IndexFunc(Claims(), func(c Claim) bool { return c.ID == id })
	if i < 0 {
		panic("claims: no claim is called " + id)
	}
	return Claims()[i]
}
