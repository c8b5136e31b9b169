package experiment

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// jobOf returns a setup that plays the schedule of a text on the first hosts of a tree, some steps.
func jobOf(t *testing.T, text string, steps int, horizon fattree.Picoseconds) Setup {
	t.Helper()
	s, err := schedule.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	j := schedule.Job{Schedule: s, Steps: steps}
	for h := range s.Ranks {
		j.Hosts = append(j.Hosts, fattree.Host(5*h))
	}
	return Setup{
		Network:  Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: j.Workload(), Horizon: horizon}),
		Balancer: func() (transport.Balancer, error) { return balance.NewSpraying(1 << 16) },
		Control:  func() transport.Control { return congestion.DCTCP{} },
	}
}

const threeRanks = `num_ranks 3
rank 0 {
a: calc 30000
s: send 1000000b to 1 tag 0
s requires a
}
rank 1 {
r: recv 1000000b from 0 tag 0
c: calc 50000
c requires r
s: send 4000b to 2 tag 0
s requires c
}
rank 2 {
recv 4000b from 1 tag 0
}
`

// TestTallyOfSteps: statistics of steps match the runs, for any number of workers. The rank that computes
// longest and the larger message are late.
func TestTallyOfSteps(t *testing.T) {
	const seed, replicas, steps = 5, 4, 3
	setup := jobOf(t, threeRanks, steps, 0)
	var written []byte
	var got Summary
	for _, workers := range []int{1, 2} {
		tally, _, err := setup.NewExperiment().Run(context.Background(), mc.Plan{Seed: seed, Replicas: replicas, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		data := mc.AppendTally(nil, tally)
		if written != nil && !bytes.Equal(data, written) {
			t.Errorf("%d workers give another tally", workers)
		}
		written, got = data, tally.Summary()
		if s := tally.StoppingStatistic(); s.Per(1e6).Value != got.Of("step_us").Value {
			t.Errorf("it stops by %v, want %v", s, got.Of("step_us"))
		}
	}
	runner, err := setup.NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	mean, waiting, longest := 0.0, 0.0, int64(0)
	for r := range uint64(replicas) {
		run, err := runner.Run(context.Background(), seed, r)
		if err != nil || len(run.Steps) != steps || run.cut {
			t.Fatalf("%+v, error %v", run, err)
		}
		sum := int64(0)
		for _, s := range run.Steps {
			sum, longest = sum+int64(s.Time), max(longest, int64(s.Time))
			waiting += s.Waiting / steps / replicas
		}
		mean += float64(sum/steps) / replicas
	}
	if math.Abs(got.Of("step_us").Value-mean/1e6) > 1e-9*mean/1e6 || got.Of("step_us").N != replicas || math.Abs(got.Of("network_wait").Value-waiting) > 2e-9 || got.Of("step_p99_us").Value != float64(longest)/1e6 {
		t.Errorf("time %v, waiting %v, p99 %v us, want %v ps, %v, %v", got.Of("step_us"), got.Of("network_wait"), got.Of("step_p99_us"), mean, waiting, longest)
	}
	if got.LateRank != 1 || got.LateLink != [2]int64{0, 1} || mean < 100e6 || waiting < 0.05 {
		t.Errorf("late %d and %v, time %v ps, waiting %v", got.LateRank, got.LateLink, mean, waiting)
	}
}

// TestTallyOfCutSteps: steps that the end of a run cuts leave bounds, and steps without a byte are exact.
func TestTallyOfCutSteps(t *testing.T) {
	run := func(text string, steps int, horizon fattree.Picoseconds) Summary {
		tally, _, err := jobOf(t, text, steps, horizon).NewExperiment().Run(context.Background(), mc.Plan{Seed: 5, Replicas: 2})
		if err != nil {
			t.Fatal(err)
		}
		return tally.Summary()
	}
	whole := run(threeRanks, 1, 0).Of("step_us").Value
	// The first of two steps ends; the second is cut.
	const horizon = 150_000_000
	if got, want := run(threeRanks, 2, horizon), math.Floor(horizon/2)/1e6; got.Unfinished != 2 || got.Of("step_us").Lo < want-1e-6 || got.Of("step_us").Lo > want ||
		got.Of("step_us").N != 0 || !math.IsNaN(got.Of("step_p99_us").Value) || got.Of("step_p99_us").Lo < whole*0.9 || got.Of("network_wait").N != 0 || got.Of("max_fct_us").Lo <= 0 {
		t.Errorf("cut: %+v, want at least %v us", got, want)
	}
	empty := strings.NewReplacer("1000000b", "0b", "4000b", "0b").Replace(threeRanks)
	if got := run(empty, 2, 0); got.Of("step_us").Value != 80 || got.Unfinished != 0 || got.Of("max_fct_us").N != 0 || got.Of("flows").Value != 0 || got.LateLink != [2]int64{-1, -1} {
		t.Errorf("without a byte: %+v, want 80 us", got)
	}
}

// TestStepsByHand: the 99 % quantile of 200 steps is the 198th. The rank that is late in most steps counts, the lowest
// of several; -1 without steps.
func TestStepsByHand(t *testing.T) {
	tally := newTally()
	for i := range int64(200) {
		tally.steps.Add((i + 1) * 1e6)
	}
	if got := tally.Summary().Of("step_p99_us"); got.Value != 198 {
		t.Errorf("steps of 1 to 200 us: a 99 %% quantile of %v us", got.Value)
	}
	for want, list := range map[int64][]int64{-1: nil, 4: {4}, 2: {9, 2}, 3: {5, 3, 7, 3, 7}, 8: {0, 8, 8}} {
		var s mc.Sample
		for _, v := range list {
			s.Add(v)
		}
		if got := mode(&s); got != want {
			t.Errorf("%v: %d is late most often, want %d", list, got, want)
		}
	}
}
