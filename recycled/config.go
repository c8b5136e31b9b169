package recycled

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"repslab/faults"
)

// Clocking selects one of the processes; see the package comment.
type Clocking string

// The clockings.
const (
	SelfClocked Clocking = "self-clocked" // the default
	RoundRobin  Clocking = "round-robin"
	PerFlow     Clocking = "per-flow"
	Ack         Clocking = "ack"
	Frozen      Clocking = "frozen"
)

// Clockings lists the clockings, the default first.
func Clockings() []Clocking { return []Clocking{SelfClocked, RoundRobin, PerFlow, Ack, Frozen} }

// Limits of a configuration.
const (
	MaxBins      = 1 << 20
	MaxThreshold = 1 << 30
	MaxColors    = 1 << 26 // n b, all colours together: 0.5 GiB per worker
	MaxRing      = 1<<16 - 1
	MaxDelay     = 1 << 20
	maxReturning = 1 << 26 // n (d+1), places for returning balls: 0.5 GiB per worker
	MaxWindow    = 1 << 30
	MaxRatio     = 1 << 16
	MaxMaxRounds = 1<<31 - 1 // also of a horizon
	MaxBalls     = 1 << 26   // balls of a start; also bounds n m if balls have a colour or a flow
	MaxChoices   = 16
	MaxActive    = 128
)

// Config describes a recycled process. A field whose comment names a clocking applies
// only to it, and must be 0 or its default under others. The zero value is the process of the proof with 32 bins and
// the parameters of the theorem: the defaults of the command recycled.
type Config struct {
	Bins      int      // n in [1, MaxBins]; 0 means 32
	Threshold int      // τ in [1, MaxThreshold]; 0 means the theorem's ceil(4 ln n), at least 1, unless Oblivious
	Oblivious bool     // τ = 0: no ball is good, so all throws are random; Threshold must be 0
	Clocking  Clocking // empty means SelfClocked
	Ramp      int      // w in [0, MaxThreshold]: see the package comment; 0 means a step; 0 if Oblivious
	PMax      float64  // probability of a mark at the end of the ramp, in (0, 1]; 0 means 1; 0 without a ramp
	Lambda    float64  // in (0, 1]; 0 means 1
	MaxRounds int      // in [1, MaxMaxRounds]; 0 means ceil(100 n ln n), at least 100, and 10 m (1 + m/n) if Closed
	Horizon   int      // rounds of every run, in [1, MaxMaxRounds]; 0 means until the decision, see [Outcome]

	Start Start // loads before round 1; empty means Empty
	Balls int   // m for Start AllInOne or Random, in [0, MaxBalls]; 0 means n, or the sum of given loads

	// SelfClocked: empty bins make no fresh balls, so the m balls of Start stay; λ must be 1.
	Closed bool
	// Closed and Oblivious: a run has stabilised when no bin holds more balls than this, in
	// [1, MaxThreshold]; 0 means ceil(2 max(1, m/n) ln n), at least m/n.
	Level int
	// SelfClocked: uniform bins drawn for a random throw, in [1, MaxChoices]; 0 means 1. The ball goes to
	// the least loaded after the removals of the round, the first of equal ones.
	Choices int

	// RoundRobin: b colours per bin, at least 1, n b at most MaxColors; 0 means the theorem's ceil(2.4 ln n), at
	// least 1.
	Colors int

	Ring int // PerFlow with REPS, and Frozen: entries of a flow's ring, in [1, MaxRing]; 0 means 8
	// PerFlow, Ack and Frozen: rounds from removal to return, in [0, MaxDelay], n (d+1) at most 2^26.
	Delay int
	// PerFlow: balls of a flow thrown and not yet back, in [1, MaxWindow]; 0 means no window. Ack and Frozen: balls of
	// a flow, in [1, MaxWindow], and n (W + Ring) at most 2^26 under Frozen; bins must start empty, and λ must be 1.
	Window int

	// PerFlow: E, the EVs of a flow, n E at most MaxColors, a power of two if the rule takes EVs in
	// blocks; 0 means an infinite set, so that every draw is a uniform bin. Rule and Ratio need a finite
	// set.
	EVS  int
	Rule Rule // PerFlow with EVs: empty means REPS
	// PerFlow with EVs and rules with active EVs: K, the EVs of a set, in [1, MaxActive], n K at most MaxColors; 0
	// means 8. KLB has EVs twice if K is above E; the sets of HKLB have at most E EVs.
	Active int
	Ratio  int // PerFlow with EVs: r, balls of a flow per acknowledgement, in [1, MaxRatio]; 0 means 1
}

