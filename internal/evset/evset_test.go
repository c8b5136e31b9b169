package evset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"repslab/internal/mctest"
	"repslab/internal/propertytest"
	"repslab/mc"

	"pgregory.net/rapid"
)

// rules lists all rules.
func rules() []Rule {
	return []Rule{{}, {Always: true}, {Discover: true}, {Always: true, Discover: true}}
}

// begun returns the set of one sender, begun, and the sender's generator.
func begun(rule Rule, size, evs int, stream mc.Stream) (s Sets, draw mc.Rand) {
	s, draw = New(rule, size, evs, 1), stream.Rand()
	s.Reset(0, &draw)
	return s, draw
}

// slowSet transcribes the rules with slices: the EVs that no other slot holds are listed and one is drawn;
// any EV if there are more slots than EVs.
type slowSet struct {
	rule      Rule
	size, evs int
	set       []uint32
	sent      int
	draw      mc.Rand
}

func (s *slowSet) uniform(n int) int { return int(s.draw.Below(uint64(n))) }

func (s *slowSet) fresh(others []uint32) uint32 {
	var free []uint32
	for ev := range uint32(s.evs) {
		if !slices.Contains(others, ev) {
			free = append(free, ev)
		}
	}
	if len(others) >= s.evs {
		return uint32(s.uniform(s.evs))
	}
	return free[s.uniform(len(free))]
}

func (s *slowSet) begin() {
	for !s.rule.Discover && len(s.set) < s.size {
		s.set = append(s.set, s.fresh(s.set))
	}
	if s.rule.Discover {
		s.size = min(s.size, s.evs)
	}
}

func (s *slowSet) next() uint32 {
	s.sent++
	if len(s.set) < s.size {
		return uint32(s.uniform(s.evs))
	}
	return s.set[(s.sent-1)%s.size]
}

func (s *slowSet) feedback(kind int, ev uint32) {
	i := slices.Index(s.set, ev)
	switch {
	case kind == 0 && i < 0 && len(s.set) < s.size:
		s.set = append(s.set, ev)
	case kind == 0 || i < 0 || kind == 2 && !s.rule.Discover:
	case kind == 1 && !s.rule.Always && s.uniform(s.size) == 0:
	case s.rule.Discover:
		s.set = slices.Delete(s.set, i, i+1)
	default:
		s.set[i] = s.fresh(slices.Delete(slices.Clone(s.set), i, i+1))
	}
}

// TestAgainstSlow: random packets and feedback, also for EVs that were never sent, give the EVs of the transcription.
// A set has no EV twice if there are as many as slots, and another sender's set does not change. A sender that
// inherits goes on with the same set.
func TestAgainstSlow(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(rules()).Draw(t, "rule")
		size, evs := rapid.IntRange(1, 9).Draw(t, "size"), rapid.IntRange(1, 12).Draw(t, "evs")
		stream := mc.NewStream(rapid.Uint64().Draw(t, "seed"), mc.Algorithm, 0)
		draw, other := stream.Rand(), stream.Child(1).Rand()
		slow := slowSet{rule: rule, size: size, evs: evs, draw: stream.Rand()}
		s := New(rule, size, evs, 2)
		s.Reset(1, &other)
		beside := slices.Clone(s.of(1))
		s.Reset(0, &draw)
		slow.begin()
		for range 60 {
			if ev, want := s.Next(0, &draw), slow.next(); ev != want {
				t.Fatalf("EV %d, want %d", ev, want)
			}
			kind, ev := rapid.IntRange(0, 2).Draw(t, "kind"), uint32(rapid.IntRange(0, evs).Draw(t, "EV"))
			switch kind {
			case 0:
				s.Good(0, ev)
			case 1:
				s.Marked(0, ev, &draw)
			case 2:
				s.Lost(0, ev)
			}
			slow.feedback(kind, ev)
			sorted := slices.Sorted(slices.Values(s.of(0)))
			if !slices.Equal(s.of(0), slow.set) || s.Full(0) != (len(slow.set) == slow.size) || size <= evs && len(slices.Compact(sorted)) != len(slow.set) {
				t.Fatalf("set %v, full %v; want %v of %d", s.of(0), s.Full(0), slow.set, slow.size)
			}
		}
		if !slices.Equal(beside, s.of(1)) {
			t.Fatalf("the other set was %v and is %v", beside, s.of(1))
		}
		s.Inherit(1, 0)
		if !slices.Equal(s.of(1), slow.set) || s.Full(1) && s.Next(1, &other) != slow.next() {
			t.Fatalf("inherited %v, want %v and its turn", s.of(1), slow.set)
		}
	})
}

