package recycled

import (
	"math"

	"repslab/faults"
)

// mostLate is the largest number of slots by which an ACK of a [RingSender] can be late.
const mostLate = 6

// RingSender is one REPS sender in a healthy network that always has something to send. Its link takes a
// packet in every slot. In each slot the receiver gets a packet with probability Delivered and answers it
// with an ACK. An ACK is late by a random number of slots, independently of the others, because it waits
// for packets on the wire. So one slot can bring several ACKs, or none. In a slot the EVs of unmarked
// ACKs first enter the ring. Then the packet takes the oldest valid EV, or a random EV if none is valid.
type RingSender struct {
	Ring      int       // entries, 1 to 64
	Delivered float64   // probability that the receiver gets a packet in a slot, in [0, 1]
	Marked    float64   // share of ACKs with a congestion mark; in [0, 1]
	Late      []float64 // Late[j] is the probability that an ACK is j slots late, j at most 6; see [LateAcks]
}

// RingLaw is the stationary law of a [RingSender]'s ring.
type RingLaw struct {
	// Valid[k] is the probability of k valid entries after the packet of a slot has left. k is at most
	// Ring - 1, and at most the largest number of slots by which an ACK can be late.
	Valid    []float64
	Recycled float64 // share of packets that take their EV from the ring
	Lost     float64 // share of the EVs of unmarked ACKs that are overwritten before they are used
}

// LateAcks returns the law of the number of whole slots that an ACK waits on its way over 1 to
// 7 links. At each link it meets a packet on the wire with probability load, in [0, 1], and
// waits for the rest of this packet, which is uniform on a slot. ACKs do not wait in queues. Given k such
// packets, P[j slots] is the Eulerian number <k, j> over k!. Exact for this model. O(links²).
func LateAcks(links int, load float64) ([]float64, error) {
	bad := faults.List{Package: "recycled"}
	bad.Check(links >= 1 && links <= mostLate+1, "links", links, "must be in [1, %d]", mostLate+1)
	bad.Check(load >= 0 && load <= 1, "load", load, "must be in [0, 1]")
	if err := bad.Err(); err != nil {
		return nil, err
	}
	late := make([]float64, links)
	law := []float64{1}             // law of the wait after k packets met
	met := make([]float64, links+2) // met[k+1] is the probability of k packets met
	met[1] = 1
	for range links {
		for k := links + 1; k > 0; k-- {
			met[k] = float64(met[k]*(1-load)) + float64(met[k-1]*load)
		}
	}
	for k := range links + 1 {
		if k > 1 {
			law = oneMoreWait(law)
		}
		for j, p := range law {
			late[j] += float64(met[k+1] * p)
		}
	}
	return late, nil
}

// oneMoreWait returns the law of the whole slots in a sum with one more uniform wait, by the recurrence
// of Eulerian numbers.
func oneMoreWait(law []float64) []float64 {
	k := len(law) + 1
	next := make([]float64, k)
	for j, p := range law {
		next[j] += float64(float64(j+1)*p) / float64(k)
		next[j+1] += float64(float64(k-j-1)*p) / float64(k)
	}
	return next
}

// Law returns the stationary law, or the faults of s as a joined [*faults.FieldError]. The probabilities of
// Late must add up to 1 within 1e-9. It is exact for this model, up to the remainder of an iteration that
// stops when no probability changes by more than 1e-14 in a slot, or after a million slots. A state has
// the valid entries and the ACKs due in each future slot: at most 429 by 8 states, for a Late of 7.
// Milliseconds; seconds if Delivered is 1 and Marked 0.
func (s RingSender) Law() (RingLaw, error) {
	if err := s.validate(); err != nil {
		return RingLaw{}, err
	}
	c := s.explore()
	now, next := make([]float64, len(c.states)), make([]float64, len(c.states))
	now[0] = 1
	for range 1_000_000 {
		c.step(now, next)
		changed := 0.0
		for i := range now {
			changed = max(changed, math.Abs(next[i]-now[i]))
		}
		now, next = next, now
		if changed < 1e-14 {
			break
		}
	}
	return s.lawOf(c, now), nil
}

