package balance

import (
	"fmt"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
)

// byHost refuses balancers in which more than the EVs depends on the flow: those that choose ports of switches or links
// of hosts, or split flows.
func byHost(b transport.Balancer) error {
	if b == nil {
		return faults.New("balance", "b", b, "must not be nil")
	}
	if t := b.Traits(); t.Router != nil || t.Watcher != nil || t.Splitter != nil || t.Planes != nil {
		return faults.New("balance", "b", fmt.Sprintf("%T", b), "must choose EVs alone, not ports, links or subflows")
	}
	return nil
}

// shared is the balancer of [NewShared].
type shared struct {
	balancer transport.Balancer
	traits   transport.Traits // of the balancer, in the run
	first    []int32          // by flow: the first flow between the same hosts
}

// NewShared returns a balancer in which all flows from one host to another have one state, which b keeps for the first
// of them: as in a NIC with one ring for all connections to a destination, at a cost of one ring for each destination.
// Feedback of each of these flows changes the state, its freezing mode is the mode of all, and of their probes one in
// a period is sent. The constructor refuses a balancer that chooses ports, links or subflows.
func NewShared(b transport.Balancer) (transport.Balancer, error) {
	if err := byHost(b); err != nil {
		return nil, err
	}
	return &shared{balancer: b}, nil
}

// Reset resets the balancer and finds the flows between the same hosts. O(flows).
func (s *shared) Reset(n *fattree.Network, random mc.Stream) {
	made(s.balancer != nil, "NewShared")
	s.balancer.Reset(n, random)
	s.traits = s.balancer.Traits()
	s.first = resized(s.first, n.Flows())
	known := map[[2]fattree.Host]int32{}
	for flow := range s.first {
		source, destination := n.Pair(int32(flow))
		first, is := known[[2]fattree.Host{source, destination}]
		if !is {
			first = int32(flow)
			known[[2]fattree.Host{source, destination}] = first
		}
		s.first[flow] = first
	}
}

// Traits returns the traits of the balancer. Flows inherit nothing: they have the state already.
func (s *shared) Traits() transport.Traits {
	if s.balancer == nil {
		return transport.Traits{}
	}
	t := s.balancer.Traits()
	t.Inherit = nil
	if t.Frozen != nil {
		t.Frozen = func(flow int32) bool { return s.traits.Frozen(s.first[flow]) }
	}
	if t.Probe != nil {
		t.Probe = func(flow int32, now fattree.Picoseconds) (uint16, bool) { return s.traits.Probe(s.first[flow], now) }
	}
	if t.Inspect != nil {
		t.Inspect = func(flow int32, dst []transport.Slot) transport.Memory { return s.traits.Inspect(s.first[flow], dst) }
	}
	return t
}

// NextEV returns the next EV of the state that the flow shares.
func (s *shared) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	return s.balancer.NextEV(s.first[flow], now)
}

// Feedback forwards to the state that the flow shares.
func (s *shared) Feedback(f transport.Feedback) {
	f.Flow = s.first[f.Flow]
	s.balancer.Feedback(f)
}
