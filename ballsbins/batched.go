package ballsbins

import (
	"repslab/internal/rates"
	"repslab/mc"
)

// unitsPerBall is the number of units of load in a ball of weight 1 inside the
// weighted variant: a ball of weight 0.99 is 990,000,000 units, so loads and
// their sums stay exact.
const unitsPerBall = 1_000_000_000

// Batched is one run of the batched process. Make it with [NewBatched], start a
// run with Reset, advance it with Step or Advance. It is not safe for concurrent
// use.
type Batched struct {
	cfg     Config
	units   int64 // of load in a ball of weight 1
	make    []func() kernel
	made    []kernel // those of make that were needed so far
	inUse   int      // index of the kernel that holds the loads
	offered arrivals
	stream  mc.Stream
	rng     mc.Rand
	round   int
	ports   rates.Ports
}

// NewBatched returns a process that is ready for Reset, or the faults of cfg. Up to
// 2^16 bins it holds 64 KiB, twice that under TwoChoice; as much again and then
// twice as much is added when a run's queues outgrow 8 and 16 bits. With more bins
// or under Weighted it holds 8 bytes a bin.
func NewBatched(cfg Config) (*Batched, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	b := &Batched{cfg: cfg, units: 1, make: kernels(cfg), offered: newArrivals(cfg.Bins, cfg.Lambda), ports: rates.New(cfg.Bins)}
	if cfg.Variant == Weighted {
		b.units = unitsPerBall
		b.offered = newArrivals(cfg.Bins, 1)
	}
	b.made = []kernel{b.make[0]()}
	return b, nil
}

// Reset empties all bins, makes them serve in every round and begins a run that
// draws from stream. O(n).
func (b *Batched) Reset(stream mc.Stream) {
	b.ports.Reset()
	b.stream = stream
	b.restart(0)
}

// restart begins the run anew on a given kernel.
func (b *Batched) restart(number int) {
	b.take(number)
	b.made[number].reset()
	b.rng = b.stream.Rand()
	b.offered.reset(&b.rng)
	b.round = 0
}

// take makes the kernel of a given number the one in use.
func (b *Batched) take(number int) {
	if number == len(b.made) {
		b.made = append(b.made, b.make[number]())
	}
	b.inUse = number
}

// Step runs one round. O(n), no allocation but where a run first needs a wider
// kernel.
func (b *Batched) Step() { b.Advance(1) }

// Advance runs rounds, which is faster than as many steps.
func (b *Batched) Advance(rounds int) {
	for rounds > 0 {
		next := rounds
		if !b.ports.Even() {
			b.lend()
			next = 1
		}
		done, full := b.made[b.inUse].advance(&b.rng, &b.offered, next)
		b.round += done
		rounds -= done
		if full {
			b.widen()
		}
	}
	if !b.made[b.inUse].sound() {
		// A lane wrapped although its highest bit had been clear a round before,
		// which no run of any length is likely to see: repeat it on a wider kernel.
		target := b.round
		b.restart(b.inUse + 1)
		b.Advance(target)
	}
}

// SetPort lets a bin, 0 <= bin < Bins, serve only in rounds divisible by every: a
// slow port, or a broken one if every is 0, or again one like the others if it is
// 1. It counts from the next round on, until Reset. Only under ServeThenArrive; it
// panics under the other variants and if bin or every is out of its range. The run
// goes on in the slowest kernel, O(n) a round. That kernel draws as the one before
// it did, except where Bins is a power of two up to 32.
func (b *Batched) SetPort(bin, every int) {
	if b.cfg.Variant != ServeThenArrive {
		panic("ballsbins: SetPort needs the variant " + string(ServeThenArrive))
	}
	// The last kernel never has to repeat a run, whose changes nobody remembers.
	for b.inUse < len(b.make)-1 {
		b.widen()
	}
	b.ports.Set(bin, every)
}

// lend gives every bin that does not serve in the next round the ball that the
// kernel, whose bins all serve, takes out of it.
func (b *Batched) lend() {
	for _, bin := range b.ports.Resting(b.round + 1) {
		b.made[b.inUse].setLoad(bin, b.made[b.inUse].load(bin)+b.units)
	}
}

// widen moves the loads to the next kernel.
func (b *Batched) widen() {
	from := b.made[b.inUse]
	if !from.sound() {
		target := b.round
		b.restart(b.inUse + 1)
		b.Advance(target)
		return
	}
	b.take(b.inUse + 1)
	to := b.made[b.inUse]
	to.reset()
	for bin := range b.cfg.Bins {
		to.setLoad(bin, from.load(bin))
	}
}

// Round returns the number of rounds run since Reset.
func (b *Batched) Round() int { return b.round }

// Bins returns the number of bins.
func (b *Batched) Bins() int { return b.cfg.Bins }

// Load returns the load of bin i, 0 <= i < Bins, in balls of weight 1.
func (b *Batched) Load(i int) float64 { return float64(b.load(i)) / float64(b.units) }

// load returns the load of a bin in units. A kernel stands between the arrivals
// and the service of a round; the variants that serve last are observed after it.
func (b *Batched) load(bin int) int64 {
	load := b.made[b.inUse].load(bin)
	if b.cfg.Variant == ServeThenArrive {
		return load
	}
	return max(0, load-b.units)
}

// observe returns the largest load and the sum of all loads, in units. O(n).
func (b *Batched) observe() (most, total int64) {
	for bin := range b.cfg.Bins {
		load := b.load(bin)
		most = max(most, load)
		total += load
	}
	return most, total
}
