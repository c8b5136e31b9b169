package reps

import (
	"errors"
	"math/bits"
)

// Artifact is REPS as the authors' packet simulator runs it by default, for calibration against that simulator.
// Configured by [Config.UltraEthernet], it is REPS as the Ultra Ethernet simulator runs it. It differs from [REPS]
// in four points:
//
//   - any ACK, marked or not, and any NACK ends freezing mode if it comes after the deadline; under
//     ExitOnFeedback another failure ends it as well;
//   - leaving freezing mode erases the ring;
//   - every packet of the exploration after freezing mode gets a random EV;
//   - freezing mode reads the written slots in turn with a pointer of its own and does not prefer valid
//     entries.
//
// Its exploration counter has 16 bits. Call [Artifact.Init] on a zero value before any other method. An Artifact
// is 96 bytes, holds no pointer and allocates nothing after Init; like a REPS it may be copied and kept by value.
// It is not safe for concurrent use.
type Artifact struct {
	rules
	exitTime uint32 // ns modulo 2^32
	valid    uint32 // bit i: slot i holds an EV not used yet
	explore  uint16 // packets of exploration left
	frozen   bool
	pointer  uint8 // next slot to read in freezing mode
	ring     ring
}

// Init gives a the configuration cfg and the state of a new connection. It returns the faults that
// [Config.Validate] finds, and refuses a ReuseCount other than 1 and the Exit ExitOnProbe, which Artifact does not
// support. After an error a is unchanged.
func (a *Artifact) Init(cfg Config) error {
	var reuse, exit error
	if cfg.ReuseCount > 1 {
		reuse = refuse("ReuseCount", cfg.ReuseCount, "must be 1 for Artifact")
	}
	common := cfg
	switch cfg.Exit {
	case ExitOnFeedback:
		common.Exit = ExitOnTimeout
	case ExitOnProbe:
		exit = refuse("Exit", cfg.Exit, "must be ExitOnTimeout or ExitOnFeedback for Artifact")
	}
	if err := errors.Join(common.Validate(), reuse, exit); err != nil {
		return err
	}
	a.rules = newRules(cfg.withDefaults())
	a.Reset()
	return nil
}

// Reset returns a to the state of a new connection and keeps its configuration.
func (a *Artifact) Reset() {
	*a = Artifact{rules: a.rules}
}

// Config returns the configuration in force, with defaults applied.
func (a *Artifact) Config() Config { return a.config() }

// OnAck processes an ACK that arrives at time now (ns modulo 2^32) and echoes ev. First it ends freezing mode if
// now is strictly after the deadline, for a marked ACK as well. Then it caches ev if the ACK is unmarked. O(1).
func (a *Artifact) OnAck(now uint32, ev uint16, marked bool) {
	a.thawIfDue(now)
	if !marked && (!a.frozen || a.takes(&a.ring, ev)) {
		a.mustBeReady()
		a.valid |= 1 << (a.ring.head & 31)
		a.ring.write(ev, a.size)
	}
}

// OnNack processes a NACK at time now (ns modulo 2^32): it ends freezing mode
// if now is strictly after the deadline. O(1).
func (a *Artifact) OnNack(now uint32) { a.thawIfDue(now) }

// thawIfDue leaves freezing mode and erases the ring if now is after the deadline.
func (a *Artifact) thawIfDue(now uint32) {
	if !a.frozen || !after(now, a.exitTime) {
		return
	}
	a.frozen = false
	a.ring = ring{}
	a.valid = 0
	a.pointer = 0
	a.explore = a.window
}

// OnFailure starts freezing mode at time now (ns modulo 2^32). It does not if freezing mode is disabled, already
// on, or followed by an exploration that is not over. Under ExitOnFeedback it first ends freezing mode if now is
// strictly after the deadline. The caller tests the authors' conditions for calling it: a time-out and, without
// trimming, also a small RTT. O(1).
func (a *Artifact) OnFailure(now uint32) {
	if a.exit == ExitOnFeedback {
		a.thawIfDue(now)
	}
	if a.caching == noFreezing || a.frozen || a.explore > 0 {
		return
	}
	a.mustBeReady()
	a.frozen = true
	a.exitTime = now + a.freezingTimeout
}

// OnProbeReply does nothing: these rules have no probes. It completes the common
// method set.
func (a *Artifact) OnProbeReply() {}

// NextEV returns the EV of the next packet to send, and whether it came from the ring. It takes one word of random
// if it draws the EV, and none otherwise. O(1).
func (a *Artifact) NextEV(random Source) (ev uint16, recycled bool) {
	switch {
	case a.explore > 0:
		a.explore--
		return draw(random, a.evsSize), false
	case a.frozen && a.ring.written > 0:
		return a.cycle(), true
	case !a.frozen && a.valid != 0: // the valid slots are those before head
		slot := a.ring.before(uint8(bits.OnesCount32(a.valid)), a.size)
		a.valid &^= 1 << (slot & 31)
		return a.ring.ev[slot&31], true
	}
	a.mustBeReady()
	return draw(random, a.evsSize), false
}

// cycle returns the EV under the pointer, makes its slot invalid and moves the pointer to the next written slot.
// This can leave an invalid slot between valid ones, but the ring is erased before anything relies on their order.
func (a *Artifact) cycle() uint16 {
	slot := a.pointer
	a.valid &^= 1 << (slot & 31)
	a.pointer++
	if a.pointer >= a.ring.written {
		a.pointer = 0
	}
	return a.ring.ev[slot&31]
}

// Frozen reports whether a is in freezing mode.
func (a *Artifact) Frozen() bool { return a.frozen }

// ExitTime returns the deadline of the last freezing mode entered, in
// nanoseconds modulo 2^32, and 0 before the first.
func (a *Artifact) ExitTime() uint32 { return a.exitTime }

// Exploring returns the packets left of the exploration that follows freezing
// mode: 0 to 65535.
func (a *Artifact) Exploring() int { return int(a.explore) }

// ValidEVs returns the number of cached EVs not used yet: 0 to BufferSize.
func (a *Artifact) ValidEVs() int { return bits.OnesCount32(a.valid) }

// WrittenSlots returns how many ring slots were written since the start or the
// last erasure: 0 to BufferSize.
func (a *Artifact) WrittenSlots() int { return int(a.ring.written) }
