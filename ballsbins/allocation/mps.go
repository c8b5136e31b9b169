package allocation

import "slices"

// mps is the rule with several samples and several remembered bins.
type mps struct {
	choices, memory int
	remembered      []uint32
	candidates      []uint32 // scratch: the remembered bins, then the samples that are not among them
}

func newMPS(c Config) rule {
	if c.Choices == 1 && c.Remembered == 1 {
		return &mpsOne{}
	}
	return &mps{choices: c.Choices, memory: c.Remembered,
		remembered: make([]uint32, 0, c.Remembered), candidates: make([]uint32, 0, c.Remembered+c.Choices)}
}

func (r *mps) reset(*Process) { r.remembered = r.remembered[:0] }

// reads lists the candidates of the next ball.
func (r *mps) reads(p *Process) []uint32 { return r.list(p.samples.peek(r.choices)) }

// list returns the different bins among the remembered ones and the samples.
func (r *mps) list(samples []uint32) []uint32 {
	list := append(r.candidates[:0], r.remembered...)
	for _, bin := range samples {
		if !slices.Contains(list, bin) {
			list = append(list, bin)
		}
	}
	return list
}

func (r *mps) throw(p *Process, into []uint32) {
	for i := range into {
		list := r.list(p.samples.take(r.choices))
		r.best(p, list)
		into[i] = list[0]
		p.put(list[0], p.units(i, list[0]))
		kept := min(r.memory, len(list))
		for k := range kept {
			r.best(p, list[k:])
		}
		r.remembered = append(r.remembered[:0], list[:kept]...)
	}
}

// best moves the least loaded bin of a list to its front, a random one of several.
func (r *mps) best(p *Process, list []uint32) {
	at, least, equal := 0, p.seen[list[0]], uint64(1)
	for i, bin := range list[1:] {
		switch load := p.seen[bin]; {
		case load < least:
			at, least, equal = i+1, load, 1
		case load == least:
			equal++
			if p.coins.Below(equal) == 0 {
				at = i + 1
			}
		}
	}
	list[0], list[at] = list[at], list[0]
}

// mpsOne is the rule with one sample and one remembered bin, which at first is the sample.
type mpsOne struct{ memory }

func (r *mpsOne) throw(p *Process, into []uint32) {
	samples := p.samples.take(len(into))
	if !r.filled {
		r.cache, r.filled = samples[0], true
	}
	seen, coins, cache, live := p.seen, p.coins, r.cache, p.live
	cached := seen[cache] // follows the load of the remembered bin: reading it would delay the next ball
	for i, sample := range samples {
		var word uint64
		word, coins = coins.Next()
		load, coin := seen[sample], int64(word)
		same := (int64(sample^cache) - 1) >> 63   // all ones if the sample is the remembered bin
		loses := (cached - load + coin>>63) >> 63 // all ones if the remembered bin gets the ball
		bin := sample ^ (sample^cache)&uint32(loses)
		units := p.units(i, bin)
		p.put(bin, units)
		units &= live
		load += units&^loses | units&same
		cached += units & (loses | same)
		keeps := (cached - load + coin<<1>>63) >> 63 // all ones if it stays remembered
		cache = sample ^ (sample^cache)&uint32(keeps)
		cached = load ^ (load^cached)&keeps
		into[i] = bin
	}
	p.coins, r.cache = coins, cache
}