// TestExactCases: one EV is never left by the lottery, K = E marks change nothing, one EV that is always left is
// oblivious spraying, and so is a set that finds no EV without a mark. K above E has EVs twice.
func TestExactCases(t *testing.T) {
	const evs = 7
	stream := mc.NewStream(4, mc.Algorithm, 0)
	one, draw := begun(Rule{}, 1, evs, stream)
	all, allDraw := begun(Rule{Always: true}, evs, evs, stream)
	first, order := one.Next(0, &draw), slices.Clone(all.of(0))
	always, alwaysDraw := begun(Rule{Always: true}, 1, evs, stream)
	unmarked, found := begun(Rule{Discover: true}, 3, evs, stream)
	sprayed, sprayedDraw := stream.Rand(), stream.Rand()
	for i := range 200 {
		one.Marked(0, first, &draw)
		if ev := one.Next(0, &draw); ev != first {
			t.Fatalf("one EV, %d, becomes %d", first, ev)
		}
		ev := all.Next(0, &allDraw)
		if all.Marked(0, ev, &allDraw); ev != order[i%evs] || !slices.Equal(all.of(0), order) {
			t.Fatalf("all EVs: %d, set %v, want %v in turn", ev, all.of(0), order)
		}
		ev = always.Next(0, &alwaysDraw)
		if want := uint32(sprayed.Below(evs)); ev != want {
			t.Fatalf("one EV, always replaced: %d, spraying draws %d", ev, want)
		}
		always.Marked(0, ev, &alwaysDraw)
		ev = unmarked.Next(0, &found)
		if want := uint32(sprayedDraw.Below(evs)); ev != want {
			t.Fatalf("nothing found: %d, spraying draws %d", ev, want)
		}
		unmarked.Marked(0, ev, &found)
	}
	twice, _ := begun(Rule{}, 2*evs, evs, stream)
	if set := twice.of(0); len(set) != 2*evs || len(slices.Compact(slices.Sorted(slices.Values(set)))) != evs {
		t.Errorf("%d slots for %d EVs: %v", 2*evs, evs, set)
	}
	if capped := New(Rule{Discover: true}, 2*evs, evs, 1); capped.size != evs {
		t.Errorf("a set that finds EVs has %d slots for %d EVs", capped.size, evs)
	}
}

// law returns the stationary law of a set's EVs, each marked with its own probability: the product of 1/p over the
// set, as weights by set.
func law(marks []float64, size int) map[string]float64 {
	weights, sum := map[string]float64{}, 0.0
	for bits := range 1 << len(marks) {
		var set []uint32
		weight := 1.0
		for ev, p := range marks {
			if bits>>ev&1 == 1 {
				set, weight = append(set, uint32(ev)), weight/p
			}
		}
		if len(set) == size {
			weights[fmt.Sprint(set)] = weight
			sum += weight
		}
	}
	for set := range weights {
		weights[set] /= sum
	}
	return weights
}

// TestStationaryLaw: if EV e is marked with probability p(e), whatever happened before, and the mark is known before
// the EV's next turn, then P[S] is proportional to the product of 1/p(e) over S, under both rules: with these weights,
// S to S - e + f is as frequent as its reverse, for each slot. Equal p give a uniform set, which is the law at the
// start. 40,000 sets after 60 packets; 22 comparisons with |z| below 6.11 fail by chance once in 5e7 seeds.
func TestStationaryLaw(t *testing.T) {
	const runs, size = 40_000, 2
	for _, rule := range []Rule{{}, {Always: true}} {
		for _, marks := range [][]float64{{0.2, 0.4, 0.6, 0.8, 0.8}, {0.5, 0.5, 0.5, 0.5}} {
			counts := map[string]float64{}
			for run := range uint64(runs) {
				s, draw := begun(rule, size, len(marks), mc.NewStream(mctest.Seed(t, 5), mc.Algorithm, run))
				for range 60 {
					if ev := s.Next(0, &draw); draw.Float64() < marks[ev] {
						s.Marked(0, ev, &draw)
					}
				}
				counts[fmt.Sprint(slices.Sorted(slices.Values(s.of(0))))]++
			}
			for set, p := range law(marks, size) {
				if z := (counts[set]/runs - p) / math.Sqrt(p*(1-p)/runs); math.Abs(z) > 6.11 {
					t.Errorf("%+v, marks %v: %s has share %v, want %v (z = %.1f)", rule, marks, set, counts[set]/runs, p, z)
				}
			}
		}
	}
}

// TestOrders: the set starts with each sequence of K different EVs equally often. 24,000 starts, 24 comparisons with
// |z| below 6.11.
func TestOrders(t *testing.T) {
	const runs, sequences = 24_000, 24
	counts := map[string]float64{}
	for run := range uint64(runs) {
		s, _ := begun(Rule{}, 3, 4, mc.NewStream(mctest.Seed(t, 6), mc.Algorithm, run))
		counts[fmt.Sprint(s.of(0))]++
	}
	if len(counts) != sequences {
		t.Errorf("%d sequences, want %d", len(counts), sequences)
	}
	const p = 1.0 / sequences
	for sequence, count := range counts {
		if z := (count/runs - p) / math.Sqrt(p*(1-p)/runs); math.Abs(z) > 6.11 {
			t.Errorf("%s starts %v of %d runs (z = %.1f)", sequence, count, runs, z)
		}
	}
}

// TestAllocatesNothing: packets and feedback allocate nothing.
func TestAllocatesNothing(t *testing.T) {
	for _, rule := range rules() {
		s, draw := begun(rule, 8, 64, mc.NewStream(7, mc.Algorithm, 0))
		if allocs := testing.AllocsPerRun(100, func() {
			ev := s.Next(0, &draw)
			s.Good(0, ev)
			s.Marked(0, ev, &draw)
			s.Lost(0, s.Next(0, &draw))
		}); allocs > 0 {
			t.Errorf("%+v: %v allocations", rule, allocs)
		}
	}
}