// WithDefaults returns the configuration with defaults applied.
func (c Config) WithDefaults() Config {
	c.Bins = cmp.Or(c.Bins, 32)
	n := float64(c.Bins)
	c.Clocking = cmp.Or(c.Clocking, SelfClocked)
	c.Lambda = cmp.Or(c.Lambda, 1)
	if c.Ramp > 0 {
		c.PMax = cmp.Or(c.PMax, 1)
	}
	c.Start = cmp.Or(c.Start, Empty)
	c.Balls = cmp.Or(c.Balls, c.Start.balls(c.Bins))
	c.Choices = cmp.Or(c.Choices, 1)
	if !c.Oblivious {
		c.Threshold = cmp.Or(c.Threshold, atLeast(1, 4*math.Log(n)))
	} else if c.Closed {
		mean := float64(c.Balls) / n
		c.Level = cmp.Or(c.Level, atLeast(max(1, int(math.Ceil(mean))), 2*max(1, mean)*math.Log(n)))
	}
	c.Colors = cmp.Or(c.Colors, atLeast(1, 2.4*math.Log(n)))
	c.Ring = cmp.Or(c.Ring, 8)
	c.Rule = cmp.Or(c.Rule, REPS)
	c.Ratio = cmp.Or(c.Ratio, 1)
	if c.Rule.active() {
		c.Active = cmp.Or(c.Active, 8)
	}
	if c.MaxRounds == 0 {
		most := float64(atLeast(100, 100*n*math.Log(n)))
		if c.Closed {
			most = min(MaxMaxRounds, max(most, 10*float64(c.Balls)*(1+float64(c.Balls)/n)))
		}
		c.MaxRounds = int(math.Ceil(most))
	}
	return c
}

// atLeast returns the larger of least and x rounded up; least if x is not a
// number.
func atLeast(least int, x float64) int {
	if !(x > float64(least)) {
		return least
	}
	return int(math.Ceil(x))
}

// Validate reports every fault of the configuration with defaults applied, as joined
// [*faults.FieldError] values.
func (c Config) Validate() error {
	bad := faults.List{Package: "recycled"}
	bad.In("Bins", c.WithDefaults().Bins, 1, MaxBins)
	c.Bins = min(max(0, c.Bins), MaxBins) // so that a refused number does not set limits for other fields
	c = c.WithDefaults()
	if !c.Oblivious {
		bad.In("Threshold", c.Threshold, 1, MaxThreshold)
	} else if c.Threshold != 0 {
		bad.Refuse("Threshold", c.Threshold, "must be 0 with Oblivious, which stands for it")
	}
	bad.In("MaxRounds", c.MaxRounds, 1, MaxMaxRounds)
	bad.In("Horizon", c.Horizon, 0, MaxMaxRounds)
	if !(c.Lambda > 0 && c.Lambda <= 1) {
		bad.Refuse("Lambda", c.Lambda, "must be in (0, 1]")
	}
	bad.In("Ramp", c.Ramp, 0, MaxThreshold)
	if c.Ramp > 0 && c.Oblivious {
		bad.Refuse("Ramp", c.Ramp, "must be 0 with Oblivious: no ball is good")
	}
	if c.Ramp > 0 {
		bad.Check(c.PMax > 0 && c.PMax <= 1, "PMax", c.PMax, "must be in (0, 1]")
	} else {
		bad.Check(c.PMax == 0, "PMax", c.PMax, "must be 0 without a Ramp")
	}
	faults.OneOf(&bad, "Clocking", c.Clocking, Clockings())
	c.validateStart(&bad)
	c.validateSelfClocked(&bad)
	c.validateUse(&bad)
	bad.In("Colors", c.Colors, 1, MaxColors/c.Bins)
	bad.In("Ring", c.Ring, 1, MaxRing)
	bad.In("Delay", c.Delay, 0, min(MaxDelay, maxReturning/c.Bins-1))
	bad.In("Window", c.Window, 0, MaxWindow)
	c.validateAckClocked(&bad)
	c.validateEVs(&bad)
	return bad.Err()
}

// Used returns the configuration without the fields that apply to another clocking.
func (c Config) Used() Config {
	if c.Clocking != RoundRobin {
		c.Colors = 0
	}
	if c.Clocking != PerFlow {
		c.EVS, c.Rule, c.Ratio = 0, "", 0
	}
	if !c.Rule.active() {
		c.Active = 0
	}
	if !c.ringed() {
		c.Ring = 0
	}
	if !c.delayed() {
		c.Delay, c.Window = 0, 0
	}
	return c
}

// validateUse refuses fields that apply to another clocking, unless they have their default.
func (c Config) validateUse(bad *faults.List) {
	usual := Config{Bins: c.Bins}.WithDefaults()
	only := func(clockings, field string, applies bool, value, usual int) {
		if !applies && value != usual && slices.Contains(Clockings(), c.Clocking) {
			bad.Refuse(field, value, "must be 0 under the clocking %s: it applies to %s alone", c.Clocking, clockings)
		}
	}
	only("round-robin", "Colors", c.Clocking == RoundRobin, c.Colors, usual.Colors)
	only("per-flow and frozen", "Ring", c.ringed(), c.Ring, usual.Ring)
	only("per-flow, ack and frozen", "Delay", c.delayed(), c.Delay, 0)
	only("per-flow, ack and frozen", "Window", c.delayed(), c.Window, 0)
	only("per-flow", "EVS", c.Clocking == PerFlow, c.EVS, 0)
}

