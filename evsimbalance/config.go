package evsimbalance

import (
	"errors"
	"fmt"
	"slices"
)

// Method says how EVs come to uplinks.
type Method string

// The methods.
const (
	// Exact computes the law of independent uniform balls. The default.
	Exact Method = "exact"
	// Multinomial samples that law.
	Multinomial Method = "multinomial"
	// Hash hashes every EV of every flow as the model's switches do.
	Hash Method = "hash"
	// CRC32 hashes every EV of every flow by the CRC-32 of a packet's 5-tuple.
	CRC32 Method = "crc32"
)

// Methods lists the methods, the default first.
func Methods() []Method { return []Method{Exact, Multinomial, Hash, CRC32} }

// Limits of a configuration.
const (
	MaxFlows     = 1 << 16
	MaxBalls     = MaxExactBalls // bounds F E
	MaxEVS       = 1 << 24
	MaxHashedEVS = 1 << 16 // under Hash and CRC32: an EV has 16 bits
	MaxUplinks   = 1 << 12
)

// Config describes EV sets on a switch.
type Config struct {
	Flows   int    // F in [1, MaxFlows]; 0 means 1
	EVS     int    // E in [1, MaxEVS], under Hash and CRC32 in [1, MaxHashedEVS]; 0 means 65,536
	Uplinks int    // n in [1, MaxUplinks]; 0 means 32
	Method  Method // empty means Exact, which bounds F E by MaxExactBallsFewBins for few uplinks
}

// withDefaults returns the configuration with defaults filled in.
func (c Config) withDefaults() Config {
	if c.Flows == 0 {
		c.Flows = 1
	}
	if c.EVS == 0 {
		c.EVS = 1 << 16
	}
	if c.Uplinks == 0 {
		c.Uplinks = 32
	}
	if c.Method == "" {
		c.Method = Exact
	}
	return c
}

// Balls returns m = F E, the EVs of all flows, defaults filled in.
func (c Config) Balls() int {
	c = c.withDefaults()
	return c.Flows * c.EVS
}

// Validate reports every fault of the configuration, defaults filled in.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if c.Flows < 1 || c.Flows > MaxFlows {
		errs = append(errs, fmt.Errorf("evsimbalance: Flows (%d) must be in [1, %d]", c.Flows, MaxFlows))
	}
	if c.Uplinks < 1 || c.Uplinks > MaxUplinks {
		errs = append(errs, fmt.Errorf("evsimbalance: Uplinks (%d) must be in [1, %d]", c.Uplinks, MaxUplinks))
	}
	if !slices.Contains(Methods(), c.Method) {
		errs = append(errs, fmt.Errorf("evsimbalance: Method (%q) must be one of %v", c.Method, Methods()))
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if most := c.mostEVs(); c.EVS < 1 || c.EVS > most {
		return fmt.Errorf("evsimbalance: EVS (%d) must be in [1, %d] for flows=%d uplinks=%d method=%s", c.EVS, most, c.Flows, c.Uplinks, c.Method)
	}
	return nil
}

// mostEVs returns the bound on the EVS under the other parameters.
func (c Config) mostEVs() int {
	switch c.Method {
	case Exact:
		return min(MaxEVS, mostExactBalls(c.Uplinks)/c.Flows)
	case Multinomial:
		return min(MaxEVS, MaxBalls/c.Flows)
	default:
		return min(MaxHashedEVS, MaxBalls/c.Flows)
	}
}
