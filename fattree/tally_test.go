package fattree

import (
	"context"
	"math"
	"slices"
	"testing"

	"repslab/mc"
)

// rank returns the smallest of some values that a part p of them do not exceed.
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

// mixed returns a set-up of 1500 flows, every fifth of them background traffic, in
// short queues with a dead link for a time: every statistic of its runs is above 0.
func mixed() Setup {
	s := Spec{Topology: Tree{Hosts: 64}, Queue: 12, KMin: 2, KMax: 8, Faults: []Fault{{Ports: uplink(Tree{Hosts: 64}, 0, 0), Start: 3_000_000, End: 9_000_000}}}
	s.Workload.BackgroundEvery = 5
	for i := range 1500 {
		f := message(i%64, (i*7+1)%63, int64(1000+(i*131)%20_000))
		if f.Source == f.Destination {
			f.Destination = 63
		}
		f.Start = Picoseconds(i%29) * 700_000
		s.Workload.Flows = append(s.Workload.Flows, f)
	}
	return Setup{
		Network:  Fixed(s),
		Balancer: func() (Balancer, error) { return new(uniform), nil },
		Control:  func() Control { return shrinking{} },
	}
}

// statistics returns those of a run of mixed by their definitions.
func statistics(run Replica) map[string]int64 {
	r := run.Result
	var main, background, slow []int64
	end, sum, sumBackground := int64(0), int64(0), int64(0)
	for i, f := range r.Flows {
		fct := f.End - f.Start
		end = max(end, f.End)
		if i%5 == 0 {
			background, sumBackground = append(background, fct), sumBackground+fct
			continue
		}
		main, sum = append(main, fct), sum+fct
		slow = append(slow, int64(1e6*float64(fct)/float64(run.Network.Unloaded(int32(i)))))
	}
	return map[string]int64{
		"max": slices.Max(main), "mean": sum / int64(len(main)), "p99": rank(main, 0.99), "p999": rank(main, 0.999), "end": end,
		"slowdown": rank(slow, 0.99), "background max": slices.Max(background), "background mean": sumBackground / int64(len(background)),
		"reorder": int64(r.ReorderDepth(0.99)), "reroute": r.Reroute, "queue": int64(r.MaxQueue), "sent": r.Sent, "retransmitted": r.Retransmitted,
		"trimmed": r.Trimmed, "lost": r.Lost, "marked": r.Marked, "hops": r.PacketHops,
	}
}

