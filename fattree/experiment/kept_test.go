package experiment

import (
	"context"
	"math"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestKeptRuns: kept runs give the same means, ratios and bounds as the tallies of the same replicas, and
// the basis of these estimates gives them again.
func TestKeptRuns(t *testing.T) {
	const seed, replicas = 5, 3
	ctx := context.Background()
	on := func(horizon fattree.Picoseconds) Setup { // without background flows, since a tally leaves them out
		s := mixed()
		s.Network = Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: tornado(16, 1<<20), Horizon: horizon})
		return s
	}
	whole, fixed, cut := on(0), on(0), on(12_000_000)
	fixed.Balancer = func() (transport.Balancer, error) { return balance.NewECMP(1 << 16) }
	setups := []Setup{whole, fixed, cut}
	c, _, err := Compare(setups...).Run(ctx, mc.Plan{Seed: seed, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	kept := make([][]Kept, len(setups))
	for i, s := range setups {
		runner, err := s.NewRunner()
		if err != nil {
			t.Fatal(err)
		}
		for r := range uint64(replicas) {
			run, err := runner.Run(ctx, seed, r)
			if err != nil {
				t.Fatal(err)
			}
			kept[i] = append(kept[i], run.Keep())
		}
	}
	same := func(name string, a, b float64) {
		if a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
			t.Errorf("%s of kept runs %v, by the tally %v", name, a, b)
		}
	}
	for i := range setups {
		s := c.Summary(i)
		for name, pair := range map[string][2]mc.Estimate{
			"most": {TimeOf(kept[i], func(k Kept) int64 { return int64(k.Most) }, 1e6), s.Of("max_fct_us")},
			"mean": {TimeOf(kept[i], func(k Kept) int64 { return int64(k.Mean) }, 1e6), s.Of("mean_fct_us")},
			"p99":  {TimeOf(kept[i], func(k Kept) int64 { return int64(k.P99) }, 1e6), s.Of("p99_fct_us")},
			"end":  {TimeOf(kept[i], func(k Kept) int64 { return int64(k.End) }, 1e6), s.Of("end_us")},
			"sent": {mc.MeanOf(kept[i], func(k Kept) int64 { return k.Sent }), s.Of("sent")},
		} {
			same(name, pair[0].Value, pair[1].Value)
			if math.IsNaN(pair[0].Value) {
				same("bound of the "+name, pair[0].Lo, pair[1].Lo)
			}
		}
		for k, others := range kept {
			over := OverOf(others, kept[i], func(k Kept) int64 { return int64(k.Most) }, 1e6)
			if i == 0 {
				same("ratio", over.Value, c.Ratio(k).Value)
				same("bound of the ratio", over.Lo, map[bool]float64{true: c.Ratio(k).Lo, false: over.Lo}[k == 2])
			} else if i == 2 && k == 2 && !math.IsInf(over.Hi-over.Lo, 1) {
				t.Errorf("neither side is complete: %v", over)
			}
		}
	}
	e := OverOf(kept[1], kept[0], func(k Kept) int64 { return int64(k.Most) }, 1e6)
	var x, y float64
	for r := range e.Basis.Values {
		x, y = x+e.Basis.Values[r], y+e.Basis.Over[r]
	}
	if len(e.Basis.Values) != replicas || math.Abs(x/y/e.Value-1) > 1e-12 || math.Abs(x/replicas/c.Summary(1).Of("max_fct_us").Value-1) > 1e-12 {
		t.Errorf("the basis %+v does not give %v", e.Basis, e.Value)
	}
}
