package recycled

import (
	"slices"
	"strconv"
	"strings"

	"repslab/mc"
)

// oracle is a slow process.
type oracle interface {
	step(round int)
	loads() []int
	slow(bin, every int) // SetPort
}

// slowPorts are the ports that serve only in rounds divisible by a number, never
// if that is 0.
type slowPorts map[int]int

func (s slowPorts) slow(bin, every int) { s[bin] = every }

func (s slowPorts) rests(bin, round int) bool {
	every, slow := s[bin]
	return slow && (every == 0 || round%every != 0)
}

// slowMarks decides which removed balls are good.
type slowMarks struct {
	cfg  Config
	draw mc.Rand
}

func newSlowMarks(cfg Config, stream mc.Stream) slowMarks {
	return slowMarks{cfg, stream.Child(uint64(cfg.Bins) + 3).Rand()}
}

// good is the definition: up to τ always, from τ + w on never, and between them with probability
// 1 - (load - τ)/w, which alone takes a random number.
func (m *slowMarks) good(load int) bool {
	above, width := load-m.cfg.Threshold, m.cfg.Ramp
	if above <= 0 || above >= width {
		return above <= 0
	}
	return int(m.draw.Below(uint64(width))) >= above
}

// slowSelfClocked scans all bins in every round.
type slowSelfClocked struct {
	slowPorts
	slowMarks
	*ledger
	cfg      Config
	load     []int
	overfull []int // bins in the order in which they became overfull
	rng      mc.Rand
}

// recount updates the list of overfull bins.
func (s *slowSelfClocked) recount() {
	s.overfull = slices.DeleteFunc(s.overfull, func(bin int) bool { return s.load[bin] <= s.cfg.Threshold })
}

// receive puts a ball into a bin.
func (s *slowSelfClocked) receive(bin int) {
	s.load[bin]++
	if s.load[bin] == s.cfg.Threshold+1 {
		s.overfull = append(s.overfull, bin)
	}
}

func (s *slowSelfClocked) loads() []int { return s.load }

func (s *slowSelfClocked) step(round int) {
	before := slices.Clone(s.load)
	fresh := 0
	for bin, load := range before {
		switch {
		case s.rests(bin, round) || load == 0 && s.cfg.Closed:
		case load == 0:
			fresh++
			s.new()
		case load > s.cfg.Threshold:
		case s.cfg.Lambda < 1 && s.rng.Float64() >= s.cfg.Lambda:
			s.load[bin]-- // its ball was thrown back and lost
		}
	}
	for _, bin := range s.overfull {
		switch {
		case s.rests(bin, round):
		case !s.good(before[bin]):
			s.mark(bin)
			s.load[bin]--
			fresh++
		case s.cfg.Lambda < 1 && s.rng.Float64() >= s.cfg.Lambda:
			s.load[bin]--
		}
	}
	s.recount()
	seen := slices.Clone(s.load)
	for range fresh {
		if s.cfg.Lambda < 1 && s.rng.Float64() >= s.cfg.Lambda {
			continue
		}
		best := s.rng.Below(uint64(len(s.load)))
		for range max(1, s.cfg.Choices) - 1 {
			if other := s.rng.Below(uint64(len(s.load))); seen[other] < seen[best] {
				best = other
			}
		}
		s.hit(int(best))
		s.receive(int(best))
	}
}

// slowRoundRobin keeps balls as colours in slices.
type slowRoundRobin struct {
	slowPorts
	slowMarks
	cfg    Config
	bins   [][]int
	memory map[int]int
	rng    mc.Rand
}

func (s *slowRoundRobin) loads() []int { return lengths(s.bins) }

// repeated says whether two balls of one colour are in the bins.
func (s *slowRoundRobin) repeated() bool {
	seen := map[int]bool{}
	for _, balls := range s.bins {
		for _, color := range balls {
			if seen[color] {
				return true
			}
			seen[color] = true
		}
	}
	return false
}

func lengths(bins [][]int) []int {
	var loads []int
	for _, b := range bins {
		loads = append(loads, len(b))
	}
	return loads
}

