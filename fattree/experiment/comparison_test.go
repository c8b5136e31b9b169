package experiment

import (
	"bytes"
	"context"
	"maps"
	"math"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestComparisonIsPaired: each setup of a comparison has the estimates of its own experiment, and ratios
// pair the same replicas. If the flows of a setup do not finish, ratios are bounds. Workers and files do
// not affect results.
func TestComparisonIsPaired(t *testing.T) {
	const seed, replicas = 5, 4
	ctx := context.Background()
	fixed := mixed()
	fixed.Balancer = func() (transport.Balancer, error) { return balance.NewECMP(1 << 16) }
	cut := mixed()
	cut.Network = Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: tornado(16, 1<<20), Horizon: 12_000_000})
	setups := []Setup{mixed(), fixed, cut}
	var written []byte
	var c *Comparison
	for _, workers := range []int{1, 3} {
		var err error
		if c, _, err = Compare(setups...).Run(ctx, mc.Plan{Seed: seed, Replicas: replicas, Workers: workers}); err != nil {
			t.Fatal(err)
		}
		data := mc.AppendTally(nil, c)
		if written != nil && !bytes.Equal(written, data) {
			t.Errorf("%d workers give another tally", workers)
		}
		written = data
	}
	var want mc.PairedMoments
	times := make([][]int64, len(setups))
	for i, s := range setups {
		alone, _, err := s.NewExperiment().Run(ctx, mc.Plan{Seed: seed, Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Summary(i); !reflect.DeepEqual(got.Of("packet_hops"), alone.Summary().Of("packet_hops")) || got.Unfinished != alone.Summary().Unfinished {
			t.Errorf("setup %d: %+v, alone %+v", i, got.Of("packet_hops"), alone.Summary().Of("packet_hops"))
		}
		times[i] = longestTimes(t, s, seed, replicas)
	}
	for r := range times[0] {
		want.Add(times[1][r], times[0][r])
	}
	if got, want := c.Ratio(1), want.Ratio(mc.DefaultConfidence); !reflect.DeepEqual(got, want) || got.Value == 1 || got.N != replicas {
		t.Errorf("ratio %+v, want %+v", got, want)
	}
	if own := c.Ratio(0); own.Value != 1 || own.Lo != 1 || own.Hi != 1 {
		t.Errorf("the first setup over itself: %+v", own)
	}
	bound, mean := c.Ratio(2), c.Summary(0).Of("max_fct_us").Value
	if !math.IsNaN(bound.Value) || math.Abs(bound.Lo-c.Summary(2).Of("max_fct_us").Lo/mean) > 1e-12 || !math.IsInf(bound.Hi, 1) || len(times[2]) > 0 {
		t.Errorf("a setup that does not finish: ratio %+v", bound)
	}
	if s := c.StoppingStatistic(); math.IsNaN(s.Value) {
		t.Errorf("the stopping statistic of a setup that does not finish: %+v", s)
	}
	other, _, err := Compare(cut, mixed(), cut).Run(ctx, mc.Plan{Seed: seed, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	if r := other.Ratio(1); !math.IsNaN(r.Value) || math.Abs(r.Hi*bound.Lo-1) > 1e-12 || !math.IsInf(r.Lo, -1) {
		t.Errorf("over a setup that does not finish: ratio %+v", r)
	}
	if r := other.Ratio(2); !math.IsNaN(r.Value) || !math.IsInf(r.Lo, -1) || !math.IsInf(r.Hi, 1) {
		t.Errorf("neither finishes: ratio %+v", r)
	}
}

// longestTimes returns the maximum FCT of each replica that finishes, in ps.
func longestTimes(t *testing.T, s Setup, seed, replicas uint64) (times []int64) {
	t.Helper()
	runner, err := s.NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	for r := range replicas {
		run, err := runner.Run(context.Background(), seed, r)
		if err != nil {
			t.Fatal(err)
		}
		if _, finished := run.Result.LastEnd(); finished {
			times = append(times, int64(math.Round(1e6*statistics(run)["max_fct_us"])))
		}
	}
	return times
}

// TestComparisonStops: the stopping statistic is the ratio with the widest relative interval or, for a
// single setup, its maximum FCT.
func TestComparisonStops(t *testing.T) {
	c := &Comparison{tallies: []*Tally{newTally(), newTally(), newTally()}, ratios: make([]mc.PairedMoments, 3)}
	for r := range int64(5) {
		c.ratios[0].Add(1, 1)
		c.ratios[1].Add(100+r, 100)
		c.ratios[2].Add(300+60*r, 100)
	}
	if got := c.StoppingStatistic(); !reflect.DeepEqual(got, c.Ratio(2)) {
		t.Errorf("it stops by %+v, want %+v", got, c.Ratio(2))
	}
	c.ratios[1], c.ratios[2] = c.ratios[2], c.ratios[1]
	if got := c.StoppingStatistic(); !reflect.DeepEqual(got, c.Ratio(1)) {
		t.Errorf("it stops by %+v, want %+v", got, c.Ratio(1))
	}
	lone := &Comparison{tallies: []*Tally{newTally()}, ratios: make([]mc.PairedMoments, 1)}
	lone.tallies[0].of("max_fct_us").Add(7)
	lone.ratios[0].Add(7, 7)
	if got := lone.StoppingStatistic(); got.Value != 7 {
		t.Errorf("a lone setup stops by %+v", got)
	}
}

// TestVariedNetworks: the networks of a setup are drawn from the plan's seed and the
// replica, the same under every setup.
func TestVariedNetworks(t *testing.T) {
	asked := map[[2]uint64]int{}
	setup := mixed()
	setup.Network = Varied(func(seed, replica uint64) (fattree.Spec, error) {
		asked[[2]uint64{seed, replica}]++
		return fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: tornado(16, 1000)}, nil
	})
	if _, _, err := Compare(setup, setup).Run(context.Background(), mc.Plan{Seed: 9, Replicas: 3, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if want := map[[2]uint64]int{{9, 0}: 2, {9, 1}: 2, {9, 2}: 2}; !maps.Equal(asked, want) {
		t.Errorf("seeds and replicas %v, want %v", asked, want)
	}
}
