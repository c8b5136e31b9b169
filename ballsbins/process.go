package ballsbins

import (
	"slices"

	"repslab/internal/bins"
	"repslab/internal/must"
	"repslab/mc"
)

// unitsPerBall is the number of units of load in a ball of weight 1 inside the
// weighted variant: a ball of weight 0.99 is 990,000,000 units, so loads and
// their sums stay exact.
const unitsPerBall = 1_000_000_000

// Process is one run of the batched process. [New] makes it, Reset begins a run, Step
// and Advance run rounds. Methods of the zero value panic. It is not safe for concurrent use.
type Process struct {
	cfg     Config
	units   int64 // units of load in a ball of weight 1
	make    []func() kernel
	made    []kernel // kernels that were needed so far, by their index in make
	inUse   int      // index of the kernel that holds the loads
	offered arrivals
	stream  mc.Stream
	rng     mc.Rand
	round   int
	ports   bins.Ports
}

// New returns the process that cfg describes at the start of a run on the zero stream, or the faults of cfg.
// Reset begins a run on another stream. Up to 2^16 bins it
// holds 64 KiB, or 128 KiB under TwoChoice. When queues outgrow 8 bits it takes as much again, and when
// they outgrow 16 bits twice as much. With more bins or under Weighted it holds 8 bytes per bin.
func New(cfg Config) (*Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	cfg.Start = slices.Clone(cfg.Start)
	b := &Process{cfg: cfg, units: 1, make: kernels(cfg), offered: newArrivals(cfg.Bins, cfg.Lambda), ports: bins.NewPorts("ballsbins", cfg.Bins)}
	if cfg.Variant == Weighted {
		b.units = unitsPerBall
		b.offered = newArrivals(cfg.Bins, 1)
	}
	b.made = []kernel{b.make[0]()}
	b.Reset(mc.Stream{})
	return b, nil
}

// Reset gives the bins the loads of Config.Start, makes them serve in every round and begins a run that
// draws from stream. O(n).
func (b *Process) Reset(stream mc.Stream) {
	b.mustBeMade()
	b.ports.Reset()
	b.stream = stream
	b.restart(0)
}

// restart begins the run again, on a given kernel.
func (b *Process) restart(number int) {
	b.take(number)
	b.made[number].reset()
	for bin, load := range b.cfg.Start {
		if b.cfg.Variant != ServeThenArrive {
			load++ // the kernel serves first
		}
		b.made[number].setLoad(bin, int64(load)*b.units)
	}
	b.rng = b.stream.Rand()
	b.offered.reset(&b.rng)
	b.round = 0
}

// take selects the kernel with the given number and makes it if needed.
func (b *Process) take(number int) {
	if number == len(b.made) {
		b.made = append(b.made, b.make[number]())
	}
	b.inUse = number
}

// Step runs one round. O(n); it allocates only where a run first needs a wider kernel.
func (b *Process) Step() { b.Advance(1) }

// mustBeMade panics for the zero value.
func (b *Process) mustBeMade() { must.BeMade(b.made != nil, "ballsbins: Process", "New") }

// Advance runs rounds one after the other, faster than Step does. It panics if rounds is negative or the run
// would pass round mc.MaxRounds.
func (b *Process) Advance(rounds int) {
	b.mustBeMade()
	must.BeIn("ballsbins: Process.Advance", "rounds", rounds, 0, mc.MaxRounds-b.round)
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
		// A lane wrapped although it was not nearly full a round before, which is unlikely in a run of
		// any length: repeat the run on a wider kernel.
		b.repeat()
	}
}

// repeat repeats the run on a wider kernel.
func (b *Process) repeat() {
	target := b.round
	b.restart(b.inUse + 1)
	b.Advance(target)
}

// SetPort makes a bin, 0 <= bin < Bins, serve only in rounds divisible by every, which
// must not be negative: 2 and more is a slow port, 0 a broken one, 1 a normal one. It
// applies from the next round until Reset. The variant must be ServeThenArrive; SetPort
// panics under the others, and if an argument is out of range. The run continues in the
// slowest kernel, in O(n) per round. That kernel uses the same random words, except if
// Bins is a power of two up to 32.
func (b *Process) SetPort(bin, every int) {
	b.mustBeMade()
	if b.cfg.Variant != ServeThenArrive {
		panic("ballsbins: SetPort needs the variant " + string(ServeThenArrive))
	}
	// The last kernel never has to repeat a run, and a repeated run would miss the change.
	for b.inUse < len(b.make)-1 {
		b.widen()
	}
	b.ports.Set(bin, every)
}

// lend adds a ball to every bin that does not serve in the next round. A kernel serves all bins, so it
// takes this ball out again.
func (b *Process) lend() {
	for _, bin := range b.ports.Idle(b.round + 1) {
		b.made[b.inUse].setLoad(bin, b.made[b.inUse].load(bin)+b.units)
	}
}

// widen moves the loads to the next kernel.
func (b *Process) widen() {
	from := b.made[b.inUse]
	if !from.sound() {
		b.repeat()
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
func (b *Process) Round() int { return b.round }

// Bins returns the number of bins.
func (b *Process) Bins() int { return b.cfg.Bins }

// Load returns the load of bin i, 0 <= i < Bins, in balls of weight 1. It panics for other bins.
func (b *Process) Load(i int) float64 {
	b.mustBeMade()
	must.BeIn("ballsbins: Process.Load", "bin", i, 0, b.cfg.Bins-1)
	return float64(b.load(i)) / float64(b.units)
}

// load returns the load of a bin in units. A kernel holds the loads between the arrivals and the service
// of a round. The variants that serve last are observed after the service.
func (b *Process) load(bin int) int64 {
	load := b.made[b.inUse].load(bin)
	if b.cfg.Variant == ServeThenArrive {
		return load
	}
	return max(0, load-b.units)
}

// observe returns the largest load and the sum of all loads, in units. O(n).
func (b *Process) observe() (most, total int64) {
	for bin := range b.cfg.Bins {
		load := b.load(bin)
		most = max(most, load)
		total += load
	}
	return most, total
}
