package allocation

import (
	"cmp"
	"math"
	"slices"

	"repslab/mc"
)

// quantile is the rule that tests the rank of a sample.
type quantile struct {
	heavy int32 // positions below it are heavy
	ranks *ranks
}

func newQuantile(c Config) *quantile {
	// The allowance keeps 0.1 * 30 from being rounded up to 4 positions.
	return &quantile{heavy: int32(math.Ceil(c.Delta * float64(c.Bins) * (1 - 0x1p-50))), ranks: newRanks(c)}
}

func (r *quantile) reset(*Process)          {}
func (r *quantile) reads(*Process) []uint32 { return nil }

func (r *quantile) throw(p *Process, into []uint32) {
	pairs := p.samples.take(2 * len(into))
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		heavy := uint32((r.ranks.position[bin] - r.heavy) >> 31) // all ones if it is
		bin ^= (bin ^ other) & heavy
		p.put(bin)
		if p.live {
			r.ranks.raised(p.seen, bin, p.weight)
		}
		into[i] = bin
	}
}

// ranks holds the bins in the order of their loads, the heaviest first. Bins of equal load are in
// random order after sort; raised keeps some order of them, which does not change the law of the
// sorted loads.
type ranks struct {
	order    []uint32 // bins by position
	position []int32  // of each bin
	keys     []uint64 // scratch
	units    bool     // loads grow by 1

	// While loads grow by 1 and have few levels, a grown bin changes its place with the first
	// bin of its old load.
	swaps bool
	base  int64   // no bin has less load
	above []int32 // bins with load above base, base + 1, ..., the largest load
}

func newRanks(c Config) *ranks {
	n := c.Bins
	return &ranks{order: make([]uint32, n), position: make([]int32, n), keys: make([]uint64, n),
		units: c.Weights.Law == UnitWeights, above: make([]int32, 0, 4*n+1<<16)}
}

// sort ranks all bins, equal ones in random order. O(n log n).
func (r *ranks) sort(loads []int64, coins *mc.Rand) {
	for i := range r.order {
		r.order[i], r.keys[i] = uint32(i), coins.Uint64()
	}
	slices.SortFunc(r.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(loads[b], loads[a]), cmp.Compare(r.keys[a], r.keys[b]))
	})
	for i, bin := range r.order {
		r.position[bin] = int32(i)
	}
	r.count(loads)
}

// count fills above, unless there are too many levels.
func (r *ranks) count(loads []int64) {
	r.base = loads[r.order[len(r.order)-1]]
	levels := loads[r.order[0]] - r.base + 1
	if r.swaps = r.units && levels <= int64(cap(r.above)); !r.swaps {
		return
	}
	r.above = r.above[:levels]
	clear(r.above)
	for _, load := range loads {
		if load > r.base {
			r.above[load-r.base-1]++
		}
	}
	for i := len(r.above) - 2; i >= 0; i-- {
		r.above[i] += r.above[i+1]
	}
}

// raised restores the order after the load of a bin grew by weight. O(1) for weights of 1 and
// fewer than 4 n + 2^16 levels of load, else O(n).
func (r *ranks) raised(loads []int64, bin uint32, weight int64) {
	if !r.swaps {
		r.shift(loads, bin)
		return
	}
	level := loads[bin] - weight - r.base
	to, from := r.above[level], r.position[bin]
	other := r.order[to]
	r.order[to], r.order[from] = bin, other
	r.position[bin], r.position[other] = to, from
	r.above[level]++
	if level == int64(len(r.above))-1 {
		r.extend()
	}
}

// shift moves a bin behind those with at least its load.
func (r *ranks) shift(loads []int64, bin uint32) {
	from := r.position[bin]
	to, _ := slices.BinarySearchFunc(r.order[:from], loads[bin], func(other uint32, load int64) int {
		if loads[other] >= load {
			return -1
		}
		return 1
	})
	copy(r.order[to+1:from+1], r.order[to:from])
	r.order[to] = bin
	for i := to; i <= int(from); i++ {
		r.position[r.order[i]] = int32(i)
	}
}

// extend adds a level to above. If it is full, levels that all bins have passed are dropped; if
// there are none, the bins no longer swap.
func (r *ranks) extend() {
	if len(r.above) == cap(r.above) {
		passed := 0
		for passed < len(r.above)-1 && int(r.above[passed]) == len(r.order) {
			passed++
		}
		if r.swaps = passed > 0; !r.swaps {
			return
		}
		r.base += int64(passed)
		r.above = r.above[:copy(r.above, r.above[passed:])]
	}
	r.above = append(r.above, 0)
}
