package recycled

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"repslab/internal/mc"
)

// The oracles below are slow transcriptions of the definitions in the package
// comment, with plain slices and no bookkeeping. They draw from the same streams
// in the order that the definitions give, so every load of every round must be
// equal.

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
		case s.rests(bin, round):
		case load == 0:
			fresh++
		case load > s.cfg.Threshold:
			s.load[bin]--
			fresh++
		case s.cfg.Lambda < 1 && s.rng.Float64() >= s.cfg.Lambda:
			s.load[bin]-- // its ball was thrown back and lost
		}
	}
	for range fresh {
		if s.cfg.Lambda < 1 && s.rng.Float64() >= s.cfg.Lambda {
			continue
		}
		s.load[s.rng.Below(uint64(len(s.load)))]++
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
	switch cfg.Clocking {
	case RoundRobin:
		return &slowRoundRobin{slowPorts: slowPorts{}, cfg: cfg, bins: make([][]int, n), memory: map[int]int{}, rng: stream.Rand()}
	case PerFlow:
		s := &slowPerFlow{slowPorts: slowPorts{}, cfg: cfg, bins: make([][]int, n), rings: make([][]int, n), inFlight: make([]int, n)}
		for f := range n {
			s.draws = append(s.draws, stream.Child(uint64(f)).Rand())
		}
		s.losses = stream.Child(uint64(n)).Rand()
		return s
	default:
		return &slowSelfClocked{slowPorts: slowPorts{}, cfg: cfg, load: make([]int, n), rng: stream.Rand()}
	}
}

// anyConfig draws a small configuration of any kind.
func anyConfig(t *rapid.T) Config {
	return Config{
		Bins:      rapid.IntRange(1, 12).Draw(t, "bins"),
		Threshold: rapid.IntRange(1, 6).Draw(t, "threshold"),
		Clocking:  rapid.SampledFrom(Clockings()).Draw(t, "clocking"),
		Lambda:    rapid.SampledFrom([]float64{1, 1, 0.9, 0.5}).Draw(t, "lambda"),
		Colors:    rapid.IntRange(1, 5).Draw(t, "colors"),
		Ring:      rapid.IntRange(1, 9).Draw(t, "ring"),
		Delay:     rapid.IntRange(0, 12).Draw(t, "delay"),
		Window:    rapid.IntRange(0, 9).Draw(t, "window"),
		MaxRounds: 300,
	}
}

// TestAgainstOracle compares every load of every round, the number of balls and
// the maximum, three times with
// one process to see that Reset forgets everything, slow ports too.
func TestAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := anyConfig(t)
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for replica := range uint64(3) {
			stream := mc.NewStream(11, mc.Algorithm, replica)
			p.Reset(stream)
			slow := newOracle(cfg, stream)
			most, repeated := 0, false
			for round := 1; round <= cfg.MaxRounds; round++ {
				// In the second run ports become slow, broken and whole now and then.
				if changes := uint64(round) * 2654435761 % 97; replica == 1 && changes < 4 {
					p.SetPort(round%cfg.Bins, int(changes))
					slow.slow(round%cfg.Bins, int(changes))
				}
				p.Step()
				slow.step(round)
				var balls int64
				for bin, want := range slow.loads() {
					if got := p.Load(bin); got != want {
						t.Fatalf("%+v: round %d, bin %d: load %d, want %d", cfg, round, bin, got, want)
					}
					balls += int64(want)
					most = max(most, want)
				}
				if rr, ok := slow.(*slowRoundRobin); ok {
					repeated = repeated || rr.repeated()
					if got, known := p.ColorRepeated(); got != repeated || !known {
						t.Fatalf("%+v: round %d: colour repeated: %v, known: %v; want %v", cfg, round, got, known, repeated)
					}
				}
				if p.Balls() != balls || p.MaxLoad() != most || p.Round() != round {
					t.Fatalf("%+v: round %d: %d balls, maximum %d; want %d, %d", cfg, p.Round(), p.Balls(), p.MaxLoad(), balls, most)
				}
			}
		}
	})
}

// TestQueuesOutgrowTheirRoom follows runs with and without losses whose queues,
// made for two balls, double their room several times in mid-run and still give
// every load of every round; the second run begins with the grown queues.
func TestQueuesOutgrowTheirRoom(t *testing.T) {
	for _, cfg := range []Config{
		{Bins: 5, Threshold: 1, Colors: 7, Clocking: RoundRobin, Lambda: 1},
		{Bins: 5, Threshold: 1, Colors: 7, Clocking: RoundRobin, Lambda: 0.99},
	} {
		p := newRoundRobin(cfg)
		for replica := range uint64(2) {
			stream := mc.NewStream(12, mc.Algorithm, replica)
			p.Reset(stream)
			slow := newOracle(cfg, stream)
			for round := 1; round <= 20_000; round++ {
				p.Step()
				slow.step(round)
				for bin, want := range slow.loads() {
					if got := p.Load(bin); got != want {
						t.Fatalf("%+v, replica %d: round %d, bin %d: load %d, want %d", cfg, replica, round, bin, got, want)
					}
				}
			}
			if p.MaxLoad() <= 2<<3 {
				t.Errorf("%+v, replica %d: maximum load %d: the room doubled fewer than four times", cfg, replica, p.MaxLoad())
			}
		}
	}
}

