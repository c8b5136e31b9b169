package recycled

import (
	"repslab/faults"
	"repslab/internal/elementary"
)

// Limits of [FrozenSender].
const (
	maxFrozenWindow = 1 << 12
	maxFrozenChain  = 9   // packets that the exact chain remembers: 21,147 states
	mostDriftMarks  = 0.8 // share of marks up to which the estimates were compared with simulations
)

// FrozenSender is one REPS sender in freezing mode (Algorithms 1 and 2 of [Bonato26]) that always has Window packets
// in flight and sends a packet at each ACK. Freezing begins when the last max(Window, Ring) packets had different
// EVs. An unmarked ACK puts its EV into the ring, and the packet takes it. At a marked ACK the packet takes the entry
// at the head of the ring, valid or not. In both cases the head moves by one, so that the ring holds the EVs of the
// last Ring packets. So with ACKs in order
//
//	ev(t) = ev(t - Window) if the ACK is unmarked, and ev(t - Ring) if it is marked.       (5)
//
// Nothing is drawn: each mark replaces an EV by a copy of another. This is neutral drift, and EVs are lost one after
// the other, as alleles are under [Moran58].
type FrozenSender struct {
	Window int     // packets in flight, in [1, 4096]
	Ring   int     // entries, in [1, 4096]
	Marked float64 // probability that an ACK has a mark, independently of the others, in [0, 1]
}

// FrozenLaw is how many EVs a [FrozenSender] still has.
type FrozenLaw struct {
	// Same is the probability that two different packets in flight, drawn at random, carry the same EV: exact, if ACKs
	// come back in the order of their packets; 0 for a window of 1. The mean number of EVs is at least
	// 1/(1/W + (1 - 1/W) Same).
	Same float64
	// InOrder and Shuffled estimate the mean number of EVs in flight, if ACKs come back in the order of their packets,
	// and if their order is random. From 20 round trips on they are within 12 % or 0.5 EVs
	// of simulations with windows of 16 to 101 and rings of 8 to 200; before they are within 25 %.
	InOrder, Shuffled float64
}

// Law returns the law after a number of round trips, in [0, 2^20]: Window packets each. Marked must be at most 0.8:
// up to there the estimates were compared with simulations. The error names what is outside its range.
//
// By (5) a packet's EV came from a packet Window or, with probability p = Marked, Ring sends before: on the average
// from μ = (1-p) W + p Ring sends before. InOrder: the place t mod W moves by Ring at a mark alone. So two
// neighbours of the W/g places that marks connect, g = gcd(W, Ring), trace their EVs back by random walks on a
// circle. Each walk has variance v = c p (1-p) (W/μ)³ after c round trips. Neighbours have the same EV if their
// walks have met. The mean number of boundaries between different EVs is
//
//	X = 2 Σ (1 + cos a) exp(-2 v (1 - cos a)) for each group,  a = π k g/W, k odd and below W/g,
//
// about W/sqrt(π v) in all while this is many, and InOrder is g max(X, 1 + X/2), since a circle has no boundary or
// two. Shuffled: each mark lets one EV die and another have two copies, as in Moran's model, and the number A of
// ancestors follows dA/dc = -p (1-p) (W/μ)² A (A-1)/(W-1), about W/(p c). Same takes O(c W max(W, Ring)) time.
func (s FrozenSender) Law(roundTrips int) (FrozenLaw, error) {
	if err := s.validate(roundTrips, maxFrozenWindow, mostDriftMarks); err != nil {
		return FrozenLaw{}, err
	}
	return FrozenLaw{Same: s.same(roundTrips), InOrder: s.inOrder(roundTrips), Shuffled: s.shuffled(roundTrips)}, nil
}

// validate reports the faults of s and of a number of round trips.
func (s FrozenSender) validate(roundTrips, most int, marked float64) error {
	bad := faults.List{Package: "recycled"}
	bad.In("Window", s.Window, 1, most)
	bad.In("Ring", s.Ring, 1, most)
	bad.Check(s.Marked >= 0 && s.Marked <= marked, "Marked", s.Marked, "must be in [0, %v]", marked)
	bad.In("roundTrips", roundTrips, 0, 1<<20)
	return bad.Err()
}

