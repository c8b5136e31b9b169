// Package evset holds sets of active EVs: a sender sends the EVs of its set in turn and replaces those that come
// back marked. The rules are KLB and HKLB of [ecn-sweep] in docs/references.md.
package evset

import (
	"slices"

	"repslab/mc"
)

// Rule says how a set starts and when a marked EV leaves it.
type Rule struct {
	// Always replaces every marked EV. Otherwise a mark replaces its EV with probability (K-1)/K.
	Always bool
	// Discover starts with an empty set and sends uniform EVs while it is not full. An EV joins the set when it comes
	// back without a mark, and leaves it without a substitute. Otherwise a set starts with K uniform EVs, all different
	// if there are K, and an EV that leaves is replaced at once.
	Discover bool
}

// Sets holds the sets of some senders, numbered from 0. Make it with [New] and begin each set with [Sets.Reset]. The
// caller passes a sender's generator. Different senders share no state.
type Sets struct {
	rule    Rule
	evs     int
	size    int      // K
	slots   []uint32 // K of each sender, of which the first held ones have an EV
	senders []sender
}

// sender is the state of a sender beside its slots.
type sender struct {
	held int32 // EVs in the set
	turn int32 // slot to be sent next
}

// New returns sets of size EVs, at least 1, out of evs EVs, at least 1. A rule that discovers cannot find more than evs
// EVs, so its sets have at most these.
func New(rule Rule, size, evs, senders int) Sets {
	if rule.Discover {
		size = min(size, evs)
	}
	return Sets{rule: rule, evs: evs, size: size, slots: make([]uint32, size*senders), senders: make([]sender, senders)}
}

// of returns the EVs in the set of a sender.
func (s *Sets) of(i int32) []uint32 {
	return s.slots[int(i)*s.size:][:s.senders[i].held]
}

// Reset begins the set of a sender. A rule that discovers draws nothing. O(K²) if there are many more EVs than K, and
// O(K³) at most.
func (s *Sets) Reset(i int32, draw *mc.Rand) {
	s.senders[i] = sender{}
	if s.rule.Discover {
		return
	}
	for slot := range s.size {
		s.senders[i].held++
		set := s.of(i)
		set[slot] = s.fresh(set, slot, draw)
	}
}

// fresh draws the EV of a slot uniformly among the EVs that no other slot of the set holds; among all EVs if there are
// more slots than EVs. It draws the rank of the EV among these: the EV of rank r is the least ev = r + (held EVs up to
// ev).
func (s *Sets) fresh(set []uint32, slot int, draw *mc.Rand) uint32 {
	free := s.evs - (len(set) - 1)
	if free < 1 {
		return uint32(draw.Below(uint64(s.evs)))
	}
	rank := uint32(draw.Below(uint64(free)))
	for ev := rank; ; {
		next := rank
		for other, held := range set {
			if other != slot && held <= ev {
				next++
			}
		}
		if next == ev {
			return ev
		}
		ev = next
	}
}

// Full reports whether the set of a sender has K EVs, which it then sends in turn.
func (s *Sets) Full(i int32) bool { return int(s.senders[i].held) == s.size }

// Next returns the EV of a sender's next packet. O(1).
func (s *Sets) Next(i int32, draw *mc.Rand) uint32 {
	f := &s.senders[i]
	turn := f.turn
	if f.turn++; int(f.turn) == s.size {
		f.turn = 0
	}
	if int(f.held) < s.size {
		return uint32(draw.Below(uint64(s.evs)))
	}
	return s.slots[int(i)*s.size+int(turn)]
}

// Good reports that an EV came back without a mark. O(K) while the set is not full.
func (s *Sets) Good(i int32, ev uint32) {
	if s.Full(i) || slices.Contains(s.of(i), ev) {
		return
	}
	s.senders[i].held++
	set := s.of(i)
	set[len(set)-1] = ev
}

// Marked reports that an EV came back with a mark. It changes nothing if the EV is not in the set. The EV that
// replaces it is uniform among the EVs that no other slot holds, the marked one included; among all EVs if
// there are more slots than EVs. O(K) if there are many more EVs than K, and O(K²) at most.
func (s *Sets) Marked(i int32, ev uint32, draw *mc.Rand) {
	slot := slices.Index(s.of(i), ev)
	if slot < 0 || !s.rule.Always && draw.Below(uint64(s.size)) == 0 {
		return
	}
	if s.rule.Discover {
		s.remove(i, slot)
		return
	}
	set := s.of(i)
	set[slot] = s.fresh(set, slot, draw)
}

// Lost reports that a packet with an EV was trimmed or timed out. Rules that discover remove the EV; the others change
// nothing. O(K).
func (s *Sets) Lost(i int32, ev uint32) {
	if slot := slices.Index(s.of(i), ev); slot >= 0 && s.rule.Discover {
		s.remove(i, slot)
	}
}

// remove takes an EV out of a set and keeps the order of the others.
func (s *Sets) remove(i int32, slot int) {
	set := s.of(i)
	copy(set[slot:], set[slot+1:])
	s.senders[i].held--
}

// Inherit gives a sender the set of another. O(K).
func (s *Sets) Inherit(i, from int32) {
	s.senders[i] = s.senders[from]
	copy(s.of(i), s.of(from))
}
