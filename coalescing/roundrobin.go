package coalescing

import "repslab/mc"

// roundRobin is the process of n b colours that take turns. A round costs O(n).
type roundRobin struct {
	ports
	bins   uint32
	memory []remembered // one for each colour
	uses   uint32       // throws that a remembered bin serves
	next   uint32       // the first colour of the next batch
	rng    mc.Rand
}

// remembered is a bin and the number of throws that it still serves. If left is 0 no bin is remembered.
type remembered struct{ bin, left uint32 }

func newRoundRobin(cfg Config) *roundRobin {
	return &roundRobin{
		ports:  newPorts(cfg),
		bins:   uint32(cfg.Bins),
		memory: make([]remembered, cfg.Bins*cfg.Colors),
		uses:   cfg.uses(),
	}
}

// Reset empties the bins, makes all colours forget and begins the run of a stream.
func (r *roundRobin) Reset(stream mc.Stream) {
	r.ports.reset()
	clear(r.memory)
	r.next = 0
	r.rng = stream.Rand()
}

// Step advances the process by one round.
func (r *roundRobin) Step() {
	for bin := range r.bins {
		for _, l := range r.serve(bin, r.bins) {
			r.learn(l)
		}
	}
	r.EndRound(int(r.bins), r.throwBatch())
}

// learn makes a colour remember the bin of a good ball, unless it remembers one, and forget after a ball
// that is not good.
func (r *roundRobin) learn(l lesson) {
	m := &r.memory[l.ball]
	switch {
	case l.bin == unknown:
		m.left = 0
	case m.left == 0:
		*m = remembered{l.bin, r.uses}
	}
}

// throwBatch throws the next n colours and returns the number thrown at random.
func (r *roundRobin) throwBatch() (random int) {
	batch := r.memory[r.next : r.next+r.bins]
	rng := r.rng
	for i := range batch {
		m := &batch[i]
		bin := m.bin
		if m.left == 0 {
			bin = uint32(rng.Below(uint64(r.bins)))
			random++
		} else {
			m.left--
		}
		r.Throw(bin, r.next+uint32(i))
	}
	r.rng = rng
	r.next += r.bins
	if int(r.next) == len(r.memory) {
		r.next = 0
	}
	return random
}
