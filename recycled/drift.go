package recycled

import (
	"repslab/faults"
	"repslab/internal/elementary"
)

// Limits of [FrozenSender].
const (
	maxFrozenWindow = 1 << 12
	maxFrozenChain  = 9    // packets that the exact chain remembers: 21,147 states
	mostDriftMarks  = 0.8  // share of marks up to which the estimates were compared with simulations
	overBound       = 1.15 // simulated number of EVs over the bound by FrozenLaw.Same
)

// FrozenSender is one REPS sender in freezing mode (Algorithms 1 and 2 of [Bonato26]) that always has Window packets
// in flight and sends packets at each ACK. An unmarked ACK puts its EV into the ring, and the next packet takes it.
// Other packets take the entry at the head of the ring, valid or not. In both cases the head moves by one, so that the
// ring holds the EVs of the last Ring packets. So with an ACK for each packet, in order,
//
//	ev(t) = ev(t - Window) if the ACK is unmarked, and ev(t - Ring) if it is marked.       (5)
//
// Nothing is drawn: each mark replaces an EV by a copy of another. This is neutral drift, and EVs are lost one after
// the other, as alleles are under [Moran58].
//
// With AckRatio = r a receiver answers a marked packet at once, and otherwise the r-th packet after its last ACK. The
// ACK returns the EV of this packet alone, and as many packets are sent as it acknowledges. After an unmarked ACK,
// which acknowledges r, the first of them takes its EV, sent Window - r + 1 packets before; the others, and all after
// a mark, are copies of the ring. So EVs are lost without marks too.
type FrozenSender struct {
	Window   int     // packets in flight, in [1, 4096]
	Ring     int     // entries, in [1, 4096]
	Marked   float64 // probability that a packet gets a mark, independently of the others, in [0, 1]
	AckRatio int     // packets for each unmarked ACK, in [1, Window]; 0 is 1
	// Inherited begins in freezing mode with a ring of different EVs, of a flow that has ended: the first packets take
	// its entries in turn. It requires a Window of at least Ring. Otherwise freezing mode begins when the last
	// max(Window, Ring) packets had different EVs.
	Inherited bool
}

