package recycled

import (
	"fmt"
	"testing"

	"repslab/internal/propertytest"
	"repslab/mc"

	"pgregory.net/rapid"
)

// ledger counts what the theorems of the round trip speak of (docs/round-trip.md): uniform throws, marks and
// dropped entries of every port. A slow process with a ledger reports to it; a nil ledger counts nothing.
type ledger struct {
	threshold, delay, jitter int
	step                     bool // no ramp
	ports                    []portLedger

	throws, marks, drops, fresh int // uniform throws; marks; dropped entries; throws that need no mark or drop
}

// portLedger are the counts of a port.
type portLedger struct {
	hits, marks, drops int
	hitsBefore         int // before the current round
	longest, climb     int // Y and V: over the first d+1 rounds
	later              int // Z: hits after them
	overreacts         int // 0, or 1 + the marks since the port owned τ + d + b + 1 tokens
	dropsThen          int
}

func newLedger(cfg Config) *ledger {
	l := &ledger{threshold: cfg.Threshold, delay: cfg.Delay, step: cfg.Ramp <= 1, ports: make([]portLedger, cfg.Bins)}
	for j := range l.ports {
		l.ports[j].longest = -1 << 30
	}
	switch cfg.Clocking {
	case PerFlow:
		l.jitter, l.fresh = cfg.Ring-1, cfg.Bins*cfg.Window
	case Ack:
		l.fresh = cfg.Bins * cfg.Window
	}
	return l
}

func (l *ledger) new() {
	if l != nil {
		l.fresh++
	}
}

func (l *ledger) hit(port int) {
	if l != nil {
		l.throws++
		l.ports[port].hits++
	}
}

func (l *ledger) mark(port int) {
	if l != nil {
		l.marks++
		l.ports[port].marks++
		if l.ports[port].overreacts > 0 {
			l.ports[port].overreacts++
		}
	}
}

func (l *ledger) drop(port int) {
	if l != nil {
		l.drops++
		l.ports[port].drops++
	}
}

// reached counts how often each bound was met with equality, so that no constant of them could be smaller.
type reached struct{ load, marking, marks, episodes, capacity, throws, rethrows int }

// check checks all statements after a round, for the loads and the tokens of each port that are away.
func (l *ledger) check(round int, loads, away []int, met *reached) error {
	allowed := 0
	for j := range l.ports {
		p := &l.ports[j]
		now := p.hits - p.hitsBefore
		if round <= l.delay+1 {
			p.climb = max(0, p.climb) + now - 1
			p.longest = max(p.longest, p.climb)
		} else {
			p.later += now
		}
		if err := l.checkPort(p, loads[j], away[j], met); err != nil {
			return fmt.Errorf("port %d: %w", j, err)
		}
		if p.mayMark(l) {
			allowed += max(0, p.hits-l.threshold)
		}
		p.hitsBefore = p.hits
	}
	if most := l.fresh + l.marks + l.drops; l.throws > most {
		return fmt.Errorf("%d uniform throws, more than %d", l.throws, most)
	} else if l.throws == most && l.marks > 0 {
		met.throws++
	}
	if rethrows := l.throws - l.fresh - l.drops; rethrows > allowed {
		return fmt.Errorf("theorem 2: %d rethrows without drops, at most %d marks", rethrows, allowed)
	} else if rethrows > 0 && rethrows == allowed {
		met.rethrows++
	}
	return nil
}

// mayMark reports whether the port is in A.
func (p *portLedger) mayMark(l *ledger) bool {
	return p.longest+p.later >= l.threshold || p.later >= l.threshold-l.jitter
}