// same returns [FrozenLaw].Same: by (5) the probability that two packets carry the same EV is linear in the same of
// older packets, which are the rows and columns of a matrix.
func (s FrozenSender) same(roundTrips int) float64 {
	n := max(s.Window, s.Ring)
	alike := make([]float64, n*n) // alike[i*n+j]: packets sent last at times i and j modulo n
	for i := range n {
		alike[i*n+i] = 1
	}
	row := make([]float64, n)
	for t := range roundTrips * s.Window {
		now := t % n
		unmarked, marked := alike[(now+n-s.Window)%n*n:], alike[(now+n-s.Ring)%n*n:]
		for j := range row {
			row[j] = float64((1-s.Marked)*unmarked[j]) + float64(s.Marked*marked[j])
		}
		row[now] = 1
		copy(alike[now*n:], row)
		for j, p := range row {
			alike[j*n+now] = p
		}
	}
	sum, last := 0.0, roundTrips*s.Window+n-1 // the last packet sent
	for a := range s.Window {
		for b := range a {
			sum += alike[(last-a)%n*n+(last-b)%n]
		}
	}
	return sum / max(1, float64(s.Window*(s.Window-1))/2)
}

// pace returns 1-p and W/μ.
func (s FrozenSender) pace() (unmarked, faster float64) {
	unmarked = 1 - s.Marked
	return unmarked, float64(s.Window) / (float64(unmarked*float64(s.Window)) + float64(s.Marked*float64(s.Ring)))
}

// inOrder returns [FrozenLaw].InOrder.
func (s FrozenSender) inOrder(roundTrips int) float64 {
	unmarked, faster := s.pace()
	variance := float64(roundTrips) * s.Marked * unmarked * faster * faster * faster
	groups := gcd(s.Window, s.Ring)
	places, sum := s.Window/groups, 0.0
	for k := 1; k < places; k += 2 {
		cosine, _ := elementary.RootOfUnity(int64(k), int64(2*places))
		sum += float64((1 + cosine) * elementary.Exp(-2*variance*(1-cosine)))
	}
	return float64(groups) * max(2*sum, 1+sum)
}

// shuffled returns [FrozenLaw].Shuffled.
func (s FrozenSender) shuffled(roundTrips int) float64 {
	if s.Window == 1 {
		return 1
	}
	unmarked, faster := s.pace()
	others := float64(s.Window - 1)
	time := float64(roundTrips) * s.Marked * unmarked * faster * faster / others
	return 1 / (1 - float64(others/float64(s.Window)*elementary.Exp(-time)))
}

// gcd returns the greatest common divisor of two positive numbers.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// MeanEVs returns the mean number of different EVs in flight after a number of round trips with ACKs in order: exact,
// by the law of which of the last max(Window, Ring) packets carry the same EV. This number must be at most 9: up to
// 21,147 states, 5 ms for a packet. The error names what is outside its range.
func (s FrozenSender) MeanEVs(roundTrips int) (float64, error) {
	if err := s.validate(roundTrips, maxFrozenChain, 1); err != nil {
		return 0, err
	}
	chain := s.kinships()
	now, next := make([]float64, len(chain)), make([]float64, len(chain))
	now[0] = 1
	for range roundTrips * s.Window {
		clear(next)
		for i, p := range now {
			next[chain[i].unmarked] += float64(p * (1 - s.Marked))
			next[chain[i].marked] += float64(p * s.Marked)
		}
		now, next = next, now
	}
	mean := 0.0
	for i, p := range now {
		mean += float64(p * float64(chain[i].inFlight))
	}
	return mean, nil
}

// kinship says which of the last packets carry the same EV: those with the same number. Numbers are in the order of
// their first use, the oldest packet first.
type kinship [maxFrozenChain]uint8

// kinshipState is a state of the exact chain: the states after an ACK, by its mark, and the different EVs in flight.
type kinshipState struct {
	unmarked, marked int
	inFlight         int
}

// kinships returns the states that can be reached from packets with different EVs, which is the first.
func (s FrozenSender) kinships() (chain []kinshipState) {
	n := max(s.Window, s.Ring)
	states, index := []kinship{{}}, map[kinship]int{}
	for i := range n {
		states[0][i] = uint8(i)
	}
	index[states[0]] = 0
	find := func(k kinship) int {
		at, known := index[k]
		if !known {
			at = len(states)
			index[k], states = at, append(states, k)
		}
		return at
	}
	for i := 0; i < len(states); i++ {
		k := states[i]
		var seen [maxFrozenChain]bool
		different := 0
		for _, ev := range k[n-s.Window : n] {
			if !seen[ev] {
				different++
			}
			seen[ev] = true
		}
		chain = append(chain, kinshipState{find(k.after(n, s.Window)), find(k.after(n, s.Ring)), different})
	}
	return chain
}

// after returns the kinship of the last n packets after a packet that copies the EV of the one sent back packets
// before.
func (k kinship) after(n, back int) (next kinship) {
	copied := k[n-back]
	copy(k[:], k[1:n])
	k[n-1] = copied
	var number [maxFrozenChain]uint8 // 1 + new number
	used := uint8(0)
	for i, ev := range k[:n] {
		if number[ev] == 0 {
			used++
			number[ev] = used
		}
		next[i] = number[ev] - 1
	}
	return next
}
