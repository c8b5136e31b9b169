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

// TestKeepByHand: of flows that take 1 to 200 us the 99 % quantile is the 198th, and the run ends with the last one.
func TestKeepByHand(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: tornado(16, 1)})
	if err != nil {
		t.Fatal(err)
	}
	const us, start = fattree.Microsecond, 7 * fattree.Microsecond
	result := &fattree.Result{}
	for i := range fattree.Picoseconds(200) {
		result.Flows = append(result.Flows, fattree.FlowResult{Start: start, End: start + (200-i)*us})
	}
	got := Replica{Network: n, Result: result}.Keep()
	want := Kept{Counts: got.Counts, Flows: 200, Finished: 200, Least: us, Mean: 201 * us / 2, P99: 198 * us, Most: 200 * us, End: start + 200*us}
	if got != want || !got.Complete() {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// timed is a run with a time.
type timed struct {
	time     int64
	complete bool
}

func (r timed) Complete() bool { return r.complete }

// TestUnpairedRuns: a run that is not complete bounds a ratio only if it has a partner.
func TestUnpairedRuns(t *testing.T) {
	runs, cut := []timed{{2, true}, {4, true}, {6, true}}, timed{9, false}
	of := func(r timed) int64 { return r.time }
	longer := append(runs[:3:3], cut)
	for name, pair := range map[string][2][]timed{"numerator": {longer, runs}, "denominator": {runs, longer}} {
		if e := OverOf(pair[0], pair[1], of, 1); e.Value != 1 {
			t.Errorf("a fourth run of the %s: %+v, want 1", name, e)
		}
	}
	if e := OverOf(longer, longer, of, 1); !math.IsNaN(e.Value) {
		t.Errorf("both have a fourth run, which is cut: %+v", e)
	}
}
