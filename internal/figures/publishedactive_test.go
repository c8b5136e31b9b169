package figures

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/fattree/balance"
	"repslab/fattree/transport"
	"repslab/internal/figures/engine"
	"repslab/internal/lists"
	"repslab/internal/mctest"
)

//go:embed testdata/published_active.csv
var publishedActiveFile []byte

// activeScheme returns sets of K active EVs as published.
func activeScheme(lb string, active int) scheme {
	return scheme{key: lb, open: func(evs int) (transport.Balancer, error) {
		if lb == "hklb" {
			return balance.NewHKLB(evs, active)
		}
		return balance.NewKLB(evs, active, false)
	}}
}

// TestActiveSetsAsPublished: the mean FCTs of sets of K active EVs are those that [ecn-sweep] published for the same
// permutations and settings, within 1 % where all of its permutations are run. These numbers set nothing in the model.
// By default one run of two rows, within 5 %: a permutation is up to 3 % off the mean of all.
func TestActiveSetsAsPublished(t *testing.T) {
	sparse := map[string]bool{"128 hosts, line rate 8 klb 4": true, "128 hosts, line rate 8 hklb 4": true}
	points, found := newPublishedRecycling(), 0
	for _, row := range rowsOfFile(publishedActiveFile) {
		name, tolerance, runs := strings.Join(row[:4], " "), 0.01, uint64(numberOf(row[6]))
		if !mctest.Long() {
			if !sparse[name] {
				continue
			}
			tolerance, runs = 0.05, 1
		}
		of := activeScheme(row[2], int(numberOf(row[3])))
		p := points[slices.IndexFunc(points, func(p *comparedPoint) bool { return p.group == row[0] && p.x == int(numberOf(row[1])) })]
		p.schemes, p.replicas = []scheme{of}, runs
		c := comparison{points: []*comparedPoint{p}}
		if err := c.run(t.Context(), engine.Settings{Seed: 1, Workers: 1}); err != nil {
			t.Fatal(err)
		}
		ours, published := mean(lists.Map(p.of(of.key), kept("mean"))), numberOf(row[4])
		t.Logf("%s: %.1f us, published %.1f", name, ours, published)
		if found++; math.Abs(ours/published-1) > tolerance {
			t.Errorf("%s: mean FCT %.1f us, published %.1f", name, ours, published)
		}
	}
	if found < 2 {
		t.Errorf("%d rows", found)
	}
}
