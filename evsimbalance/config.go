package evsimbalance

import (
	"cmp"

	"repslab/faults"
)

// Method selects how EVs are mapped to uplinks.
type Method string

// The methods.
const (
	// Exact computes the law of independent uniform balls. The default.
	Exact Method = "exact"
	// Multinomial samples the law of independent uniform balls.
	Multinomial Method = "multinomial"
	// Hash hashes every EV of every flow as the model's switches do.
	Hash Method = "hash"
	// CRC32 hashes every EV of every flow by the CRC-32 of a packet's 5-tuple.
	CRC32 Method = "crc32"
	// Distinct samples sets of exact paths: the EVs of a flow are different uniform uplinks, at most n,
	// and flows draw independently of each other [MRC26].
	Distinct Method = "distinct"
)

// Methods lists the methods, the default first.
func Methods() []Method { return []Method{Exact, Multinomial, Hash, CRC32, Distinct} }

// Limits of a configuration.
const (
	MaxFlows     = 1 << 16
	maxBalls     = maxExactBalls // bounds F E
	MaxEVS       = 1 << 24
	MaxHashedEVS = 1 << 16 // under Hash and CRC32: an EV has 16 bits
	MaxUplinks   = 1 << 12
)

// Config describes EV sets on a switch. The zero value is the exact law of one flow with
// 65,536 EVs on 32 uplinks: the defaults of the command evs.
type Config struct {
	Flows   int    // F in [1, MaxFlows]; 0 means 1
	EVS     int    // E in [1, MaxEVS], under Hash and CRC32 in [1, MaxHashedEVS], under Distinct in [1, n]; 0 means 65,536
	Uplinks int    // n in [1, MaxUplinks]; 0 means 32
	Method  Method // empty means Exact, under which F E is at most maxExactBallsFewBins for few uplinks
}

// WithDefaults returns the configuration with defaults applied.
func (c Config) WithDefaults() Config {
	c.Flows = cmp.Or(c.Flows, 1)
	c.EVS = cmp.Or(c.EVS, 1<<16)
	c.Uplinks = cmp.Or(c.Uplinks, 32)
	c.Method = cmp.Or(c.Method, Exact)
	return c
}

// Balls returns m = F E, the EVs of all flows, with defaults applied. c must be valid.
func (c Config) Balls() int {
	c = c.WithDefaults()
	return c.Flows * c.EVS
}

// Validate reports every fault of the configuration with defaults applied, as joined [*faults.FieldError]
// values. The bound on EVS is MaxEVS while the fields on which it depends have faults themselves.
func (c Config) Validate() error {
	c = c.WithDefaults()
	bad := faults.List{Package: "evsimbalance"}
	bad.In("Flows", c.Flows, 1, MaxFlows)
	bad.In("Uplinks", c.Uplinks, 1, MaxUplinks)
	faults.OneOf(&bad, "Method", c.Method, Methods())
	if bad.Err() != nil {
		bad.In("EVS", c.EVS, 1, MaxEVS)
	} else if most := c.mostEVs(); c.EVS < 1 || c.EVS > most {
		bad.Refuse("EVS", c.EVS, "must be in [1, %d] for flows=%d uplinks=%d method=%s", most, c.Flows, c.Uplinks, c.Method)
	}
	return bad.Err()
}

// mostEVs returns the bound on the EVS under the other parameters.
func (c Config) mostEVs() int {
	switch c.Method {
	case Exact:
		return min(MaxEVS, mostExactBalls(c.Uplinks)/c.Flows)
	case Multinomial:
		return min(MaxEVS, maxBalls/c.Flows)
	case Distinct:
		return c.Uplinks
	default:
		return min(MaxHashedEVS, maxBalls/c.Flows)
	}
}
