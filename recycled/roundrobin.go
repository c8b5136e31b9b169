package recycled

import (
	"slices"

	"repslab/internal/bins"
	"repslab/mc"
)

// nothing is the memory of a colour that remembers no bin, and the aim of a lost ball. Its highest bit is
// set, unlike the highest bit of any bin.
const nothing = ^uint32(0)

// roundRobin is the round-robin process. A round costs O(n). Near the threshold a processor cannot
// predict which balls are good and which colours throw at random, so the passes over bins and colours
// have no branches on it.
type roundRobin struct {
	bins.Counts
	cfg    Config
	ramp   ramp
	queues bins.Lockstep
	memory []uint32 // the bin that a colour remembers, or nothing
	held   []held   // scratch: the bins that do not serve in a round

	// inBins counts the balls of each colour in the bins, until two balls of one colour meet.
	inBins   []uint32
	repeated bool

	aims   []uint32 // scratch: the bin of each ball of a batch, or nothing
	fresh  []uint32 // scratch: balls of a batch with a colour that remembers nothing
	owners []uint32 // scratch: colours that remember a bin

	next    uint32 // the first colour of the next batch
	largest uint32 // largest load before the throws of the last round

	// The last rounds in which a memory changed, in which a bin was overfull at its removal, and in which
	// a bin was empty at its removal.
	lastChange, lastOverfull, lastIdle int

	rng mc.Rand
}

func newRoundRobin(cfg Config) *roundRobin {
	colors := cfg.Bins * cfg.Colors
	return &roundRobin{
		Counts: bins.NewCounts("recycled", cfg.Bins, cfg.Threshold),
		cfg:    cfg,
		ramp:   newRamp(cfg),
		queues: bins.NewLockstep(cfg.Bins, min(2*cfg.Threshold, 64)),
		memory: make([]uint32, colors),
		inBins: make([]uint32, colors),
		aims:   make([]uint32, cfg.Bins),
		fresh:  make([]uint32, cfg.Bins),
		owners: make([]uint32, cfg.Bins),
	}
}

// Reset begins the run of a stream, with the loads of Config.Start and empty memories. O(bins and
// colours).
func (r *roundRobin) Reset(stream mc.Stream) {
	r.queues.Reset()
	r.Counts.Reset()
	for c := range r.memory {
		r.memory[c] = nothing
	}
	clear(r.inBins)
	r.repeated = false
	r.next, r.largest = 0, 0
	r.lastChange, r.lastOverfull, r.lastIdle = 0, 0, 0
	r.rng = stream.Rand()
	r.ramp.reset(stream, r.cfg.Bins)
	r.cfg.start(&r.rng, func(bin, color uint32) {
		r.queues.Push([]uint32{bin}, color)
		r.inBins[color]++
		r.largest = max(r.largest, r.queues.Load(int(bin)))
	})
	r.Moved(0, r.cfg.Balls)
}

// Step advances the process by one round. O(Bins).
func (r *roundRobin) Step() {
	r.hold()
	if !r.repeated {
		r.countOut()
	}
	r.removeAll()
	r.release()
	random := 0
	if r.cfg.Lambda < 1 {
		random = r.aimThinned()
	} else {
		random = r.aim()
	}
	if !r.repeated {
		r.countIn()
	}
	r.throwBatch()
	r.EndRound(len(r.aims), random)
}

// held is a bin that does not serve in a round, with its load.
type held struct{ bin, load uint32 }

// hold makes the bins that do not serve in this round look empty.
func (r *roundRobin) hold() {
	r.held = r.held[:0]
	for _, bin := range r.Idle() {
		r.held = append(r.held, held{uint32(bin), r.queues.Hold(uint32(bin))})
	}
}

// release gives the held bins their loads back.
func (r *roundRobin) release() {
	for _, h := range r.held {
		r.queues.Release(h.bin, h.load)
	}
}

// countOut takes the heads of all bins, about to be removed, out of inBins.
func (r *roundRobin) countOut() {
	loads, heads := r.queues.Heads()
	for i, color := range heads {
		if loads[i] > 0 {
			r.inBins[color]--
		}
	}
}

// countIn adds the balls of the next batch, about to be thrown, to inBins. Lost
// balls do not count.
func (r *roundRobin) countIn() {
	for i, bin := range r.aims {
		if bin != nothing {
			count := &r.inBins[r.next+uint32(i)]
			*count++
			r.repeated = r.repeated || *count > 1
		}
	}
}

// removals describes the removals of a round.
type removals struct {
	largest uint32 // largest load before them
	changed uint32 // not 0 if a memory changed
	idle    int    // empty bins
}

