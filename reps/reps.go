package reps

// REPS is the sender's side of one connection under the rules of [Bonato26], Algorithms 1 and 2. The package
// comment lists how it resolves the open points. Call [REPS.Init] on a zero value before any other method: NextEV,
// OnAck, OnFailure and Config panic before it.
//
// A REPS is 92 bytes whatever its configuration: 76 of state and padding (with
// room for 32 ring entries) and 16 of configuration. It holds no pointer, may
// be copied by assignment and kept by value in a slice; with up to 16 entries it
// uses only its first 64 bytes, one cache line. After Init no method but
// MarshalBinary allocates. Methods are not safe for concurrent use on one REPS;
// different ones share nothing.
type REPS struct {
	rules
	exitTime uint32 // exitFreezingMode, ns modulo 2^32
	explore  uint8  // exploreCounter
	frozen   bool   // isFreezingMode
	uses     uint8  // uses made of the oldest valid entry, below rules.reuse
	n        uint8  // numberOfValidEVs: the n slots before ring.head are the valid ones
	ring     ring
}

// New returns a REPS in the state of a new connection, or the error of [Config.Validate].
func New(cfg Config) (*REPS, error) {
	r := new(REPS)
	if err := r.Init(cfg); err != nil {
		return nil, err
	}
	return r, nil
}

// Init gives r the configuration cfg and the state of a new connection: Algorithm 1, lines 1 to 3. It returns the
// error of [Config.Validate]; r is then unchanged. To set up many, Init one and assign it to the others.
func (r *REPS) Init(cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	r.rules = newRules(cfg.withDefaults())
	r.window = min(r.window, 1<<8-1)
	r.Reset()
	return nil
}

// Reset returns r to the state of a new connection and keeps its configuration.
func (r *REPS) Reset() {
	*r = REPS{rules: r.rules}
}

// Config returns the configuration in force: with defaults applied, and PacketsPerWindow at most 255.
func (r *REPS) Config() Config { return r.config() }

// OnAck processes an ACK that arrives at time now (ns modulo 2^32). It echoes ev, the EV of the acknowledged
// packet; marked reports its ECN mark. An unmarked ACK caches ev, over the oldest valid entry if all are valid; in
// freezing mode only if Config.FrozenCache takes it.
// Under ExitOnTimeout it also ends freezing mode if now is strictly after the deadline. A marked ACK changes
// nothing. ev is any 16-bit value; it is not compared with EVSSize. O(1). Algorithm 1, lines 5 to 19.
//
// For an ACK that carries the EVs of several packets ("carry EVs"), call OnAck once for each unmarked packet, in
// the order in which the packets arrived.
func (r *REPS) OnAck(now uint32, ev uint16, marked bool) {
	if marked {
		return
	}
	if !r.frozen || r.takes(&r.ring, ev) {
		if r.n == r.size { // head is the oldest valid entry, now overwritten
			r.mustBeReady()
			r.uses = 0
		} else {
			r.n++
		}
		r.ring.write(ev, r.size)
	}
	if r.frozen && r.exit == ExitOnTimeout && after(now, r.exitTime) {
		r.thaw()
	}
}

// OnNack does nothing: Algorithm 1 has no rule for a NACK. It gives REPS,
// [Artifact] and [FIFO] one method set.
func (r *REPS) OnNack(now uint32) {}

// OnFailure reports at time now (ns modulo 2^32) that a path may have failed, usually because of a retransmission
// time-out. It starts freezing mode, unless freezing mode is disabled, already on, or followed by an exploration
// that is not over. In these cases it changes nothing, so it does not move a deadline. O(1). Algorithm 1, lines 21
// to 26.
func (r *REPS) OnFailure(now uint32) {
	if r.caching == noFreezing || r.frozen || r.explore > 0 {
		return
	}
	r.mustBeReady()
	r.frozen = true
	r.exitTime = now + r.freezingTimeout
}

// OnProbeReply reports that a probe of the suspected path was answered. In freezing mode under ExitOnProbe it ends
// freezing mode; otherwise it does nothing. O(1). [Bonato26] sec. 3.2.
func (r *REPS) OnProbeReply() {
	if r.frozen && r.exit == ExitOnProbe {
		r.thaw()
	}
}

// thaw ends freezing mode and starts exploration; the ring is kept.
// Algorithm 1, lines 16, 17.
func (r *REPS) thaw() {
	r.frozen = false
	r.explore = uint8(r.window)
}

// NextEV returns the EV of the packet to be sent, and whether it was recycled: taken from the ring (valid or, in
// freezing mode, already used) instead of drawn from random. It takes one word of random if it draws the EV, and
// none otherwise; random may be nil only if no EV can be drawn. O(1). Algorithm 2, lines 14 to 24.
func (r *REPS) NextEV(random Source) (ev uint16, recycled bool) {
	if r.explore > 0 {
		r.explore--
		if r.multipleOfSize(r.explore) {
			return draw(random, r.evsSize), false
		}
	}
	if n := r.n; n > 0 {
		ev = r.ring.ev[r.ring.before(n, r.size)&31]
		if r.uses+1 < r.reuse {
			r.uses++
			return ev, true
		}
		r.uses = 0
		r.n = n - 1
		return ev, true
	}
	if r.frozen && r.ring.written > 0 {
		return r.cycle(), true
	}
	r.mustBeReady()
	return draw(random, r.evsSize), false
}

// cycle returns the EV at head, valid or not, and moves head on: Algorithm 2,
// lines 8, 9. If head is behind the last slot ever written, it reads slot 0. It is
// called only with no valid entry and at least one written slot, so the valid
// entries remain the slots before head.
func (r *REPS) cycle() uint16 {
	slot := r.ring.head
	if slot >= r.ring.written {
		slot = 0
	}
	r.ring.head = slot + 1
	if r.ring.head == r.size {
		r.ring.head = 0
	}
	return r.ring.ev[slot&31]
}

// Frozen reports whether r is in freezing mode.
func (r *REPS) Frozen() bool { return r.frozen }

// ExitTime returns the deadline of the last freezing mode entered, in
// nanoseconds modulo 2^32, and 0 before the first.
func (r *REPS) ExitTime() uint32 { return r.exitTime }

// Exploring returns exploreCounter, the packets left of the exploration that
// follows freezing mode: 0 to 255.
func (r *REPS) Exploring() int { return int(r.explore) }

// ValidEVs returns numberOfValidEVs, the cached EVs that are not used up: 0 to BufferSize.
func (r *REPS) ValidEVs() int { return int(r.n) }

// WrittenSlots returns the number of ring slots that ever held an EV: 0 to BufferSize.
// The pseudocode's isEmpty is WrittenSlots() == 0.
func (r *REPS) WrittenSlots() int { return int(r.ring.written) }

// AppendValid appends the valid EVs to dst, in the order in which they will be
// sent, and returns the extended slice. O(ValidEVs).
func (r *REPS) AppendValid(dst []uint16) []uint16 {
	for n := r.n; n > 0; n-- {
		dst = append(dst, r.ring.ev[r.ring.before(n, r.size)&31])
	}
	return dst
}

// validBits returns the validity bits that Algorithms 1 and 2 keep with the slots, slot i in bit i. REPS does not
// store them, because the valid slots are always the n slots before head: a slot becomes valid when head passes
// it, the oldest becomes invalid first, and head moves without writing only while none is valid.
func (r *REPS) validBits() uint32 {
	var valid uint32
	for n := r.n; n > 0; n-- {
		valid |= 1 << (r.ring.before(n, r.size) & 31)
	}
	return valid
}
