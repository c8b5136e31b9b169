package fattree

import (
	"fmt"

	"repslab/internal/bitset"
	"repslab/internal/ecmphash"
)

// Router lets switches choose among their equal-cost ports, instead of the hash of the EV. A balancer of package
// transport can be one. It must not allocate during a run. It sees only the queues of the switch that chooses:
// switches are advanced by blocks of slots, so other switches are not at the same slot.
type Router interface {
	// Route returns which of the ports takes a packet, in [0, ports.Len()), or false if the hash of its EV is to
	// decide. The run panics on a port out of range. If several goroutines advance a run, calls for different
	// switches overlap.
	Route(p Passing, ports Ports) (port int, chosen bool)
}

// Watcher observes the packets that the hash routes in a run with a [Router].
type Watcher interface {
	// Watch is called with the port that the hash chose for a packet.
	Watch(p Passing, ports Ports, port int)
}

// Passing is a packet at a switch.
type Passing struct {
	Switch, Flow int32
	EV           uint16
	Header       bool // an ACK, a NACK or a trimmed packet
	Back         bool // a header on its way to the source
	// At is the time of arrival, in units of 2^-20 slots. The fraction of a slot comes from the phase of the
	// sender's link, so packets that arrive in the same slot are ordered as in continuous time.
	At int64
}

// Ports are the equal-cost ports of a switch towards a host, at least 2. A Ports is valid only during the call
// that it is passed to.
type Ports struct {
	run          *Run
	first, count int32
	out          *bitset.Set // ports that have left the group, see reroute.go; nil if none
}

// First returns the number of the first port; the others follow.
func (p Ports) First() int { return int(p.first) }

// Len returns the number of ports.
func (p Ports) Len() int { return int(p.count) }

// Out reports whether routing has taken port i out of the group ([Spec.Reroutes]). A [Router] must not choose it; if
// it does, the hash of the EV chooses instead. Some port is never out. O(1).
func (p Ports) Out(i int) bool { return p.out != nil && p.out.Has(int32(i)) }

// Service returns the time for which a data packet occupies port i, in units of 2^-20 slots.
func (p Ports) Service(i int) int64 {
	port := &p.run.ports[int(p.first)+i]
	return oneSlot + int64(p.run.services[port.class].perPacket)
}

// Queue returns how many packets port i holds when another packet arrives, and how many fit. Packets that arrived
// earlier in the same slot count. A packet in service counts in full, headers do not. O(1).
func (p Ports) Queue(i int, at Passing) (waiting int, capacity float64) {
	port := &p.run.ports[int(p.first)+i]
	class := &p.run.net.classes[int(port.class)%len(p.run.net.classes)]
	waiting = int(port.count)
	if left, service := int64(port.debt)-at.At%oneSlot, oneSlot+int64(class.perPacket); left > 0 {
		waiting += int((left + service - 1) / service) // of packets that have left the queue
	}
	return waiting, float64(class.part * float64(class.queue))
}

// Hashed returns the port that a packet gets if no Router chooses: the choice of Spec.Choose if it is set,
// otherwise of the hash. For answers with Spec.HashAnswers it is always the choice of the hash. If this port is Out, a
// second hash picks one of the others. O(1), or O(ports) if the port is Out.
func (p Ports) Hashed(at Passing) int {
	r, port := p.run, 0
	if r.net.spec.Choose == nil || at.Back && r.net.spec.HashAnswers {
		port = ecmphash.Port(ecmphash.Hash(r.ends[at.Flow].key(), at.EV, r.salts[at.Switch]), int(p.count))
	} else {
		port = r.net.chosen(at.Flow, at.EV, p.first, p.count)
	}
	if p.Out(port) {
		return p.another(at)
	}
	return port
}

// chosen returns the choice of Spec.Choose among count equal-cost ports that begin with port first, counted from
// 0.
func (n *Network) chosen(flow int32, ev uint16, first, count int32) int {
	if count == 1 {
		return 0
	}
	if below := n.outline.Below; below != nil && n.spec.ChooseByTier {
		ev = uint16(int(ev) / below[n.ports[first].link])
	}
	port := n.spec.Choose(flow, ev, int(count))
	if uint(port) >= uint(count) {
		panic(fmt.Sprintf("fattree: Spec.Choose returns port %d, must be in [0, %d)", port, count))
	}
	return port
}
