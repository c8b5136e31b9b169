package balance_test

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/mc"
	"repslab/reps"
)

// Sticky keeps a flow on its EV until one of its packets meets congestion, and
// then draws another: one remembered path, where REPS has eight.
type Sticky struct {
	evs  uint64
	ev   []uint16 // by flow
	kept []bool   // the flow's EV has not met congestion
	draw []mc.Rand
}

// NewSticky returns a Sticky that draws from the EVs 0 to evs-1.
func NewSticky(evs int) (*Sticky, error) {
	if evs < 1 || evs > balance.MaxEVS {
		return nil, fmt.Errorf("sticky: EVS (%d) must be in [1, %d]", evs, balance.MaxEVS)
	}
	return &Sticky{evs: uint64(evs)}, nil
}

// Reset forgets everything. Flow f draws from child f of the stream, so that its
// path does not depend on how many packets other flows send.
func (s *Sticky) Reset(n *fattree.Network, random mc.Stream) {
	s.ev = make([]uint16, n.Flows())
	s.kept = make([]bool, n.Flows())
	s.draw = make([]mc.Rand, n.Flows())
	for f := range s.draw {
		s.draw[f] = random.Child(uint64(f)).Rand()
	}
}

// NextEV returns the flow's EV, a new one after congestion. O(1).
func (s *Sticky) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	if s.kept[flow] {
		return s.ev[flow], true
	}
	s.ev[flow] = uint16(s.draw[flow].Below(s.evs))
	s.kept[flow] = true
	return s.ev[flow], false
}

// Feedback drops the flow's EV on bad news of it. O(1).
func (s *Sticky) Feedback(f fattree.Feedback) {
	if f.Kind != fattree.Good && f.EV == s.ev[f.Flow] {
		s.kept[f.Flow] = false
	}
}

// A balancer of one's own against those of this package: 32 hosts, each sends
// 2 MiB to the one half of all further on.
func Example() {
	const hosts = 32
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: hosts}}
	for h := range hosts {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.Flow{
			Source: fattree.Host(h), Destination: fattree.Host((h + hosts/2) % hosts), Bytes: 2 << 20,
			StartedBy: fattree.NoTrigger, Fires: fattree.NoTrigger,
		})
	}
	for _, lb := range []struct {
		name string
		open func() (fattree.Balancer, error)
	}{
		{"ECMP", func() (fattree.Balancer, error) { return balance.NewECMP(256) }},
		{"Sticky", func() (fattree.Balancer, error) { return NewSticky(256) }},
		{"OPS", func() (fattree.Balancer, error) { return balance.NewSpraying(256) }},
		{"REPS", func() (fattree.Balancer, error) {
			return balance.NewRecycling(balance.Paper, reps.Config{EVSSize: 256})
		}},
	} {
		setup := fattree.Setup{
			Network:  fattree.Fixed(spec),
			Balancer: lb.open,
			Control:  func() fattree.Control { return congestion.DCTCP{} },
		}
		tally, _, err := setup.NewExperiment().Run(context.Background(), mc.Plan{Seed: 1, Replicas: 10})
		if err != nil {
			fmt.Println(err)
			return
		}
		fct := tally.Summary().MaxFCT.Per(1e6) // picoseconds in a microsecond
		fmt.Printf("%-6s slowest flow after %.1f us in [%.1f, %.1f]\n", lb.name, fct.Value, fct.Lo, fct.Hi)
	}
	// Output:
	// ECMP   slowest flow after 136.3 us in [117.9, 154.8]
	// Sticky slowest flow after 101.5 us in [94.0, 108.9]
	// OPS    slowest flow after 57.6 us in [56.4, 58.8]
	// REPS   slowest flow after 53.8 us in [53.6, 53.9]
}
