package experiment

import (
	"math"

	"repslab/mc"
)

// Spread says how the replicas' values of a time or slowdown lie apart. It depends on the values alone, and pools as
// exactly as the tally.
type Spread struct {
	Replicas uint64
	Ratio    float64 // largest over smallest value, at least 1; 0 for fewer than 2 replicas
	// Below and Above are the numbers of replicas below and above the largest gap between neighbouring values, on the
	// logarithmic scale, if it divides the replicas into two groups: if it takes more than 0.2 + 2.9/n of the range of
	// n replicas, at most 97 %. Otherwise they are 0, as for n < 3. Of lognormal values 1 to 5 % divide so, by chance
	// (Monte Carlo, n from 3 to 50).
	Below, Above uint64
}

// spreadOf returns the spread of positive values. O(distinct values).
func spreadOf(values *mc.Sample) Spread {
	s := Spread{Replicas: values.N()}
	n, below := uint64(0), uint64(0)
	least, last, widest := 0.0, 0.0, 0.0
	for value, count := range values.Counts() {
		x := float64(value)
		if n == 0 {
			least, last = x, x
		}
		if gap := math.Log(x / last); gap > widest {
			widest, below = gap, n
		}
		n, last = n+count, x
	}
	if n >= 2 {
		s.Ratio = last / least
	}
	if n >= mc.Fewest && widest > math.Log(s.Ratio)*min(0.97, 0.2+2.9/float64(n)) {
		s.Below, s.Above = below, n-below
	}
	return s
}

// Spread returns the spread over the replicas of a statistic that is a time or slowdown, as [Summary.Of] estimates
// it. It has 0 replicas for other statistics, for statistics over steps, and where Of has a bound.
func (s Summary) Spread(key string) Spread { return s.spreads[key] }