// TestTallyIsTheRuns: the statistics of replicas are the means of what their
// results give by definition, background traffic apart.
func TestTallyIsTheRuns(t *testing.T) {
	const replicas = 3
	tally, _, err := mixed().NewExperiment().Run(context.Background(), mc.Plan{Seed: 5, Replicas: replicas, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
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
		for name, value := range statistics(run) {
			want[name] += float64(value) / replicas
		}
	}
	for name, e := range map[string]mc.Estimate{
		"max": got.MaxFCT, "mean": got.MeanFCT, "p99": got.P99FCT, "p999": got.P999FCT, "end": got.End,
		"slowdown": got.SlowdownP99.Per(1e-6), "background max": got.BackgroundMaxFCT, "background mean": got.BackgroundMeanFCT,
		"reorder": got.ReorderP99, "reroute": got.Reroute, "queue": got.MaxQueue, "sent": got.Sent, "retransmitted": got.Retransmitted,
		"trimmed": got.Trimmed, "lost": got.Lost, "marked": got.Marked, "hops": got.PacketHops,
	} {
		if math.Abs(e.Value-want[name]) > 1e-9*want[name] || e.N != replicas || want[name] == 0 {
			t.Errorf("%s: %v over %d, want %v", name, e.Value, e.N, want[name])
		}
	}
	if hops := uint64(math.Round(want["hops"] * replicas)); got.TotalHops != hops || got.Replicas != replicas || got.Unfinished != 0 || got.Flows.Value != 1500 || got.Finished.Value != 1500 {
		t.Errorf("%d hops, want %d; %d replicas, %d unfinished, %v flows, %v finished", got.TotalHops, hops, got.Replicas, got.Unfinished, got.Flows.Value, got.Finished.Value)
	}
}

// TestTallyOfUnfinishedRuns: a replica with a flow that does not finish has no
// completion times, and is counted.
func TestTallyOfUnfinishedRuns(t *testing.T) {
	s := Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1<<20), Horizon: 12_000_000}
	setup := Setup{
		Network:  Fixed(s),
		Balancer: func() (Balancer, error) { return new(uniform), nil },
		Control:  func() Control { return shrinking{} },
	}
	tally, _, err := setup.NewExperiment().Run(context.Background(), mc.Plan{Seed: 5, Replicas: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := tally.Summary()
	if got.Unfinished != 2 || got.MaxFCT.N != 0 || got.End.N != 0 || got.Sent.N != 2 || got.Finished.Value != 0 || got.Flows.Value != 16 {
		t.Errorf("%d unfinished, %d maxima, %d ends, %v finished of %v", got.Unfinished, got.MaxFCT.N, got.End.N, got.Finished.Value, got.Flows.Value)
	}
}

// icy is a balancer whose first two flows are frozen, and that says of every
// third packet that its EV was used before.
type icy struct {
	uniform
	packets int
}

func (*icy) Frozen(flow int32) bool { return flow < 2 }
func (b *icy) NextEV(flow int32, now Picoseconds) (uint16, bool) {
	ev, _ := b.uniform.NextEV(flow, now)
	b.packets++
	return ev, b.packets%3 == 0
}

// TestTraceIsWhatOneSees: samples hold what the ports and flows hold at their
// times, and the packets that ports sent since the sample before.
func TestTraceIsWhatOneSees(t *testing.T) {
	const every = 7
	s := Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1<<18), KMin: 1, KMax: 4}
	for i := range s.Workload.Flows {
		s.Workload.Flows[i].Start = Picoseconds(i) * 500_000
	}
	n, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	r := n.NewRun()
	cfg := TraceConfig{Every: every*n.slotTime + n.slotTime/2}
	for id := range n.ports {
		cfg.Ports = append(cfg.Ports, id)
	}
	for flow := range n.routes {
		cfg.Flows = append(cfg.Flows, flow)
	}
	r.Trace(cfg)
	b := new(icy)
	r.Begin(b, shrinking{}, NewStreams(1, 0))
	hops, recycled := int64(0), int64(0)
	for r.left > 0 {
		r.Step()
		samples := r.Samples()
		if want := int(r.slot / every); len(samples) != want {
			t.Fatalf("%d samples after %d slots, want %d", len(samples), r.slot, want)
		}
		if r.slot%every != 0 {
			continue
		}
		last := samples[len(samples)-1]
		hops, recycled = hops+sumOf(last.Packets), recycled+last.Recycled
		if now := r.total(); hops != now.PacketHops || recycled != int64(b.packets/3) || last.Time != Picoseconds(r.slot)*n.slotTime {
			t.Fatalf("slot %d: %d packets left ports, %d recycled, at %d ps; want %d, %d", r.slot, hops, recycled, last.Time, now.PacketHops, b.packets/3)
		}
		for id, queue := range last.Queue {
			if int(queue) != r.QueueLength(id) {
				t.Fatalf("slot %d: queue of port %d is %d, want %d", r.slot, id, queue, r.QueueLength(id))
			}
		}
		frozen := 0
		for flow, window := range last.Window {
			if window != r.senders[flow].window.Packets {
				t.Fatalf("slot %d: window of flow %d is %v", r.slot, flow, window)
			}
			if flow < 2 && window > 0 {
				frozen++
			}
		}
		if last.Frozen != frozen {
			t.Fatalf("slot %d: %d flows are frozen, want %d", r.slot, last.Frozen, frozen)
		}
	}
	if sent, again := r.Progress(); sent != r.total().Sent || again != int64(b.packets/3) {
		t.Errorf("progress %d, %d", sent, again)
	}
	r.Trace(TraceConfig{})
	if r.Samples() != nil {
		t.Error("samples without a trace")
	}
}

// sumOf adds up.
func sumOf(list []int64) (sum int64) {
	for _, x := range list {
		sum += x
	}
	return sum
}
