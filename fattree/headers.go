package fattree

// sendHeader sends a header from one host of its flow to the other, over the host's link as
// [tile.passHeaders] does over others; before a sink to the sender of its flow.
func (t *tile) sendHeader(c crossing) {
	t.lastPut = max(t.lastPut, t.slot)
	if t.oneSwitch {
		bucket := t.downlink[header].at(t.slot + t.net.headers[0])
		*bucket = append(*bucket, c)
		return
	}
	ends := t.ends[c.packet>>flowShift]
	host, to := ends.destination, ends.source
	if c.packet.outward() {
		host, to = to, host
	}
	if t.sw.nic {
		t.sendByNIC(&c)
		return
	}
	p, line := &t.ports[t.nics+host-t.sw.firstHost], &t.hosts[host]
	leaves := p.passAhead(c.phase(), ifPositive(line.head+1)).later(t.net.lags[0])
	slot := t.slot + t.net.headers[0] + leaves.slot()
	if t.router != nil && line.head != none && line.yields(p) {
		slot++
	}
	bucket := t.uplink[header].at(slot)
	*bucket = append(*bucket, crossing{c.packet, c.note, t.portTo(to, ends, c.packet)<<portShift | uint32(leaves.phase())})
}

// headersPerPacket is the number of headers that a host sends for each packet while both wait, as the NICs
// of [Bonato26-artifact] and [UEC-htsim] do. It matters for a [Router], which sees in what order packets
// come; for others it hardly changes completion times (docs/calibration.md) and is left out.
const headersPerPacket = 10

// yields reports whether a header of a host whose flows wait lets one more packet go first. What it takes
// of the link then comes after that packet, together with the next header.
func (l *turns) yields(nic *port) bool {
	l.headers++
	switch {
	case l.headers <= headersPerPacket:
		return false
	case l.headers == headersPerPacket+1:
		nic.debt -= nic.perHeader
		return true
	}
	l.headers = 2 // with the one that has waited
	nic.debt += nic.perHeader
	return false
}

// takeHeader takes in a header at the host that it is for.
func (t *tile) takeHeader(c crossing) {
	p := c.packet
	t.phase = c.phase()
	if p&requestBit == 0 {
		t.takeAck(c)
		return
	}
	switch kind := c.note.kind(); {
	case kind == pull:
		t.takePull(c)
	case kind == request && p.outward():
		t.ask(c, true)
		if t.ultra() {
			t.sendHeader(crossing{packet: p.as(answer), note: noted(request, 0), where: c.where})
		}
	case kind == request:
		t.grants.asking[p.flow()] = false
		t.agenda.add(t.slot+lostPull*t.timeout, newPacket(p.flow(), 1, renewRequest))
	case kind == probe && p.outward():
		t.sendHeader(crossing{packet: p.as(answer), note: noted(probe, 0), where: c.where})
	case kind == probe:
		t.balance.Feedback(Feedback{Flow: p.flow(), EV: p.ev(), Kind: Probed, Now: t.now})
	case kind == resend && p.outward():
		t.answerRequest(c)
	case kind == resend:
		t.takeAnswer(p, c.note.number())
	case p.outward():
		if t.grants != nil {
			t.ask(c, true)
		}
		t.sendHeader(crossing{packet: p.as(answer), note: noted(kind, 0), where: c.where})
	default:
		t.takeNack(p, kind)
	}
}

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

// probe sends a probe if a flow wants one.
func (t *tile) probe(flow int32) {
	if ev, wanted := t.prober.Probe(flow, t.now); wanted && !t.oneSwitch {
		t.sendHeader(crossing{packet: newPacket(flow, 0, ev).as(outward), note: noted(probe, 0)})
	}
}
