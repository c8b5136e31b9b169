package mrc

import "math/bits"

// Reverse is the reverse set of a connection: for each plane the last EV known to work, for control packets. The
// zero value knows none.
type Reverse struct {
	values [MaxPlanes]uint16
	known  uint16 // bit i: the set has an EV of port i
	last   uint8  // port of the last control packet
}

// OnGood keeps the EV of a packet or probe that was acknowledged without a mark. Ports from MaxPlanes on are
// ignored. O(1).
func (r *Reverse) OnGood(ev EV) {
	if ev.Port < MaxPlanes {
		r.values[ev.Port] = ev.Value
		r.known |= 1 << ev.Port
	}
}

// OnBad forgets the EV of a lost packet. O(1).
func (r *Reverse) OnBad(ev EV) {
	if ev.Port < MaxPlanes && r.values[ev.Port] == ev.Value {
		r.known &^= 1 << ev.Port
	}
}

// Next returns the EV of the control packet to be sent, and false if there is none. Ports take turns; a port is
// passed over if it is not free (bit i of free is port i) or if the set has no EV for it. O(1).
func (r *Reverse) Next(free uint16) (ev EV, ok bool) {
	ready := free & r.known
	if ready == 0 {
		return EV{}, false
	}
	r.last = following(ready, r.last)
	return EV{r.last, r.values[r.last]}, true
}

// following returns the port that comes after last in turn, out of a set of ports that is not empty.
func following(ports uint16, last uint8) uint8 {
	if above := ports >> (last + 1) << (last + 1); above != 0 {
		ports = above
	}
	return uint8(bits.TrailingZeros16(ports))
}
