package experiment

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// tornado returns a flow from each host to the one halfway round.
func tornado(hosts int, bytes int64) (w fattree.Workload) {
	for h := range hosts {
		w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(h), fattree.Host((h+hosts/2)%hosts), bytes, 0))
	}
	return w
}

// rank returns the smallest value that is not exceeded by a fraction p of the values.
func rank(values []int64, p float64) int64 {
	values = slices.Clone(values)
	slices.Sort(values)
	for i, v := range values {
		if float64(i+1) >= p*float64(len(values)) {
			return v
		}
	}
	panic("no values")
}

// mixed returns a set-up of 1500 flows, every fifth of them background traffic, with short queues and a
// link that fails for a time. Every statistic of its runs is above 0.
func mixed() Setup {
	tree := topology.FatTree{Hosts: 64}
	s := fattree.Spec{Topology: tree, Queue: 12, KMin: 2, KMax: 8, Faults: []fattree.Fault{{Ports: tree.Ports(topology.Part{}), Start: 3_000_000, End: 9_000_000}}}
	s.Workload.BackgroundEvery = 5
	for i := range 1500 {
		f := fattree.NewFlow(fattree.Host(i%64), fattree.Host((i*7+1)%63), int64(1000+(i*131)%20_000), 0)
		if f.Source == f.Destination {
			f.Destination = 63
		}
		f.Start = fattree.Picoseconds(i%29) * 700_000
		s.Workload.Flows = append(s.Workload.Flows, f)
	}
	return Setup{
		Network:  Fixed(s),
		Balancer: func() (transport.Balancer, error) { return balance.NewSpraying(1 << 16) },
		Control:  func() transport.Control { return congestion.DCTCP{} },
	}
}

// statistics returns the statistics of a run of mixed, computed by their definitions.
func statistics(run Replica) map[string]float64 {
	r := run.Result
	var main, background, slow []int64
	end, sum, sumBackground := int64(0), int64(0), int64(0)
	for i, f := range r.Flows {
		fct := f.End - f.Start
		end = max(end, int64(f.End))
		if i%5 == 0 {
			background, sumBackground = append(background, int64(fct)), sumBackground+int64(fct)
			continue
		}
		main, sum = append(main, int64(fct)), sum+int64(fct)
		slow = append(slow, int64(1e6*float64(fct)/float64(run.Network.Unloaded(int32(i)))))
	}
	const us = 1e-6
	got := map[string]float64{
		"max_fct_us": us * float64(slices.Max(main)), "mean_fct_us": us * float64(sum/int64(len(main))), "p99_fct_us": us * float64(rank(main, 0.99)),
		"p999_fct_us": us * float64(rank(main, 0.999)), "end_us": us * float64(end), "slowdown_p99": 1e-6 * float64(rank(slow, 0.99)),
		"background_max_fct_us": us * float64(slices.Max(background)), "background_mean_fct_us": us * float64(sumBackground/int64(len(background))),
		"reorder_depth_p99": float64(r.ReorderDepth(0.99)), "reroute_us": us * float64(r.Reroute), "max_queue_packets": float64(r.MaxQueue),
		"flows": 1500, "finished": 1500,
	}
	for key, count := range map[string]int64{"sent": r.Sent, "retransmitted": r.Retransmitted, "trimmed": r.Trimmed, "lost": r.Lost, "marked": r.Marked,
		"packet_hops": r.PacketHops, "delivered": r.Delivered} {
		got[key] = float64(count)
	}
	return got
}

