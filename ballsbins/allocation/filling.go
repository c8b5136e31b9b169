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
		if r.pending == 0 && p.plain {
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
		p.put(r.bin, p.units(i, r.bin))
		limit.add(p.weights[i] & p.live)
		into[i] = r.bin
	}
}

// fill throws balls of weight 1 into bins of speed 1 from ball i on, as long as samples are drawn and
// all of a sample's balls are asked for, and returns the next ball and its average. Under current
// information it writes no bins: no processor predicts how many balls a sample gets.
func (r *filling) fill(p *Process, into []uint32, i int, limit average) (int, average) {
	samples, seen, live, packing := p.samples.left, p.seen, p.live, r.packing
	for len(samples) > 0 {
		bin := samples[0]
		below := limit.limit + 1 - seen[bin]
		count := 2 + (below-1)>>63
		if packing {
			count = 1 + below&^(below>>63)
		}
		next := i + int(count)
		if next >= len(into) {
			break
		}
		samples = samples[1:]
		p.put(bin, count)
		limit.add(count & live)
		for ; live == 0 && i < next; i++ {
			into[i] = bin
		}
		i = next
	}
	p.samples.left = samples
	return i, limit
}
