package ballsbins

import (
	"context"
	"errors"
	"math"
	"slices"

	"repslab/internal/checks"
	"repslab/internal/elementary"
	"repslab/internal/must"
)

// Reasons why a configuration has no mean field.
var (
	// ErrNoMeanField reports that the policy is not Uniform, that the weight of a ball is not 1 or that there is a
	// Start.
	ErrNoMeanField = errors.New("ballsbins: the mean field is defined for balls of weight 1 in uniform bins that start empty")
	// ErrMeanFieldTooLong reports that the computation would take too long.
	ErrMeanFieldTooLong = errors.New("ballsbins: the mean field takes more than 4e9 operations at this many rounds")
)

// maxOperations bounds the multiplications of [MeanFieldMaxLoad]; they take some seconds.
const maxOperations = 4e9

// MeanFieldMaxLoad returns [OneBinLaw.MeanMax] after each observed round of cfg, in balls, exact up to
// the errors named at [OneBinLaw]. It stops computing when the law no longer changes: at λ < 1 it is then
// stationary up to rounding. It returns the errors of [NewOneBinLaw] and of a cancelled ctx, and
// ErrMeanFieldTooLong.
func MeanFieldMaxLoad(ctx context.Context, cfg Config) ([]float64, error) {
	return meanFieldMaxLoad(ctx, cfg, maxOperations)
}

// meanFieldMaxLoad is MeanFieldMaxLoad with at most the given multiplications.
func meanFieldMaxLoad(ctx context.Context, cfg Config, most float64) ([]float64, error) {
	law, err := NewOneBinLaw(cfg)
	if err := errors.Join(checks.Context("ballsbins", ctx), err); err != nil {
		return nil, err
	}
	rounds := cfg.WithDefaults().Rounds
	values := make([]float64, len(rounds))
	round, operations, settled := 0, 0.0, false
	pause := checks.Every(1 << 12)
	for i, observed := range rounds {
		for ; round < observed && !settled; round++ {
			if round%pause == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			settled = law.Step()
			if operations += float64(len(law.law) * len(law.arrivals)); operations > most {
				return nil, ErrMeanFieldTooLong
			}
		}
		values[i] = law.MeanMax()
	}
	return values, nil
}

// negligible is the probability below which the law of a bin is cut off.
const negligible = 1e-22

// OneBinLaw is the exact law of the load of one bin, round by round, under the
// uniform policy with balls of weight 1 (equation (1) of the package). Exact
// means up to floating point: after T rounds each probability has a relative
// error below T (d+3) 2^-53, where d <= 60 is the number of arrivals with
// probability above 1e-22, and loads with a smaller probability are dropped, at
// most (T d) 1e-22 in all. Make it with [NewOneBinLaw].
type OneBinLaw struct {
	bins     int
	variant  Variant
	arrivals []float64 // P[a arrivals in one round]
	law      []float64 // P[load = k] at the end of the round
	scratch  []float64
	before   []float64 // the law before the last round
}

// NewOneBinLaw returns the law before round 1, when the bin is empty. It returns the errors of
// [Config.Validate], and ErrNoMeanField for a variant or policy under which one bin is not a Markov chain
// of unit balls, and for a Start.
func NewOneBinLaw(cfg Config) (*OneBinLaw, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	if cfg.Policy != Uniform || cfg.Variant == Weighted || len(cfg.Start) > 0 {
		return nil, ErrNoMeanField
	}
	return &OneBinLaw{
		bins:     cfg.Bins,
		variant:  cfg.Variant,
		arrivals: binomialLaw(cfg.Bins, cfg.Lambda/float64(cfg.Bins)),
		law:      []float64{1},
	}, nil
}

// binomialLaw returns P[Binomial(n, p) = k] for k = 0, 1, ... up to where the
// probabilities beyond the mean fall below negligible. n p <= 1.
func binomialLaw(n int, p float64) []float64 {
	if p == 1 {
		return []float64{0, 1}
	}
	mass := elementary.Exp(float64(n) * elementary.Log1p(-p))
	odds := p / (1 - p)
	law := []float64{mass}
	for k := 1; k <= n; k++ {
		mass *= float64(n-k+1) / float64(k) * odds
		if mass < negligible && k > 2 {
			break
		}
		law = append(law, mass)
	}
	return law
}

// Step advances the law by one round and reports whether it is settled: no probability
// changed by more than 1e-18. O(K d) for K loads with a probability
// above 1e-22.
func (l *OneBinLaw) Step() (settled bool) {
	l.mustBeMade()
	l.before = append(l.before[:0], l.law...)
	if l.variant == ServeThenArrive {
		l.law = served(l.law)
		l.convolve()
	} else {
		l.convolve()
		l.law = served(l.law)
	}
	return slices.EqualFunc(l.law, l.before, func(p, q float64) bool { return math.Abs(p-q) <= 1e-18 })
}

// mustBeMade panics for the zero value.
func (l *OneBinLaw) mustBeMade() { must.BeMade(l.law != nil, "ballsbins: OneBinLaw", "NewOneBinLaw") }

// served moves the law of a bin through one service, in place.
func served(law []float64) []float64 {
	if len(law) == 1 {
		return law
	}
	law[1] += law[0]
	return law[1:]
}

// convolve adds the arrivals of a round and drops negligible loads at the top.
func (l *OneBinLaw) convolve() {
	size := len(l.law) + len(l.arrivals) - 1
	if cap(l.scratch) < size {
		l.scratch = make([]float64, 2*size)
	}
	next := l.scratch[:size]
	clear(next)
	for k, p := range l.law {
		sums := next[k:][:len(l.arrivals)]
		for a, q := range l.arrivals {
			sums[a] += float64(p * q)
		}
	}
	for len(next) > 1 && next[len(next)-1] < negligible {
		next = next[:len(next)-1]
	}
	// The old law's memory becomes the next scratch; serving has moved its start.
	l.scratch, l.law = l.law[:0], next
}

// Mean returns the expected load, in balls. O(K).
func (l *OneBinLaw) Mean() float64 {
	l.mustBeMade()
	var mean float64
	for k := len(l.law) - 1; k > 0; k-- {
		mean += float64(float64(k) * l.law[k])
	}
	return mean
}

// MeanMax returns the expected maximum, in balls, of n independent bins that each have this law: the
// mean-field prediction, and a lower bound on the expected maximum load of the process at this round. It
// is a lower bound since the arrivals are negatively associated and loads increase with arrivals, so
// P[all loads <= k] is at most the product of P[load <= k] over the bins [JoagDev83]. Exact up to the
// errors named at [OneBinLaw]. O(K).
func (l *OneBinLaw) MeanMax() float64 {
	l.mustBeMade()
	// E max = sum over k >= 0 of 1 - P[load <= k]^n, from the small tails up.
	var tail, mean float64
	for k := len(l.law) - 1; k > 0; k-- {
		tail += l.law[k] // P[load >= k]
		mean -= elementary.Expm1(float64(l.bins) * elementary.Log1p(-min(tail, 1)))
	}
	return mean
}
