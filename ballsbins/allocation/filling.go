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
	loads, seen, weight, most := p.loads, p.seen, p.weight, p.most
	limit, grows := p.average(r.limit)
	for i := 0; i < len(into); {
		if r.pending == 0 {
			r.bin = p.samples.next()
			below := max(0, limit.limit+1-seen[r.bin]) // ceil(W/n - x_i)
			if !r.packing {
				below = min(1, below)
			}
			r.pending = 1 + below
		}
		bin, count := r.bin, min(r.pending, int64(len(into)-i))
		r.pending -= count
		load := loads[bin] + count*weight
		loads[bin] = load
		most = max(most, load)
		limit.add(count * grows)
		into[i], into[min(i+1, len(into)-1)] = bin, bin // the second belongs to the next sample if count is 1
		for j := 2; j < int(count); j++ {
			into[i+j] = bin
		}
		i += int(count)
	}
	p.most = most
}