// removeAll lets every bin, in ascending order, remove its head, and lets the colour of the head learn. It
// takes the good balls of overfull bins apart, so that the loop over the others has no branch for them.
func (r *roundRobin) removeAll() {
	loads, heads := r.queues.Serve()
	threshold, from := uint32(r.cfg.Threshold), 0
	var all removals
	if r.ramp.inside > 0 {
		for i, load := range loads {
			if r.ramp.draws(load) && r.ramp.spares(load) {
				r.remove(&all, loads[:i], heads, from, threshold)
				r.remove(&all, loads[:i+1], heads, i, load)
				from = i + 1
			}
		}
	}
	r.remove(&all, loads, heads, from, threshold)
	r.largest = max(r.largest, all.largest)
	r.Moved(len(loads)-all.idle, 0)
	round := r.Round() + 1
	if all.changed != 0 {
		r.lastChange = round
	}
	if all.largest > threshold {
		r.lastOverfull = round
	}
	if all.idle > 0 {
		r.lastIdle = round
	}
}

// remove is removeAll for the bins from a number on. A ball is good if its bin held at most threshold balls.
func (r *roundRobin) remove(all *removals, loads, heads []uint32, from int, threshold uint32) {
	memory := r.memory
	heads = heads[:len(loads)]
	largest, changed, idle := all.largest, all.changed, all.idle
	for i := from; i < len(loads); i++ {
		load := loads[i]
		if load == 0 {
			idle++
			continue
		}
		loads[i] = load - 1
		largest = max(largest, load)
		color := heads[i]
		before := memory[color]
		after := before
		if before == nothing {
			after = uint32(i)
		}
		if load > threshold {
			after = nothing
		}
		memory[color] = after
		changed |= before ^ after
	}
	*all = removals{largest, changed, idle}
}

// aim chooses the bins of the next n balls, counts the balls, and returns how many are random. It draws
// in the order of the colours, only for random balls, as aimThinned does.
func (r *roundRobin) aim() (random int) {
	aims, fresh, memory := r.aims, r.fresh, r.memory[r.next:]
	for i, bin := range memory[:len(aims)] {
		aims[i] = bin
		fresh[random] = uint32(i)
		random += int(bin >> 31) // 1 if bin is nothing
	}
	rng, n := r.rng, uint64(len(aims))
	for _, i := range fresh[:random] {
		aims[i] = uint32(rng.Below(n))
	}
	r.rng = rng
	r.Moved(0, len(aims))
	return random
}

// aimThinned is aim for λ < 1: a ball, once aimed, is lost with probability 1-λ.
func (r *roundRobin) aimThinned() (random int) {
	aims, memory := r.aims, r.memory[r.next:]
	for i, bin := range memory[:len(aims)] {
		if bin == nothing {
			bin = uint32(r.rng.Below(uint64(len(aims))))
			random++
		}
		if r.rng.Float64() >= r.cfg.Lambda {
			bin = nothing
		} else {
			r.Moved(0, 1)
		}
		aims[i] = bin
	}
	return random
}

// throwBatch throws the next n colours as aimed.
func (r *roundRobin) throwBatch() {
	r.queues.Push(r.aims, r.next)
	r.next += uint32(len(r.aims))
	if int(r.next) == len(r.memory) {
		r.next = 0
	}
}

// Advance implements [Process]. O(rounds Bins).
func (r *roundRobin) Advance(rounds int) { advance(r, rounds) }

// Load returns the balls in a bin, numbered from 0. O(1).
func (r *roundRobin) Load(bin int) int {
	r.MustHave(bin)
	return int(r.queues.Load(bin))
}

// MaxLoad reads all bins, since largest does not cover the last throws yet.
func (r *roundRobin) MaxLoad() int {
	most := int(r.largest)
	for bin := range r.cfg.Bins {
		most = max(most, r.Load(bin))
	}
	return most
}

// ColorRepeated reports whether two balls of one colour were in the bins together at any time since
// Reset, which is always known. O(1).
func (r *roundRobin) ColorRepeated() (repeated, known bool) { return r.repeated, true }

// Status implements the conditions of the package comment: throughout the last cycle of b rounds, all
// colours remembered, each bin was remembered by b of them, and every removal found a bin that was
// neither empty nor overfull.
func (r *roundRobin) Status() Status {
	if !r.cfg.decidable() || !r.Even() {
		return Running
	}
	cycle := r.cfg.Colors
	round := r.Round()
	if round-r.lastChange >= cycle-1 && round-r.lastOverfull >= cycle && round-r.lastIdle >= cycle && r.even() {
		return Converged
	}
	if r.Balls() > r.cfg.mostBalls() {
		return Certified
	}
	return Running
}

// even reports whether every colour remembers a bin, and every bin is remembered by
// exactly b colours. O(n b); called only after a cycle without a change.
func (r *roundRobin) even() bool {
	clear(r.owners)
	for _, bin := range r.memory {
		if bin == nothing {
			return false
		}
		r.owners[bin]++
	}
	return !slices.ContainsFunc(r.owners, func(n uint32) bool { return int(n) != r.cfg.Colors })
}
