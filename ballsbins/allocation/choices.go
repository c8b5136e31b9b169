package allocation

// oneChoice is the rule OneChoice.
type oneChoice struct{}

func (oneChoice) reset(*Process) {}
func (oneChoice) throw(p *Process, into []uint32) {
	copy(into, p.samples.take(len(into)))
	for i, bin := range into {
		p.put(bin, p.units(i, bin))
	}
}

// twoChoice is the rule of two choices, with the comparison of the information.
type twoChoice struct{ compare comparison }

func newTwoChoice(c Config) rule { return twoChoice{newComparison(c)} }

func (twoChoice) reset(*Process) {}
func (r twoChoice) throw(p *Process, into []uint32) {
	pairs := p.samples.take(2 * len(into))
	if r.compare != nil {
		r.compare.throw(p, pairs, into)
		return
	}
	seen := p.seen
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		// All ones if the other bin is less loaded; a branch on random loads would be mispredicted.
		less := uint32((seen[other] - seen[bin]) >> 63)
		bin ^= (bin ^ other) & less
		p.put(bin, p.units(i, bin))
		into[i] = bin
	}
}

// dChoice is the rule of d choices.
type dChoice struct{ choices int }

func (dChoice) reset(*Process) {}
func (r dChoice) throw(p *Process, into []uint32) {
	choices := r.choices
	samples := p.samples.take(choices * len(into))
	seen := p.seen
	for i := range into {
		best := samples[0]
		least := seen[best]
		for _, bin := range samples[1:choices] {
			more := seen[bin] - least
			less := more >> 63 // all ones if it is less loaded
			best ^= (best ^ bin) & uint32(less)
			least += more & less
		}
		samples = samples[choices:]
		p.put(best, p.units(i, best))
		into[i] = best
	}
}
