package repslab

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/traffic"
	"repslab/internal/mc"
	"repslab/internal/mc/mctest"
	"repslab/reps"
)

// calibration holds a set-up against the authors' simulator: the mean over
// replicas against the mean over the reference's seeds, within the larger of a
// part of the reference and 3 standard errors of both sides.
type calibration struct {
	prefix       string  // of the reference's rows
	maxFCT, mean float64 // parts of the reference that may be missed
	balancer     fattree.Balancer
	spec         fattree.Spec
	inShortSuite bool
}

// sprayed, pinnedFlows and recycledBy return balancers; their parameters are
// right.
func sprayed(t testing.TB, evs int) fattree.Balancer {
	b, err := balance.NewSpraying(evs)
	return must(t, b, err)
}

func pinnedFlows(t testing.TB, evs int) fattree.Balancer {
	b, err := balance.NewECMP(evs)
	return must(t, b, err)
}

func recycledBy(t testing.TB, rules balance.Rules, evs int) fattree.Balancer {
	b, err := balance.NewRecycling(rules, reps.Config{EVSSize: evs})
	return must(t, b, err)
}

// must returns value unless there is an error.
func must[T any](t testing.TB, value T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// permutation128 is the authors' permutation of 128 hosts, 8 MiB each.
func permutation128(t *testing.T) fattree.Workload {
	t.Helper()
	f, err := os.Open("fattree/traffic/testdata/perm_n128_s8388608.cm")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, w, err := traffic.ReadFlows(f)
	return must(t, w, err)
}

// calibrations lists the set-ups, configured as the authors' scripts do.
func calibrations(t *testing.T) []calibration {
	const mib = 1 << 20
	two := fattree.Topology{Hosts: 128}
	three := fattree.Topology{Hosts: 128, Tiers: 3}
	evsFigure := fattree.Spec{Topology: two, Workload: permutation128(t)}
	oneToR := func(topology fattree.Topology, bytes int64, faults ...fattree.Fault) fattree.Spec {
		w, err := traffic.OneToR(topology.WithDefaults(), traffic.Message{Bytes: bytes})
		return fattree.Spec{Topology: topology, Workload: must(t, w, err), KMin: 20, KMax: 80, Faults: faults}
	}
	synthetic := func(w fattree.Workload, err error) fattree.Spec {
		return fattree.Spec{Topology: two, Workload: must(t, w, err), DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	}
	tornado := synthetic(traffic.Tornado(128, traffic.Message{Bytes: 8 * mib}))
	incast := synthetic(traffic.Incast(128, 8, traffic.Message{Bytes: 8 * mib}))
	permutation := synthetic(permutation128(t), nil)
	slow := fattree.Fault{Rate: 0.5}
	oneDead := evsFigure
	for tor := range two.WithDefaults().ToRs() {
		oneDead.Faults = append(oneDead.Faults, fattree.Fault{Switch: tor})
	}
	ops, pinned := func(evs int) fattree.Balancer { return sprayed(t, evs) }, pinnedFlows(t, 65535)
	ring := func(evs int) fattree.Balancer { return recycledBy(t, balance.Artifact, evs) }
	list := func(evs int) fattree.Balancer { return recycledBy(t, balance.FIFO, evs) }
	return []calibration{
		{"f12evs_freezing_32_", 0.03, 0.005, ring(32), evsFigure, true},
		{"f12evs_freezing_256_", 0.01, 0.005, ring(256), evsFigure, true},
		{"f12evs_freezing_65535_", 0.01, 0.005, ring(65535), evsFigure, true},
		{"f12evs_reps_32_", 0.03, 0.005, list(32), evsFigure, true},
		{"f12evs_reps_256_", 0.01, 0.005, list(256), evsFigure, true},
		{"f12evs_reps_65535_", 0.01, 0.005, list(65535), evsFigure, true},
		{"f12evs_oblivious_32_", 0.08, 0.01, ops(32), evsFigure, true},
		{"f12evs_oblivious_256_", 0.03, 0.01, ops(256), evsFigure, true},
		{"f12evs_oblivious_65535_", 0.03, 0.01, ops(65535), evsFigure, true},
		{"f11fail_freezing_ack4000_", 0.03, 0.01, ring(65535), oneDead, true},
		{"f11fail_oblivious_ack4000_", 0.05, 0.02, ops(65535), oneDead, true},
		{"f1_freezing_", 0.02, 0.02, ring(65535), oneToR(two, 16*mib), true},
		{"f1_oblivious_", 0.02, 0.02, ops(65535), oneToR(two, 16*mib), true},
		{"f3_freezing_", 0.02, 0.02, ring(65535), oneToR(three, 32*mib, slow), true},
		{"f3_oblivious_", 0.02, 0.02, ops(65535), oneToR(three, 32*mib, slow), true},
		{"f3base_freezing_", 0.02, 0.02, ring(65535), oneToR(three, 32*mib), true},
		{"f3base_oblivious_", 0.02, 0.02, ops(65535), oneToR(three, 32*mib), true},
		{"f2_perm_n128_8MiB_freezing_", 0.01, 0.01, ring(65535), permutation, false},
		{"f2_perm_n128_8MiB_oblivious_", 0.03, 0.01, ops(65535), permutation, false},
		{"f2_perm_n128_8MiB_ecmp_", 0.25, 0.10, pinned, permutation, false},
		{"f2_tornado_n128_8MiB_freezing_", 0.01, 0.01, ring(65535), tornado, false},
		{"f2_tornado_n128_8MiB_oblivious_", 0.03, 0.01, ops(65535), tornado, false},
		{"f2_incast8_n128_8MiB_freezing_", 0.03, 0.01, ring(65535), incast, false},
		{"f2_incast8_n128_8MiB_oblivious_", 0.03, 0.01, ops(65535), incast, false},
		{"f2_incast8_n128_8MiB_ecmp_", 0.03, 0.01, pinned, incast, false},
	}
}

// reference returns the maximum and mean FCTs of the reference's runs whose name
// begins with prefix, in picoseconds.
func reference(t *testing.T, prefix string) (maxFCT, mean mc.Moments) {
	t.Helper()
	for _, row := range mctest.Reference(t, "testdata/htsim_runs.csv") {
		if strings.HasPrefix(row["scenario_id"], prefix+"s") {
			maxFCT.Add(int64(row.Number(t, "max_fct_us") * 1e6))
			mean.Add(int64(row.Number(t, "mean_fct_us") * 1e6))
		}
	}
	if maxFCT.N() == 0 {
		t.Fatalf("the reference has no run %q", prefix)
	}
	return maxFCT, mean
}

// measure runs the replicas of a set-up.
func (c calibration) measure(t *testing.T, replicas uint64, control fattree.Control) (maxFCT, mean mc.Moments) {
	t.Helper()
	network, err := fattree.Build(c.spec)
	if err != nil {
		t.Fatal(err)
	}
	run := network.NewRun()
	for replica := range replicas {
		result, err := run.Execute(context.Background(), c.balancer, control, fattree.NewStreams(1, replica))
		if err != nil {
			t.Fatal(err)
		}
		fcts := result.FCTs()
		if len(fcts) != len(c.spec.Workload.Flows) {
			t.Fatalf("replica %d: %d of %d flows finished", replica, len(fcts), len(c.spec.Workload.Flows))
		}
		sum := fattree.Picoseconds(0)
		for _, fct := range fcts {
			sum += fct
		}
		maxFCT.Add(fcts[len(fcts)-1])
		mean.Add(sum / int64(len(fcts)))
	}
	return maxFCT, mean
}

// TestCalibration: the model's completion times are those of the authors'
// simulator. The whole table with 10 replicas is part of the long tests.
func TestCalibration(t *testing.T) {
	long := os.Getenv("REPSLAB_LONG") != ""
	replicas := uint64(3)
	if long {
		replicas = 10
	}
	for _, c := range slices.Concat(calibrations(t), balancerCalibrations(t)) {
		if !long && !c.inShortSuite {
			continue
		}
		t.Run(strings.TrimSuffix(c.prefix, "_"), func(t *testing.T) {
			maxFCT, mean := c.measure(t, replicas, congestion.DCTCP{})
			wantMax, wantMean := reference(t, c.prefix)
			compare(t, "max", maxFCT, wantMax, c.maxFCT)
			compare(t, "mean", mean, wantMean, c.mean)
		})
	}
}

// compare fails unless two means are within the larger of a part of the second
// and 3 standard errors of both. A single run of the reference is taken to
// scatter as the model's runs do.
func compare(t *testing.T, name string, got, want mc.Moments, part float64) {
	t.Helper()
	const us = 1e6
	g, w := got.Mean(mc.DefaultConfidence), want.Mean(mc.DefaultConfidence)
	spread := math.Hypot(g.StdErr, w.StdErr)
	if w.N == 1 {
		spread = g.StdErr * math.Sqrt(1+float64(g.N))
	}
	line := fmt.Sprintf("%s FCT %.2f us, reference %.2f us: %+.2f %%, standard error %.2f %%, bound %g %%",
		name, g.Value/us, w.Value/us, 100*(g.Value/w.Value-1), 100*spread/w.Value, 100*part)
	if math.Abs(g.Value-w.Value) > max(part*w.Value, 3*spread) {
		t.Error(line)
		return
	}
	t.Log(line)
}
