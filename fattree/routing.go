package fattree

// Router is a Balancer whose switches choose among their equal-cost ports
// themselves, in place of the hash of the EV. It must not allocate after Reset.
type Router interface {
	Balancer
	// Route returns which of the ports takes a packet, in [0, ports.Len()), and
	// false if the hash of its EV shall decide. The run panics on a port out of range.
	// If several goroutines advance a run, calls for different switches overlap.
	Route(p Passing, ports Ports) (port int, chosen bool)
}

// Watcher is a Router that also observes the packets whose port the hash chooses.
type Watcher interface {
	// Watch is called with the port of such a packet.
	Watch(p Passing, ports Ports, port int)
}

// Passing is a packet at a switch.
type Passing struct {
	Switch, Flow int32
	Header       bool // an ACK, a NACK or a trimmed packet
	// At is the time of arrival, in units of 2^-20 slots. The part below a slot comes from
	// the phase of the sender's link, so packets that arrive in the same slot are ordered
	// as in continuous time.
	At int64
}

// Ports are the equal-cost ports of a switch towards a host, Len() of them, at
// least 2. A Ports is valid during the call that it is passed to.
type Ports struct {
	run          *Run
	first, count int32
}

// First returns the number of the first port; the others follow.
func (p Ports) First() int { return int(p.first) }

// Len returns the number of ports.
func (p Ports) Len() int { return int(p.count) }

// Service returns the time for which a data packet occupies a port, in units of 2^-20
// slots.
func (p Ports) Service(i int) int64 {
	port := &p.run.ports[int(p.first)+i]
	return oneSlot + int64(p.run.services[port.class].perPacket)
}

// Queue returns the packets at a port, in units of 2^-20 packets, what is left of the one in
// service included, and how many packets fit. Headers that wait count as the time that they take.
func (p Ports) Queue(i int) (waiting, capacity int64) {
	port := &p.run.ports[int(p.first)+i]
	service := &p.run.services[port.class]
	slots := oneSlot + int64(service.perPacket)
	return int64(port.count)*oneSlot + int64(port.debt)*oneSlot/slots, int64(service.capacity) * oneSlot
}
