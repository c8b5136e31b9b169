package balance

import (
	"context"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/reps"
)

// TestShared: two flows between the same hosts take EVs from one ring, freeze together and send one probe; a flow from
// another host, or to one, has its own.
func TestShared(t *testing.T) {
	flow := func(from, to fattree.Host) fattree.Flow {
		return fattree.Flow{Source: from, Destination: to, Bytes: 1 << 20}
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4}, Options: transport.Options{RTO: 40 * us},
		Workload: fattree.Workload{Flows: []fattree.Flow{flow(0, 7), flow(1, 7), flow(0, 6), flow(0, 7)}}})
	if err != nil {
		t.Fatal(err)
	}
	inner, err := RecyclingConfig{REPS: reps.Config{Exit: reps.ExitOnProbe}}.New()
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewShared(inner)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	traits := b.Traits()
	b.Feedback(transport.Feedback{Flow: 3, EV: 41, Kind: transport.Good})
	for flow := range int32(4) {
		want := flow == 0 || flow == 3
		if ev, recycled := b.NextEV(flow, 0); flow < 3 && recycled != want || recycled && ev != 41 {
			t.Errorf("flow %d: EV %d, recycled %v", flow, ev, recycled)
		}
	}
	b.Feedback(transport.Feedback{Flow: 0, EV: 42, Kind: transport.Good})
	if ev, recycled := b.NextEV(3, 0); !recycled || ev != 42 || traits.Frozen(0) || traits.Inherit != nil {
		t.Errorf("flow 3 shares the state of flow 0, and inherits nothing: EV %d, recycled %v, frozen %v", ev, recycled, traits.Frozen(0))
	}
	b.Feedback(transport.Feedback{Flow: 0, EV: 9, Kind: transport.TimedOut, Now: 50 * us})
	for flow := range int32(4) {
		want := flow == 0 || flow == 3
		if traits.Frozen(flow) != want || traits.Inspect(flow, nil).Frozen != want {
			t.Errorf("flow %d is frozen: %v, want %v", flow, traits.Frozen(flow), want)
		}
		ev, wanted := traits.Probe(flow, 60*us)
		if wanted != (flow == 0) || wanted && ev != 9 {
			t.Errorf("flow %d probes %v, EV %d", flow, wanted, ev)
		}
	}
}

// TestSharedByNone: with one flow for each pair of hosts nothing changes, whatever the balancer; and for each balancer
// that chooses ports, links or subflows the constructor has an error.
func TestSharedByNone(t *testing.T) {
	n := tornado32(t)
	run := func(b transport.Balancer) *fattree.Result {
		result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	wrapped := 0
	for _, named := range All() {
		b, err := named.New(64)
		if err != nil {
			t.Fatal(err)
		}
		traits := b.Traits()
		one, err := NewShared(b)
		if chooses := traits.Router != nil || traits.Watcher != nil || traits.Splitter != nil || traits.Planes != nil; chooses != (err != nil) {
			t.Errorf("%s chooses more than EVs: %v, error %v", named.Name, chooses, err)
		}
		if err != nil || named.Name != "reps" && named.Name != "klb" && named.Name != "plb" {
			continue
		}
		wrapped++
		if alone, together := run(b), run(one); !reflect.DeepEqual(alone, together) {
			t.Errorf("%s: shared by none, it differs", named.Name)
		}
	}
	if wrapped != 3 {
		t.Errorf("%d balancers ran", wrapped)
	}
}

// TestExploring: each third packet of a flow has a drawn EV; for the same feedback, REPS alone sends the EVs of all
// other packets.
// In freezing mode none explores, and the first packet after it does.
func TestExploring(t *testing.T) {
	const every, evs = 3, 1000
	plain, err := NewRecycling(Paper, reps.Config{EVSSize: evs})
	plain = prepared(t, plain, err)
	inner, err := NewRecycling(Paper, reps.Config{EVSSize: evs})
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewExploring(inner, evs, every)
	b = prepared(t, b, err)
	tell := func(f transport.Feedback) {
		plain.Feedback(f)
		b.Feedback(f)
	}
	ops, err := NewSpraying(evs)
	ops = prepared(t, ops, err)
	drawn, alike := map[uint16]bool{}, 0
	for i := range 3000 {
		for ev := range uint16(i % 4) { // sometimes none is known
			tell(transport.Feedback{EV: ev, Kind: transport.Good})
		}
		ev, recycled := b.NextEV(0, 0)
		if (i+1)%every == 0 {
			if drawn[ev] = true; recycled || ev >= evs {
				t.Fatalf("packet %d: EV %d, recycled %v, want a draw", i, ev, recycled)
			}
			if other, _ := ops.NextEV(0, 0); other == ev {
				alike++
			}
			continue
		}
		if want, wantRecycled := plain.NextEV(0, 0); ev != want || recycled != wantRecycled {
			t.Fatalf("packet %d: EV %d, recycled %v, want %d, %v", i, ev, recycled, want, wantRecycled)
		}
	}
	if alike > 20 { // 1 on average; with the stream of the flow's own draws all are alike
		t.Errorf("%d of 1,000 explorers have the EV of the flow's stream", alike)
	}
	if len(drawn) < 560 { // 1,000 draws of 1,000 have 632 different ones, with a standard deviation below 10
		t.Errorf("%d different EVs of 1,000 draws", len(drawn))
	}
	tell(transport.Feedback{EV: 1, Kind: transport.Good})
	tell(transport.Feedback{EV: 2, Kind: transport.TimedOut, Now: us})
	for i := range 10 {
		ev, recycled := b.NextEV(0, 2*us)
		if want, _ := plain.NextEV(0, 2*us); ev != want || !recycled {
			t.Errorf("frozen packet %d: EV %d, recycled %v, want %d", i, ev, recycled, want)
		}
	}
	tell(transport.Feedback{EV: 1, Kind: transport.Good, Now: 20_000 * us})
	tell(transport.Feedback{EV: 1, Kind: transport.Good, Now: 20_000 * us})
	if _, recycled := b.NextEV(0, 20_001*us); recycled {
		t.Error("the first packet after freezing mode does not explore")
	}
}