func (s *slowRoundRobin) step(round int) {
	n := s.cfg.Bins
	for bin, balls := range s.bins {
		if len(balls) == 0 || s.rests(bin, round) {
			continue
		}
		color := balls[0]
		s.bins[bin] = balls[1:]
		if !s.good(len(balls)) {
			delete(s.memory, color)
		} else if _, remembers := s.memory[color]; !remembers {
			s.memory[color] = bin
		}
	}
	for i := range n {
		color := ((round-1)*n + i) % (n * s.cfg.Colors)
		bin, remembers := s.memory[color]
		if !remembers {
			bin = int(s.rng.Below(uint64(n)))
		}
		if s.cfg.Lambda < 1 && s.rng.Float64() >= s.cfg.Lambda {
			continue
		}
		s.bins[bin] = append(s.bins[bin], color)
	}
}

// slowPerFlow keeps balls as flows in slices and replies with their due round.
type slowPerFlow struct {
	slowPorts
	slowMarks
	*ledger
	cfg      Config
	bins     [][]int
	rings    [][]int
	inFlight []int
	replies  []struct{ due, flow, bin int }
	draws    []mc.Rand
	losses   mc.Rand
}

func (s *slowPerFlow) loads() []int { return lengths(s.bins) }

func (s *slowPerFlow) step(round int) {
	n := s.cfg.Bins
	for i := range n {
		bin := (round + i) % n
		balls := s.bins[bin]
		if len(balls) == 0 || s.rests(bin, round) {
			continue
		}
		good := bin
		if !s.good(len(balls)) {
			s.mark(bin)
			good = -1
		}
		s.replies = append(s.replies, struct{ due, flow, bin int }{round + s.cfg.Delay, balls[0], good})
		s.bins[bin] = balls[1:]
	}
	for len(s.replies) > 0 && s.replies[0].due == round {
		r := s.replies[0]
		s.replies = s.replies[1:]
		s.inFlight[r.flow]--
		if r.bin >= 0 {
			s.rings[r.flow] = append(s.rings[r.flow], r.bin)
			if len(s.rings[r.flow]) > s.cfg.Ring {
				s.drop(s.rings[r.flow][0])
				s.rings[r.flow] = s.rings[r.flow][1:]
			}
		}
	}
	for i := range n {
		flow := (round + i) % n
		if s.cfg.Window > 0 && s.inFlight[flow] >= s.cfg.Window {
			continue
		}
		var bin int
		if ring := s.rings[flow]; len(ring) > 0 {
			bin, s.rings[flow] = ring[0], ring[1:]
		} else {
			bin = int(s.draws[flow].Below(uint64(n)))
			s.hit(bin)
		}
		if s.cfg.Lambda < 1 && s.losses.Float64() >= s.cfg.Lambda {
			continue
		}
		s.inFlight[flow]++
		s.bins[bin] = append(s.bins[bin], flow)
	}
}

// slowAck keeps the tokens of each round that is to come.
type slowAck struct {
	slowPorts
	slowMarks
	*ledger
	cfg     Config
	load    []int
	tokens  map[int][]int // bins of the good balls that come back in a round
	marked  map[int]int   // other balls that come back in a round
	uniform mc.Rand
}

func (s *slowAck) loads() []int { return s.load }

func (s *slowAck) step(round int) {
	back := round + s.cfg.Delay
	for bin, load := range s.load {
		switch {
		case load == 0 || s.rests(bin, round):
			continue
		case s.good(load):
			s.tokens[back] = append(s.tokens[back], bin)
		default:
			s.mark(bin)
			s.marked[back]++
		}
		s.load[bin]--
	}
	for _, bin := range s.tokens[round] {
		s.load[bin]++
	}
	delete(s.tokens, round)
	random := s.marked[round]
	if round <= s.cfg.Window {
		random += len(s.load)
	}
	for range random {
		bin := int(s.uniform.Below(uint64(len(s.load))))
		s.hit(bin)
		s.load[bin]++
	}
}

// slowFrozen keeps the EVs in the bins, on their way back and thrown by each flow.
type slowFrozen struct {
	slowPorts
	slowMarks
	cfg    Config
	bins   [][]int
	back   map[int][]slowReply // by round
	thrown [][]int             // by flow, the newest last
	bin    []int               // of each EV
}

// slowReply is the ACK of a ball.
type slowReply struct {
	ev   int
	good bool
}

func (s *slowFrozen) loads() []int { return lengths(s.bins) }

// flow returns the flow of an EV.
func (s *slowFrozen) flow(ev int) int { return ev / (s.cfg.Window + s.cfg.Ring) }

func (s *slowFrozen) throw(ev int) {
	flow, bin := s.flow(ev), s.bin[ev]
	s.thrown[flow] = append(s.thrown[flow], ev)
	s.bins[bin] = append(s.bins[bin], ev)
}

