package reps_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repslab/reps"
)

// eventTaker is what REPS, Artifact and Large have in common.
type eventTaker interface {
	OnAck(now uint32, ev uint16, marked bool)
	OnNack(now uint32)
	OnFailure(now uint32)
	OnProbeReply()
	OnIdle(now uint32)
	NextEV(random reps.Source) (ev uint16, recycled bool)
	NextOrigin() reps.Origin
	AppendSlots(dst []reps.Slot) []reps.Slot
	Frozen() bool
}

// meet lets it take event number i of a sequence, and returns what it shows after it.
func meet(s eventTaker, script, random *rand.Rand, now uint32) string {
	said := ""
	switch kind, ev := script.IntN(24), uint16(script.IntN(1<<16)); {
	case kind < 9:
		s.OnAck(now, ev, script.IntN(4) == 0)
	case kind == 9:
		s.OnNack(now)
	case kind == 10:
		s.OnFailure(now)
	case kind == 11:
		s.OnProbeReply()
	case kind == 12:
		s.OnIdle(now)
	default:
		ev, recycled := s.NextEV(random)
		said = fmt.Sprint(ev, recycled)
	}
	return fmt.Sprint(said, s.NextOrigin(), s.Frozen(), s.AppendSlots(nil))
}

// TestLargeIsREPS: a Large with a small ring does the same as REPS and Artifact, event by event, over random sequences
// with all exits, ways of caching, reuse counts and sizes, and both after Reset.
func TestLargeIsREPS(t *testing.T) {
	for round := range 300 {
		draw := rand.New(rand.NewPCG(7, uint64(round)))
		cfg := reps.Config{BufferSize: 1 + draw.IntN(12), EVSSize: 1 + draw.IntN(300), FreezingTimeout: 1 + draw.Uint32N(60), PacketsPerWindow: 1 + draw.IntN(40)}
		if round%3 == 0 {
			cfg.BufferSize = 8
		}
		cfg.FrozenCache = reps.Caching(draw.IntN(3))
		var known eventTaker
		var err error
		artifact := round%2 == 1
		if artifact {
			cfg.Exit = []reps.Exit{reps.ExitOnTimeout, reps.ExitOnFeedback}[draw.IntN(2)]
			a := new(reps.Artifact)
			known, err = a, a.Init(cfg)
		} else {
			cfg.Exit, cfg.ReuseCount = reps.Exit(draw.IntN(2)), 1+draw.IntN(3)
			known, err = reps.New(cfg)
		}
		var large reps.Large
		if err != nil || large.Init(cfg, artifact) != nil {
			t.Fatalf("%+v: %v, %v", cfg, err, large.Init(cfg, artifact))
		}
		if round%5 == 0 { // after another life
			for i := range 50 {
				meet(&large, draw, draw, uint32(i))
			}
			large.Reset()
		}
		one, other := rand.New(rand.NewPCG(1, uint64(round))), rand.New(rand.NewPCG(1, uint64(round)))
		drawn, same := rand.New(rand.NewPCG(2, uint64(round))), rand.New(rand.NewPCG(2, uint64(round)))
		start := draw.Uint32()
		for i := range 400 {
			now := start + uint32(i)
			if want, got := meet(known, one, drawn, now), meet(&large, other, same, now); got != want {
				t.Fatalf("round %d, %+v, artifact %v, event %d: %s, want %s", round, cfg, artifact, i, got, want)
			}
		}
	}
}

// TestLargeRing: 1,024 EVs come back in their order, the ring forgets the oldest of 1,025, a copy has a ring of its
// own, and a larger ring is refused.
func TestLargeRing(t *testing.T) {
	var l, of reps.Large
	for _, one := range []*reps.Large{&l, &of} {
		if err := one.Init(reps.Config{BufferSize: reps.MaxLargeSize}, false); err != nil {
			t.Fatal(err)
		}
	}
	for ev := range uint16(reps.MaxLargeSize + 1) {
		l.OnAck(0, ev, false)
	}
	of.Assign(&l)
	l.OnAck(0, 9999, false)
	var got []uint16
	for range reps.MaxLargeSize {
		ev, recycled := of.NextEV(nil)
		if !recycled {
			t.Fatal("an EV is drawn")
		}
		got = append(got, ev)
	}
	if got[0] != 1 || got[len(got)-1] != reps.MaxLargeSize || !slices.IsSorted(got) || of.NextOrigin() != reps.Random {
		t.Errorf("EVs %v, then %v", got, of.NextOrigin())
	}
	if err := of.Init(reps.Config{BufferSize: reps.MaxLargeSize + 1, EVSSize: -1}, true); err == nil {
		t.Error("a ring of 1,025 entries")
	} else if want := "reps: BufferSize (1025) must be in [1, 1024]\nreps: EVSSize (-1) must be in [1, 65536]"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}
