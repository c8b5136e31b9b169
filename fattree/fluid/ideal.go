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

// Rates returns the max-min fair rates of all flows of c as if all were active, sprayed as c.Spreading says: bytes
// per second on the wire, by flow; exact up to rounding. It returns the error of [Config.Validate]. O(flows log
// flows).
func Rates(c Config) ([]float64, error) {
	p, err := c.prepared()
	if err != nil {
		return nil, err
	}
	for flow := range c.Workload.Flows {
		p.active = append(p.active, int32(flow))
	}
	p.solver.solve(p.active)
	for i := range p.solver.rate {
		p.solver.rate[i] *= 1e12
	}
	return p.solver.rate, nil
}
