package allocation

import (
	"math"
	"math/bits"

	"repslab/internal/elementary"
)

// comparison decides between the two samples of balls, by current loads.
type comparison interface {
	// throw decides the bins of len(into) balls from pairs of samples, puts a ball of the
	// next weight into each and writes the bins to into.
	throw(p *Process, pairs, into []uint32)
}

// newComparison returns the comparison that the information defines, or nil if rules compare the reported
// loads.
func newComparison(c Config) comparison {
	switch unit := c.unit(); c.Information {
	case GBounded:
		return gBounded{int64(c.Width) * unit}
	case GMyopic:
		return gMyopic{int64(c.Width) * unit}
	case SigmaFormal:
		return newSigma(unit, c.Sigma, formalError)
	case SigmaGaussian:
		return newSigma(unit, c.Sigma, gaussianError)
	}
	return nil
}

// gBounded is the comparison that is wrong for differences up to a width.
type gBounded struct{ width int64 }

func (g gBounded) throw(p *Process, pairs, into []uint32) {
	loads := p.loads
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		more := loads[bin] - loads[other]
		// The second sample, if it is lighter by more than the width or heavier by at most the width.
		second := (g.width-more)>>63 | (more-1)>>63&(-more-g.width-1)>>63
		bin ^= (bin ^ other) & uint32(second)
		p.put(bin, p.units(i, bin))
		into[i] = bin
	}
}

// gMyopic is the comparison that is a coin for differences up to a width.
type gMyopic struct{ width int64 }

func (g gMyopic) throw(p *Process, pairs, into []uint32) {
	loads := p.loads
	for i := range into {
		// The first sample is the outcome of a fair coin.
		bin, other := pairs[2*i], pairs[2*i+1]
		lighter := uint32((g.width + loads[other] - loads[bin]) >> 63)
		bin ^= (bin ^ other) & lighter
		p.put(bin, p.units(i, bin))
		into[i] = bin
	}
}

// sigma is the comparison that errs with a probability that falls with the difference.
type sigma struct {
	unit  int64
	sigma float64
	error func(difference, sigma float64) float64
	table []uint64 // 2^64 times the probability of an error, by difference in balls up to the first 0
}

func newSigma(unit int64, deviation float64, probability func(difference, sigma float64) float64) *sigma {
	s := &sigma{unit: unit, sigma: deviation, error: probability}
	for more := unit == 1; more; more = s.table[len(s.table)-1] > 0 {
		s.table = append(s.table, uint64(probability(float64(len(s.table)), deviation)*0x1p64))
	}
	return s
}

func (s *sigma) throw(p *Process, pairs, into []uint32) {
	loads, coins, table := p.loads, p.coins, s.table
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		more := loads[other] - loads[bin]
		lighter := more >> 63 // all ones if the other bin is lighter
		difference := more ^ lighter - lighter
		var word, wrong uint64
		if len(table) > 0 {
			wrong = table[min(difference, int64(len(table)-1))]
		} else {
			wrong = uint64(s.error(float64(difference)/float64(s.unit), s.sigma) * 0x1p64)
		}
		word, coins = coins.Next()
		_, errs := bits.Sub64(word, wrong, 0)
		bin ^= (bin ^ other) & uint32(lighter^-int64(errs))
		p.put(bin, p.units(i, bin))
		into[i] = bin
	}
	p.coins = coins
}

// formalError returns exp(-(D/σ)²)/2; at σ = 0 it is 1/2 for equal loads and 0 for others.
func formalError(difference, sigma float64) float64 {
	if difference == 0 {
		return 0.5
	}
	z := difference / sigma
	return elementary.Exp(-z*z) / 2
}

// gaussianError returns 1 - Φ(D/(σ sqrt 2)).
func gaussianError(difference, sigma float64) float64 {
	if difference == 0 {
		return 0.5
	}
	return normalTail(difference / (sigma * math.Sqrt2))
}

// normalTail returns P[Z > x] for standard normal Z, with an absolute error near 1e-16; 0 beyond 9. It
// sums the series of the integral of the density; all terms are positive.
func normalTail(x float64) float64 {
	switch {
	case x < 0:
		return 1 - normalTail(-x)
	case x > 9:
		return 0
	}
	term, sum := x, x
	for k := 3.0; term > sum*0x1p-60; k += 2 {
		term = float64(term * x * x / k)
		sum += term
	}
	return max(0, 0.5-float64(sum*elementary.Exp(-x*x/2)/math.Sqrt(2*math.Pi)))
}
