package balance

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/internal/mctest"
	"repslab/mc"
	"repslab/reps"
)

// every returns a balancer of each kind, by name.
func every(t *testing.T) map[string]transport.Balancer {
	t.Helper()
	list := map[string]transport.Balancer{}
	add := func(name string, b transport.Balancer, err error) {
		if err != nil {
			t.Fatal(err)
		}
		list[name] = b
	}
	for _, named := range All() {
		b, err := named.New(MaxEVS)
		add(named.Name, b, err)
	}
	for _, rules := range AllRules() {
		b, err := NewRecycling(rules, reps.Config{})
		add(string(rules), b, err)
	}
	probing, err := RecyclingConfig{REPS: reps.Config{Exit: reps.ExitOnProbe}, FreezeAt: 10 * us}.New()
	add("probing", probing, err)
	leaking, err := NewLeakingAdaptive(0.5)
	add("leaking", leaking, err)
	together, err := NewShared(list["reps"])
	add("shared", together, err)
	explorers, err := NewExploring(probing, MaxEVS, 7)
	add("exploring", explorers, err)
	background, err := NewECMP(MaxEVS)
	add("mixed", NewMixed(list["reps"], background), err)
	return list
}

// TestNew: every name gives its balancer, with the authors' numbers.
func TestNew(t *testing.T) {
	var names []string
	for _, b := range All() {
		names = append(names, b.Name)
	}
	if b, err := New("valiant", 16); b != nil || err == nil || err.Error() != "balance: name (\"valiant\") must be one of "+fmt.Sprint(names) {
		t.Errorf("%v, error %v", b, err)
	}
	if _, err := New("ecmp", 0); err == nil {
		t.Error("no EVs, no error")
	}
	for evs, want := range map[int]int{1: 1, 3: 2, 255: 128, 256: 256, MaxEVS: 256} {
		b, err := New("bitmap", evs)
		if err != nil {
			t.Fatal(err)
		}
		if got := int(b.(*bitmap).mask) + 1; BitmapEVs(evs) != want || got != want {
			t.Errorf("bitmap of %d EVs takes %d, BitmapEVs is %d, want %d", evs, got, BitmapEVs(evs), want)
		}
	}
	mptcp, err := New("mptcp", MaxEVS)
	if err != nil {
		t.Fatal(err)
	}
	if paths := mptcp.(*multipath).paths; paths != 8 {
		t.Errorf("mptcp has %d paths", paths)
	}
}

// TestEvery: every balancer ends all flows, in a healthy network and with a failed uplink, also with
// carried EVs, and all packets are accounted for (an error otherwise). A second run gives the same
// result, whatever ran in between, also with 3 workers (with REPSLAB_LONG=1 also with 2 and 8).
func TestEvery(t *testing.T) {
	healthy := tornado32(t)
	spec := healthy.Spec()
	spec.Faults = []fattree.Fault{{Ports: uplink(spec, 1, 2), End: 300 * us}}
	spec.Options, spec.DisableTrimming = transport.Options{AckRatio: 4, CarryEVs: true}, true
	failing, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	counts := []int{1, 3}
	if mctest.Long() {
		counts = []int{1, 2, 3, 8}
	}
	for name, b := range every(t) {
		first := map[*fattree.Network]*fattree.Result{}
		for _, workers := range counts {
			for _, n := range []*fattree.Network{healthy, failing, healthy} {
				run := transport.NewRun(n)
				run.Workers(workers)
				result, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
				if err != nil || result.Finished() != 32 {
					t.Fatalf("%s, %d workers: error %v, %d of 32 flows finished", name, workers, err, result.Finished())
				}
				if first[n] == nil {
					first[n] = result
				} else if !reflect.DeepEqual(first[n], result) {
					t.Errorf("%s, %d workers: another result after another run", name, workers)
				}
			}
		}
	}
}

// TestNoAllocation: no balancer allocates for a packet and its feedback. Lists that grow are filled
// first.
func TestNoAllocation(t *testing.T) {
	for name, b := range every(t) {
		b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
		now := fattree.Picoseconds(0)
		round := func() {
			ev, _ := b.NextEV(1, now)
			for kind := transport.Good; kind <= transport.TimedOut; kind++ {
				now += us
				b.Feedback(transport.Feedback{Flow: 1, EV: ev, Kind: kind, Now: now, RTT: rtt, Room: 2})
			}
		}
		for range 1000 {
			round()
		}
		if allocs := testing.AllocsPerRun(100, round); allocs > 0 {
			t.Errorf("%s allocates %v times a packet", name, allocs)
		}
	}
}

// TestRoutersDoNotAllocate: a run of 8,224 packets by switches that choose ports allocates no more
// than its result and the generators of its tiles.
func TestRoutersDoNotAllocate(t *testing.T) {
	for name, b := range every(t) {
		if _, routes := b.(fattree.Router); !routes {
			continue
		}
		run := transport.NewRun(tornado32(t))
		allocs := testing.AllocsPerRun(1, func() { // after another one
			if _, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 200 {
			t.Errorf("%s: a run allocates %v times", name, allocs)
		}
	}
}

// TestForcedFreezing: every flow is frozen from the given time on, and not before.
func TestForcedFreezing(t *testing.T) {
	made, err := RecyclingConfig{FreezeAt: 10 * us}.New()
	b := prepared(t, made, err)
	frozen := b.Traits()
	b.NextEV(0, 10*us-1)
	if frozen.Frozen(0) {
		t.Error("frozen too early")
	}
	b.NextEV(0, 10*us)
	b.Feedback(transport.Feedback{Flow: 1, Now: 11 * us, RTT: rtt})
	if !frozen.Frozen(0) || !frozen.Frozen(1) {
		t.Error("not frozen")
	}
}

// TestProbing: a frozen flow asks for a probe of the failed path, once per RTO, and leaves freezing mode
// when a probe comes back.
func TestProbing(t *testing.T) {
	made, err := RecyclingConfig{REPS: reps.Config{Exit: reps.ExitOnProbe}}.New()
	b := prepared(t, made, err)
	probe := b.Traits().Probe
	if probe == nil {
		t.Fatal("does not probe")
	}
	asks := func(now fattree.Picoseconds, want bool) {
		t.Helper()
		if ev, wanted := probe(0, now); wanted != want || wanted && ev != 77 {
			t.Errorf("at %d us: probe %v of EV %d, want %v of 77", now/us, wanted, ev, want)
		}
	}
	asks(10*us, false)
	b.Feedback(transport.Feedback{EV: 77, Kind: transport.TimedOut, Now: 10 * us})
	asks(11*us, true) // the first probe waits for no RTO
	b.Feedback(transport.Feedback{EV: 78, Kind: transport.TimedOut, Now: 12 * us})
	asks(51*us-1, false) // an RTO of 40 us is not over
	asks(51*us, true)
	b.Feedback(transport.Feedback{EV: 77, Kind: transport.Probed, Now: 60 * us})
	if b.Traits().Frozen(0) {
		t.Error("still frozen after the probe came back")
	}
	asks(200*us, false)
}
