package allocation

import "math"

// token is the rule of REPS without departures: licences from batch to batch.
type token struct {
	offset   int64
	uses     uint64 // a ball uses a licence if 53 random bits are below
	batch    int
	licences []uint32 // to bins, not yet used
	thrown   []uint32 // the bins of the balls of the batch so far
}

func newToken(c Config) *token {
	return &token{offset: c.offsetUnits(c.Offset, false), uses: uint64(math.Ceil(c.Eta * (1 << 53))), batch: c.Batch,
		licences: make([]uint32, 0, c.Batch), thrown: make([]uint32, 0, c.Batch)}
}

func (r *token) reset(*Process) { r.licences, r.thrown = r.licences[:0], r.thrown[:0] }

func (r *token) reads(*Process) []uint32 { return nil }

func (r *token) throw(p *Process, into []uint32) {
	if len(r.thrown) == r.batch {
		r.license(p)
	}
	licences, coins := r.licences, p.coins
	for i := range into {
		var bin uint32
		if last := len(licences) - 1; last >= 0 && (r.uses == 1<<53 || coins.Uint64()>>11 < r.uses) {
			var at uint64
			at, coins = coins.NextBelow(uint64(last + 1))
			bin = licences[at]
			licences[at] = licences[last]
			licences = licences[:last]
		} else {
			bin = p.samples.next()
		}
		p.put(bin, p.units(i, bin))
		into[i] = bin
	}
	r.licences, p.coins = licences, coins
	r.thrown = append(r.thrown, into...)
}

// license begins a batch: the balls of the batch before license balls of this one.
func (r *token) license(p *Process) {
	limit := p.average(r.offset).limit
	licences, count := r.licences[:len(r.thrown)], 0
	for _, bin := range r.thrown {
		licences[count] = bin
		count += 1 + int((limit-p.loads[bin])>>63) // no processor predicts whether the bin licenses a ball
	}
	r.licences, r.thrown = licences[:count], r.thrown[:0]
}