// TestTallyMatchesRuns: the statistics of replicas are the means of the statistics of their results by
// definition, without background traffic.
func TestTallyMatchesRuns(t *testing.T) {
	const replicas = 3
	tally, _, err := mixed().NewExperiment().Run(context.Background(), mc.Plan{Seed: 5, Replicas: replicas, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var marks mc.PairedMoments
	got, want := tally.Summary(), map[string]float64{}
	runner, err := mixed().NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	for replica := range uint64(replicas) {
		run, err := runner.Run(context.Background(), 5, replica)
		if err != nil {
			t.Fatal(err)
		}
		marks.Add(run.Result.Marked, run.Result.PacketHops)
		for name, value := range statistics(run) {
			want[name] += value / replicas
		}
	}
	for key, want := range want {
		if e := got.Of(key); math.Abs(e.Value-want) > 1e-9*want || e.N != replicas || want == 0 {
			t.Errorf("%s: %v over %d, want %v", key, e.Value, e.N, want)
		}
	}
	if got.Replicas != replicas || got.Unfinished != 0 || float64(got.TotalHops) != math.Round(want["packet_hops"]*replicas) {
		t.Errorf("%d replicas, %d unfinished, %d hops", got.Replicas, got.Unfinished, got.TotalHops)
	}
	if e, want := got.Of("ecn_marked_fraction"), want["marked"]/want["packet_hops"]; math.Abs(e.Value-want) > 1e-12 {
		t.Errorf("%v marks per packet-hop, want %v", e.Value, want)
	}
	if e, want := got.Of("ecn_marked_fraction"), marks.Ratio(mc.DefaultConfidence).OfFew(mc.Support{Most: 1}); !reflect.DeepEqual(e, want) || !(0 < e.Lo && e.Lo < e.Value && e.Value < e.Hi && e.Hi < 1) {
		t.Errorf("marks per packet-hop %+v, want %+v", e, want)
	}
	for key, alike := range map[string]bool{"packet_hops": false, "retransmitted": false, "trimmed": false, "mean_fct_us": false,
		"recycled_fraction": true, "finished": true, "max_queue_packets": true} { // none, all, full
		e := got.Of(key)
		if e.Identical != alike || math.IsInf(e.Hi-e.Lo, 1) != alike || e.Lo > e.Value || e.Hi < e.Value || !alike && e.Lo <= 0 {
			t.Errorf("%s: %+v", key, e)
		}
	}
}

// TestIdenticalRuns: a flow alone takes the same time in all runs, which have no interval then.
func TestIdenticalRuns(t *testing.T) {
	setup := mixed()
	setup.Network = Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{Flows: tornado(16, 1<<16).Flows[:1]}})
	for replicas := range uint64(4) {
		tally, _, err := setup.NewExperiment().Run(context.Background(), mc.Plan{Seed: 5, Replicas: replicas + 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"max_fct_us", "slowdown_p99", "sent", "ecn_marked_fraction"} {
			if e := tally.Summary().Of(key); e.Identical != (replicas > 0) || !math.IsInf(e.Lo, -1) || !math.IsInf(e.Hi, 1) {
				t.Errorf("%d runs: %s is %+v", replicas+1, key, e)
			}
		}
	}
}

// TestTallyOfUnfinishedRuns: if a flow does not finish, times have no value, only the mean of lower
// bounds. There an unfinished flow counts from its start to the end of the run, and a flow that never
// started as 0. Here flow 0 finishes, flow 1 does not, flow 2 waits for it, and flow 3 starts 2 us before
// the end.
func TestTallyOfUnfinishedRuns(t *testing.T) {
	s := fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: tornado(4, 1<<20), Horizon: 12_000_000}
	s.Workload.Triggers = []fattree.Trigger{{Kind: fattree.OneShot}}
	flows := s.Workload.Flows
	flows[0].Bytes, flows[1].Fires, flows[2].StartedBy, flows[3].Start = 1000, 1, 1, 10_000_000
	setup := Setup{
		Network:  Fixed(s),
		Balancer: func() (transport.Balancer, error) { return balance.NewSpraying(1 << 16) },
		Control:  func() transport.Control { return congestion.DCTCP{} },
	}
	tally, _, err := setup.NewExperiment().Run(context.Background(), mc.Plan{Seed: 5, Replicas: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := tally.Summary()
	if got.Unfinished != 2 || got.Of("sent").N != 2 || got.Of("finished").Value != 1 || got.Of("flows").Value != 4 {
		t.Errorf("%d unfinished, %v finished of %v", got.Unfinished, got.Of("finished").Value, got.Of("flows").Value)
	}
	runner, err := setup.NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	run, err := runner.Run(context.Background(), 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	end := 12_000_000 / run.Network.SlotTime() * run.Network.SlotTime()
	first := run.Result.Flows[0].End
	want := []fattree.Picoseconds{first, end, 0, end - 10_000_000}
	for i, fct := range want {
		if got, finished := run.FCT(i); got != fct || finished != (i == 0) {
			t.Errorf("flow %d: at least %d ps, finished %t, want %d", i, got, finished, fct)
		}
	}
	for name, c := range map[string]struct {
		got   mc.Estimate
		bound fattree.Picoseconds
	}{
		"max": {got.Of("max_fct_us"), end}, "mean": {got.Of("mean_fct_us"), fattree.Mean(want)}, "p99": {got.Of("p99_fct_us"), end}, "end": {got.Of("end_us"), end},
	} {
		if !math.IsNaN(c.got.Value) || !math.IsNaN(c.got.StdErr) || c.got.Lo != float64(c.bound)/1e6 || !math.IsInf(c.got.Hi, 1) || c.got.N != 0 {
			t.Errorf("%s: %+v, want no value and at least %d", name, c.got, c.bound)
		}
	}
	if e := got.Of("background_max_fct_us"); e.N != 0 || !math.IsInf(e.Lo, -1) {
		t.Errorf("no background traffic: %+v", e)
	}
	if e := tally.StoppingStatistic(); e.Value != float64(end) {
		t.Errorf("it stops by %+v, want the bounds' mean %d", e, end)
	}
}
