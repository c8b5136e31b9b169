package allocation

import (
	"math"
	"math/bits"
	"slices"
)

// ball is a thrown ball.
type ball struct {
	bin, weight uint32 // a weight is below 2^26 units: -ln 2^-53 times exponentialUnit
}

// delayedFixed is the information that leaves out the last balls. DelayedAdversary compares its reports with the
// current loads.
type delayedFixed struct {
	last []ball // a ring of τ; the balls before the first have no weight
	at   int    // the place of the newest ball; the oldest follows
}

func newDelayedFixed(c Config) *delayedFixed { return &delayedFixed{last: make([]ball, c.Delay)} }

func (*delayedFixed) live() int64        { return 0 }
func (d *delayedFixed) reset(*Process)   { clear(d.last) }
func (*delayedFixed) ready(*Process) int { return block }

func (d *delayedFixed) throw(p *Process, into []uint32) {
	weights, last, at := p.weights, d.last, d.at
	for i := range into {
		p.weights = weights[i:]
		p.rule.throw(p, into[i:i+1])
		last[at] = ball{into[i], uint32(weights[i])}
		if at++; at == len(last) {
			at = 0
		}
		bin, weight := last[at].bin, int64(last[at].weight) // counts from now on
		before := p.seen[bin]
		put(p.seen, p.per, bin, weight)
		p.seenTotal += weight
		if p.ranks != nil {
			p.ranks.level = p.ranks.raised(p.ranks.level, p.seen, before, p.seen[bin])
		}
	}
	p.weights, d.at = weights, at
}

// delayedRandom is the information that leaves out a random number of balls. It follows the balls of a bin back
// in time. Balls are numbered from 1.
type delayedRandom struct {
	delay  uint64
	latest []int64 // the latest ball of each bin, 0 if there is none
	window []past  // ball number t at t mod len(window), a power of two
	totals []int64 // W before these balls, if the rule compares with the average; else nil
	balls  int64   // thrown so far
}

// past is a ball of the window.
type past struct {
	before uint32 // balls from the one before it in its bin until it; many if there is none
	weight uint32
}

func newDelayedRandom(c Config) *delayedRandom {
	size := 1 << bits.Len(uint(c.Delay-1))
	d := &delayedRandom{delay: uint64(c.Delay), latest: make([]int64, c.Bins), window: make([]past, size)}
	if slices.Contains([]Rule{MeanThinning, TwoThinning, Twinning, Packing}, c.Rule) {
		d.totals = make([]int64, size)
	}
	return d
}

func (*delayedRandom) live() int64        { return 0 }
func (*delayedRandom) ready(*Process) int { return block }
func (d *delayedRandom) reset(*Process) {
	clear(d.latest)
	d.balls = 0
}

// recent returns the weight of a bin's balls among the last so many. No processor predicts how many there are:
// it looks at two of the bin's balls in each turn, of which those before the last so many have no weight.
func (d *delayedRandom) recent(bin uint32, balls int64) (sum int64) {
	ball, bound := d.latest[bin], d.balls-balls
	for more := true; more; more = ball > bound {
		for range 2 {
			p := d.at(ball)
			sum += int64(p.weight) & ((bound - ball) >> 63)
			ball -= int64(p.before)
		}
	}
	return sum
}

func (d *delayedRandom) at(ball int64) *past { return &d.window[ball&int64(len(d.window)-1)] }

func (d *delayedRandom) throw(p *Process, into []uint32) {
	weights, total := p.weights, p.total
	for i := range into {
		for _, bin := range p.rule.reads(p) {
			draw, low := bits.Mul64(p.coins.Uint64(), d.delay)
			if low < d.delay {
				draw = p.coins.Redraw(d.delay, draw, low)
			}
			age := min(int64(draw), d.balls)
			p.seen[bin] = p.loads[bin]
			put(p.seen, p.per, bin, -d.recent(bin, age))
			if p.seenTotal = total; d.totals != nil && age > 0 {
				p.seenTotal = d.totals[(d.balls-age+1)&int64(len(d.totals)-1)]
			}
		}
		p.weights = weights[i:]
		p.rule.throw(p, into[i:i+1])
		d.add(into[i], weights[i], total)
		total += weights[i]
	}
	p.weights = weights
}

// add adds a ball.
func (d *delayedRandom) add(bin uint32, weight, total int64) {
	d.balls++
	*d.at(d.balls) = past{uint32(min(d.balls-d.latest[bin], math.MaxUint32)), uint32(weight)}
	d.latest[bin] = d.balls
	if d.totals != nil {
		d.totals[d.balls&int64(len(d.totals)-1)] = total
	}
}

// adversary is the comparison of DelayedAdversary: the heavier sample gets the ball if its load without the
// latest balls, which is the report of delayedFixed, lets it.
type adversary struct{}

func (adversary) throw(p *Process, pairs, into []uint32) {
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		swap := (bin ^ other) & uint32((p.loads[bin]-p.loads[other])>>63)
		bin ^= swap
		other ^= swap
		bin ^= (bin ^ other) & uint32((p.loads[other]-p.seen[bin])>>63)
		put(p.loads, p.per, bin, p.weights[i])
		into[i] = bin
	}
}
