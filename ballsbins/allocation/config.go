package allocation

import (
	"cmp"
	"math"
	"slices"

	"repslab/faults"
	"repslab/internal/checks"
	"repslab/mc"
)

// MaxBins bounds Config.Bins; the loads then take 128 MiB.
const MaxBins = 1 << 24

// maxObserved bounds n times a gap: sums of squares over 2^28 replicas stay in 128 bits.
const maxObserved = 1 << 50

// maxMultiple bounds the least common multiple of the speeds.
const maxMultiple = 1 << 20

// Config describes an allocation of balls to bins: a rule, the information that it gets, the weights of
// balls, the probabilities of bins, the start, and when the loads are observed. The zero value throws
// 100,000 balls into 1,000 bins by two choices. Rules and kinds of information ignore fields that their
// comments do not name.
type Config struct {
	Bins int // n in [1, MaxBins]; 0 means 1000

	Rule    Rule    // empty means TwoChoice
	Choices int     // d of DChoice and AlwaysGoLeft, in [1, MaxChoices], of AlwaysGoLeft at most Bins; 0 means 2
	Beta    float64 // β of OnePlusBeta, in [0, 1]
	Delta   float64 // share of heavy bins of Quantile, in (0, 1]; 0 means 1/2
	Eta     float64 // share of the balls that Quantile tests or that use a token under Token, in (0, 1]; 0 means 1
	// Offset is the number of balls above the average up to which a bin is good under Token, and below which
	// RelativeThreshold keeps a sample, in [-MaxOffset, MaxOffset].
	Offset float64
	// Threshold is the load, in balls, below which TwoThinning keeps a sample, in [1, mc.MaxRounds]. It has no default.
	Threshold int

	Information Information // empty means Current
	Batch       int         // balls of a batch of Batched, in [1, mc.MaxRounds]; 0 means Bins
	Width       int         // g of GBounded and GMyopic, balls, in [0, MaxOffset]
	Sigma       float64     // σ of SigmaFormal and SigmaGaussian, balls, in [0, MaxSigma]
	Ties        Ties        // empty means RandomTies

	Weights  Weights  // the zero value gives every ball the weight 1
	Speeds   []int    // of the bins in order, repeated, each in [1, maxSpeed]; empty means all 1
	Sampling Sampling // the zero value is uniform
	Start    []int    // balls of the first bins, each in [0, mc.MaxRounds]; the others start empty

	// Balls are the observed numbers of balls, ascending in [1, mc.MaxRounds] and at most
	// mc.MaxObservations of them; a run ends at the last. Empty means 100 Bins. New ignores them.
	Balls []int
	// Histogram also observes the loads of all bins: O(n log n) time for each observation.
	Histogram bool
}

// Limits of a Config.
const (
	MaxChoices    = 1 << 10
	maxTokenBatch = 1 << 26 // under Token, which remembers the balls of a batch in up to 512 MiB
	MaxOffset     = 1 << 20
	MaxSigma      = 1 << 16
	maxSpeed      = 1 << 16
)

// WithDefaults returns the configuration with defaults applied.
func (c Config) WithDefaults() Config {
	c.Bins = cmp.Or(c.Bins, 1000)
	c.Rule = cmp.Or(c.Rule, TwoChoice)
	c.Choices = cmp.Or(c.Choices, 2)
	c.Delta = cmp.Or(c.Delta, 0.5)
	c.Eta = cmp.Or(c.Eta, 1)
	c.Information = cmp.Or(c.Information, Current)
	c.Batch = cmp.Or(c.Batch, c.Bins)
	c.Ties = cmp.Or(c.Ties, RandomTies)
	c.Weights.Law = cmp.Or(c.Weights.Law, UnitWeights)
	c.Sampling.Law = cmp.Or(c.Sampling.Law, Uniform)
	if len(c.Balls) == 0 {
		c.Balls = []int{min(100*c.Bins, mc.MaxRounds)}
	}
	return c
}

