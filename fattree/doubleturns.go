package fattree

// doubleTurns are the lines of all hosts' flows that want to send, in which a flow can stand more
// than once, see [Spec.DoubleTurns]. Without that option [turns] serve.
type doubleTurns [][]int32

// newDoubleTurns returns empty lines, or nil if flows stand in line once.
func (r *Run) newDoubleTurns() doubleTurns {
	if !r.net.spec.DoubleTurns {
		return nil
	}
	return make(doubleTurns, len(r.hosts))
}

// queueDoubly puts a flow at the end of its host's line.
func (t *tile) queueDoubly(flow int32, f *sender) {
	f.waits = true
	host := t.ends[flow].source
	t.doubles[host] = append(t.doubles[host], flow)
	t.hosts[host].head = t.doubles[host][0]
	t.ready.add(host - t.sw.firstHost)
}

// serveDoubly does what serveHost does. A flow that has been served can stand in line again before
// its other turns come.
func (t *tile) serveDoubly(host int32) {
	id := t.sw.firstHost + host
	p := &t.ports[t.nics+host]
	sent := p.debt >= oneSlot
	if sent {
		p.debt -= oneSlot
	}
	for len(t.doubles[id]) > 0 && !sent {
		flow := t.doubles[id][0]
		t.doubles[id] = t.doubles[id][1:]
		f := &t.senders[flow]
		f.waits = false
		if f.maySend(t.room) {
			sent = true
			t.sendPacket(host, flow, f)
			if f.maySend(t.room) {
				t.queueDoubly(flow, f)
			}
		}
	}
	t.hosts[id].head = none
	if len(t.doubles[id]) > 0 {
		t.hosts[id].head = t.doubles[id][0]
	} else if p.debt < oneSlot {
		t.ready.remove(host)
	}
}
