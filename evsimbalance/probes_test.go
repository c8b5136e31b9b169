package evsimbalance

import (
	"math"
	"math/big"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// exactTails returns P[Binomial(n, p) <= k] and P[Binomial(n, p) > k] by exact fractions.
func exactTails(n, k int, p *big.Rat) (below, above float64) {
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	power := func(x *big.Rat, e int) *big.Rat {
		num := new(big.Int).Exp(x.Num(), big.NewInt(int64(e)), nil)
		return new(big.Rat).SetFrac(num, new(big.Int).Exp(x.Denom(), big.NewInt(int64(e)), nil))
	}
	low, high := new(big.Rat), new(big.Rat)
	for i := 0; i <= n; i++ {
		mass := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
		mass.Mul(mass, power(p, i)).Mul(mass, power(q, n-i))
		if i <= k {
			low.Add(low, mass)
		} else {
			high.Add(high, mass)
		}
	}
	below, _ = low.Float64()
	above, _ = high.Float64()
	return below, above
}

// TestBinomialTails: the tail that is summed agrees with exact fractions to 1e-12 of itself, the other to 1e-15.
func TestBinomialTails(t *testing.T) {
	for _, p := range []*big.Rat{big.NewRat(0, 1), big.NewRat(1, 32), big.NewRat(1, 4), big.NewRat(1, 2), big.NewRat(31, 32), big.NewRat(1, 1)} {
		x, _ := p.Float64()
		for _, n := range []int{1, 2, 5, 16, 40} {
			for k := range n + 2 {
				below, above := binomialTails(n, k, x)
				wantBelow, wantAbove := exactTails(n, k, p)
				if least := min(wantBelow, wantAbove); math.Abs(below-wantBelow) > 1e-12*least+1e-15 || math.Abs(above-wantAbove) > 1e-12*least+1e-15 {
					t.Errorf("n %d, k %d, p %v: %v and %v, want %v and %v", n, k, x, below, above, wantBelow, wantAbove)
				}
				if float64(k) < float64(n)*x && wantBelow > 0 && math.Abs(below/wantBelow-1) > 1e-12 || float64(k) >= float64(n)*x && wantAbove > 0 && math.Abs(above/wantAbove-1) > 1e-12 {
					t.Errorf("n %d, k %d, p %v: relative error of %v or %v", n, k, x, below, above)
				}
			}
		}
	}
}

// TestLeastProbes tries every number of probes and every number to suspect. Both laws grow probe by probe.
func TestLeastProbes(t *testing.T) {
	for _, uplinks := range []int{1, 2, 3, 5, 8} {
		for _, loss := range []float64{1, 0.8, 0.5, 0.3} {
			for _, rates := range [][2]float64{{0.3, 0.3}, {0.1, 0.3}, {0.3, 0.01}} {
				got, err := LeastProbes(uplinks, loss, rates[0], rates[1])
				if err != nil {
					t.Fatal(err)
				}
				want := Probes{}
				healthy, lossy := []float64{1}, []float64{1}
				for want == (Probes{}) {
					healthy, lossy = oneMore(healthy, 1/float64(uplinks)), oneMore(lossy, (1-loss)/float64(uplinks))
					alarm, found := 0.0, 0.0
					for suspect := range len(healthy) - 1 {
						alarm += healthy[suspect]
						if found += lossy[suspect]; alarm*float64(uplinks) <= rates[0] && found >= 1-rates[1] {
							want = Probes{len(healthy) - 1, suspect}
							break
						}
					}
				}
				if got != want {
					t.Errorf("%d uplinks, loss %v, rates %v: %+v, want %+v", uplinks, loss, rates, got, want)
				}
			}
		}
	}
}

// oneMore returns the law of a binomial number of one more trial.
func oneMore(law []float64, p float64) []float64 {
	more := make([]float64, len(law)+1)
	for k, mass := range law {
		more[k] += mass * (1 - p)
		more[k+1] += mass * p
	}
	return more
}

// TestProbesForASilentUplink: it is suspected if no probe arrives, so the probes are the least N with n (1 - 1/n)^N at
// most the false alarms. Then they visit all uplinks with at least the remaining probability.
func TestProbesForASilentUplink(t *testing.T) {
	for uplinks := 2; uplinks <= 300; uplinks += 7 {
		for _, alarm := range []float64{0.1, 0.01, 1e-6} {
			got, err := LeastProbes(uplinks, 1, alarm, 0.01)
			n := float64(uplinks)
			want := Probes{Sent: int(math.Ceil(math.Log(alarm/n) / math.Log1p(-1/n)))}
			if err != nil || got != want {
				t.Errorf("%d uplinks, false alarms %v: %+v, %v, want %+v", uplinks, alarm, got, err, want)
			}
			if cover, err := CoverEVs(uplinks, 1-alarm); err != nil || cover > got.Sent || float64(cover) < 0.9*float64(got.Sent) {
				t.Errorf("%d uplinks: %+v, but %d EVs cover with %v", uplinks, got, cover, 1-alarm)
			}
		}
	}
}

// TestProbesInUse sprays probes on 8 uplinks, one of which loses half: over 4,000 tests alarms and misses stay below
// their rates of 0.1 by z = 6.11 (a false-alarm rate of 1e-9), and are not far below them, since the test is the least.
func TestProbesInUse(t *testing.T) {
	const uplinks, tests, rate = 8, 4000, 0.1
	p, err := LeastProbes(uplinks, 0.5, rate, rate)
	if err != nil {
		t.Fatal(err)
	}
	random := mc.NewStream(mctest.Seed(t, 3), mc.Algorithm, 0).Rand()
	var alarms, misses float64
	for range tests {
		var arrived [uplinks]int
		for range p.Sent {
			if i := random.Below(uplinks); i > 0 || random.Below(2) == 0 {
				arrived[i]++
			}
		}
		if arrived[0] > p.Suspect {
			misses++
		}
		for _, count := range arrived[1:] {
			if count <= p.Suspect {
				alarms++
				break
			}
		}
	}
	slack := 6.11 * math.Sqrt(rate*(1-rate)/tests)
	if alarms/tests > rate+slack || misses/tests > rate+slack || alarms/tests < rate*0.6-slack || misses/tests < rate*0.6-slack {
		t.Errorf("%+v: alarms %v, misses %v, want about %v", p, alarms/tests, misses/tests, rate)
	}
}

// TestProbesProperties: more probes for a smaller loss, more uplinks and lower rates. A small loss needs as many as the
// normal approximation says: the mean count µ has x µ = (z1 + z2) sqrt(µ), up to 2 %.
func TestProbesProperties(t *testing.T) {
	sent := func(uplinks int, loss, alarm, miss float64) int {
		p, err := LeastProbes(uplinks, loss, alarm, miss)
		if err != nil || p.Suspect >= p.Sent {
			t.Fatal(p, err)
		}
		return p.Sent
	}
	for _, loss := range []float64{1, 0.3, 0.02} {
		for _, uplinks := range []int{2, 8, 100} {
			here := sent(uplinks, loss, 0.01, 0.02)
			if more := sent(uplinks, loss*0.7, 0.01, 0.02); more <= here {
				t.Errorf("%d uplinks: %d probes for a loss of %v, %d for less", uplinks, here, loss, more)
			}
			if sent(uplinks+1, loss, 0.01, 0.02) <= here || sent(uplinks, loss, 0.001, 0.02) <= here || loss < 1 && sent(uplinks, loss, 0.01, 0.002) <= here {
				t.Errorf("%d uplinks, loss %v: not more than %d probes", uplinks, loss, here)
			}
		}
	}
	// 0.01 over 100 uplinks and 0.02: quantiles 3.719 and 2.054 of the normal distribution.
	z := 3.719016 + 2.053749
	if want := 100 * math.Pow(z/0.005, 2) * 0.99; math.Abs(float64(sent(100, 0.005, 0.01, 0.02))/want-1) > 0.02 {
		t.Errorf("%d probes, want about %.0f", sent(100, 0.005, 0.01, 0.02), want)
	}
}

// TestProbesRefuse: arguments out of range, and losses that are too small.
func TestProbesRefuse(t *testing.T) {
	for _, c := range []struct {
		uplinks           int
		loss, alarm, miss float64
	}{
		{0, 1, 0.1, 0.1}, {MaxUplinks + 1, 1, 0.1, 0.1}, {4, 0, 0.1, 0.1}, {4, 1.1, 0.1, 0.1}, {4, math.NaN(), 0.1, 0.1},
		{4, 1, 0, 0.1}, {4, 1, 0.6, 0.1}, {4, 1, 0.1, 0}, {4, 1, 0.1, 0.6}, {4, 1, math.NaN(), 0.1}, {4, 1, 0.1, math.NaN()}, {4096, 1e-3, 0.01, 0.01}, {4, 1e-300, 0.01, 0.01},
	} {
		if p, err := LeastProbes(c.uplinks, c.loss, c.alarm, c.miss); err == nil {
			t.Errorf("%+v: %+v, no error", c, p)
		}
	}
}