// validate reports the faults of s.
func (s RingSender) validate() error {
	bad := faults.List{Package: "recycled"}
	bad.Check(s.Ring >= 1 && s.Ring <= 64, "Ring", s.Ring, "must be in [1, 64]")
	bad.Check(s.Delivered >= 0 && s.Delivered <= 1, "Delivered", s.Delivered, "must be in [0, 1]")
	bad.Check(s.Marked >= 0 && s.Marked <= 1, "Marked", s.Marked, "must be in [0, 1]")
	sum := 0.0
	for _, p := range s.Late {
		bad.Check(p >= 0, "Late", s.Late, "must be probabilities")
		sum += p
	}
	bad.Check(math.Abs(sum-1) <= 1e-9 && len(s.Late) <= mostLate+1, "Late", s.Late, "must be at most %d probabilities that add up to 1", mostLate+1)
	return bad.Err()
}

// ringState is the state of a sender: the number of valid entries and the ACKs on their way.
type ringState struct {
	due   [mostLate]uint8 // ACKs in the next slot, the one after it, ...
	valid uint8
}

// ringStep is a change of state with its probability.
type ringStep struct {
	from, to    int32
	probability float64
	recycled    bool    // the packet takes its EV from the ring
	lost        float64 // EVs overwritten in the step
}

// ringChain holds the states that can be reached from an empty ring, and their steps.
type ringChain struct {
	states []ringState
	steps  []ringStep
}

// explore finds the chain.
func (s RingSender) explore() *ringChain {
	c := &ringChain{states: []ringState{{}}}
	index := map[ringState]int32{{}: 0}
	for from := int32(0); int(from) < len(c.states); from++ {
		s.eachSlot(c.states[from], func(to ringState, step ringStep) {
			at, known := index[to]
			if !known {
				at = int32(len(c.states))
				index[to] = at
				c.states = append(c.states, to)
			}
			step.from, step.to = from, at
			c.steps = append(c.steps, step)
		})
	}
	return c
}

// eachSlot calls use for every possible outcome of a slot.
func (s RingSender) eachSlot(from ringState, use func(ringState, ringStep)) {
	due := from
	copy(due.due[:], from.due[1:])
	due.due[mostLate-1] = 0
	now := int(from.due[0])
	s.answered(due, now, 1-s.Delivered, use)
	for late, p := range s.Late {
		p *= s.Delivered
		if late == 0 {
			s.answered(due, now+1, p, use)
			continue
		}
		later := due
		later.due[late-1]++
		s.answered(later, now, p, use)
	}
}

// answered calls use for every possible outcome of a slot that brings the given number of ACKs with the
// given probability.
func (s RingSender) answered(to ringState, acks int, probability float64, use func(ringState, ringStep)) {
	for good := range acks + 1 {
		p := probability * choose(acks, good)
		for i := range acks {
			if i < good {
				p *= 1 - s.Marked
			} else {
				p *= s.Marked
			}
		}
		if p == 0 {
			continue
		}
		after, valid := to, int(to.valid)+good
		lost := max(0, valid-s.Ring)
		valid -= lost
		after.valid = uint8(max(0, valid-1))
		use(after, ringStep{probability: p, recycled: valid > 0, lost: float64(lost)})
	}
}

// choose returns the number of ways to choose k of n.
func choose(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return ways
}

// step computes the law of the next slot.
func (c *ringChain) step(now, next []float64) {
	clear(next)
	for _, s := range c.steps {
		next[s.to] += float64(now[s.from] * s.probability)
	}
}

// lawOf returns the law of the ring from the law of the states.
func (s RingSender) lawOf(c *ringChain, now []float64) RingLaw {
	law := RingLaw{Valid: make([]float64, min(s.Ring, len(s.Late)))}
	for i, p := range now {
		law.Valid[c.states[i].valid] += p
	}
	for _, step := range c.steps {
		p := float64(now[step.from] * step.probability)
		if step.recycled {
			law.Recycled += p
		}
		law.Lost += float64(p * step.lost)
	}
	if unmarked := s.Delivered * (1 - s.Marked); unmarked > 0 {
		law.Lost /= unmarked
	}
	return law
}