// snapshot is what must repeat in a converged run.
func snapshot(p Process) string {
	s := ""
	for bin := range loadsOf(p) {
		s += fmt.Sprint(p.Load(bin), ",")
	}
	if r, ok := p.(*roundRobin); ok {
		s += fmt.Sprint(r.memory)
	}
	return s
}

func loadsOf(p Process) []int {
	switch q := p.(type) {
	case *roundRobin:
		return make([]int, q.cfg.Bins)
	case *selfClocked:
		return make([]int, len(q.loads))
	case *perFlow:
		return make([]int, len(q.draws))
	}
	return nil
}

// TestConvergedIsForever runs on after convergence: loads and memories repeat
// with the cycle's period, and the reported round is the end of the first cycle
// of the final periodic motion, not later. After a certificate no periodic
// motion of that kind is ever seen.
func TestConvergedIsForever(t *testing.T) {
	converged, certified := 0, 0
	for replica := range uint64(300) {
		cfg := Config{Bins: 2 + int(replica%4), Threshold: 2 + int(replica%7), Clocking: Clockings()[replica%2], Colors: 1 + int(replica%3), MaxRounds: 400}
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(5, mc.Algorithm, replica))
		period := 1
		if cfg.Clocking == RoundRobin {
			period = cfg.Colors
		}
		first, certificate := 0, 0
		history := []string{snapshot(p)}
		for p.Round() < cfg.MaxRounds {
			p.Step()
			history = append(history, snapshot(p))
			switch p.Status() {
			case Converged:
				if first == 0 {
					first = p.Round()
				}
			case Certified:
				if certificate == 0 {
					certificate = p.Round()
				}
			case Running:
				if first != 0 {
					t.Fatalf("%+v, replica %d: converged at %d, but running at %d", cfg, replica, first, p.Round())
				}
			}
		}
		if first == 0 {
			if certificate != 0 {
				certified++
			}
			continue
		}
		converged++
		if certificate != 0 {
			t.Fatalf("%+v, replica %d: converged at %d and certified at %d", cfg, replica, first, certificate)
		}
		for round := first; round+period <= cfg.MaxRounds; round++ {
			if history[round] != history[round+period] {
				t.Fatalf("%+v, replica %d: converged at %d, but rounds %d and %d differ", cfg, replica, first, round, round+period)
			}
		}
		checkFirst(t, cfg, replica, history, first, period)
	}
	if converged < 50 || certified < 20 {
		t.Errorf("%d runs converged and %d were certified: too few to test", converged, certified)
	}
}

// checkFirst checks that the run was not absorbed a round earlier: one round
// before the reported one, self-clocked loads still changed, and the states of a
// round-robin run did not yet repeat with the period of the cycle.
func checkFirst(t *testing.T, cfg Config, replica uint64, history []string, first, period int) {
	t.Helper()
	repeats := history[first-1] == history[first]
	if cfg.Clocking == RoundRobin {
		repeats = first > period && history[first-period] == history[first] && history[first-period-1] == history[first-1]
	}
	if repeats {
		t.Fatalf("%+v, replica %d: converged at %d, but the state already repeated before", cfg, replica, first)
	}
}

// TestIdleBinsAreNotAbsorbed begins with memories that are complete and even, and
// empty bins. Bin 0 gets two balls in the first and two in the last round of a
// cycle of four: the first cycle never sees it above the threshold of 2, but it
// idles once, and in the second cycle the bursts meet and a colour forgets.
func TestIdleBinsAreNotAbsorbed(t *testing.T) {
	batches := [][]uint32{{0, 0, 1, 3}, {1, 1, 2, 3}, {2, 2, 3, 3}, {0, 0, 1, 2}}
	p := newRoundRobin(Config{Bins: 4, Threshold: 2, Colors: 4, Lambda: 1})
	p.Reset(mc.NewStream(1, mc.Algorithm, 0))
	for i, batch := range batches {
		for j, bin := range batch {
			p.memory[4*i+j] = bin
		}
	}
	for p.Round() < 5 {
		p.Step()
		if p.Status() != Running {
			t.Fatalf("round %d: status %v, but a forget is to come", p.Round(), p.Status())
		}
	}
	p.Step()
	if !slices.Contains(p.memory, nothing) {
		t.Error("nothing was forgotten in round 6: the example is wrong")
	}
}

// TestFirstPeriodicRound begins one learning step before the periodic motion:
// colour 2 learns its bin in round 1, whose throws are the first of a full cycle
// of two rounds, so round 2 is the first absorbed one.
func TestFirstPeriodicRound(t *testing.T) {
	p := newRoundRobin(Config{Bins: 2, Threshold: 3, Colors: 2, Lambda: 1})
	p.Reset(mc.NewStream(1, mc.Algorithm, 0))
	for color, bin := range map[uint32]uint32{0: 0, 1: 1, 3: 1} {
		p.memory[color] = bin
	}
	p.queues.Push([]uint32{0, 1}, 2)
	for _, color := range []uint32{2, 3} {
		p.inBins[color]++
		p.balls++
	}
	for round, want := range []Status{Running, Converged, Converged} {
		p.Step()
		if got := p.Status(); got != want {
			t.Errorf("round %d: status %v, want %v", round+1, got, want)
		}
	}
}
