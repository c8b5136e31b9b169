package reps

import (
	"errors"
	"slices"
)

// MaxLargeSize is the largest ring of a [Large], in entries.
const MaxLargeSize = 1 << 10

// Large is a [REPS] with a ring of 1 to MaxLargeSize entries, or an [Artifact] if Init is told so. It is for
// studies of rings that no NIC has. With up to MaxBufferSize entries it behaves exactly as REPS or Artifact. It
// takes 56 bytes and 4 for each entry. A copy by assignment shares the ring: use only one of the two copies, or
// [Large.Assign]. Call [Large.Init] on a zero value before any other method; after it no method allocates. It is
// not safe for concurrent use.
type Large struct {
	rules
	artifact bool
	frozen   bool
	uses     uint8
	explore  uint16
	exitTime uint32
	head     uint16
	written  uint16
	pointer  uint16 // of an Artifact: next slot to read in freezing mode
	n        uint16 // valid slots: those before head, except for an Artifact in freezing mode
	slots    []Slot
}

// Init gives l the configuration cfg and the state of a new connection; l follows the rules of Artifact if artifact
// is true. BufferSize is in [1, MaxLargeSize]. It returns the errors of [REPS.Init] or [Artifact.Init]; l is then
// unchanged.
func (l *Large) Init(cfg Config, artifact bool) error {
	size, small := cfg.withDefaults().BufferSize, cfg
	small.BufferSize = min(size, MaxBufferSize)
	err := inRange("BufferSize", int64(size), MaxLargeSize)
	var packed rules
	if artifact {
		var a Artifact
		err, packed = errors.Join(err, a.Init(small)), a.rules
	} else {
		var r REPS
		err, packed = errors.Join(err, r.Init(small)), r.rules
	}
	if err == nil {
		*l = Large{rules: packed, artifact: artifact, slots: make([]Slot, size)}
	}
	return err
}

// Assign makes l a copy of from with a ring of its own. Both must have the same configuration. O(BufferSize).
func (l *Large) Assign(from *Large) {
	if from == nil || len(from.slots) != len(l.slots) {
		panic("reps: Large.Assign: from must have the same configuration")
	}
	own := l.slots
	copy(own, from.slots)
	*l = *from
	l.slots = own
}

// Reset returns l to the state of a new connection and keeps its configuration and ring. O(BufferSize).
func (l *Large) Reset() {
	clear(l.slots)
	*l = Large{rules: l.rules, artifact: l.artifact, slots: l.slots}
}

// next returns the slot that follows a slot in a cycle of the first size slots.
func next(slot uint16, size int) uint16 {
	if slot++; int(slot) >= size {
		return 0
	}
	return slot
}

// OnAck is [REPS.OnAck] or [Artifact.OnAck]. O(1), except when it erases the ring of an Artifact.
func (l *Large) OnAck(now uint32, ev uint16, marked bool) {
	if l.artifact {
		l.thawIfDue(now)
	}
	if marked {
		return
	}
	l.mustBeReady()
	if !l.frozen || l.takes(ev) {
		if l.slots[l.head].Valid { // the oldest one, in a full ring
			l.uses = 0
		} else {
			l.n++
		}
		l.slots[l.head] = Slot{ev, true}
		l.written = max(l.written, l.head+1)
		l.head = next(l.head, len(l.slots))
	}
	if !l.artifact && l.exit == ExitOnTimeout {
		l.thawIfDue(now)
	}
}

// takes reports whether the ring takes an EV in freezing mode.
func (l *Large) takes(ev uint16) bool {
	switch l.caching {
	case CacheNew:
		return !slices.ContainsFunc(l.slots[:l.written], func(s Slot) bool { return s.EV == ev })
	case CacheFree:
		return int(l.written) < len(l.slots)
	}
	return true
}

// thawIfDue leaves freezing mode if now is after the deadline; an Artifact then erases its ring.
func (l *Large) thawIfDue(now uint32) {
	if !l.frozen || !after(now, l.exitTime) {
		return
	}
	if l.artifact {
		exit := l.exitTime
		l.Reset()
		l.exitTime = exit
	}
	l.frozen, l.explore = false, l.window
}

// OnNack is [REPS.OnNack] or [Artifact.OnNack].
func (l *Large) OnNack(now uint32) {
	if l.artifact {
		l.thawIfDue(now)
	}
}

// OnFailure is [REPS.OnFailure] or [Artifact.OnFailure].
func (l *Large) OnFailure(now uint32) {
	if l.exit == ExitOnFeedback {
		l.thawIfDue(now)
	}
	l.mustBeReady()
	if l.caching != noFreezing && !l.frozen && l.explore == 0 {
		l.frozen, l.exitTime = true, now+l.freezingTimeout
	}
}

// OnProbeReply is [REPS.OnProbeReply]; an Artifact does nothing.
func (l *Large) OnProbeReply() {
	if l.frozen && l.exit == ExitOnProbe {
		l.frozen, l.explore = false, l.window
	}
}

// NextEV is [REPS.NextEV] or [Artifact.NextEV]. O(1).
func (l *Large) NextEV(random Source) (ev uint16, recycled bool) {
	origin := l.NextOrigin()
	if l.explore > 0 {
		l.explore--
	}
	var slot uint16
	switch {
	case origin == Random || origin == Explore:
		l.mustBeReady()
		return draw(random, l.evsSize), false
	case l.artifact && l.frozen:
		slot = l.pointer
		l.pointer = next(slot, int(l.written))
	case origin == Stale:
		if slot = l.head; slot >= l.written {
			slot = 0
		}
		l.head = next(slot, len(l.slots))
	default:
		slot = uint16((int(l.head) - int(l.n) + len(l.slots)) % len(l.slots))
		if l.uses+1 < l.reuse {
			l.uses++
			return l.slots[slot].EV, true
		}
		l.uses = 0
	}
	if origin == Ring {
		l.slots[slot].Valid = false
		l.n--
	}
	return l.slots[slot].EV, true
}

// NextOrigin returns where the EV that the next call of NextEV returns comes from. It changes nothing. O(1).
func (l *Large) NextOrigin() Origin {
	turns := l.artifact && l.frozen && l.written > 0 // of the slots, valid or not
	switch {
	case l.explore > 0 && (l.artifact || int(l.explore-1)%len(l.slots) == 0):
		return Explore
	case turns && l.slots[l.pointer].Valid, !turns && l.n > 0:
		return Ring
	case turns, l.frozen && l.written > 0:
		return Stale
	}
	return Random
}

// AppendSlots is [REPS.AppendSlots]. O(BufferSize).
func (l *Large) AppendSlots(dst []Slot) []Slot {
	first := l.head
	if first >= l.written {
		first = 0
	}
	return append(append(dst, l.slots[first:l.written]...), l.slots[:first]...)
}

// Frozen reports whether l is in freezing mode.
func (l *Large) Frozen() bool { return l.frozen }
