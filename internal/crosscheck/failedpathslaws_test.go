package crosscheck

import (
	"math"
	"testing"
)

// reuse returns the probability of each number of losses in some round trips when a sender draws among all paths, by
// enumeration of every draw, slot by slot. A path is its number; the first failed ones are lost, as by symmetry any.
func reuse(p failedPaths, reused float64, slots int) map[int]float64 {
	law := map[int]float64{}
	var send func(sent []int, lost int, weight float64)
	send = func(sent []int, lost int, weight float64) {
		if weight == 0 {
			return
		}
		slot := len(sent)
		if slot == slots {
			law[lost] += weight
			return
		}
		along := func(path int, weight float64) {
			more := lost
			if path < p.Failed {
				more++
			}
			send(append(sent[:slot:slot], path), more, weight)
		}
		fresh := weight
		if slot >= p.RoundTrip && sent[slot-p.RoundTrip] >= p.Failed { // it is acknowledged
			along(sent[slot-p.RoundTrip], weight*reused)
			fresh *= 1 - reused
		}
		for path := range p.Paths {
			along(path, fresh/float64(p.Paths))
		}
	}
	send(nil, 0, 1)
	return law
}

// TestReusing: mean and, for all losses, law equal the enumeration.
func TestReusing(t *testing.T) {
	for _, p := range []failedPaths{{2, 1, 1, 1}, {3, 1, 2, 5}, {3, 2, 2, 2}, {4, 1, 1, 3}, {3, 0, 1, 1}} {
		for _, reused := range []float64{0, 0.25, 1} {
			for rounds := 1; rounds*p.RoundTrip <= 6; rounds++ {
				mean := 0.0
				for lost, weight := range reuse(p, reused, rounds*p.RoundTrip) {
					mean += float64(float64(lost) * weight)
				}
				if got := p.Reusing(reused, rounds); math.Abs(got-mean) > 1e-12 {
					t.Errorf("%+v, %v used again, %d round trips: %v lost, want %v", p, reused, rounds, got, mean)
				}
			}
		}
		// In r round trips up to r losses of a chain are seen; fewer than r in all are certain to be.
		rounds := 6 / p.RoundTrip
		finite, law := reuse(p, 1, rounds*p.RoundTrip), p.ReusingLaw(400)
		sum, mean := 0.0, 0.0
		for l, mass := range law {
			if l < rounds && math.Abs(mass-finite[l]) > 1e-12 {
				t.Errorf("%+v: P[%d lost] = %v, want %v", p, l, mass, finite[l])
			}
			sum, mean = sum+mass, mean+float64(float64(l)*mass)
		}
		if want := float64(p.RoundTrip*p.Failed) / float64(p.Paths-p.Failed); math.Abs(sum-1) > 1e-9 || math.Abs(mean-want) > 1e-9 {
			t.Errorf("%+v: the law sums to %v and has mean %v, want %v", p, sum, mean, want)
		}
	}
}

// ruleOut returns the packets that a rotation through a set loses, slot by slot, when the paths come into the set in a
// given order.
func ruleOut(order []bool, active, timeout int) (lost int) {
	type place struct {
		failed bool
		since  int // slot of the first packet along the path; -1 before
	}
	set := make([]place, active)
	for i := range set {
		set[i] = place{order[i], -1}
	}
	next := active
	for slot := range len(order) * (timeout + active) {
		for i := range set {
			if at := &set[i]; at.failed && at.since >= 0 && slot-at.since >= timeout {
				*at = place{order[next], -1}
				next++
			}
		}
		at := &set[slot%active]
		if at.since < 0 {
			at.since = slot
		}
		if at.failed {
			lost++
		}
	}
	return lost
}

// TestRulingOut: over all places of the failed paths the mean and the law equal rotations slot by slot.
func TestRulingOut(t *testing.T) {
	for paths := 1; paths <= 7; paths++ {
		for failed := range paths {
			for active := 1; active <= paths-failed; active++ {
				for _, timeout := range []int{1, 2, 5, 6} {
					p := failedPaths{paths, failed, 1, timeout}
					counts, all := map[int]float64{}, 0.0
					for places := range 1 << paths {
						order, dead := make([]bool, paths), 0
						for i := range order {
							if order[i] = places>>i&1 == 1; order[i] {
								dead++
							}
						}
						if dead == failed {
							counts[ruleOut(order, active, timeout)]++
							all++
						}
					}
					mean := 0.0
					for j, mass := range p.RulingOutLaw(active) {
						if got := counts[j*p.perPath(active)] / all; math.Abs(got-mass) > 1e-12 {
							t.Errorf("%+v, %d active: P[%d failed paths are met] = %v, want %v", p, active, j, mass, got)
						}
					}
					for lost, count := range counts {
						mean += float64(float64(lost) * count / all)
					}
					if got := p.RulingOut(active); math.Abs(got-mean) > 1e-9 {
						t.Errorf("%+v, %d active: %v lost, want %v", p, active, got, mean)
					}
				}
			}
		}
	}
}

// TestWhichMemory: with every good path used again the memory of good paths loses less, but where losses are known as
// fast as arrivals.
func TestWhichMemory(t *testing.T) {
	for n := 2; n <= 12; n++ {
		for f := 1; f < n; f++ {
			for d := 1; d <= 6; d++ {
				for timeout := d; timeout <= 9; timeout++ {
					p := failedPaths{n, f, d, timeout}
					for a := 1; a <= n-f; a++ {
						bad, good := p.RulingOut(a), float64(d*f)/float64(n-f)
						if bad < good && timeout*(n-f) >= d*(n-f+1) {
							t.Errorf("%+v, %d active: bad paths %v, good ones %v", p, a, bad, good)
						}
					}
				}
			}
		}
	}
}

// TestNegativeMemoryLosesLess: the round trips of docs/entropy-sets.md, with their number of active
// paths: they depend on it.
func TestNegativeMemoryLosesLess(t *testing.T) {
	first := func(failed, active int, reused float64) int {
		p := failedPaths{Paths: 256, Failed: failed, RoundTrip: 24, Timeout: 197}
		for roundTrips := 1; ; roundTrips++ {
			if p.Reusing(reused, roundTrips) > p.RulingOut(active) {
				return roundTrips
			}
		}
	}
	for _, c := range []struct {
		failed, active int
		reused         float64
		want           int
	}{{1, 16, 0.9, 78}, {8, 16, 0.9, 78}, {1, 16, 0.25, 12}, {8, 16, 0.25, 12}, {1, 128, 0.9, 98}} {
		if got := first(c.failed, c.active, c.reused); got != c.want {
			t.Errorf("%+v: from round trip %d on", c, got)
		}
	}
}