func (l *ledger) checkPort(p *portLedger, load, away int, met *reached) error {
	owned := p.hits - p.marks - p.drops
	if owned != load+away {
		return fmt.Errorf("%d tokens, but %d in the port and %d away", owned, load, away)
	}
	if away > l.delay+l.jitter {
		return fmt.Errorf("%d tokens are away, more than d + b", away)
	}
	most := max(p.longest+p.later+1, p.later+l.jitter+1)
	if load > most {
		return fmt.Errorf("theorem 1: load %d, at most %d", load, most)
	} else if load == most && load > 3 {
		met.load++
	}
	if load > l.threshold && !p.mayMark(l) {
		return fmt.Errorf("corollary 1: load %d outside of A", load)
	} else if load > l.threshold && max(p.longest+p.later-l.threshold, p.later-l.threshold+l.jitter) == 0 {
		met.marking++
	}
	if most := max(0, p.hitsBefore-l.threshold); p.marks > most {
		return fmt.Errorf("lemma 2: %d marks, at most %d", p.marks, most)
	} else if p.marks == most && p.marks > 0 {
		met.marks++
	}
	if !l.step {
		return nil
	}
	return l.checkOverreaction(p, load, owned, met)
}

// checkOverreaction checks theorem 3.
func (l *ledger) checkOverreaction(p *portLedger, load, owned int, met *reached) error {
	capacity := l.threshold + l.delay + l.jitter
	if p.overreacts > 0 && load <= l.threshold {
		marks := p.overreacts - 1
		p.overreacts = 0
		if p.drops == p.dropsThen {
			met.episodes++
			if load != l.threshold || owned != l.threshold || marks < l.delay+l.jitter+1 {
				return fmt.Errorf("theorem 3: after %d marks load %d and %d tokens", marks, load, owned)
			}
		}
	}
	if owned == capacity && load <= l.threshold {
		met.capacity++ // one token more would be too many
	}
	if owned > capacity {
		if load <= l.threshold {
			return fmt.Errorf("theorem 3: %d tokens and load %d", owned, load)
		}
		if p.overreacts == 0 {
			p.overreacts, p.dropsThen = 1, p.drops
		}
	}
	return nil
}

// slowAdversary is the model of the theorems in full: tokens return after d, ..., d+b rounds or are dropped,
// marked and dropped balls are thrown after any number of rounds, new ones in the first rounds.
type slowAdversary struct {
	slowMarks
	*ledger
	load   []int
	fresh  int           // rounds with n new balls
	drops  int           // percentage of the tokens that are dropped
	tokens map[int][]int // ports of the tokens that come back in a round
	random map[int]int   // uniform throws in a round
	draw   mc.Rand
}

func (s *slowAdversary) below(n int) int { return int(s.draw.Below(uint64(n))) }

func (s *slowAdversary) step(round int) {
	n, d := len(s.load), s.ledger.delay
	for port, load := range s.load {
		back := round + d
		switch {
		case load == 0:
			continue
		case !s.good(load):
			s.mark(port)
			s.random[back+s.below(4)]++
		case s.below(100) < s.drops:
			s.drop(port)
			s.random[back+s.below(4)]++
		default:
			back += s.below(s.jitter + 1)
			s.tokens[back] = append(s.tokens[back], port)
		}
		s.load[port]--
	}
	for _, port := range s.tokens[round] {
		s.load[port]++
	}
	delete(s.tokens, round)
	throws := s.random[round]
	if round <= s.fresh {
		throws += n
		s.ledger.fresh += n
	}
	for range throws {
		port := s.below(n)
		s.hit(port)
		s.load[port]++
	}
}

// awayOf counts the tokens of every port that are on their way or in rings.
func awayOf(o oracle, ports int) []int {
	away := make([]int, ports)
	switch s := o.(type) {
	case *slowPerFlow:
		for _, r := range s.replies {
			if r.bin >= 0 {
				away[r.bin]++
			}
		}
		for _, ring := range s.rings {
			for _, bin := range ring {
				away[bin]++
			}
		}
	case *slowAck:
		for _, bins := range s.tokens {
			for _, bin := range bins {
				away[bin]++
			}
		}
	}
	return away
}

