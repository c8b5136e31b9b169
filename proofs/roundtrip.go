package proofs

import "slices"

// flowRounds is the most rounds of a [flowRun].
const flowRounds = 20

// flowSetup are the parameters of a small system of per-flow senders, which has as many flows as bins.
type flowSetup struct{ bins, threshold, delay, window, ring int }

// flowRun is a run of per-flow senders with rings at λ = 1, written for clarity and independent of
// package recycled. Its random throws go to the bins of a word, in order.
type flowRun struct {
	flowSetup
	word                 []int
	round, used, dropped int     // rounds, random throws, and entries dropped by full rings
	queues, rings        [][]int // the flows with a ball in a bin, and the bins in a flow's ring: the oldest first
	inFlight             []int
	removed              [][][2]int // of each round, after d empty ones: flow, and bin or -1 if marked
	ports                []flowPort
}

// flowPort counts the history of a bin.
type flowPort struct {
	hits, tokens, passed [flowRounds + 1]int // random and recycled throws, unmarked removals up to each round
	marks, drops         int
	pile, piled          int // in the first d + 1 rounds: what is piled up now, and V + 1 of S24
	owed, before         int // while S26 lets it mark: marks at the end, at least, and drops at the beginning
}

func newFlowRun(s flowSetup, word []int) *flowRun {
	return &flowRun{
		flowSetup: s, word: word, queues: make([][]int, s.bins), rings: make([][]int, s.bins),
		inFlight: make([]int, s.bins), removed: make([][][2]int, s.delay), ports: make([]flowPort, s.bins),
	}
}

// step runs a round. It reports false if the word has too few random throws for it.
func (y *flowRun) step() bool {
	y.round++
	y.removed = append(y.removed, nil)
	for i := range y.bins {
		bin := (y.round + i) % y.bins
		p, load, back := &y.ports[bin], len(y.queues[bin]), [2]int{0, bin}
		p.hits[y.round], p.tokens[y.round], p.passed[y.round] = p.hits[y.round-1], p.tokens[y.round-1], p.passed[y.round-1]
		switch {
		case load == 0:
			continue
		case load > y.threshold:
			p.marks++
			back[1] = -1
		default:
			p.passed[y.round]++
		}
		back[0], y.queues[bin] = y.queues[bin][0], y.queues[bin][1:]
		y.removed[len(y.removed)-1] = append(y.removed[len(y.removed)-1], back)
	}
	for _, back := range y.removed[y.round-1] {
		flow, bin := back[0], back[1]
		y.inFlight[flow]--
		if bin >= 0 {
			y.rings[flow] = append(y.rings[flow], bin)
		}
		if len(y.rings[flow]) > y.ring {
			y.ports[y.rings[flow][0]].drops++
			y.dropped++
			y.rings[flow] = y.rings[flow][1:]
		}
	}
	return y.throw()
}

// throw lets the flows throw, as step says.
func (y *flowRun) throw() bool {
	for i := range y.bins {
		flow := (y.round + i) % y.bins
		if y.inFlight[flow] >= y.window {
			continue
		}
		bin := 0
		switch {
		case len(y.rings[flow]) > 0:
			bin, y.rings[flow] = y.rings[flow][0], y.rings[flow][1:]
			y.ports[bin].tokens[y.round]++
		case y.used < len(y.word):
			bin = y.word[y.used]
			y.used++
			y.ports[bin].hits[y.round]++
		default:
			return false
		}
		y.inFlight[flow]++
		y.queues[bin] = append(y.queues[bin], flow)
	}
	return true
}

// top returns the most that a bin may hold by S24 after the given number of random throws into it.
func (y *flowRun) top(p *flowPort, hits int) int {
	return max(p.piled, y.ring) + hits - p.hits[min(y.round, y.delay+1)]
}

