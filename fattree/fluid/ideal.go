package fluid

import (
	"fmt"

	"repslab/faults"
)

// prepared validates c and returns the simulation of its sprayed flows.
func (c Config) prepared() (*play, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	for i, s := range c.SlowLinks {
		if c.Spreading == Even && s.Rate == 0 {
			return nil, faults.New("fluid", fmt.Sprintf("SlowLinks[%d].Rate", i), s.Rate, "must be above 0 if flows are spread evenly: none would end; use Pooled")
		}
	}
	stages := c.stages()
	return newPlay(c, stages.capacity, c.sprayed(stages)), nil
}

// Ideal returns the ends of the flows of c with max-min fair rates if each flow is sprayed over its paths as
// c.Spreading says. It is exact for fluids (equations 1 to 3), and a reference for packets as the package comment
// explains. Flows without a working path are Unfinished. It is an error if a flow ends after 2^50 ps. O(e a log a)
// for e starts and ends at different times and a active flows.
func Ideal(c Config) (Result, error) {
	p, err := c.prepared()
	if err != nil {
		return Result{}, err
	}
	return p.run()
}
