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
	last []ball // a ring of the last τ - 1 > 0 balls; those before the first have no weight
	at   int    // the place of the oldest ball
}

func newDelayedFixed(c Config) *delayedFixed { return &delayedFixed{last: make([]ball, c.Delay-1)} }

func (*delayedFixed) live() int64        { return 0 }
func (d *delayedFixed) reset(*Process)   { clear(d.last) }
func (*delayedFixed) ready(*Process) int { return block }

func (d *delayedFixed) throw(p *Process, into []uint32) {
	weights, size := p.weights, len(d.last)
	if p.samples.touch != nil {
		for _, late := range d.last[d.at:min(size, d.at+len(into))] {
			p.samples.touched += p.seen[late.bin]
		}
	}
	_, replaces := p.rule.(twoChoice) // it counts p.late itself, and replaces them
	for len(into) > 0 {
		k := 1
		if replaces {
			k = min(len(into), size-d.at)
		}
		p.late = d.last[d.at : d.at+k]
		p.rule.throw(p, into[:k])
		if late := p.late[0]; !replaces {
			before := p.seen[late.bin]
			p.seen[late.bin] += p.scaled(late.bin, int64(late.weight))
			if r := p.ranks; r != nil {
				if r.level = r.raised(r.limit-before, r.limit-p.seen[late.bin]); r.level.heavy == 0 {
					r.level = r.rise(p.seen, r.limit)
				}
			}
			p.seenTotal += int64(late.weight)
			p.late[0] = ball{into[0], uint32(p.weights[0])}
		}
		if d.at += k; d.at == size {
			d.at = 0
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
// whether there are any, so the latest one counts by a mask; a second one is rare.
func (d *delayedRandom) recent(ball int64, balls uint64) (sum int64) {
	bound := max(0, d.balls-int64(balls))
	for {
		p := d.at(ball)
		sum += int64(p.weight) & ((bound - ball) >> 63)
		if ball -= int64(p.before); ball <= bound {
			return sum
		}
	}
}

func (d *delayedRandom) at(ball int64) *past { return &d.window[ball&int64(len(d.window)-1)] }

func (d *delayedRandom) throw(p *Process, into []uint32) {
	if _, pairs := p.rule.(twoChoice); pairs {
		d.throwPairs(p, into)
		return
	}
	weights, total := p.weights, p.total
	for i := range into {
		d.latest = d.latest[:0]
		for _, bin := range p.rule.reads(p) {
			d.latest = append(d.latest, latest{bin, p.seen[bin]})
		}
		for _, l := range d.latest {
			var age uint64
			age, p.coins = p.coins.NextBelow(d.delay)
			p.seen[l.bin] = p.loads[l.bin] - p.scaled(l.bin, d.recent(l.ball, age))
			first := max(0, d.balls-int64(age)) + 1 // of the balls that the report leaves out
			if p.seenTotal = total; d.totals != nil && first <= d.balls {
				p.seenTotal = d.totals[first&int64(len(d.totals)-1)]
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

// throwPairs is throw for two choices.
func (d *delayedRandom) throwPairs(p *Process, into []uint32) {
	pairs, latest, loads, coins := p.samples.take(2*len(into)), p.seen, p.loads, p.coins
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		var age, second uint64
		age, coins = coins.NextBelow(d.delay)
		second, coins = coins.NextBelow(d.delay)
		load := loads[bin] - p.scaled(bin, d.recent(latest[bin], age))
		more := loads[other] - p.scaled(other, d.recent(latest[other], second)) - load
		bin ^= (bin ^ other) & uint32(more>>63)
		p.put(bin, p.units(i, bin))
		d.add(latest, bin, p.weight(i), 0)
		into[i] = bin
	}
	p.coins = coins
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

// delayed is the comparison of DelayedFixed and DelayedAdversary. It counts one of p.late after each ball, which
// replaces it.
type delayed struct {
	adversary bool // the heavier sample gets the ball if its report is at most the load of the lighter one
}

func (d delayed) throw(p *Process, pairs, into []uint32) {
	loads, seen, late := p.loads, p.seen, p.late[:len(into)]
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
		p.put(bin, p.units(i, bin))
		seen[late[i].bin] += p.scaled(late[i].bin, int64(late[i].weight))
		late[i] = ball{bin, uint32(p.weight(i))}
		into[i] = bin
	}
}
