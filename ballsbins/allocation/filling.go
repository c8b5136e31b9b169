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
	loads, per, seen, weights := p.loads, p.per, p.seen, p.weights[:len(into)]
	limit, live, samples, bin, pending := p.average(r.offset), p.live, p.samples.left, r.bin, r.pending
	vary, packing := p.weigher.vary(), r.packing
	for i := 0; i < len(into); {
		if pending == 0 {
			if len(samples) == 0 {
				p.samples.left = nil
				p.samples.refill()
				samples = p.samples.left
			}
			bin, samples = samples[0], samples[1:]
			missing := limit.limit + 1 - seen[bin] // rounded up; no processor predicts its sign
			if missing &^= missing >> 63; !packing {
				missing = -(-missing >> 63)
			} else if per != nil {
				missing = (missing + per[bin] - 1) / per[bin]
			}
			pending = 1 + missing
		}
		count := min(pending, int64(len(into)-i))
		pending -= count
		amount := count * weights[i]
		if vary {
			amount = sum(weights[i : i+int(count)])
		}
		into[i], into[min(i+1, len(into)-1)] = bin, bin // the second belongs to the next sample if count is 1
		for j := 2; j < int(count); j++ {
			into[i+j] = bin
		}
		put(loads, per, bin, amount)
		limit.add(amount & live)
		i += int(count)
	}
	p.samples.left, r.bin, r.pending = samples, bin, pending
}