func (s *slowFrozen) step(round int) {
	back := round + s.cfg.Delay
	for bin, balls := range s.bins {
		if len(balls) > 0 && !s.rests(bin, round) {
			s.back[back] = append(s.back[back], slowReply{balls[0], s.good(len(balls))})
			s.bins[bin] = balls[1:]
		}
	}
	for _, reply := range s.back[round] {
		if own := s.thrown[s.flow(reply.ev)]; !reply.good {
			reply.ev = own[len(own)-s.cfg.Ring]
		}
		s.throw(reply.ev)
	}
	delete(s.back, round)
	for flow := range s.bins {
		if round <= s.cfg.Window {
			s.throw(flow*(s.cfg.Window+s.cfg.Ring) + round - 1)
		}
	}
}

// variety returns what the variety of the process should be.
func (s *slowFrozen) variety() (distinct, topShare float64) {
	copies, balls := map[int]int{}, make([]int, len(s.bins))
	count := func(ev int) {
		copies[ev]++
		balls[s.flow(ev)]++
	}
	for _, bin := range s.bins {
		for _, ev := range bin {
			count(ev)
		}
	}
	for _, replies := range s.back {
		for _, reply := range replies {
			count(reply.ev)
		}
	}
	most := make([]int, len(s.bins))
	for ev, n := range copies {
		most[s.flow(ev)] = max(most[s.flow(ev)], n)
	}
	for flow, n := range most {
		topShare += float64(n) / float64(balls[flow]) / float64(len(most))
	}
	return float64(len(copies)) / float64(len(most)), topShare
}

func newOracle(cfg Config, stream mc.Stream) oracle {
	n, marks := cfg.Bins, newSlowMarks(cfg, stream)
	rng := stream.Rand()
	switch cfg.Clocking {
	case RoundRobin:
		s := &slowRoundRobin{slowPorts: slowPorts{}, slowMarks: marks, cfg: cfg, bins: make([][]int, n), memory: map[int]int{}}
		for color, bin := range startOf(cfg, &rng) {
			s.bins[bin] = append(s.bins[bin], color)
		}
		s.rng = rng
		return s
	case PerFlow:
		s := &slowPerFlow{slowPorts: slowPorts{}, slowMarks: marks, cfg: cfg, bins: make([][]int, n), rings: make([][]int, n), inFlight: make([]int, n)}
		for f := range n {
			s.draws = append(s.draws, stream.Child(uint64(f)).Rand())
		}
		s.losses = stream.Child(uint64(n)).Rand()
		starts := stream.Child(uint64(n + 1)).Rand()
		for ball, bin := range startOf(cfg, &starts) {
			s.bins[bin] = append(s.bins[bin], ball%n)
			s.inFlight[ball%n]++
		}
		return s
	case Ack:
		return &slowAck{slowPorts{}, marks, nil, cfg, make([]int, n), map[int][]int{}, map[int]int{}, stream.Child(0).Rand()}
	case Frozen:
		s := &slowFrozen{slowPorts: slowPorts{}, slowMarks: marks, cfg: cfg, bins: make([][]int, n), back: map[int][]slowReply{}, thrown: make([][]int, n)}
		draws := stream.Child(0).Rand()
		for ev := range n * (cfg.Window + cfg.Ring) {
			s.bin = append(s.bin, int(draws.Below(uint64(n))))
			if flow := s.flow(ev); ev-flow*(cfg.Window+cfg.Ring) >= cfg.Window {
				s.thrown[flow] = append(s.thrown[flow], ev)
			}
		}
		return s
	default:
		s := &slowSelfClocked{slowPorts: slowPorts{}, slowMarks: marks, cfg: cfg, load: make([]int, n)}
		for _, bin := range startOf(cfg, &rng) {
			s.receive(bin)
		}
		s.rng = rng
		return s
	}
}

// startOf returns the bin of every ball of the start.
func startOf(cfg Config, rng *mc.Rand) (bins []int) {
	switch cfg.Start {
	case AllInOne:
		return make([]int, cfg.Balls)
	case Random:
		for range cfg.Balls {
			bins = append(bins, int(rng.Below(uint64(cfg.Bins))))
		}
		return bins
	}
	for bin, text := range strings.Split(string(cfg.Start), ",") {
		load, _ := strconv.Atoi(text) // 0 for the start Empty
		bins = append(bins, slices.Repeat([]int{bin}, load)...)
	}
	return bins
}
