package transport

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestRelabelling: renumbering hosts and ports of a switch changes nothing but numbers, if the chooser
// and the order of service are renumbered in the same way. Hosts and ports move up by k, cyclically. The
// order of service begins one further each slot, so it moves with them if everything begins k slots
// later.
func TestRelabelling(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		ports := 1 + rng.IntN(40)
		k := rng.IntN(ports)
		s := fattree.Spec{
			Topology: Tree{Hosts: ports, Tiers: 1}, Options: Options{InitialWindow: 1 + rng.IntN(200), AckRatio: 1 + rng.IntN(4)},
			AckDelay: rng.IntN(50), KMin: 1 + rng.IntN(10),
			Choose: func(flow int32, ev uint16, ports int) int { return (int(flow)*7 + int(ev)) % ports },
		}
		s.KMax = s.KMin + rng.IntN(10)
		for range 1 + rng.IntN(2*ports) {
			f := nettest.Message(rng.IntN(ports), 0, int64(1+rng.IntN(400_000)))
			f.Destination = fattree.Host((int(f.Source) + 1) % max(2, ports))
			f.Start = fattree.Picoseconds(rng.IntN(30)) * nettest.Plan(s).SlotTime()
			s.Workload.Flows = append(s.Workload.Flows, f)
		}
		if ports == 1 {
			continue // no destination
		}
		moved := s
		moved.Choose = func(flow int32, ev uint16, ports int) int { return (s.Choose(flow, ev, ports) + k) % ports }
		moved.Workload.Flows = nil
		later := fattree.Picoseconds(k) * nettest.Plan(s).SlotTime()
		for _, f := range s.Workload.Flows {
			f.Source, f.Destination = fattree.Host((int(f.Source)+k)%ports), fattree.Host((int(f.Destination)+k)%ports)
			f.Start += later
			moved.Workload.Flows = append(moved.Workload.Flows, f)
		}
		var control Control = shrinking{}
		if OptionsOf(nettest.Plan(s)).AckRatio > 1 {
			control = steady{} // without time-outs a shrunken window may wait for an ACK that waits for packets
		}
		want, got := execute(t, s, new(uniform), control), execute(t, moved, new(uniform), control)
		for i := range got.Flows {
			got.Flows[i].Start -= later
			if got.Flows[i].End != fattree.Unfinished {
				got.Flows[i].End -= later
			}
		}
		got.Slots -= int64(k)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %d ports moved by %d: %+v, want %+v", seed, ports, k, got.Flows, want.Flows)
		}
	}
}
