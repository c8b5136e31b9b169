package mc

import "math"

// precisionBlock is the number of replicas between two looks of a stopping rule, and the least number
// after which it may stop.
const precisionBlock = 64

// Precision is a sequential stopping rule: stop as soon as the interval's half width is at most Relative
// times the estimate's magnitude. It looks only after every 64 replicas, in their order, so the replica
// after which it stops does not depend on the number of workers. As with every sequential rule, the
// coverage of intervals is slightly below nominal; at least 64 replicas keep the loss small [Chow65].
type Precision struct {
	Relative float64 // in (0, 1); 0 means no rule: run all replicas
}

// Met reports whether an estimate is precise enough. It returns false if Relative is 0
// or if there are fewer than 64 observations.
func (p Precision) Met(e Estimate) bool {
	if p.Relative == 0 || e.N < precisionBlock {
		return false
	}
	return (e.Hi-e.Lo)/2 <= p.Relative*math.Abs(e.Value)
}