// Validate reports every fault of the configuration with defaults applied, as joined
// [*faults.FieldError] values. It refuses combinations that are not defined, with the reason.
func (c Config) Validate() error {
	bad := faults.List{Package: "allocation"}
	bad.In("Bins", c.WithDefaults().Bins, 1, MaxBins)
	c.Bins = min(max(0, c.Bins), MaxBins) // so that a refused number does not set limits for other fields
	c = c.WithDefaults()
	faults.OneOf(&bad, "Rule", c.Rule, Rules())
	faults.OneOf(&bad, "Information", c.Information, Informations())
	faults.OneOf(&bad, "Ties", c.Ties, TieRules())
	c.Weights.check(&bad)
	c.Sampling.check(&bad, c.Bins)
	bad.Check(len(c.Start) <= c.Bins, "Start", len(c.Start), "must list at most Bins=%d loads", c.Bins)
	for _, load := range c.Start {
		bad.In("Start", load, 0, mc.MaxRounds)
	}
	bad.Check(len(c.Speeds) <= c.Bins, "Speeds", len(c.Speeds), "must list at most Bins=%d speeds", c.Bins)
	for _, speed := range c.Speeds {
		bad.In("Speeds", speed, 1, maxSpeed)
	}
	bad.Add(checks.Rounds("allocation", "Balls", c.Balls))
	if err := bad.Err(); err != nil {
		return err
	}
	bad.Check(c.multiple() <= maxMultiple, "Speeds", c.Speeds, "must have a common multiple of at most %d", maxMultiple)
	c.checkNumbers(&bad)
	c.checkRule(&bad)
	c.checkInformation(&bad)
	if bad.Err() == nil {
		c.checkRange(&bad)
	}
	return bad.Err()
}

// checkNumbers refuses parameters of the rule and the information that are out of range.
func (c Config) checkNumbers(f *faults.List) {
	within := func(used bool, field string, value, least, most float64) {
		f.Check(!used && !math.IsNaN(value) || value >= least && value <= most, field, value, "must be in [%v, %v]", least, most)
	}
	switch c.Rule {
	case DChoice:
		f.In("Choices", c.Choices, 1, MaxChoices)
	case AlwaysGoLeft:
		f.In("Choices", c.Choices, 1, min(MaxChoices, c.Bins))
	case TwoThinning:
		f.Check(c.Threshold >= 1 && c.Threshold <= mc.MaxRounds, "Threshold", c.Threshold, "must be given under %v, in [1, %d]",
			TwoThinning, mc.MaxRounds)
	}
	within(c.Rule == OnePlusBeta, "Beta", c.Beta, 0, 1)
	within(c.Rule == Quantile, "Delta", c.Delta, 0, 1)
	within(c.Rule == Quantile || c.Rule == Token, "Eta", c.Eta, 0, 1)
	within(c.hasOffset(), "Offset", c.Offset, -MaxOffset, MaxOffset)
	within(c.noisy(), "Sigma", c.Sigma, 0, MaxSigma)
	switch {
	case c.Information == Batched:
		f.In("Batch", c.Batch, 1, mc.MaxRounds)
	case c.Information == GBounded || c.Information == GMyopic:
		f.In("Width", c.Width, 0, MaxOffset)
	}
}

// checkRule refuses tokens without batches, batches that are too long for them, and groups of unequal bins.
func (c Config) checkRule(f *faults.List) {
	if c.Rule == AlwaysGoLeft && c.Sampling.Law != Uniform {
		f.Refuse("Sampling", c.Sampling, "must be %v under %v: a sample is a uniform bin of its group", Uniform, AlwaysGoLeft)
	}
	if c.Rule == Token && c.Information == Batched {
		f.Check(c.Batch <= maxTokenBatch, "Batch", c.Batch, "must be at most %d under %v, which remembers its balls",
			maxTokenBatch, Token)
	}
	if c.Rule == Token && c.Information != Batched {
		f.Refuse("Information", c.Information, "must be %v: token passes tokens from batch to batch", Batched)
	}
}

