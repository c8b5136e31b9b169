package reps_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"repslab/reps"
)

// bursting sends bursts of packets over a connection with acknowledgements that come bdp packets later, and
// returns how many packets of the last burst have drawn EVs, and which of them.
func bursting(t *testing.T, r *reps.REPS, bursts, packets, bdp int, idle bool) (drawn []bool) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 0))
	now := uint32(0)
	for burst := range bursts {
		if idle && burst > 0 {
			r.OnIdle(now)
		}
		var flying []uint16
		drawn = drawn[:0]
		for len(drawn) < packets || len(flying) > 0 {
			if len(flying) == bdp || len(drawn) == packets {
				r.OnAck(now, flying[0], false)
				flying = flying[1:]
			}
			if len(drawn) < packets {
				ev, recycled := r.NextEV(random)
				flying, drawn = append(flying, ev), append(drawn, !recycled)
			}
			now += 80
		}
		now += 1_000_000
	}
	return drawn
}

// TestIdleExploresForABDP: after a pause the packets of a burst shorter than a BDP are all explored. Of a
// longer burst it is those of one BDP, with all sizes of rings and uses of an EV. Without OnIdle the valid
// EVs come first.
func TestIdleExploresForABDP(t *testing.T) {
	for _, size := range []int{1, 3, 8, 32} {
		for _, reuse := range []int{1, 4} {
			for _, c := range []struct{ packets, bdp int }{{40, 100}, {100, 100}, {300, 100}, {300, 1}} {
				name := fmt.Sprintf("ring of %d, reuse %d, %d packets, BDP %d", size, reuse, c.packets, c.bdp)
				cfg := reps.Config{BufferSize: size, ReuseCount: reuse}
				fresh, err := reps.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				again, kept := *fresh, *fresh
				first := bursting(t, fresh, 1, c.packets, c.bdp, true)
				explored := bursting(t, &again, 3, c.packets, c.bdp, true)
				if !slices.Equal(first, explored) || slices.Contains(explored[:min(c.packets, c.bdp)], false) {
					t.Errorf("%s: draws %v, as a new connection %v", name, explored, first)
				}
				if c.packets > c.bdp && slices.Contains(explored[c.bdp:], true) {
					t.Errorf("%s: draws %v, want none after the first ACK", name, explored)
				}
				cached := min(size*reuse, c.bdp)
				if c.bdp == 1 { // the ACK of a burst's only packet in flight is one EV of many uses
					cached = 1
				}
				want := slices.Repeat([]bool{false}, cached)
				if got := bursting(t, &kept, 3, c.packets, c.bdp, false); !slices.Equal(got[:min(cached, c.packets)], want[:min(cached, c.packets)]) {
					t.Errorf("%s, without OnIdle: draws %v, want none of the first %d", name, got, cached)
				}
			}
		}
	}
}

// TestIdleInFreezingMode: freezing mode survives a pause up to its deadline, with its valid EVs, and for ever
// if a probe ends it. After the deadline the connection explores and can freeze again at once; its slots are
// then the old ones.
func TestIdleInFreezingMode(t *testing.T) {
	for _, c := range []struct {
		exit   reps.Exit
		at     uint32
		frozen bool
	}{
		{reps.ExitOnTimeout, 10, true}, {reps.ExitOnTimeout, 1005, true}, {reps.ExitOnTimeout, 1006, false},
		{reps.ExitOnTimeout, 5000, false}, {reps.ExitOnProbe, 5000, true},
	} {
		r, err := reps.New(reps.Config{FreezingTimeout: 1000, Exit: c.exit})
		if err != nil {
			t.Fatal(err)
		}
		for ev := range uint16(3) {
			r.OnAck(1, 7+ev, false)
		}
		r.OnFailure(5)
		before := *r
		r.OnIdle(c.at)
		if c.frozen {
			if *r != before {
				t.Errorf("%v, pause until %d: %+v, want no change of %+v", c.exit, c.at, *r, before)
			}
			continue
		}
		if r.Frozen() || r.ValidEVs() != 0 || r.Exploring() != 0 || r.NextOrigin() != reps.Random || r.WrittenSlots() != 3 {
			t.Errorf("%v, pause until %d: %+v, want no freezing mode, no valid EV and 3 slots", c.exit, c.at, *r)
		}
		r.OnFailure(c.at)
		if ev, recycled := r.NextEV(nil); !r.Frozen() || ev != 7 || !recycled {
			t.Errorf("%v, frozen again after a pause until %d: EV %d, recycled %t, want the EV 7 of the first slot", c.exit, c.at, ev, recycled)
		}
	}
}

// TestIdleEndsExploration: the exploration after freezing mode, in which failures do not count, ends with a
// pause.
func TestIdleEndsExploration(t *testing.T) {
	r, err := reps.New(reps.Config{FreezingTimeout: 10})
	if err != nil {
		t.Fatal(err)
	}
	r.OnFailure(0)
	r.OnAck(11, 1, false)
	exploring := r.Exploring()
	r.OnIdle(500)
	r.OnFailure(501)
	if exploring != reps.DefaultPacketsPerWindow || !r.Frozen() {
		t.Errorf("exploring %d packets, then frozen is %t after a pause and a failure", exploring, r.Frozen())
	}
}
