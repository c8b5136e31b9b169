package allocation

import (
	"cmp"
	"math"
	"slices"
)

// quantile is the rule that tests the rank of a sample.
type quantile struct{ ranks ranks }

func newQuantile(c Config) *quantile {
	// The allowance keeps 0.1 * 30 from being rounded up to 4 positions.
	heavy := int(math.Ceil(c.Delta * float64(c.Bins) * (1 - 0x1p-50)))
	q := &quantile{ranks{heavy: heavy}}
	if c.Information == Batched {
		q.ranks.isHeavy = make([]uint32, c.Bins)
	}
	q.ranks.order, q.ranks.keys = make([]uint32, c.Bins), make([]uint64, c.Bins)
	return q
}

func (*quantile) reset(*Process)          {}
func (*quantile) reads(*Process) []uint32 { return nil }

func (r *quantile) throw(p *Process, into []uint32) {
	pairs := p.samples.take(2 * len(into))
	if flags := r.ranks.isHeavy; flags != nil {
		loads, per, weights := p.loads, p.per, p.weights[:len(into)]
		for i := range into {
			bin, other := pairs[2*i], pairs[2*i+1]
			bin ^= (bin ^ other) & flags[bin]
			put(loads, per, bin, weights[i])
			into[i] = bin
		}
		return
	}
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		bin ^= (bin ^ other) & r.ranks.heavier(p, p.seen[bin])
		put(p.loads, p.per, bin, p.weights[i])
		if p.live != 0 {
			r.ranks.raised(p.seen, p.loads[bin]-p.weights[i], p.loads[bin])
		}
		into[i] = bin
	}
}

// ranks tells the heavy bins from the others: they are the first of all bins in the order of
// their reported loads, the heaviest first and equal ones in random order. That order is drawn for
// each batch, and for each ball if there are no batches. In the latter case it matters only for
// bins with the load of the last heavy one.
type ranks struct {
	heavy int // number of heavy bins

	isHeavy []uint32 // under Batched: all ones for heavy bins, else 0

	limit int64 // the load of the last heavy bin
	above int   // bins with more; below heavy
	equal int   // bins with as much; above + equal is at least heavy

	order []uint32 // scratch: bins by position
	keys  []uint64 // scratch: the random order of equal bins
}

// sort ranks all bins. O(n log n).
func (r *ranks) sort(p *Process) {
	for i := range r.order {
		r.order[i], r.keys[i] = uint32(i), p.coins.Uint64()
	}
	slices.SortFunc(r.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(p.seen[b], p.seen[a]), cmp.Compare(r.keys[a], r.keys[b]))
	})
	if r.isHeavy != nil {
		clear(r.isHeavy)
		for _, bin := range r.order[:r.heavy] {
			r.isHeavy[bin] = math.MaxUint32
		}
		return
	}
	r.limit = p.seen[r.order[r.heavy-1]]
	r.count(p.seen)
}

// count counts the bins above and at the limit. O(n).
func (r *ranks) count(loads []int64) {
	r.above, r.equal = 0, 0
	for _, load := range loads {
		if load > r.limit {
			r.above++
		} else if load == r.limit {
			r.equal++
		}
	}
}

// heavier returns all ones if a bin with a load is heavy, else 0. Of the bins at the limit a share of
// (heavy - above)/equal is.
func (r *ranks) heavier(p *Process, load int64) uint32 {
	// A coin for every ball: no processor predicts which loads are at the limit.
	isHeavy := int64(b2i(p.coins.Below(uint64(r.equal)) < uint64(r.heavy-r.above)) & b2i(load == r.limit))
	return uint32((r.limit - load - isHeavy) >> 63)
}

// b2i returns 1 for true, else 0, without a branch.
func b2i(b bool) int {
	i := 0
	if b {
		i = 1
	}
	return i
}

// raised learns that the load of a bin grew. The limit rises at most once for every heavy bin that
// has passed it, so with weights of 1 the cost is O(n/heavy) a ball, else up to O(n).
func (r *ranks) raised(loads []int64, from, to int64) {
	r.equal += b2i(to == r.limit) - b2i(from == r.limit)
	r.above += b2i(from <= r.limit) & b2i(to > r.limit)
	if r.above < r.heavy {
		return
	}
	next := int64(math.MaxInt64)
	for _, load := range loads {
		if load > r.limit {
			next = min(next, load)
		}
	}
	r.limit = next
	r.count(loads)
}
