package allocation

import "math/bits"

// delayedFixed is the information that leaves out the last balls.
type delayedFixed struct {
	bins    []uint32 // of the balls that are left out, a ring
	weights []int64  // theirs
	held    int      // balls in the ring
	oldest  int      // index of the oldest
}

func newDelayedFixed(c Config) *delayedFixed {
	return &delayedFixed{bins: make([]uint32, c.Delay), weights: make([]int64, c.Delay)}
}

func (*delayedFixed) live() bool         { return false }
func (d *delayedFixed) reset(*Process)   { d.held, d.oldest = 0, 0 }
func (*delayedFixed) ready(*Process) int { return 1 }

func (d *delayedFixed) thrown(p *Process, into []uint32) {
	size := len(d.bins)
	for i, bin := range into {
		at := d.oldest + d.held
		if at >= size {
			at -= size
		}
		d.bins[at], d.weights[at] = bin, p.weights[i]
		if d.held++; d.held == size {
			d.report(p)
		}
	}
}

// report counts the oldest ball.
func (d *delayedFixed) report(p *Process) {
	bin, weight := d.bins[d.oldest], d.weights[d.oldest]
	p.seen[bin] += weight
	p.seenTotal += weight
	if p.ranks != nil {
		p.ranks.raised(p.seen, p.seen[bin]-weight, p.seen[bin])
	}
	d.held--
	if d.oldest++; d.oldest == len(d.bins) {
		d.oldest = 0
	}
}

// history knows the balls of a window by their bins. Balls are numbered from 1.
type history struct {
	last   []int64 // the last ball of each bin, 0 if there is none
	window []past  // ball number t at t mod len(window), a power of two
	balls  int64   // thrown so far
}

// past is a ball of the window.
type past struct {
	before int64 // the ball before it in its bin, 0 if there is none
	weight int64
	total  int64 // W before it
}

// newHistory returns a history of at least the last balls.
func newHistory(bins, balls int) history {
	return history{last: make([]int64, bins), window: make([]past, 1<<bits.Len(uint(balls)))}
}

func (h *history) reset() {
	clear(h.last)
	h.balls = 0
}

// add adds a ball.
func (h *history) add(bin uint32, weight, total int64) {
	h.balls++
	*h.at(h.balls) = past{h.last[bin], weight, total}
	h.last[bin] = h.balls
}

func (h *history) at(ball int64) *past { return &h.window[ball&int64(len(h.window)-1)] }

// recent returns the weight of a bin's balls among the last so many.
func (h *history) recent(bin uint32, balls int64) (sum int64) {
	for ball := h.last[bin]; ball > h.balls-balls && ball > 0; ball = h.at(ball).before {
		sum += h.at(ball).weight
	}
	return sum
}

// delayedRandom is the information that leaves out a random number of balls.
type delayedRandom struct {
	history
	delay uint64
}

func newDelayedRandom(c Config) *delayedRandom {
	return &delayedRandom{newHistory(c.Bins, c.Delay-1), uint64(c.Delay)}
}

func (*delayedRandom) live() bool       { return false }
func (d *delayedRandom) reset(*Process) { d.history.reset() }

func (d *delayedRandom) ready(p *Process) int {
	for _, bin := range p.rule.reads(p) {
		age := int64(p.coins.Below(d.delay))
		p.seen[bin] = p.loads[bin] - d.recent(bin, age)
		p.seenTotal = p.total
		if age = min(age, d.balls); age > 0 {
			p.seenTotal = d.at(d.balls - age + 1).total
		}
	}
	return 1
}

func (d *delayedRandom) thrown(p *Process, into []uint32) {
	d.add(into[0], p.weights[0], p.total-p.weights[0])
}

// adversary is the comparison of DelayedAdversary.
type adversary struct {
	history
	delay int64
}

func newAdversary(c Config) *adversary {
	return &adversary{newHistory(c.Bins, c.Delay-1), int64(c.Delay)}
}

func (a *adversary) throw(p *Process, pairs, into []uint32) {
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		if p.loads[bin] < p.loads[other] {
			bin, other = other, bin
		}
		if p.loads[bin]-a.recent(bin, a.delay-1) > p.loads[other] {
			bin = other
		}
		p.put(bin, p.weights[i])
		a.add(bin, p.weights[i], 0)
		into[i] = bin
	}
}
