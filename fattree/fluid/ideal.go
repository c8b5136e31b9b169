package fluid

import (
	"fmt"

	"repslab/mc"
)

// prepared returns a play of sprayed flows of c, validated for it.
func (c Config) prepared() (*play, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	for i, s := range c.SlowLinks {
		if c.Spreading == Even && s.Rate == 0 {
			return nil, mc.NewFieldError("fluid", fmt.Sprintf("SlowLinks[%d].Rate", i), s.Rate, "must be above 0 if flows are spread evenly: none would end; use Pooled")
		}
	}
	stages := c.stages()
	return newPlay(c, stages.capacity, c.sprayed(stages)), nil
}

// Ideal returns when the flows of c end if each is sprayed over its paths as
// c.Spreading says and the rates are max-min fair: exact for fluids (equations 1
// to 3), and a reference for packets in the sense of the package comment. Flows
// whose every path is dead are Unfinished. It is an error if a flow ends after
// 2^50 ps. O(e a log a) for e starts and ends at different times, a active flows.
func Ideal(c Config) (Result, error) {
	p, err := c.prepared()
	if err != nil {
		return Result{}, err
	}
	return p.run()
}

// Rates returns the max-min fair rates of all flows of c at once, as if each had
// begun and none ended, sprayed as c.Spreading says: bytes per second on the wire,
// by flow; exact up to rounding. O(flows log flows).
func Rates(c Config) ([]float64, error) {
	p, err := c.prepared()
	if err != nil {
		return nil, err
	}
	p.solver.solve(everyFlow(len(c.Workload.Flows)))
	for i := range p.solver.rate {
		p.solver.rate[i] *= 1e12
	}
	return p.solver.rate, nil
}

// everyFlow returns the numbers of all flows.
func everyFlow(count int) []int32 {
	all := make([]int32, count)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}
