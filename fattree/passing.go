package fattree

// forward sends headers on.
func (t *tile) forward(headers []Crossing) {
	if len(headers) == 0 {
		return
	}
	if t.run.chooses {
		for i := range headers {
			t.choose(&headers[i], true)
		}
	}
	t.passHeaders(headers)
}

// passHeaders lets headers through their ports ahead of all data.
func (t *tile) passHeaders(headers []Crossing) {
	t.lastPut = max(t.lastPut, t.slot) // on a link to a host, perhaps
	if t.byBytes {
		headers = t.withRoom(headers)
	}
	arrives := t.slot + t.net.headers[0]
	down := [2]*[]Crossing{t.downlink[header].at(arrives), t.downlink[header].at(arrives + 1)}
	for {
		if headers = headers[t.passSome(headers, down):]; len(headers) == 0 {
			return
		}
		t.passOne(&headers[0])
		headers = headers[1:]
	}
}

// passOne lets a header through its port.
func (t *tile) passOne(c *Crossing) {
	p := &t.ports[c.port()]
	t.passOn(c.port(), p.side%4, c, p.passAhead(c.Phase(), ifPositive(p.count)))
}

// passSome is passHeaders up to the first header that needs passOne: its lane or its list towards hosts is full,
// or its link has failed. It returns the number of headers passed.
func (t *tile) passSome(headers []Crossing, down [2]*[]Crossing) int {
	ports, lag := t.ports, t.net.lags[0]
	room := min(cap(*down[0])-len(*down[0]), cap(*down[1])-len(*down[1]))
	for i := range headers {
		c := &headers[i]
		id := c.port()
		p := &ports[id]
		if p.side == failed || p.side == toHost && room == 0 {
			return i
		}
		if p.side == toHost {
			leaves := p.passAhead(c.Phase(), ifPositive(p.count)).later(lag)
			put(down[leaves/aSlot%2], c.Packet, c.Note, leaves)
			room--
			continue
		}
		l, link := &t.landing[header][p.side%4], t.links[id]
		lane := l.lane(link)
		k := lane.count
		if k >= mostHeaders {
			return i
		}
		lane.count = k + 1
		lane.headers[k] = c.Packet
		if l.notes != nil {
			l.notes[link].headers[k] = c.Note
		}
		lane.times[k] = Moment(l.slot)*aSlot + p.passAhead(c.Phase(), ifPositive(p.count)).later(l.lag)
	}
	return len(headers)
}

// passOn puts a header that leaves a port at some moment on its link. On a failed link the header is lost;
// Counts.Lost and Counts.Reroute count only data packets.
func (t *tile) passOn(id uint32, to side, c *Crossing, leaves Moment) {
	switch to {
	case toHost:
		leaves = leaves.later(t.net.lags[0])
		bucket := t.downlink[header].at(t.slot + t.net.headers[0] + leaves.slot())
		*bucket = append(*bucket, Crossing{c.Packet, c.Note, uint32(leaves.phase())})
	case failed:
	default:
		l, link := &t.landing[header][to%4], t.links[id]
		lane, arrives := l.lane(link), Moment(l.slot)*aSlot+leaves.later(l.lag)
		k := lane.count
		if k >= mostHeaders {
			l.spill(lane, link, c, arrives)
			return
		}
		lane.count++
		lane.headers[k], lane.times[k] = c.Packet, arrives
		if l.notes != nil {
			l.notes[link].headers[k] = c.Note
		}
	}
}

// passAhead returns when a header that arrives at a phase of the slot leaves by a port, counted from the beginning
// of the slot. If data wait for the link, waits is all ones, otherwise 0. With waiting data a packet is on the
// wire, the header waits for its end, and the header's time is added to the debt: servePorts skips a slot for each
// whole slot of debt. The packet on the wire stays at the head of the queue until the next service. No queue holds
// the header: it goes onto the link at once, and arrives later by its waiting time.
func (p *port) passAhead(phase Moment, waits uint64) (leaves Moment) {
	rest := (p.phase() - phase) % aSlot // of the packet on the wire
	p.debt = min(p.debt, mostDebt) + p.perHeader&uint32(waits)
	return phase + rest&Moment(waits)
}
