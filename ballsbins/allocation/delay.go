package allocation

import (
	"math/bits"
	"slices"

	"repslab/mc"
)

// ball is a thrown ball.
type ball struct {
	bin, weight uint32 // a weight is below 2^26 units: -ln 2^-53 times exponentialUnit
}

// delayedFixed is the information that leaves out the last balls. DelayedAdversary compares its
// reports with the current loads.
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

// delayedRandom is the information that leaves out a random number of balls. It follows the balls of a
// bin back in time. Balls are numbered from Delay + 1 on, so reports leave out none before number 2.
// Only the bins that a ball reads have reports; the reported load of the others is their trail, which
// saves reading another table.
type delayedRandom struct {
	delay  uint64
	window []past          // ball number t at t mod len(window), a power of two
	totals []int64         // W before these balls, if the rule compares with the average; else nil
	balls  int64           // number of the last one, below 2^36
	read   []report        // of the bins that a ball reads
	open   [2 * block]open // scratch
}

// open is a ball of a bin, and the last ball that a report counts.
type open struct{ ball, bound int64 }

// more returns 1 if the report leaves out the ball, else 0.
func (o open) more() int { return int(uint64(o.bound-o.ball) >> 63) }

// past is a ball of the window.
type past struct {
	before uint32 // balls from the one before it in its bin until it, at most distant
	weight uint32
}

// trail is the latest ball of a bin, 0 if there is none, and its past.before: with balls of weight 1
// most reports need nothing else of the window.
type trail int64

// distant is at least MaxDelay: a ball so far back counts in every report.
const distant = 1<<27 - 1

func (t trail) latest() int64 { return int64(t >> 27) }
func (t trail) second() int64 { return t.latest() - int64(t&distant) } // the one before it in its bin

// report is a bin whose reported load takes the place of its trail.
type report struct {
	bin uint32
	trail
}

func newDelayedRandom(c Config) *delayedRandom {
	size := 1 << bits.Len(uint(c.Delay-1))
	d := &delayedRandom{delay: uint64(c.Delay), window: make([]past, size),
		read: make([]report, 0, c.Choices+c.Remembered)}
	if slices.Contains([]Rule{MeanThinning, TwoThinning, Twinning, Packing}, c.Rule) {
		d.totals = make([]int64, size)
	}
	return d
}

func (*delayedRandom) live() int64        { return 0 }
func (*delayedRandom) ready(*Process) int { return block }
func (d *delayedRandom) reset(p *Process) {
	clear(p.seen)
	d.balls = int64(d.delay)
}

// last returns the weight of a bin's latest ball if it comes after ball number bound, else 0: by a
// mask, since no processor predicts that. It leaves the window alone if all balls weigh 1.
func (d *delayedRandom) last(p *Process, t trail, bound int64) int64 {
	after := (bound - t.latest()) >> 63
	if p.plain {
		return -after
	}
	return after & int64(d.at(t.latest()).weight)
}

// earlier returns the weight of a bin's other balls after ball number bound, which are rare.
func (d *delayedRandom) earlier(t trail, bound int64) (sum int64) {
	for ball := t.second(); ball > bound; ball -= int64(d.at(ball).before) {
		sum += int64(d.at(ball).weight)
	}
	return sum
}

func (d *delayedRandom) at(ball int64) *past { return &d.window[ball&int64(len(d.window)-1)] }

func (d *delayedRandom) throw(p *Process, into []uint32) {
	if _, pairs := p.rule.(twoChoice); pairs {
		d.throwPairs(p, into)
		return
	}
	weights, total := p.weights, p.total
	for i := range into {
		d.read = d.read[:0]
		for _, bin := range p.rule.reads(p) {
			d.read = append(d.read, report{bin, trail(p.seen[bin])})
		}
		for _, r := range d.read {
			var age uint64
			age, p.coins = p.coins.NextBelow(d.delay)
			bound := d.balls - int64(age)
			p.seen[r.bin] = p.loads[r.bin] - p.scaled(r.bin, d.last(p, r.trail, bound)+d.earlier(r.trail, bound))
			first := max(bound, int64(d.delay)) + 1 // of the balls that the report leaves out
			if p.seenTotal = total; d.totals != nil && first <= d.balls {
				p.seenTotal = d.totals[first&int64(len(d.totals)-1)]
			}
		}
		p.weights = weights[i:]
		p.rule.throw(p, into[i:i+1])
		for _, r := range d.read {
			p.seen[r.bin] = int64(r.trail)
		}
		d.add(p.seen, into[i], weights[i], total)
		total += weights[i]
	}
	p.weights = weights
}

// throwPairs is throw for two choices.
func (d *delayedRandom) throwPairs(p *Process, into []uint32) {
	pairs, trails, loads, coins := p.samples.take(2*len(into)), p.seen, p.loads, p.coins
	if p.samples.touch != nil {
		d.touch(coins, trails, pairs)
	}
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		var age, second uint64
		age, coins = coins.NextBelow(d.delay)
		second, coins = coins.NextBelow(d.delay)
		from, fromOther := d.balls-int64(age), d.balls-int64(second)
		t, u := trail(trails[bin]), trail(trails[other])
		load := loads[bin] - p.scaled(bin, d.last(p, t, from)+d.earlier(t, from))
		more := loads[other] - p.scaled(other, d.last(p, u, fromOther)+d.earlier(u, fromOther)) - load
		bin ^= (bin ^ other) & uint32(more>>63)
		p.put(bin, p.units(i, bin))
		d.add(trails, bin, p.weight(i), 0)
		into[i] = bin
	}
	p.coins = coins
}

// touch reads ahead those balls of the window, but the latest of a bin, that the reports of the next
// balls leave out. It draws their ages from a copy of the generator, and lists the balls before it
// reads them: few samples have any, and only reads that follow each other closely overlap.
func (d *delayedRandom) touch(coins mc.Rand, trails []int64, pairs []uint32) {
	count, delay, balls := 0, d.delay, d.balls
	for i, bin := range pairs {
		var age uint64
		age, coins = coins.NextBelow(delay)
		d.open[count] = open{trail(trails[bin]).second(), balls + int64(i/2) - int64(age)}
		count += d.open[count].more()
	}
	for count > 0 {
		left := d.open[:count]
		count = 0
		for _, o := range left {
			o.ball -= int64(d.at(o.ball).before)
			d.open[count] = o
			count += o.more()
		}
	}
}

// add adds a ball.
func (d *delayedRandom) add(trails []int64, bin uint32, weight, total int64) {
	d.balls++
	before := min(d.balls-trail(trails[bin]).latest(), distant)
	*d.at(d.balls) = past{uint32(before), uint32(weight)}
	trails[bin] = d.balls<<27 | before
	if d.totals != nil {
		d.totals[d.balls&int64(len(d.totals)-1)] = total
	}
}

// delayed is the comparison of DelayedFixed and DelayedAdversary. It counts one of p.late after each
// ball, which replaces it.
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
