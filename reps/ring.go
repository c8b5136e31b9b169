package reps

// ring is repsBuffer of Algorithm 1 and the slot to write next. The written slots are always 0 to written-1. The
// owner keeps track of the valid ones. Only the slots below the ring's size are used; the mask 31 on an index
// tells the compiler that it needs no bounds check.
type ring struct {
	head    uint8 // slot the next good ACK goes to
	written uint8 // slots ever written, saturating at the size
	ev      [MaxBufferSize]uint16
}

// write stores ev at head and moves head on: Algorithm 1, lines 12 and 14.
func (g *ring) write(ev uint16, size uint8) {
	h := g.head
	g.ev[h&31] = ev
	if h == g.written {
		g.written++
	}
	h++
	if h == size {
		h = 0
	}
	g.head = h
}

// before returns the slot n before head, n at most size; size is added to a negative difference: Algorithm 2, line
// 4. If the n slots before head are the valid ones, the result is the oldest of them.
func (g *ring) before(n, size uint8) uint8 {
	slot := g.head - n
	if g.head < n {
		slot += size
	}
	return slot
}
