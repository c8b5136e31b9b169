package transport

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestSamplesAddUp: buckets of one slot together hold every event of a run.
func TestSamplesAddUp(t *testing.T) {
	for _, disableTrimming := range []bool{false, true} {
		s := fattree.Spec{Topology: Tree{Hosts: 128}, Workload: nettest.Tornado(128, 1<<18), Queue: 10, KMin: 2, KMax: 8, DisableTrimming: disableTrimming,
			Faults: []fattree.Fault{{Ports: nettest.Uplink(Tree{Hosts: 128}, 0, 0), Start: 5_000_000, End: 20_000_000}}}
		n, err := fattree.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		r := NewRun(n)
		r.Trace(fattree.TraceConfig{Every: n.SlotTime()})
		result, err := r.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		var sum fattree.Sample
		for i, x := range r.Samples() {
			if want := fattree.Picoseconds(i+1) * n.SlotTime(); x.Time != want {
				t.Fatalf("sample %d is of %d ps, want %d", i, x.Time, want)
			}
			sum.Sent, sum.Retransmitted = sum.Sent+x.Sent, sum.Retransmitted+x.Retransmitted
			sum.Marked, sum.Dropped, sum.Trimmed, sum.Lost = sum.Marked+x.Marked, sum.Dropped+x.Dropped, sum.Trimmed+x.Trimmed, sum.Lost+x.Lost
		}
		for _, c := range []struct {
			what      string
			got, want int64
		}{
			{"sent", sum.Sent, result.Sent}, {"retransmitted", sum.Retransmitted, result.Retransmitted},
			{"marked", sum.Marked, result.Marked}, {"dropped", sum.Dropped, result.Dropped},
			{"trimmed", sum.Trimmed, result.Trimmed}, {"lost", sum.Lost, result.Lost},
		} {
			if c.got != c.want {
				t.Errorf("trimming off %v: the samples have %d packets %s, the run %d", disableTrimming, c.got, c.what, c.want)
			}
		}
		if result.Marked == 0 || result.Lost == 0 || result.Dropped+result.Trimmed == 0 {
			t.Errorf("%d marked, %d lost, %d dropped, %d trimmed: nothing to see", result.Marked, result.Lost, result.Dropped, result.Trimmed)
		}
		whole := r.Samples()
		all := make([]int, n.Ports())
		for port := range all {
			all[port] = port
		}
		r.Trace(fattree.TraceConfig{Every: n.SlotTime(), Groups: [][]int{all, n.Uplinks(0)}, Most: len(whole) / 2})
		if _, err := r.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(1, 0)); err != nil {
			t.Fatal(err)
		}
		if len(r.Samples()) != len(whole)/2 {
			t.Errorf("%d samples, at most %d are asked for", len(r.Samples()), len(whole)/2)
		}
		for i, x := range r.Samples() {
			if x.GroupMarks[0] != whole[i].Marked || x.GroupMarks[1] > x.GroupMarks[0] {
				t.Fatalf("sample %d: %d marks of all ports and %d of some, %d in the network", i, x.GroupMarks[0], x.GroupMarks[1], whole[i].Marked)
			}
		}
	}
}

// TestAgenda: entries come by slot, and for one slot in the order of their flows.
func TestAgenda(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	var a agenda
	var want []appointment
	for flow := range int32(200) {
		want = append(want, appointment{int32(rng.IntN(20)), fattree.NewPacket(flow, 0, 0)})
	}
	rng.Shuffle(len(want), func(i, j int) { want[i], want[j] = want[j], want[i] })
	for _, w := range want {
		a.add(w.slot, w.what)
	}
	slices.SortFunc(want, func(a, b appointment) int { return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.what, b.what)) })
	for i, w := range want {
		if slot, got := a.next(), a.Pop().what; slot != w.slot || got != w.what {
			t.Fatalf("number %d is %v at %d, want %v", i, got, slot, w)
		}
	}
	if a.next() != math.MaxInt32 {
		t.Error("an empty agenda has a next entry")
	}
}

// TestWatchedPeriod: events are recorded from From on and before To, both at the very time of an event,
// and the first Most of a flow; the others are counted.
func TestWatchedPeriod(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<16)})
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun(n)
	events := func(cfg WatchConfig) ([]Event, int64) {
		cfg.Flows = []int32{3}
		run.Watch(cfg)
		if _, err := run.Execute(t.Context(), new(uniform), shrinking{}, fattree.NewStreams(1, 0)); err != nil {
			t.Fatal(err)
		}
		return run.Events()
	}
	all, _ := events(WatchConfig{})
	if most := run.hosts.(*flows).watch.Most; most != 100_000 {
		t.Errorf("%d events of a flow by default, want 100,000", most)
	}
	from, to := all[2].Time, all[9].Time
	if from == all[1].Time || to == all[8].Time {
		t.Fatal("two events at one time")
	}
	if got, left := events(WatchConfig{From: from, To: to}); len(got) != 7 || got[0].Time != from || got[6].Time != all[8].Time || left != 0 {
		t.Errorf("%d events from %d ps to %d, want those at both ends but the last: 7", len(got), from, to)
	}
	if got, left := events(WatchConfig{Most: 5}); len(got) != 5 || left != int64(len(all)-5) {
		t.Errorf("%d events and %d left out of %d, want 5", len(got), left, len(all))
	}
}
