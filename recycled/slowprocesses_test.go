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

// slowSelfClocked scans all bins in every round.
type slowSelfClocked struct {
	slowPorts
	cfg  Config
	load []int
	rng  mc.Rand
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
		case load > s.cfg.Threshold:
			s.load[bin]--
			fresh++
		case s.cfg.Lambda < 1 && s.rng.Float64() >= s.cfg.Lambda:
			s.load[bin]-- // its ball was thrown back and lost
		}
	}
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
		s.load[best]++
	}
}

// slowRoundRobin keeps balls as colours in slices.
type slowRoundRobin struct {
	slowPorts
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
		if len(balls) > s.cfg.Threshold {
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
		if len(balls) > s.cfg.Threshold {
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
		}
		if s.cfg.Lambda < 1 && s.losses.Float64() >= s.cfg.Lambda {
			continue
		}
		s.inFlight[flow]++
		s.bins[bin] = append(s.bins[bin], flow)
	}
}

func newOracle(cfg Config, stream mc.Stream) oracle {
	n := cfg.Bins
	rng := stream.Rand()
	switch cfg.Clocking {
	case RoundRobin:
		s := &slowRoundRobin{slowPorts: slowPorts{}, cfg: cfg, bins: make([][]int, n), memory: map[int]int{}}
		for color, bin := range startOf(cfg, &rng) {
			s.bins[bin] = append(s.bins[bin], color)
		}
		s.rng = rng
		return s
	case PerFlow:
		s := &slowPerFlow{slowPorts: slowPorts{}, cfg: cfg, bins: make([][]int, n), rings: make([][]int, n), inFlight: make([]int, n)}
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
	default:
		s := &slowSelfClocked{slowPorts: slowPorts{}, cfg: cfg, load: make([]int, n)}
		for _, bin := range startOf(cfg, &rng) {
			s.load[bin]++
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
