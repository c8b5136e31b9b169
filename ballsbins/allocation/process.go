package allocation

import (
	"repslab/internal/must"
	"repslab/mc"
)

// block is the most balls that a rule throws in one call.
const block = 512

// Process is one run of an allocation. [New] makes it, Reset begins a run, Advance throws
// balls. It is not safe for concurrent use.
type Process struct {
	cfg      Config
	unit     int64 // units of weight in a ball of weight 1
	multiple int64 // units of load in a unit of weight at speed 1, L
	capacity int64 // sum of the speeds, S
	scale    int64 // observed units in a ball
	weigher  weigher
	samples  samples
	batch    *batched // nil under current information
	rule     rule
	coins    mc.Rand // draws everything but samples and weights

	loads  []int64
	per    []int64 // units of load in a unit of weight, by bin; nil if 1
	plain  bool    // every ball raises a load by 1
	total  int64   // W, in units of weight
	most   int64   // the largest load
	balls  int     // thrown since Reset
	maxGap int64   // largest gap at a check, in observed units
	check  int     // balls between checks: a batch, or n
	due    int     // balls until the next check

	// The loads that the information reports; under current information seen is loads itself.
	seen      []int64
	seenTotal int64
	ranks     *ranks  // ranks of the reported loads under Quantile, otherwise nil
	live      int64   // all ones if seen is loads, else 0
	weights   []int64 // weights of the balls thrown next, from the beginning of drawn
	drawn     [block]int64
	into      [block]uint32
}

// New returns the process that cfg describes at the start of a run on the zero stream, or the faults
// of cfg. Reset begins a run on another stream. The process holds 8 bytes for every bin, as many
// again in batches and with speeds.
func New(cfg Config) (*Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	p := &Process{cfg: cfg, unit: cfg.Weights.unit(), multiple: cfg.multiple(), capacity: cfg.capacity(),
		scale: cfg.scale(), loads: make([]int64, cfg.Bins), check: cfg.Bins}
	if len(cfg.Speeds) > 0 {
		p.per = make([]int64, cfg.Bins)
		for i := range p.per {
			p.per[i] = p.multiple / cfg.speed(i)
		}
	}
	p.weigher = newWeigher(cfg.Weights)
	p.plain = p.per == nil && !p.weigher.vary()
	var each int
	p.rule, each = newRule(cfg)
	if q, ok := p.rule.(*quantile); ok {
		p.ranks = &q.ranks
	}
	p.samples = newSamples(cfg, each)
	p.seen, p.live = p.loads, -1
	if cfg.Information == Batched {
		p.batch, p.seen, p.live, p.check = newBatched(cfg), make([]int64, cfg.Bins), 0, cfg.Batch
	}
	if cfg.Bins >= cachedBins && cfg.Rule != OneChoice {
		p.samples.touch = p.touch
	}
	p.Reset(mc.Stream{})
	return p, nil
}

// touch prefetches the loads of samples by many independent reads. Nobody uses the sum; without it the
// compiler would drop the reads.
func (p *Process) touch(samples []uint32) (sum int64) {
	for _, table := range [2][]int64{p.seen, p.per} {
		for i := 0; table != nil && i < len(samples); i++ {
			sum += table[samples[i]]
		}
	}
	return sum
}

// Reset gives the bins the loads of Config.Start and begins a run that draws from stream. O(n).
func (p *Process) Reset(stream mc.Stream) {
	p.mustBeMade()
	p.samples.reset(stream.Rand())
	p.weigher.reset(stream.Child(1).Rand())
	p.coins = stream.Child(2).Rand()
	clear(p.loads)
	p.total, p.most = 0, 0
	for i, balls := range p.cfg.Start {
		weight := int64(balls) * p.unit
		p.put(uint32(i), p.scaled(uint32(i), weight))
		p.total += weight
	}
	if p.live == 0 {
		copy(p.seen, p.loads)
	}
	p.seenTotal = p.total
	p.balls, p.maxGap, p.due = 0, 0, p.check
	for i := range p.drawn {
		p.drawn[i] = p.unit
	}
	p.weights = p.drawn[:]
	if p.batch != nil {
		p.batch.reset(p)
	}
	p.rule.reset(p)
	if p.ranks != nil {
		p.ranks.sort(p)
	}
}

