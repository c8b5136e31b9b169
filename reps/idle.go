package reps

// OnIdle reports at time now (ns modulo 2^32) that the connection was idle; call it before the first packet
// after the pause. The connection then explores like a new one, "during the first Bandwidth-Delay Product
// (BDP) worth of packets of a new or idle connection" ([Bonato26] sec. 3.1): no cached EV is valid any more
// and exploreCounter is 0, so every packet gets a random EV until the first unmarked ACK, which a sender at
// full rate has after one BDP. A counter of a BDP would make OnFailure wait for as many packets, which a
// connection with short messages may never send. The slots keep their EVs for a freezing mode that begins
// before they are overwritten.
//
// Freezing mode "avoids exploring" (sec. 3.2) and so comes first: OnIdle changes nothing in it, unless it is
// ExitOnTimeout and now is strictly after the deadline. Then OnIdle ends it.
//
// The pseudocode has no such rule: a caller that never calls OnIdle has Algorithms 1 and 2. OnIdle adds
// nothing to the state. The caller has to know when the connection last sent or heard something: a time of 4
// bytes, if its transport has none. The clock wraps, so a deadline counts as passed from 1 to 2^31-1 ns (2.147 s) after
// it, and in freezing mode OnIdle may change nothing after a longer pause: call Reset then. O(1).
func (r *REPS) OnIdle(now uint32) {
	if r.frozen && (r.exit != ExitOnTimeout || !after(now, r.exitTime)) {
		return
	}
	r.frozen, r.explore, r.uses, r.n = false, 0, 0, 0
}

// OnIdle is [REPS.OnIdle]; an Artifact does nothing. O(BufferSize).
func (l *Large) OnIdle(now uint32) {
	if l.artifact || l.frozen && (l.exit != ExitOnTimeout || !after(now, l.exitTime)) {
		return
	}
	for i := range l.slots {
		l.slots[i].Valid = false
	}
	l.frozen, l.explore, l.uses, l.n = false, 0, 0, 0
}

// OnIdle does nothing: the authors' simulator has no rule for an idle connection. It completes the common
// method set.
func (a *Artifact) OnIdle(now uint32) {}

// OnIdle does nothing. It completes the common method set.
func (f *FIFO) OnIdle(now uint32) {}
