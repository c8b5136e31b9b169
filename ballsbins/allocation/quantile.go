package allocation

import (
	"cmp"
	"math"
	"math/bits"
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
	loads, per, seen, weights, coins, l := p.loads, p.per, p.seen, p.weights[:len(into)], p.coins, r.ranks.level
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		// A coin for every ball: no processor predicts which loads are at the limit.
		coin, low := bits.Mul64(coins.Uint64(), uint64(l.equal))
		if low < uint64(l.equal) {
			coin = coins.Redraw(uint64(l.equal), coin, low)
		}
		isHeavy := int64(b2i(int(coin) < r.ranks.heavy-l.above) & b2i(seen[bin] == l.limit))
		bin ^= (bin ^ other) & uint32((l.limit-seen[bin]-isHeavy)>>63)
		before := seen[bin]
		put(loads, per, bin, weights[i])
		l = r.ranks.raised(l, seen, before, seen[bin])
		into[i] = bin
	}
	p.coins, r.ranks.level = coins, l
}

// ranks tells the heavy bins from the others: they are the first of all bins in the order of
// their reported loads, the heaviest first and equal ones in random order. That order is drawn for
// each batch, and for each ball if there are no batches. In the latter case it matters only for
// bins with the load of the last heavy one.
type ranks struct {
	heavy int // number of heavy bins

	isHeavy []uint32 // under Batched: all ones for heavy bins, else 0

	level

	order []uint32 // scratch: bins by position
	keys  []uint64 // scratch: the random order of equal bins
}

// level counts bins at the load of the last heavy one.
type level struct {
	limit int64 // that load
	above int   // bins with more; below the number of heavy bins
	equal int   // bins with as much; above + equal is at least the number of heavy bins
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
	r.level = count(p.seen, p.seen[r.order[r.heavy-1]])
}

// count counts the bins above and at a limit. O(n).
func count(loads []int64, limit int64) level {
	l := level{limit: limit}
	for _, load := range loads {
		l.above += b2i(load > limit)
		l.equal += b2i(load == limit)
	}
	return l
}

// b2i returns 1 for true, else 0, without a branch.
func b2i(b bool) int {
	i := 0
	if b {
		i = 1
	}
	return i
}

// raised returns the level after the load of a bin grew. The limit rises at most once for every heavy bin that has
// passed it, so with weights of 1 the cost is O(n/heavy) a ball, else up to O(n).
func (r *ranks) raised(l level, loads []int64, from, to int64) level {
	l.equal += b2i(to == l.limit) - b2i(from == l.limit)
	l.above += b2i(from <= l.limit) & b2i(to > l.limit)
	if l.above >= r.heavy {
		return rise(loads, l.limit)
	}
	return l
}

// rise returns the level of the next larger load than a limit.
func rise(loads []int64, limit int64) level {
	next := int64(math.MaxInt64)
	for _, load := range loads {
		if load > limit {
			next = min(next, load)
		}
	}
	return count(loads, next)
}