// FrozenLaw is how many EVs a [FrozenSender] still has.
type FrozenLaw struct {
	// Same is the probability that two different packets in flight, drawn at random, carry the same EV: exact, if ACKs
	// come back in the order of their packets; 0 for a window of 1. The mean number of EVs is at least
	// 1/(1/W + (1 - 1/W) Same).
	Same float64
	// InOrder and Shuffled estimate the mean number of EVs in flight, if ACKs come back in the order of their packets,
	// and if their order is random. From 20 round trips on they are within 12 % or 0.5 EVs of simulations with windows
	// of 16 to 101 and rings of 8 to 200; before they are within 25 %. With AckRatio above 1 or Inherited, from 20
	// round trips on, InOrder is within 25 % or 0.5 EVs, and Shuffled, with at least 10 % of marks, within 30 % or 0.5
	// EVs, with windows of 20 to 100, rings of 7 to 32 and ratios of up to 8.
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
// ancestors follows dA/dc = -p (1-p) (W/μ)² A (A-1)/(W-1), about W/(p c). With AckRatio above 1 the share 1-p is the
// share of packets with the EV of an ACK, the ancestors begin with at most μ, and InOrder is, also if Inherited, 1.15
// times the bound by Same. Same takes O(c W n) time, n = max(W, Ring),
// and with AckRatio r > 1 O(c W r n²); c W r n² must then be at most 2^33, some 10 s.
func (s FrozenSender) Law(roundTrips int) (FrozenLaw, error) {
	s.AckRatio = max(1, s.AckRatio)
	if err := s.validate(roundTrips, maxFrozenWindow, mostDriftMarks); err != nil {
		return FrozenLaw{}, err
	}
	n := float64(max(s.Window, s.Ring))
	if work := float64(roundTrips) * float64(s.Window) * float64(s.AckRatio) * n * n; s.AckRatio > 1 && work > 1<<33 {
		return FrozenLaw{}, faults.New("recycled", "roundTrips", roundTrips, "must be at most %d with this window, ring and ratio of ACKs", int(float64(roundTrips)*(1<<33)/work))
	}
	w, most := float64(s.Window), s.Window
	if s.Inherited {
		most = s.Ring
	}
	law := FrozenLaw{Same: s.same(roundTrips), Shuffled: s.shuffled(roundTrips, most)}
	if s.AckRatio == 1 && !s.Inherited {
		law.InOrder = s.inOrder(roundTrips)
	} else {
		law.InOrder = min(float64(most), overBound/(1/w+float64((1-1/w)*law.Same)))
	}
	return law, nil
}

// validate reports the faults of s, with AckRatio set, and of a number of round trips.
func (s FrozenSender) validate(roundTrips, most int, marked float64) error {
	bad := faults.List{Package: "recycled"}
	bad.In("Window", s.Window, 1, most)
	bad.In("Ring", s.Ring, 1, most)
	bad.Check(s.Marked >= 0 && s.Marked <= marked, "Marked", s.Marked, "must be in [0, %v]", marked)
	bad.In("AckRatio", s.AckRatio, 1, max(1, s.Window))
	bad.Check(!s.Inherited || s.Window >= s.Ring, "Inherited", s.Inherited, "must be false with a Window below Ring")
	bad.In("roundTrips", roundTrips, 0, 1<<20)
	return bad.Err()
}

// first returns the numbers of the EVs of the last max(Window, Ring) packets at the beginning, the oldest first.
// Numbers are in the order of their first use.
func (s FrozenSender) first() []int {
	evs := make([]int, max(s.Window, s.Ring))
	for i := range evs {
		if evs[i] = i; s.Inherited {
			evs[i] = i % s.Ring
		}
	}
	return evs
}

// acks returns the probabilities that an ACK tells a mark and k packets more are to be sent for it after the first
// one, for all k below AckRatio, and the probability of an unmarked ACK.
func (s FrozenSender) acks() (marked []float64, unmarked float64) {
	unmarked = 1
	for range s.AckRatio {
		marked = append(marked, s.Marked*unmarked)
		unmarked *= 1 - s.Marked
	}
	return marked, unmarked
}

// echo returns how many packets before the first packet after an unmarked ACK its EV was sent.
func (s FrozenSender) echo() int { return s.Window - s.AckRatio + 1 }

// same returns [FrozenLaw].Same: by (5) the probability that two packets carry the same EV is linear in the same of
// older packets, which are the rows and columns of a matrix. There is a matrix for each number of packets that are
// still to be sent for the last ACK, with the probabilities of this number and of the same EV.
func (s FrozenSender) same(roundTrips int) float64 {
	first, n := s.first(), max(s.Window, s.Ring)
	alike := make([][]float64, s.AckRatio) // alike[k][i*n+j]: packets sent last at times i and j modulo n
	for k := range alike {
		alike[k] = make([]float64, n*n)
	}
	for i, a := range first {
		for j, b := range first {
			if a == b {
				alike[0][i*n+j] = 1
			}
		}
	}
	next := nextAlike{row: make([]float64, n), echo: s.echo(), ring: s.Ring}
	next.marked, next.unmarked = s.acks()
	for t := range roundTrips * s.Window {
		next.send(alike, t)
	}
	sum, last := 0.0, roundTrips*s.Window+n-1 // the last packet sent
	for _, matrix := range alike {
		for a := range s.Window {
			for b := range a {
				sum += matrix[(last-a)%n*n+(last-b)%n]
			}
		}
	}
	return sum / max(1, float64(s.Window*(s.Window-1))/2)
}

// nextAlike adds packets to the matrices of [FrozenSender.same].
type nextAlike struct {
	marked     []float64
	unmarked   float64
	echo, ring int
	row, old   []float64 // memory
}

// send adds the packet of time t.
func (x *nextAlike) send(alike [][]float64, t int) {
	n := len(x.row)
	now, echo, ring := t%n, (t+n-x.echo)%n*n, (t+n-x.ring)%n*n
	between := alike[0] // no packet is left to be sent
	if len(alike) > 1 {
		x.old = append(x.old[:0], between...)
		between = x.old
	}
	for k, matrix := range alike {
		unmarked := 0.0
		if k == len(alike)-1 {
			unmarked = x.unmarked
		}
		for j := range x.row {
			x.row[j] = float64(unmarked*between[echo+j]) + float64(x.marked[k]*between[ring+j])
		}
		if len(alike) > 1 {
			for i, p := range between {
				matrix[i] = (unmarked + x.marked[k]) * p
			}
		}
		if k+1 < len(alike) {
			for j, p := range alike[k+1][ring : ring+n] {
				x.row[j] += p
			}
			for i, p := range alike[k+1] {
				matrix[i] += p
			}
		}
		other := (now + 1) % n
		x.row[now] = matrix[other*n+other] // the probability of k
		copy(matrix[now*n:], x.row)
		for j, p := range x.row {
			matrix[j*n+now] = p
		}
	}
}

// pace returns the share e of packets with the EV of an ACK, and W/μ.
func (s FrozenSender) pace() (echoed, faster float64) {
	marked, unmarked := s.acks()
	packets := float64(unmarked * float64(s.AckRatio)) // mean for each ACK
	for k, p := range marked {
		packets += float64(p * float64(k+1))
	}
	echoed = unmarked / packets
	return echoed, float64(s.Window) / (float64(echoed*float64(s.echo())) + float64((1-echoed)*float64(s.Ring)))
}

// inOrder returns [FrozenLaw].InOrder.
func (s FrozenSender) inOrder(roundTrips int) float64 {
	echoed, faster := s.pace()
	variance := float64(roundTrips) * (1 - echoed) * echoed * faster * faster * faster
	groups := gcd(s.Window, s.Ring)
	places, sum := s.Window/groups, 0.0
	for k := 1; k < places; k += 2 {
		cosine, _ := elementary.RootOfUnity(int64(k), int64(2*places))
		sum += float64((1 + cosine) * elementary.Exp(-2*variance*(1-cosine)))
	}
	return float64(groups) * max(2*sum, 1+sum)
}

// shuffled returns [FrozenLaw].Shuffled. most is the number of EVs in flight at the beginning.
func (s FrozenSender) shuffled(roundTrips, most int) float64 {
	if s.Window == 1 {
		return 1
	}
	echoed, faster := s.pace()
	ancestors := float64(most)
	if s.AckRatio > 1 {
		ancestors = min(ancestors, float64(s.Window)/faster)
	}
	time := float64(roundTrips) * (1 - echoed) * echoed * faster * faster / float64(s.Window-1)
	return 1 / (1 - float64((1-1/ancestors)*elementary.Exp(-time)))
}

// gcd returns the greatest common divisor of two positive numbers.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Rewritten returns the number of EVs in the ring of an inherited flow after messages without marks: exactly
// Ring / gcd(Ring, AckRatio^messages), for messages of a multiple of AckRatio packets, at least AckRatio x Ring and at
// most Window. The packets of a message take the entries in turn, and ACKs return every AckRatio-th EV, which the ring
// keeps for the next message. The number of messages is in [0, 64].
func (s FrozenSender) Rewritten(messages int) (int, error) {
	s.AckRatio = max(1, s.AckRatio)
	bad := faults.List{Package: "recycled"}
	bad.Add(s.validate(0, maxFrozenWindow, 1))
	bad.In("messages", messages, 0, 64)
	if err := bad.Err(); err != nil {
		return 0, err
	}
	lost, power := 1, 1
	for range messages {
		power = power * s.AckRatio % s.Ring
		lost = gcd(s.Ring, power)
	}
	return s.Ring / lost, nil
}

// MeanEVs returns the mean number of different EVs in flight after a number of round trips with ACKs in order: exact,
// by the law of which of the last max(Window, Ring) packets carry the same EV. This number must be at most 9: up to
// 21,147 states for each packet of AckRatio, 5 ms for a packet. The error names what is outside its range.
func (s FrozenSender) MeanEVs(roundTrips int) (float64, error) {
	s.AckRatio = max(1, s.AckRatio)
	if err := s.validate(roundTrips, maxFrozenChain, 1); err != nil {
		return 0, err
	}
	chain := s.kinships()
	marked, unmarked := s.acks()
	now, next := make([]float64, len(chain)), make([]float64, len(chain))
	now[0] = 1
	for range roundTrips * s.Window {
		clear(next)
		for i, p := range now {
			if after := chain[i].copies; len(after) == 1 && s.AckRatio > 1 {
				next[after[0]] += p
			} else {
				for k, to := range after {
					next[to] += float64(p * marked[k])
				}
				next[chain[i].echoes] += float64(p * unmarked)
			}
		}
		now, next = next, now
	}
	mean := 0.0
	for i, p := range now {
		mean += float64(p * float64(chain[i].inFlight))
	}
	return mean, nil
}

// kinship says which of the last packets carry the same EV: packets with the same number. Numbers are in the order of
// their first use, the oldest packet first.
type kinship [maxFrozenChain]uint8

// kinshipState is a state of the exact chain. While packets are left to be sent for the last ACK, copies is the state
// after the next one. Otherwise copies[k] is the state after the first packet for a marked ACK, with k packets left,
// and echoes the state after the first packet for an unmarked one.
type kinshipState struct {
	copies   []int
	echoes   int
	inFlight int // different EVs
}

// kinships returns the states that can be reached from the beginning, which is the first.
func (s FrozenSender) kinships() (chain []kinshipState) {
	type state struct {
		kinship
		left int // packets still to be sent for the last ACK
	}
	n := max(s.Window, s.Ring)
	states := []state{{}}
	for i, ev := range s.first() {
		states[0].kinship[i] = uint8(ev)
	}
	index := map[state]int{states[0]: 0}
	find := func(k kinship, left int) int {
		at, known := index[state{k, left}]
		if !known {
			at = len(states)
			index[state{k, left}], states = at, append(states, state{k, left})
		}
		return at
	}
	for i := 0; i < len(states); i++ {
		at, copied := states[i], states[i].after(n, s.Ring)
		next := kinshipState{inFlight: at.different(n-s.Window, n)}
		if at.left > 0 {
			next.copies = []int{find(copied, at.left-1)}
		} else {
			for k := range s.AckRatio {
				next.copies = append(next.copies, find(copied, k))
			}
			next.echoes = find(at.after(n, s.echo()), s.AckRatio-1)
		}
		chain = append(chain, next)
	}
	return chain
}

// different returns the number of different EVs of packets begin to end-1.
func (k kinship) different(begin, end int) (count int) {
	var seen [maxFrozenChain]bool
	for _, ev := range k[begin:end] {
		if !seen[ev] {
			count++
		}
		seen[ev] = true
	}
	return count
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
