package allocation

// filling is the rule of twinning and packing: a sample below the average gets several balls.
type filling struct {
	offset  int64
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
	limit := p.average(r.offset)
	for i := 0; i < len(into); i++ {
		if r.pending == 0 && p.per == nil && !p.weigher.vary() {
			i, limit = r.fill(p, into, i, limit)
		}
		if r.pending == 0 {
			r.bin = p.samples.next()
			r.pending = 1 + max(0, limit.limit+1-p.seen[r.bin]) // rounded up
			if !r.packing {
				r.pending = min(r.pending, 2)
			} else if p.per != nil {
				r.pending = 1 + (r.pending+p.per[r.bin]-2)/p.per[r.bin]
			}
		}
		r.pending--
		put(p.loads, p.per, r.bin, p.weights[i])
		limit.add(p.weights[i] & p.live)
		into[i] = r.bin
	}
}

// fill throws balls of weight 1 into bins of speed 1 from ball i on, as long as samples are drawn and all of a
// sample's balls are asked for, and returns the next ball and its average. It writes more balls than a sample gets,
// for no processor predicts whether the sample is below the average.
func (r *filling) fill(p *Process, into []uint32, i int, limit average) (int, average) {
	samples, seen, loads, live, packing := p.samples.left, p.seen, p.loads, p.live, r.packing
	for len(samples) > 0 && i+4 < len(into) {
		bin := samples[0]
		count := 2 + (limit.limit-seen[bin])>>63
		into[i], into[i+1] = bin, bin
		if packing {
			below := limit.limit + 1 - seen[bin]
			if count = 1 + below&^(below>>63); i+int(count) >= len(into) {
				break
			}
			into[i+2], into[i+3] = bin, bin
			for j := 4; j < int(count); j++ {
				into[i+j] = bin
			}
		}
		samples = samples[1:]
		loads[bin] += count
		limit.add(count & live)
		i += int(count)
	}
	p.samples.left = samples
	return i, limit
}