// fault returns the step that the last round refutes, or "". It updates what S24 and S26 need.
func (y *flowRun) fault() string {
	round, marks := y.round, 0
	for bin := range y.ports {
		p := &y.ports[bin]
		hits := p.hits[round]
		if round <= y.delay+1 {
			p.pile = max(p.pile, 0) + hits - p.hits[round-1] - 1
			p.piled = max(p.piled, p.pile+1)
		}
		top := y.top(p, hits)
		switch {
		case len(y.queues[bin]) > top:
			return "S24"
		case p.marks > 0 && (p.marks+y.threshold > p.hits[round-1] || top <= y.threshold):
			return "S25"
		case p.overreacts(y, hits-p.marks-p.drops, len(y.queues[bin])):
			return "S26"
		}
		for s := range round {
			if p.tokens[round]-p.tokens[s] > p.passed[max(0, round-y.delay)]-p.passed[max(0, s-y.delay-y.ring+1)] {
				return "S27"
			}
		}
		marks += p.marks
	}
	for flow, ring := range y.rings {
		if len(ring)+y.inFlight[flow] > y.window {
			return "S27"
		}
	}
	if y.used > y.bins*y.window+marks+y.dropped {
		return "S27"
	}
	return ""
}

// overreacts reports whether a bin with the given load that owns the given number of balls refutes S26.
func (p *flowPort) overreacts(y *flowRun, owned, load int) bool {
	if p.owed == 0 && owned >= y.threshold+y.delay+y.ring {
		p.owed, p.before = p.marks+y.delay+y.ring, p.drops
	}
	if p.owed == 0 || p.drops == p.before && load > y.threshold {
		return false
	}
	early := p.drops == p.before && (p.marks < p.owed || owned != y.threshold || load != y.threshold)
	p.owed = 0
	return early
}

// settles reports whether S25 says that the run never uses the whole word.
func (y *flowRun) settles() bool {
	enough := y.bins*y.window + y.dropped
	for bin := range y.ports {
		p, hits := &y.ports[bin], 0
		for _, to := range y.word {
			if to == bin {
				hits++
			}
		}
		if y.top(p, hits) > y.threshold {
			enough += max(0, hits-y.threshold)
		}
	}
	return enough < len(y.word)
}

// checkRoundTrip enumerates all random throws of small systems and checks S24 to S27 after every round.
func checkRoundTrip(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	runs, settled, reactions := 0, 0, 0
	for _, s := range []flowSetup{{2, 1, 1, 2, 1}, {2, 2, 1, 3, 2}, {2, 2, 0, 2, 2}, {3, 3, 1, 2, 2}} {
		for word := range choices(s.bins, 9) {
			y, wrong := newFlowRun(s, word), ""
			for y.round < flowRounds && wrong == "" && y.step() {
				before := y.ports[0].owed
				if wrong = y.fault(); before > 0 && y.ports[0].owed == 0 {
					reactions++
				}
			}
			if runs++; y.settles() && y.ports[0].marks > 0 {
				settled++
			}
			if wrong == "" && y.settles() && y.used == len(word) {
				wrong = "S25"
			}
			if wrong != "" && f.Verdict == Holds {
				f.fails("%s: %+v, throws %v, round %d", wrong, s, slices.Clone(word), y.round)
			}
		}
	}
	f.require(settled > 0 && reactions > 0, "some runs settle after marks, some ports over-react")
	f.evidence("all sequences of 9 random throws of four systems of 2 or 3 senders, %d runs of up to %d rounds: no violation of S24 to S27; S25 ends %d of the runs in which port 0 marks, and port 0 over-reacts %d times", runs, flowRounds, settled, reactions)
	return f
}

// checkToppling plays the toppling model with all throws of small systems.
func checkToppling(*Audit) Finding {
	f := Finding{Verdict: Holds, Margin: "exact"}
	runs := 0
	for _, s := range []struct{ bins, threshold, delay, balls int }{{2, 1, 1, 5}, {3, 0, 2, 4}, {2, 2, 0, 6}, {3, 1, 1, 6}} {
		for word := range choices(s.bins, 9) {
			loads, hits, pool, turns := make([]int, s.bins), make([]int, s.bins), s.balls, 0
			for k, bin := range word {
				if pool == 0 {
					break
				}
				pool--
				turns -= max(0, hits[bin]-s.threshold) / (s.delay + 1)
				hits[bin]++
				turns += max(0, hits[bin]-s.threshold) / (s.delay + 1)
				if loads[bin]++; loads[bin] > s.threshold+s.delay {
					loads[bin], pool = s.threshold, pool+s.delay+1
				}
				if pool != s.balls-(k+1)+(s.delay+1)*turns {
					f.fails("%+v, throws %v: %d balls are left", s, slices.Clone(word[:k+1]), pool)
				}
			}
			runs++
		}
	}
	f.evidence("all sequences of 9 throws of four systems of 2 or 3 ports, %d runs", runs)
	return f
}
