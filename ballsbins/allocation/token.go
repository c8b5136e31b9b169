package allocation

import "math"

// token is the rule of REPS without departures: tokens from batch to batch.
type token struct {
	offset int64  // most by which a good bin is above the average, in units of W L
	uses   uint64 // a ball uses a token if 53 random bits are below
	batch  int
	tokens []uint32 // unused tokens: their bins
	thrown []uint32 // the bins of the balls of the batch so far
}

func newToken(c Config) *token {
	return &token{offset: int64(math.Floor(c.Offset * float64(c.capacity()) * float64(c.unit()))), uses: uint64(math.Ceil(c.Eta * (1 << 53))), batch: c.Batch,
		tokens: make([]uint32, 0, c.Batch), thrown: make([]uint32, 0, c.Batch)}
}

func (r *token) reset(*Process) { r.tokens, r.thrown = r.tokens[:0], r.thrown[:0] }

func (r *token) throw(p *Process, into []uint32) {
	if len(r.thrown) == r.batch {
		r.handOut(p)
	}
	tokens, coins := r.tokens, p.coins
	for i := range into {
		var bin uint32
		if last := len(tokens) - 1; last >= 0 && (r.uses == 1<<53 || coins.Uint64()>>11 < r.uses) {
			var at uint64
			at, coins = coins.NextBelow(uint64(last + 1))
			bin = tokens[at]
			tokens[at] = tokens[last]
			tokens = tokens[:last]
		} else {
			bin = p.samples.next()
		}
		p.put(bin, p.units(i, bin))
		into[i] = bin
	}
	r.tokens, p.coins = tokens, coins
	r.thrown = append(r.thrown, into...)
}

// handOut begins a batch: the balls of the previous batch give tokens to the balls of this one.
func (r *token) handOut(p *Process) {
	limit := p.average(r.offset).limit
	tokens, count := r.tokens[:len(r.thrown)], 0
	for _, bin := range r.thrown {
		tokens[count] = bin
		count += 1 + int((limit-p.loads[bin])>>63) // adds 1 if the bin gives a token; a branch would be mispredicted
	}
	r.tokens, r.thrown = tokens[:count], r.thrown[:0]
}
