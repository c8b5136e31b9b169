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
	last []ball // a ring of τ > 1; the balls before the first have no weight
	at   int    // the place of the newest ball; the oldest follows
}

func newDelayedFixed(c Config) *delayedFixed { return &delayedFixed{last: make([]ball, c.Delay)} }

func (*delayedFixed) live() int64        { return 0 }
func (d *delayedFixed) reset(*Process)   { clear(d.last) }
func (*delayedFixed) ready(*Process) int { return block }

func (d *delayedFixed) throw(p *Process, into []uint32) {
	weights, size := p.weights, len(d.last)
	for i := 1; p.samples.touch != nil && i <= len(into); i++ {
		p.samples.touched += p.seen[d.last[(d.at+i)%size].bin]
	}
	_, counts := p.rule.(twoChoice) // it counts p.late itself
	for len(into) > 0 {
		oldest, k := d.at+1, 1
		if oldest == size {
			oldest = 0
		}
		if counts {
			k = min(len(into), size-1, size-oldest)
		}
		p.late = d.last[oldest : oldest+k]
		p.rule.throw(p, into[:k])
		for i, bin := range into[:k] {
			late := p.late[i]
			p.seenTotal += int64(late.weight)
			if !counts {
				before := p.seen[late.bin]
				put(p.seen, p.per, late.bin, int64(late.weight))
				if p.ranks != nil {
					p.ranks.level = p.ranks.raised(p.ranks.level, p.seen, before, p.seen[late.bin])
				}
			}
			d.last[d.at] = ball{bin, uint32(p.weights[i])}
			if d.at++; d.at == size {
				d.at = 0
			}
		}
		p.weights, into = p.weights[k:], into[k:]
	}
	p.weights = weights
}

// delayedRandom is the information that leaves out a random number of balls. It follows the balls of a bin back
// in time. Balls are numbered from 1. Only the bins that a ball reads have reports; the reported load of the others
// is the latest ball of the bin, 0 if there is none, which saves reading another table.
type delayedRandom struct {
	delay  uint64
	window []past   // ball number t at t mod len(window), a power of two
	totals []int64  // W before these balls, if the rule compares with the average; else nil
	balls  int64    // thrown so far
	latest []latest // of the bins that a ball reads
}

// past is a ball of the window.
type past struct {
	before uint32 // balls from the one before it in its bin until it; many if there is none
	weight uint32
}

// latest is a bin with its latest ball.
type latest struct {
	bin  uint32
	ball int64
}

func newDelayedRandom(c Config) *delayedRandom {
	size := 1 << bits.Len(uint(c.Delay-1))
	d := &delayedRandom{delay: uint64(c.Delay), window: make([]past, size),
		latest: make([]latest, 0, c.Choices+c.Remembered)}
	if slices.Contains([]Rule{MeanThinning, TwoThinning, Twinning, Packing}, c.Rule) {
		d.totals = make([]int64, size)
	}
	return d
}

func (*delayedRandom) live() int64        { return 0 }
func (*delayedRandom) ready(*Process) int { return block }
func (d *delayedRandom) reset(p *Process) {
	clear(p.seen)
	d.balls = 0
}

// recent returns the weight of a bin's balls among the last so many, from its latest ball. No processor predicts
// how many there are: it looks at two of the bin's balls in each turn, of which those before the last so many have
// no weight.
func (d *delayedRandom) recent(ball, balls int64) (sum int64) {
	bound := d.balls - balls
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
		d.latest = d.latest[:0]
		for _, bin := range p.rule.reads(p) {
			d.latest = append(d.latest, latest{bin, p.seen[bin]})
		}
		for _, l := range d.latest {
			draw, low := bits.Mul64(p.coins.Uint64(), d.delay)
			if low < d.delay {
				draw = p.coins.Redraw(d.delay, draw, low)
			}
			age := min(int64(draw), d.balls)
			p.seen[l.bin] = p.loads[l.bin]
			put(p.seen, p.per, l.bin, -d.recent(l.ball, age))
			if p.seenTotal = total; d.totals != nil && age > 0 {
				p.seenTotal = d.totals[(d.balls-age+1)&int64(len(d.totals)-1)]
			}
		}
		p.weights = weights[i:]
		p.rule.throw(p, into[i:i+1])
		for _, l := range d.latest {
			p.seen[l.bin] = l.ball
		}
		d.add(p.seen, into[i], weights[i], total)
		total += weights[i]
	}
	p.weights = weights
}

// add adds a ball.
func (d *delayedRandom) add(latest []int64, bin uint32, weight, total int64) {
	d.balls++
	*d.at(d.balls) = past{uint32(min(d.balls-latest[bin], math.MaxUint32)), uint32(weight)}
	latest[bin] = d.balls
	if d.totals != nil {
		d.totals[d.balls&int64(len(d.totals)-1)] = total
	}
}

// delayed is the comparison of DelayedFixed and DelayedAdversary. It counts one of p.late after each ball.
type delayed struct {
	adversary bool // the heavier sample gets the ball if its report is at most the load of the lighter one
}

func (d delayed) throw(p *Process, pairs, into []uint32) {
	loads, per, seen, weights, late := p.loads, p.per, p.seen, p.weights[:len(into)], p.late[:len(into)]
	current := p.seen // of the other bin
	if d.adversary {
		current = p.loads
	}
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		if d.adversary { // bin becomes the heavier one
			swap := (bin ^ other) & uint32((loads[bin]-loads[other])>>63)
			bin ^= swap
			other ^= swap
		}
		bin ^= (bin ^ other) & uint32((current[other]-seen[bin])>>63)
		put(loads, per, bin, weights[i])
		put(seen, per, late[i].bin, int64(late[i].weight))
		into[i] = bin
	}
}
