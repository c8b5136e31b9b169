package allocation

// batched is the information that reports the loads at the start of a batch.
type batched struct {
	size   int
	left   int      // balls of the batch still to throw
	ties   *ties    // nil under RandomTies
	listed []uint32 // the bins of the batch so far; nil if a batch has at least as many balls as bins
}

func newBatched(c Config) *batched {
	b := &batched{size: c.Batch, ties: newTies(c)}
	if b.ties == nil && c.Batch < c.Bins {
		b.listed = make([]uint32, 0, c.Batch)
	}
	return b
}

// reset begins a run; its initial loads are already in place.
func (b *batched) reset(p *Process) {
	b.left, b.listed = b.size, b.listed[:0]
	if b.ties != nil {
		b.ties.reset()
		b.ties.apply(p)
	}
}

// ready updates the reported loads if a batch begins, and returns the most balls that may be thrown in
// one call.
func (b *batched) ready(p *Process) int {
	if b.left == 0 {
		b.report(p)
		b.left = b.size
	}
	return b.left
}

// report begins a batch: it reports the current loads.
func (b *batched) report(p *Process) {
	switch {
	case b.ties != nil:
		b.ties.apply(p)
	case b.listed != nil:
		for _, bin := range b.listed {
			p.seen[bin] = p.loads[bin]
		}
		b.listed = b.listed[:0]
	default:
		copy(p.seen, p.loads)
	}
	p.seenTotal = p.total
	if p.ranks != nil {
		p.ranks.sort(p)
	}
}

// thrown counts balls that were thrown into the given bins.
func (b *batched) thrown(into []uint32) {
	b.left -= len(into)
	if b.listed != nil {
		b.listed = append(b.listed, into...)
	}
}
