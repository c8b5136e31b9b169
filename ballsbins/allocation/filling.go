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
	if p.live {
		p.seenTotal = p.total
	}
	for i := range into {
		if r.pending == 0 {
			r.bin = p.samples.next()
			r.pending = r.balls(p)
		}
		r.pending--
		p.put(r.bin)
		if p.live {
			p.seenTotal += p.weight
		}
		into[i] = r.bin
	}
}

// balls returns the number of balls that the sample gets.
func (r *filling) balls(p *Process) int64 {
	r.limit.set(p.seenTotal)
	load := p.seen[r.bin]
	switch {
	case load > r.limit.limit: // x_i >= W/n
		return 1
	case r.packing: // the smallest integer at or above W/n is one above the largest below it
		return r.limit.limit + 1 - load + 1
	}
	return 2
}
