package fattree

// promote moves retransmitted packets that have just joined their queues ahead of other packets, if
// Spec.RetransmissionsFirst is set. Their notes tell that they are retransmitted.
func (t *tile) promote(packets []Crossing) {
	if !t.net.spec.RetransmissionsFirst {
		return
	}
	for i := range packets {
		if packets[i].Note.Number() > 0 {
			t.sortQueue(packets[i].port())
		}
	}
}

// sortQueue moves the retransmitted packets of a queue ahead of the others and keeps the order of each kind. The
// head stays, since it may be on the wire. O(length) if one packet has joined at the end.
func (t *tile) sortQueue(id uint32) {
	p, first := &t.ports[id], uint32(1)
	for i := first; i < uint32(p.count); i++ {
		if t.ringNotes[t.place(id, p.head+i)].Number() == 0 {
			continue
		}
		for at := p.head + i; at > p.head+first; at-- {
			to, from := t.place(id, at), t.place(id, at-1)
			t.rings[to], t.rings[from] = t.rings[from], t.rings[to]
			t.ringNotes[to], t.ringNotes[from] = t.ringNotes[from], t.ringNotes[to]
		}
		first++
	}
}
