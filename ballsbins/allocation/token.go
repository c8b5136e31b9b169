package allocation

// token is the rule of REPS without departures: licences from batch to batch.
type token struct {
	limit    average
	batch    int
	licences []uint32 // to bins, not yet used
	thrown   []uint32 // the bins of the balls of the batch so far
}

func newToken(c Config) *token {
	return &token{limit: newAverage(c, c.Offset, false), batch: c.Batch,
		licences: make([]uint32, 0, c.Batch), thrown: make([]uint32, 0, c.Batch)}
}

func (r *token) reset(*Process) { r.licences, r.thrown = r.licences[:0], r.thrown[:0] }

func (r *token) reads(*Process) []uint32 { return nil }

func (r *token) throw(p *Process, into []uint32) {
	if len(r.thrown) == r.batch {
		r.license(p)
	}
	for i := range into {
		bin := r.use(p)
		p.put(bin)
		into[i] = bin
	}
	r.thrown = append(r.thrown, into...)
}

// license begins a batch: the balls of the batch before license balls of this one.
func (r *token) license(p *Process) {
	r.limit.set(p.total)
	r.licences = r.licences[:0]
	for _, bin := range r.thrown {
		if p.loads[bin] <= r.limit.limit {
			r.licences = append(r.licences, bin)
		}
	}
	r.thrown = r.thrown[:0]
}

// use returns a random licence, or a sample if there is none.
func (r *token) use(p *Process) uint32 {
	left := len(r.licences)
	if left == 0 {
		return p.samples.next()
	}
	i := p.coins.Below(uint64(left))
	bin := r.licences[i]
	r.licences[i] = r.licences[left-1]
	r.licences = r.licences[:left-1]
	return bin
}
