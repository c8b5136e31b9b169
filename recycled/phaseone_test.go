package recycled

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"repslab/internal/mctest"
)

// TestPhaseOneAgainstReference compares every row of an independent computation
// to the digits it is given to.
func TestPhaseOneAgainstReference(t *testing.T) {
	rows := mctest.Reference(t, "testdata/exact_phase_one.csv")
	if len(rows) != 10 {
		t.Fatalf("%d rows in the reference, want 10", len(rows))
	}
	for _, row := range rows {
		n := int(row.Number(t, "n"))
		p, err := NewPhaseOne(n)
		if err != nil {
			t.Fatal(err)
		}
		rounds, balls := p.Mean()
		if want := row.Number(t, "E_rounds"); math.Abs(rounds-want) > 5e-8*want {
			t.Errorf("n=%d: %v rounds, want %v", n, rounds, want)
		}
		if want := row.Number(t, "E_fresh_balls"); math.Abs(balls-want) > 5e-8*want {
			t.Errorf("n=%d: %v balls, want %v", n, balls, want)
		}
	}
	five, _ := NewPhaseOne(5)
	if rounds, _ := five.Mean(); math.Abs(rounds-6.382) > 5e-4 {
		t.Errorf("n=5: %v rounds, want 6.382", rounds)
	}
}

// rationalHits returns the law of the number of empty bins hit by inclusion and
// exclusion: P[a given set of s of the j empty bins stays empty] = (1 - s/n)^j.
func rationalHits(bins, empty int) []*big.Rat {
	law := make([]*big.Rat, empty+1)
	for hit := range law {
		sum := new(big.Rat)
		for i := 0; i <= hit; i++ {
			// Exactly the j-hit chosen bins stay empty and no i-subset more.
			free := big.NewRat(int64(bins-(empty-hit)-i), int64(bins))
			term := big.NewRat(1, 1)
			for range empty {
				term.Mul(term, free)
			}
			term.Mul(term, new(big.Rat).SetInt(new(big.Int).Binomial(int64(hit), int64(i))))
			if i%2 == 1 {
				term.Neg(term)
			}
			sum.Add(sum, term)
		}
		law[hit] = sum.Mul(sum, new(big.Rat).SetInt(new(big.Int).Binomial(int64(empty), int64(hit))))
	}
	return law
}

func TestHitsAreExact(t *testing.T) {
	for _, bins := range []int{1, 2, 7, 30} {
		for empty := 1; empty <= bins; empty++ {
			got := newHitLaw(binShares(bins), empty)
			for hits, p := range rationalHits(bins, empty) {
				want, _ := p.Float64()
				var have float64
				if i := hits - got.least; i >= 0 && i < len(got.law) {
					have = got.law[i]
				}
				if math.Abs(have-want) > 1e-14*want+2*phaseOneCut {
					t.Errorf("n=%d, %d empty: P[%d hits] = %v, want %v", bins, empty, hits, have, want)
				}
			}
		}
	}
}

// roundsTail returns the exact P[phase one lasts more than t rounds] for t = 0,
// ..., rounds, with a relative error below 6 n t 2^-53 down to 1e-20; an upper
// bound for the process with a threshold. rounds >= 0. It costs O(rounds) times the few
// numbers of empty bins that are likely at a round: a millisecond for 10 n rounds of
// n = 1,024.
func (p *PhaseOne) roundsTail(rounds int) []float64 {
	tail := make([]float64, rounds+1)
	tail[0] = 1
	now, next := make([]float64, p.bins+1), make([]float64, p.bins+1)
	now[p.bins] = 1
	most := p.bins
	for t := 1; t <= rounds; t++ {
		for j := 1; j <= most; j++ {
			if now[j] < phaseOneCut {
				continue
			}
			p.hits[j].each(func(hits int, probability float64) {
				next[j-hits] += float64(now[j] * probability)
			})
		}
		clear(now[:most+1])
		for most > 0 && next[most] < phaseOneCut {
			next[most] = 0
			most--
		}
		for j := 1; j <= most; j++ {
			tail[t] += next[j]
		}
		now, next = next, now
	}
	return tail
}

// TestPhaseOneTails: both tails sum to the means, their first values are known,
// and the last stage is a coupon collector's, so the tail of the rounds decays as
// (1 - 1/n)^t.
func TestPhaseOneTails(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 5, 24} {
		p, err := NewPhaseOne(n)
		if err != nil {
			t.Fatal(err)
		}
		rounds, balls := p.Mean()
		var sumRounds, sumBalls float64
		tail := p.roundsTail(60 * n)
		for _, x := range tail {
			sumRounds += x
		}
		for m := range 60 * n {
			x := p.BallsTail(m)
			sumBalls += x
			if m < n && x != 1 || m >= 50*n && x > 1e-18 {
				t.Errorf("n=%d: P[more than %d balls] = %v", n, m, x)
			}
		}
		if math.Abs(sumRounds-rounds) > 1e-12*rounds || math.Abs(sumBalls-balls) > 1e-12*balls {
			t.Errorf("n=%d: tails sum to %v rounds and %v balls, want %v and %v", n, sumRounds, sumBalls, rounds, balls)
		}
		if n > 1 && math.Abs(tail[20*n]/tail[20*n-1]-(1-1/float64(n))) > 1e-6 {
			t.Errorf("n=%d: tail decays by %v, want %v", n, tail[20*n]/tail[20*n-1], 1-1/float64(n))
		}
	}
	// Two balls into two bins fill both with probability 1/2; then every round one
	// ball is thrown until it hits.
	two, _ := NewPhaseOne(2)
	if got := two.roundsTail(3); got[1] != 0.5 || got[2] != 0.25 || got[3] != 0.125 {
		t.Errorf("n=2: tail %v", got)
	}
	if got := two.BallsTail(4); got != 0.125 {
		t.Errorf("n=2: P[more than 4 balls] = %v, want 1/8", got)
	}
}

// TestPhaseOneIsStable: at n = 2048 the mass and the known slow growth of E[T1]/n
// (1.6367, 1.6405 at 512, 1024) survive; package proofs has it at 4096.
func TestPhaseOneIsStable(t *testing.T) {
	t.Parallel()
	p, err := NewPhaseOne(2048)
	if err != nil {
		t.Fatal(err)
	}
	for j, h := range p.hits {
		var sum float64
		h.each(func(_ int, probability float64) { sum += probability })
		if h.law != nil && math.Abs(sum-1) > 1e-12 {
			t.Fatalf("hits from %d empty bins have mass %v", j, sum)
		}
	}
	if math.Abs(p.visited[0]-1) > 1e-11 {
		t.Errorf("phase one ends with probability %v", p.visited[0])
	}
	rounds, balls := p.Mean()
	if ratio := rounds / 2048; ratio < 1.6415 || ratio > 1.6435 {
		t.Errorf("E[T1]/n = %v", ratio)
	}
	t.Logf("n=2048: %.6f rounds, %.6f balls", rounds, balls)
	for _, bins := range []int{0, maxPhaseOneBins + 1} {
		if _, err := NewPhaseOne(bins); err == nil || !strings.Contains(err.Error(), "must be in [1, 16384]") {
			t.Errorf("%d bins: error %v", bins, err)
		}
	}
}
