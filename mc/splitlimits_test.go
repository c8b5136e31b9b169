package mc

import (
	"context"
	"errors"
	"math"
	"testing"
)

// TestSplittingWarns: a standard error above a third of the value is a rough one, and a little less is
// not. The interval is that of the logarithm.
func TestSplittingWarns(t *testing.T) {
	const t1 = 12.706204736432095 // quantile 0.975 of Student's distribution with one degree of freedom
	for _, c := range []struct {
		events [2]int64
		warns  bool
	}{{[2]int64{201, 400}, false}, {[2]int64{200, 401}, true}, {[2]int64{3, 7}, true}, {[2]int64{5, 6}, false}, {[2]int64{1, 9}, true}} {
		s := SplitTally{units: 10}
		for _, n := range c.events {
			s.events.Add(n)
			s.doublings.Add(3)
		}
		e := s.Probability(DefaultConfidence)
		a, b := float64(c.events[0]), float64(c.events[1])
		value, relative := (a+b)/2/80, (b-a)/(a+b)
		if warns := len(e.Warnings) > 0; warns != c.warns || math.Abs(e.Value-value) > 1e-15 || math.Abs(e.StdErr/e.Value-relative) > 1e-12 {
			t.Errorf("events %v: %+v, want %v with a relative error of %v and a warning: %v", c.events, e, value, relative, c.warns)
		}
		if factor := math.Exp(t1 * relative); math.Abs(e.Hi/e.Value/factor-1) > 1e-6 || math.Abs(e.Value/e.Lo/factor-1) > 1e-6 {
			t.Errorf("events %v: [%v, %v], want ends %v times away from %v", c.events, e.Lo, e.Hi, factor, value)
		}
	}
}

// TestSplittingWithoutEvents: without any event the probability is 0, and its interval infinite.
func TestSplittingWithoutEvents(t *testing.T) {
	s := SplitTally{units: 10}
	for range 3 {
		s.events.Add(0)
		s.doublings.Add(3)
	}
	if e := s.Probability(DefaultConfidence); e.Value != 0 || !math.IsInf(e.Lo, -1) || !math.IsInf(e.Hi, 1) || len(e.Warnings) != 1 {
		t.Errorf("%+v", e)
	}
}

// TestSplittingIsLimited: the paths of a replica may take 4000 times its rounds, the warm ones included.
func TestSplittingIsLimited(t *testing.T) {
	tree := splitTree{Splitting: Splitting{Warm: 2, Rounds: 5}, ctx: context.Background(), work: 4000 * 7}
	if !tree.mayGoOn() {
		t.Errorf("4000 times the rounds are refused: %v", tree.failed)
	}
	if tree.work++; tree.mayGoOn() || !errors.Is(tree.failed, ErrNoSplitting) {
		t.Errorf("more are taken: error %v", tree.failed)
	}
}

// TestSplittingSettles: s of a level is the logarithm of its share of the visits, rounded down: levels
// that an eighth reaches have 3, also where a level above is as rare; it is at most 60, and levels beyond
// are not settled.
func TestSplittingSettles(t *testing.T) {
	tree := splitTree{Splitting: Splitting{Top: 5}, doublings: make([]uint8, 6)}
	tree.settle([]float64{6, 1, 0.5, 0.5, 0, 0}, 0, 3) // all 8; from level 1 on 2, from 2 on 1, from 3 on 0.5
	if want := [6]uint8{0, 2, 3, 4, 4, 4}; [6]uint8(tree.doublings) != want {
		t.Errorf("s is %v, want %v", tree.doublings, want)
	}
	tree.settle([]float64{6, 1, 0.5, 0.5, 0x1p-3, 0x1p-100}, 3, 5)
	if want := [6]uint8{0, 2, 3, 4, 6, 60}; [6]uint8(tree.doublings) != want {
		t.Errorf("s is %v, want %v", tree.doublings, want)
	}
}
