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
	heavy := int64(math.Ceil(c.Delta * float64(c.Bins) * (1 - 0x1p-50)))
	q := &quantile{ranks{heavy: heavy}}
	if c.Information == Batched {
		q.ranks.isHeavy = make([]uint32, c.Bins)
	}
	q.ranks.order, q.ranks.keys = make([]uint32, c.Bins), make([]uint64, c.Bins)
	return q
}

func (*quantile) reset(*Process) {}

func (r *quantile) throw(p *Process, into []uint32) {
	pairs := p.samples.take(2 * len(into))
	if flags := r.ranks.isHeavy; flags != nil {
		for i := range into {
			bin, other := pairs[2*i], pairs[2*i+1]
			bin ^= (bin ^ other) & flags[bin]
			p.put(bin, p.units(i, bin))
			into[i] = bin
		}
		return
	}
	seen, coins, l := p.seen, p.coins, r.ranks.level
	for i := 0; i < len(into); {
		for ; i < len(into) && l.heavy > 0; i++ {
			bin, other := pairs[2*i], pairs[2*i+1]
			// Computed for both bins at once, since the next ball needs the level after this ball.
			rest, second := l.limit-seen[bin], l.limit-seen[other]
			// A coin for every ball, needed or not: a branch on whether the load is at the limit would be
			// mispredicted.
			var coin uint64
			coin, coins = coins.NextBelow(uint64(l.equal))
			// Negative if the load is above the limit, or at the limit and the coin is below the number
			// of heavy bins there.
			_, below := bits.Sub64(coin, uint64(l.heavy), 0)
			least, _ := bits.Sub64(uint64(rest), 0, below)
			isHeavy := int64(least) >> 63
			bin ^= (bin ^ other) & uint32(isHeavy)
			rest ^= (rest ^ second) & isHeavy
			units := p.units(i, bin)
			p.put(bin, units)
			l = l.raised(rest, rest-units)
			into[i] = bin
		}
		if l.heavy == 0 {
			l = r.ranks.rise(seen, l.limit)
		}
	}
	p.coins, r.ranks.level = coins, l
}

// ranks knows the heavy bins: the first of all bins when they are ordered by reported load, the heaviest
// first and equal ones in random order. The random order is drawn anew for each batch or, without
// batches, for each ball. Without batches only the bins with the same load as the last heavy bin need it.
type ranks struct {
	heavy int64 // number of heavy bins

	isHeavy []uint32 // under Batched: all ones for heavy bins, 0 for others

	level

	order []uint32 // scratch: bins by position
	keys  []uint64 // scratch: the random order of equal bins
}

// level counts the bins that have the same load as the last heavy bin.
type level struct {
	limit int64 // the load of the last heavy bin
	heavy int64 // heavy bins with this load, at least 1
	equal int64 // bins with this load
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
	limit := p.seen[r.order[r.heavy-1]]
	more := above(p.seen, limit)
	r.level = level{limit, r.heavy - more, above(p.seen, limit-1) - more}
}

// above returns the number of bins above a limit. O(n).
func above(loads []int64, limit int64) (count int64) {
	for _, load := range loads {
		count -= (limit - load) >> 63
	}
	return count
}

// raised returns the level after a bin received a ball. before and after are limit minus the load of the
// bin, before and after the ball.
func (l level) raised(before, after int64) level {
	passes, reaches := after&^before>>63, (after-1)&^(before-1)>>63
	l.heavy += passes
	l.equal += passes - reaches
	return l
}

// rise returns the level of the next larger load, once every heavy bin has passed the limit. O(n): that
// is O(n/heavy) per ball with weights of 1, and up to O(n) per ball with others.
func (r *ranks) rise(loads []int64, limit int64) level {
	limit++
	heavy := r.heavy - above(loads, limit)
	if heavy == 0 { // never with weights of 1
		least := uint64(math.MaxUint64)
		for _, load := range loads {
			least = min(least, uint64(load-limit))
		}
		limit += int64(least)
		heavy = r.heavy - above(loads, limit)
	}
	return level{limit, heavy, heavy}
}
