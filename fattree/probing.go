package fattree

// Prober is a Balancer that can send probes: packets without data that tell
// whether a path works. A flow is asked for one when an ACK reaches it.
type Prober interface {
	Balancer
	// Probes reports whether there are probes at all.
	Probes() bool
	// Probe returns the EV that a flow wants to probe now, if it wants to. A probe
	// that comes back is Feedback of the kind Probed; one that does not is silent.
	Probe(flow int32, now Picoseconds) (ev uint16, wanted bool)
}

// probe sends a probe if a flow wants one. Like an ACK it overtakes data; links
// are taken as they are now, there and back.
func (r *Run) probe(flow int32) {
	ev, wanted := r.prober.Probe(flow, r.now)
	if !wanted || r.net.spec.Topology.Tiers == 1 {
		return
	}
	route := &r.net.routes[flow]
	p := newPacket(flow, 0, ev)
	if r.passes(p, route.from[1], &route.to, route.key()) && r.passes(p, route.to[1], &route.from, route.key()) {
		r.probes.put(r.slot+2*r.net.returns[route.climb()], p)
		r.moving++
	}
}

// passes lets a packet without data through all ports from a switch to a host,
// and reports whether it arrives.
func (r *Run) passes(p packet, sw int32, to *[3]int32, key uint64) bool {
	for sw >= 0 {
		id := r.portTowards(sw, to, p, key, forRouter{header: true})
		if !r.passHeader(id) {
			return false
		}
		sw = r.net.ports[id].peer
	}
	return true
}

// takeProbes lets the balancer learn of the probes that are due back.
func (r *Run) takeProbes() {
	due := r.probes.at(r.slot)
	r.moving -= len(due)
	for _, p := range due {
		r.balance.Feedback(Feedback{Flow: p.flow(), EV: p.ev(), Kind: Probed, Now: r.now})
	}
	r.probes.empty(r.slot)
}
