package allocation

// filling is the rule of twinning and packing: a sample below the average gets several balls.
type filling struct {
	limit   average
	packing bool

	bin     uint32 // of the last sample
	pending int64  // balls that it still gets
}

func (r *filling) reset(*Process) { r.pending = 0 }

func (r *filling) reads(p *Process) []uint32 {
	if r.pending > 0 {
		return nil
	}
	return p.samples.peek(1)
}

func (r *filling) throw(p *Process, into []uint32) {
	loads, per, seen, weights, most := p.loads, p.per, p.seen, p.weights[:len(into)], p.most
	limit, live := p.average(r.limit), p.live
	for i := 0; i < len(into); {
		if r.pending == 0 {
			if len(p.samples.left) == 0 {
				p.samples.refill()
			}
			r.bin = p.samples.left[0]
			p.samples.left = p.samples.left[1:]
			below := max(0, limit.limit+1-seen[r.bin]) // ceil(W/n - x_i), if weights are 1
			if !r.packing {
				below = min(1, below)
			}
			r.pending = 1 + below
		}
		bin, count := r.bin, min(r.pending, int64(len(into)-i))
		r.pending -= count
		amount := count * weights[i]
		into[i], into[min(i+1, len(into)-1)] = bin, bin // the second belongs to the next sample if count is 1
		if p.weigher.vary() {
			amount = sum(weights[i : i+int(count)])
		}
		for j := 2; j < int(count); j++ {
			into[i+j] = bin
		}
		most = put(loads, per, bin, amount, most)
		limit.add(amount & live)
		i += int(count)
	}
	p.most = most
}