// validateAckClocked checks the fields that the clockings Ack and Frozen restrict.
func (c Config) validateAckClocked(bad *faults.List) {
	if !c.ackClocked() {
		return
	}
	bad.Check(c.Window != 0, "Window", c.Window, "must be at least 1 under the clocking %s", c.Clocking)
	bad.Check(c.Lambda == 1, "Lambda", c.Lambda, "must be 1 under the clocking %s: lost balls do not come back", c.Clocking)
	bad.Check(c.Start == Empty, "Start", c.Start, "must be %s under the clocking %s", Empty, c.Clocking)
	if c.Clocking == Frozen && c.Window > 1 {
		bad.In("Window", c.Window, 1, maxReturning/c.Bins-min(c.Ring, MaxRing))
	}
}

// delayed reports whether removed balls come back after a delay, to flows with windows.
func (c Config) delayed() bool { return c.Clocking == PerFlow || c.ackClocked() }

// ackClocked reports whether each ball that comes back is thrown at once.
func (c Config) ackClocked() bool { return c.Clocking == Ack || c.Clocking == Frozen }

// ringed reports whether flows have rings.
func (c Config) ringed() bool { return c.Clocking == PerFlow || c.Clocking == Frozen }

// IsStep reports whether the threshold is a step: balls of overfull bins are never good. Defaults must be applied.
func (c Config) IsStep() bool { return c.Ramp == 0 || c.Ramp == 1 && c.PMax == 1 }

// validateSelfClocked checks the fields that apply to the clocking SelfClocked alone.
func (c Config) validateSelfClocked(bad *faults.List) {
	if c.Closed && c.Clocking != SelfClocked {
		bad.Refuse("Closed", c.Closed, "needs the clocking %s", SelfClocked)
	}
	if c.Closed && c.Lambda != 1 {
		bad.Refuse("Lambda", c.Lambda, "must be 1 in a closed process")
	}
	if c.Closed && c.Oblivious {
		bad.In("Level", c.Level, 1, MaxThreshold)
	} else if c.Level != 0 {
		bad.Refuse("Level", c.Level, "must be 0 unless the process is closed and the threshold 0")
	}
	bad.In("Choices", c.Choices, 1, MaxChoices)
	if c.Choices != 1 && c.Clocking != SelfClocked {
		bad.Refuse("Choices", c.Choices, "must be 1 under the clocking %s", c.Clocking)
	}
}

// validateEVs checks the fields of senders with sets of EVs.
func (c Config) validateEVs(bad *faults.List) {
	bad.In("EVS", c.EVS, 0, MaxColors/c.Bins)
	if c.Rule.active() {
		bad.In("Active", c.Active, 1, min(MaxActive, MaxColors/c.Bins))
	} else if c.Active != 0 {
		bad.Refuse("Active", c.Active, "must be 0 unless the rule is %s, %s or %s", KLB, KLBAlways, HKLB)
	}
	if c.EVS == 0 {
		if c.Rule != REPS {
			bad.Refuse("EVS", c.EVS, "must be at least 1 for rule %s", c.Rule)
		}
		bad.In("Ratio", c.Ratio, 1, 1)
		return
	}
	faults.OneOf(bad, "Rule", c.Rule, Rules())
	bad.Check(!c.Rule.walks() || bits.OnesCount(uint(c.EVS)) == 1, "EVS", c.EVS,
		"must be a power of two for rule %s", c.Rule)
	bad.Check(c.Start == Empty, "EVS", c.EVS, "must be 0 unless bins start empty")
	bad.In("Ratio", c.Ratio, 1, MaxRatio)
}

// decidable reports whether the state of a run can decide it: the absorbing states of the process are
// known, or the process is closed and may stabilise.
func (c Config) decidable() bool {
	return c.Lambda == 1 && !c.delayed() && (!c.Oblivious || c.Closed)
}

// absorbing reports whether the loads of a converged run repeat for ever.
func (c Config) absorbing() bool { return c.decidable() && !c.Oblivious }

// whole returns the rounds of a whole run: Horizon or, without one, MaxRounds.
func (c Config) whole() int {
	if c.Horizon > 0 {
		return c.Horizon
	}
	return c.MaxRounds
}

// mostBalls returns n τ, the most balls of a converged state.
func (c Config) mostBalls() int64 {
	return int64(c.Bins) * int64(c.Threshold)
}
