package fattree_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
	"repslab/internal/recordtest"
)

// drawSpec returns a random experiment in which many fields keep their defaults; it may be invalid.
func drawSpec(rng *rand.Rand) fattree.Spec {
	s, o := nettest.RandomSpec(rng)
	one := func(list ...float64) float64 { return list[rng.IntN(len(list))] }
	s.Profile = fattree.Profile(rng.IntN(3))
	s.Options = transport.Options{InitialWindow: o.InitialWindow, AckRatio: o.AckRatio, Sleek: o.Sleek && s.Profile == fattree.UltraEthernet}
	if rng.IntN(2) == 0 {
		s.Queue, s.KMin, s.KMax, s.Options = 0, 0, 0, nil
	}
	if rng.IntN(3) == 0 {
		s.LastHopQueue, s.PMax = 1+rng.IntN(50), one(0.1, 0.5, 1)
	}
	if rng.IntN(3) == 0 {
		tree := s.Topology.(topology.FatTree)
		tree.Access.Gbps, tree.Fabric.Gbps, tree.Core.Gbps = one(100, 400, 800), one(40, 100, 400), one(40, 400)
		tree.Access.LatencyNs, tree.Fabric.LatencyNs, tree.SwitchLatencyNs = one(1, 100, 1000, 5000), one(10, 300, 1000), one(0, 0, 300, 1000)
		s.Topology = tree
	}
	if rng.IntN(8) > 0 {
		s.Faults = slices.DeleteFunc(s.Faults, func(f fattree.Fault) bool { return slices.Contains(f.Ports, -1) })
	}
	for i := range s.Faults {
		if f := &s.Faults[i]; rng.IntN(2) == 0 {
			f.Period = 5_000_000 + fattree.Picoseconds(rng.IntN(20_000_000))
			f.Down = 1 + f.Period*fattree.Picoseconds(rng.IntN(9))/10
		}
	}
	for i := range s.Errors {
		s.Errors[i].CountACKs, s.Errors[i].PerPacket = rng.IntN(2) == 0, one(0, 0.01)
		s.Errors[i].End = s.Errors[i].Start + fattree.Picoseconds(one(1, 10_000_000, 50_000_000))
	}
	return s
}

// TestRecordedNetworks: networks drawn with fixed seeds have the slots, round trips, products, queues,
// thresholds, horizons and unloaded times that they had before, or are refused with the same error.
func TestRecordedNetworks(t *testing.T) {
	var lines []string
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 21))
		s := drawSpec(rng)
		if rng.IntN(2) == 0 {
			s.Horizon = 0
			for i := range s.Workload.Flows {
				s.Workload.Flows[i].Bytes <<= 4 * rng.IntN(4)
			}
		}
		n, err := fattree.Build(s)
		if err != nil {
			lines = append(lines, fmt.Sprintf("%d %.150q", seed, err.Error()))
			continue
		}
		s = n.Spec()
		line := fmt.Sprintf("%d %d %d %d %d %d %d %d %d %.9g", seed, n.SlotTime(), s.Horizon, s.Queue, s.KMin, s.KMax, n.Groups(), n.ReportPlaces(), n.LongestRTT(), n.LongestBDP())
		for flow := range int32(min(3, n.Flows())) {
			line += fmt.Sprintf(" | %d %.9g %d", n.BaseRTT(flow), n.PacketTime(flow), n.Way(flow).Rounding)
			if !n.HasSink() {
				line += fmt.Sprintf(" %d", n.Unloaded(flow))
			}
		}
		lines = append(lines, line)
	}
	recordtest.Check(t, "networks.txt", lines)
}

// TestRecordedRuns: runs of random networks with fixed seeds, with faults that flap, slow and overlap,
// bit errors, triggers and all profiles, give the same counts and ends of flows as before.
func TestRecordedRuns(t *testing.T) {
	var lines []string
	for seed := range uint64(80) {
		n, err := fattree.Build(drawSpec(rand.New(rand.NewPCG(seed, 22))))
		if err != nil || n.Spec().Profile == fattree.MRC || transport.CheckOptions(n) != nil {
			continue
		}
		b, err := balance.NewSpraying(64)
		if err != nil {
			t.Fatal(err)
		}
		r, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(seed, 0))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		lines = append(lines, fmt.Sprintf("%d %s", seed, nettest.Record(r)))
	}
	recordtest.Check(t, "runs.txt", lines)
}