// anyRoundTrip draws a configuration to which the theorems apply.
func anyRoundTrip(t *rapid.T) Config {
	cfg := Config{
		Bins: rapid.IntRange(1, 12).Draw(t, "bins"), Threshold: rapid.IntRange(1, 15).Draw(t, "threshold"), Lambda: 1,
		Clocking: rapid.SampledFrom([]Clocking{PerFlow, PerFlow, Ack, SelfClocked}).Draw(t, "clocking"),
		Ramp:     max(0, rapid.IntRange(-6, 6).Draw(t, "ramp")),
		Delay:    rapid.IntRange(0, 25).Draw(t, "delay"), Ring: rapid.IntRange(1, 9).Draw(t, "ring"),
	}
	cfg.Window = rapid.IntRange(1, 2*(cfg.Delay+cfg.Threshold)+2).Draw(t, "window")
	return cfg.Used()
}

// TestRoundTripTheorems checks the theorems of the round trip in every round of random runs of the processes:
// each step has the loads of a slow process, which reports to a ledger. In these runs every bound is reached.
func TestRoundTripTheorems(t *testing.T) {
	var met reached
	propertytest.Check(t, func(t *rapid.T) {
		cfg := anyRoundTrip(t)
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		stream := mc.NewStream(17, mc.Algorithm, uint64(rapid.IntRange(0, 1000).Draw(t, "replica")))
		p.Reset(stream)
		slow, l := newOracle(cfg.WithDefaults().Used(), stream), newLedger(cfg)
		switch s := slow.(type) {
		case *slowPerFlow:
			s.ledger = l
		case *slowAck:
			s.ledger = l
		case *slowSelfClocked:
			s.ledger = l
		}
		for round := 1; round <= 300; round++ {
			p.Step()
			slow.step(round)
			loads := slow.loads()
			for bin, load := range loads {
				if p.Load(bin) != load {
					t.Fatalf("%+v: round %d, bin %d: load %d, want %d", cfg, round, bin, p.Load(bin), load)
				}
			}
			if err := l.check(round, loads, awayOf(slow, cfg.Bins), &met); err != nil {
				t.Fatalf("%+v: round %d: %v", cfg, round, err)
			}
			if s, is := slow.(*slowPerFlow); is {
				for f, ring := range s.rings {
					if len(ring) > cfg.Window-s.inFlight[f] {
						t.Fatalf("%+v: round %d: flow %d has %d entries and %d balls in flight", cfg, round, f, len(ring), s.inFlight[f])
					}
				}
			}
		}
	})
	met.expect(t)
}

// expect reports bounds that were never reached.
func (met reached) expect(t *testing.T) {
	t.Logf("%+v", met)
	if met.load == 0 || met.marking == 0 || met.marks == 0 || met.episodes == 0 || met.capacity == 0 || met.throws == 0 || met.rethrows == 0 {
		t.Errorf("some bounds were never reached: %+v", met)
	}
}

// TestRoundTripTheoremsForAdversaries does the same for delays, drops and throws that an adversary chooses.
func TestRoundTripTheoremsForAdversaries(t *testing.T) {
	var met reached
	propertytest.Check(t, func(t *rapid.T) {
		cfg := anyRoundTrip(t)
		cfg.Clocking = "any"
		l := newLedger(cfg)
		l.delay, l.jitter = rapid.IntRange(0, 25).Draw(t, "rounds"), rapid.IntRange(0, 8).Draw(t, "jitter")
		stream := mc.NewStream(19, mc.Algorithm, uint64(rapid.IntRange(0, 1000).Draw(t, "replica")))
		s := &slowAdversary{newSlowMarks(cfg, stream), l, make([]int, cfg.Bins), rapid.IntRange(1, 60).Draw(t, "new"),
			max(0, rapid.IntRange(-20, 20).Draw(t, "drops")), map[int][]int{}, map[int]int{}, stream.Child(0).Rand()}
		for round := 1; round <= 300; round++ {
			s.step(round)
			away := make([]int, cfg.Bins)
			for _, ports := range s.tokens {
				for _, port := range ports {
					away[port]++
				}
			}
			if err := l.check(round, s.load, away, &met); err != nil {
				t.Fatalf("%+v, d=%d, b=%d: round %d: %v", cfg, l.delay, l.jitter, round, err)
			}
		}
	})
	met.expect(t)
}