// checkInformation refuses information that the rule cannot use.
func (c Config) checkInformation(f *faults.List) {
	if info := c.Information; info != Current && info != Batched && !c.compares() {
		f.Refuse("Information", info, "is defined for a comparison of two samples: the rules %v, %v, and %v with 2 choices",
			TwoChoice, OnePlusBeta, DChoice)
	}
	comparing := []Rule{TwoChoice, DChoice, OnePlusBeta}
	if c.Ties != RandomTies && (c.Information != Batched || !slices.Contains(comparing, c.Rule)) {
		f.Refuse("Ties", c.Ties, "must be %v but for the rules %v under %v information", RandomTies, comparing, Batched)
	}
}

// checkRange refuses runs with observations that could overflow.
func (c Config) checkRange(f *faults.List) {
	most := float64(c.Balls[len(c.Balls)-1]) * float64(c.Weights.most())
	for _, load := range c.Start {
		most += float64(load)
	}
	per, last := float64(c.scale()), c.Balls[len(c.Balls)-1]
	if most*per >= maxObserved {
		bound := math.Floor(maxObserved / per / float64(c.Weights.most()))
		f.Refuse("Balls", last, "and Start must be below %.0f balls, or the gap could overflow", bound)
	}
	if limit := math.Abs(c.Offset) * float64(c.unit()) * float64(c.capacity()); c.hasOffset() && limit >= 1<<62 {
		f.Refuse("Offset", c.Offset, "must be nearer to 0 for so many bins")
	}
	if c.Ties != RandomTies && most*float64(c.unit())*float64(c.Bins) >= 1<<62 {
		f.Refuse("Ties", c.Ties, "must be %v for so many balls and bins", RandomTies)
	}
}

// speed returns the speed of a bin.
func (c Config) speed(bin int) int64 {
	if len(c.Speeds) == 0 {
		return 1
	}
	return int64(c.Speeds[bin%len(c.Speeds)])
}

// capacity returns the sum of the speeds, S.
func (c Config) capacity() int64 {
	sum, k := int64(0), max(1, len(c.Speeds))
	for bin := range k {
		times := (c.Bins - bin + k - 1) / k // bin, bin + k, ...
		sum += c.speed(bin) * int64(times)
	}
	return sum
}

// multiple returns the least common multiple L of the speeds, at most maxMultiple + 1. A ball of
// weight 1 raises the load of its bin by L over its speed, an integer.
func (c Config) multiple() int64 {
	least := int64(1)
	for _, speed := range c.Speeds {
		a, b := least, int64(speed)
		for b != 0 {
			a, b = b, a%b
		}
		least = min(least/a*int64(speed), maxMultiple+1)
	}
	return least
}

// unit returns the units of load in a ball of weight 1 at speed 1.
func (c Config) unit() int64 { return c.Weights.unit() * c.multiple() }

// scale returns the observed units in a ball at speed 1: S L for integer weights, for which a gap is a
// multiple of 1/(S L), and the unit of load for others.
func (c Config) scale() int64 {
	if c.Weights.Law == ExponentialWeights {
		return c.unit()
	}
	return c.capacity() * c.multiple()
}

// compares reports whether the rule compares two samples of every ball.
func (c Config) compares() bool {
	return c.Rule == TwoChoice || c.Rule == OnePlusBeta || c.Choices == 2 && c.Rule == DChoice
}

// hasOffset reports whether the rule compares loads with the average plus an offset.
func (c Config) hasOffset() bool { return c.Rule == Token || c.Rule == RelativeThreshold }

// noisy reports whether the information has a standard deviation.
func (c Config) noisy() bool { return c.Information == SigmaFormal || c.Information == SigmaGaussian }
