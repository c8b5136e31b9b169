package mrc

import "math/bits"

// Reverse is the reverse set of a connection: one EV of each plane for its control packets, the last one whose path is
// known to work. The zero value knows none.
type Reverse struct {
	values [MaxPlanes]uint16
	known  uint16 // bit i: the set has an EV of port i
	last   uint8  // port of the last control packet
}

// OnGood keeps an EV whose packet or probe has been acknowledged without a mark. Ports from MaxPlanes on are
// ignored. O(1).
func (r *Reverse) OnGood(ev EV) {
	if ev.Port < MaxPlanes {
		r.values[ev.Port] = ev.Value
		r.known |= 1 << ev.Port
	}
}

// OnBad forgets an EV whose packet was lost. O(1).
func (r *Reverse) OnBad(ev EV) {
	if ev.Port < MaxPlanes && r.values[ev.Port] == ev.Value {
		r.known &^= 1 << ev.Port
	}
}

// Next returns the EV of the control packet to be sent: of the next port, after that of the one before, of those
// that are free (bit i is port i) and of which the set has an EV, and false if there is none. O(1).
func (r *Reverse) Next(free uint16) (ev EV, ok bool) {
	ready := free & r.known
	if ready == 0 {
		return EV{}, false
	}
	r.last = following(ready, r.last)
	return EV{r.last, r.values[r.last]}, true
}

// following returns the first of some ports, at least one, behind another one, in turn.
func following(ports uint16, last uint8) uint8 {
	if above := ports >> (last + 1) << (last + 1); above != 0 {
		ports = above
	}
	return uint8(bits.TrailingZeros16(ports))
}
