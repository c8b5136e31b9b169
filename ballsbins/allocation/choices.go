package allocation

// oneChoice is the rule OneChoice.
type oneChoice struct{}

func (oneChoice) reset(*Process)          {}
func (oneChoice) reads(*Process) []uint32 { return nil }
func (oneChoice) throw(p *Process, into []uint32) {
	copy(into, p.samples.take(len(into)))
	loads, per, weights, most := p.loads, p.per, p.weights[:len(into)], p.most
	for i, bin := range into {
		most = put(loads, per, bin, weights[i], most)
	}
	p.most = most
}

// twoChoice is the rule of two choices, with the comparison of the information.
type twoChoice struct{ compare comparison }

func newTwoChoice(c Config) rule { return twoChoice{newComparison(c)} }

func (twoChoice) reset(*Process)            {}
func (twoChoice) reads(p *Process) []uint32 { return p.samples.peek(2) }
func (r twoChoice) throw(p *Process, into []uint32) {
	pairs := p.samples.take(2 * len(into))
	if r.compare != nil {
		r.compare.throw(p, pairs, into)
		return
	}
	loads, per, seen, weights, most := p.loads, p.per, p.seen, p.weights[:len(into)], p.most
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		// All ones if the other bin is less loaded: no processor predicts that.
		less := uint32((seen[other] - seen[bin]) >> 63)
		bin ^= (bin ^ other) & less
		most = put(loads, per, bin, weights[i], most)
		into[i] = bin
	}
	p.most = most
}

// dChoice is the rule of d choices.
type dChoice struct{ choices int }

func (dChoice) reset(*Process)              {}
func (r dChoice) reads(p *Process) []uint32 { return p.samples.peek(r.choices) }
func (r dChoice) throw(p *Process, into []uint32) {
	choices := r.choices
	samples := p.samples.take(choices * len(into))
	loads, per, seen, weights, most := p.loads, p.per, p.seen, p.weights[:len(into)], p.most
	for i := range into {
		best := samples[i*choices]
		least := seen[best]
		for k := 1; k < choices; k++ {
			bin := samples[i*choices+k]
			load := seen[bin]
			less := (load - least) >> 63 // all ones if it is less loaded
			best ^= (best ^ bin) & uint32(less)
			least = min(least, load)
		}
		most = put(loads, per, best, weights[i], most)
		into[i] = best
	}
	p.most = most
}