// Advance throws balls. The run does not depend on how its balls are split into calls. Advance allocates
// nothing. A ball costs O(1), and O(n/b) more under Batched. Quantile adds O(n log n) for each batch.
// Without batches it adds O(1/Delta) for each ball if all weights and speeds are 1, and up to O(n)
// otherwise. It panics if balls is negative or the run would pass mc.MaxRounds balls.
func (p *Process) Advance(balls int) {
	p.mustBeMade()
	must.BeIn("allocation: Process.Advance", "balls", balls, 0, mc.MaxRounds-p.balls)
	for balls > 0 {
		k := min(balls, p.due, block, p.samples.ready())
		if p.batch != nil {
			k = min(k, p.batch.ready(p))
		}
		into, weight := p.into[:k], int64(k)*p.unit
		if p.weigher.vary() {
			p.weigher.fill(p.weights[:k])
			weight = sum(p.weights[:k])
		}
		p.rule.throw(p, into)
		if p.batch != nil {
			p.batch.thrown(into)
		}
		p.total += weight
		p.balls += k
		balls -= k
		if p.due -= k; p.due == 0 {
			p.maxGap = max(p.maxGap, p.gap())
			p.due = p.check
		}
	}
}

// mustBeMade panics for the zero value.
func (p *Process) mustBeMade() { must.BeMade(p.rule != nil, "allocation: Process", "New") }

// sum returns the sum of weights.
func sum(weights []int64) (total int64) {
	for _, w := range weights {
		total += w
	}
	return total
}

// scaled returns the units of load by which a weight raises a bin.
func (p *Process) scaled(bin uint32, weight int64) int64 {
	if p.per != nil {
		weight *= p.per[bin]
	}
	return weight
}

// weight returns the weight of the i-th of the balls thrown next.
func (p *Process) weight(i int) int64 {
	if p.plain {
		return 1
	}
	return p.weights[i]
}

// units returns the units of load by which the i-th of the balls thrown next raises a bin.
func (p *Process) units(i int, bin uint32) int64 {
	if p.plain {
		return 1
	}
	return p.scaled(bin, p.weights[i])
}

// put raises the load of a bin. It reads the tables from p: the rules have no registers left for them.
func (p *Process) put(bin uint32, units int64) {
	load := p.loads[bin] + units
	p.loads[bin] = load
	if load > p.most {
		p.most = load
	}
}

// gap returns the largest load minus the average, in observed units, rounded up for continuous weights.
func (p *Process) gap() int64 {
	p.mustBeMade()
	return p.aboveAverage(p.most)
}

// aboveAverage returns a load minus the average, in observed units.
func (p *Process) aboveAverage(load int64) int64 {
	if p.cfg.Weights.Law == ExponentialWeights {
		return load - p.total*p.multiple/p.capacity
	}
	return p.capacity*load - p.total*p.multiple
}

// perBall converts observed units to balls.
func (p *Process) perBall(units int64) float64 { return float64(units) / float64(p.scale) }

// Balls returns the number of balls thrown since Reset.
func (p *Process) Balls() int { return p.balls }

// bins returns the number of bins.
func (p *Process) bins() int { return p.cfg.Bins }

// Load returns the load of bin i, 0 <= i < Bins, in balls of weight 1 per unit of speed. It panics for other
// bins. O(1).
func (p *Process) Load(i int) float64 {
	p.mustBeMade()
	must.BeIn("allocation: Process.Load", "bin", i, 0, p.cfg.Bins-1)
	return float64(p.loads[i]) / float64(p.unit*p.multiple)
}

// Max returns the largest load in balls of weight 1 per unit of speed. O(1).
func (p *Process) Max() float64 {
	p.mustBeMade()
	return float64(p.most) / float64(p.unit*p.multiple)
}

// Gap returns the largest load minus the average W/n, in balls of weight 1. It is exact up to one
// rounding for integer weights, and within 2^-20 for others. O(1).
func (p *Process) Gap() float64 { return p.perBall(p.gap()) }

// MaxGap returns the largest gap so far at the end of any batch, of any n balls if the
// information is not batched, or of the run. O(1).
func (p *Process) MaxGap() float64 { return p.perBall(p.largestGap()) }

func (p *Process) largestGap() int64 { return max(p.maxGap, p.gap()) }

// Under returns the average W/n minus the smallest load, in balls of weight 1. O(n).
func (p *Process) Under() float64 { return p.perBall(p.under()) }

func (p *Process) under() int64 {
	p.mustBeMade()
	least := p.loads[0]
	for _, load := range p.loads {
		least = min(least, load)
	}
	return -p.aboveAverage(least)
}
