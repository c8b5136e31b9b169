package coalescing

import (
	"testing"

	"repslab/internal/propertytest"
	"repslab/mc"
	"repslab/recycled"

	"pgregory.net/rapid"
)

// oracle is a slow transcription of the package comment, with plain slices and
// maps. It draws in the order that the definitions give, so with the streams of a
// process every load of every round must be equal.
type oracle struct {
	cfg     Config
	reading reading
	draw    func(flow int) int // a uniform bin

	round, thrown, random int
	every                 map[int]int       // of a slow port: it serves in rounds divisible by it, never if 0
	bins                  [][]int           // balls, oldest first: colours; flows where there are none
	waiting               map[int][]removal // of a flow, not yet acknowledged
	memory                map[int]*entry    // of a colour
	rings                 map[int][]*entry  // of a flow, oldest first
}

// reading decides what the definition in the paper leaves open; the zero value is
// what the package does.
type reading struct {
	overwrite bool // a colour that remembers takes the newer bin
	keepBad   bool // a judged ball that is not good changes nothing
	ruleFirst bool // EveryRthRound recycles in the first of r rounds, not in the last
}

// removal is a removed ball: its flow, its bin, and whether it was good.
type removal struct {
	ball, bin int
	good      bool
}

// entry is a remembered bin and how often it has served.
type entry struct{ bin, served int }

func newOracle(cfg Config, how reading, draw func(flow int) int) *oracle {
	cfg = cfg.WithDefaults()
	return &oracle{
		cfg: cfg, reading: how, draw: draw,
		bins: make([][]int, cfg.Bins), every: map[int]int{}, waiting: map[int][]removal{}, memory: map[int]*entry{}, rings: map[int][]*entry{},
	}
}

// step runs one round.
func (o *oracle) step() {
	o.round++
	n := o.cfg.Bins
	switch o.cfg.Clocking {
	case recycled.SelfClocked:
		o.stepScript()
	case recycled.PerFlow:
		for i := range n {
			o.serve((o.round + i) % n)
		}
		for i := range n {
			flow := (o.round + i) % n
			o.throw(flow, o.fromRing(flow))
		}
	default:
		for bin := range n {
			o.serve(bin)
		}
		for i := range n {
			color := ((o.round-1)*n + i) % (n * o.cfg.Colors)
			o.throw(color, o.fromMemory(color))
		}
	}
}

// rests says whether a bin does not serve in this round.
func (o *oracle) rests(bin int) bool {
	every, slow := o.every[bin]
	return slow && (every == 0 || o.round%every != 0)
}

// serve removes a bin's head; if that makes r removals of its flow, the flow gets
// an acknowledgement.
func (o *oracle) serve(bin int) {
	balls := o.bins[bin]
	if len(balls) == 0 || o.rests(bin) {
		return
	}
	flow := balls[0] % o.cfg.Bins
	o.bins[bin] = balls[1:]
	o.waiting[flow] = append(o.waiting[flow], removal{balls[0], bin, len(balls) <= o.cfg.Threshold})
	told := o.waiting[flow]
	if len(told) < o.cfg.Ratio {
		return
	}
	delete(o.waiting, flow)
	if o.cfg.Variant != Carry {
		told = told[len(told)-1:]
	}
	for _, r := range told {
		o.learn(flow, r)
	}
}

// learn updates the memory of a flow after an acknowledged removal.
func (o *oracle) learn(flow int, r removal) {
	if o.cfg.Clocking == recycled.PerFlow {
		if r.good {
			o.rings[flow] = append(o.rings[flow], &entry{bin: r.bin})
		}
		if ring := o.rings[flow]; len(ring) > o.cfg.Ring {
			o.rings[flow] = ring[1:]
		}
		return
	}
	_, remembers := o.memory[r.ball]
	switch {
	case !r.good && !o.reading.keepBad:
		delete(o.memory, r.ball)
	case r.good && (!remembers || o.reading.overwrite):
		o.memory[r.ball] = &entry{bin: r.bin}
	}
}

// uses is how many throws an entry serves.
func (o *oracle) uses() int {
	if o.cfg.Variant == Reuse {
		return o.cfg.Ratio
	}
	return 1
}

// fromMemory returns the bin that a colour remembers, and uses it, or -1.
func (o *oracle) fromMemory(color int) int {
	e, ok := o.memory[color]
	if !ok {
		return -1
	}
	if e.served++; e.served == o.uses() {
		delete(o.memory, color)
	}
	return e.bin
}

// fromRing returns the oldest bin in a flow's ring, and uses it, or -1.
func (o *oracle) fromRing(flow int) int {
	if len(o.rings[flow]) == 0 {
		return -1
	}
	e := o.rings[flow][0]
	if e.served++; e.served == o.uses() {
		o.rings[flow] = o.rings[flow][1:]
	}
	return e.bin
}

// throw throws a ball into a bin, at random if that is -1.
func (o *oracle) throw(ball, bin int) {
	o.thrown++
	if bin < 0 {
		o.random++
		bin = o.draw(ball % o.cfg.Bins)
	}
	o.bins[bin] = append(o.bins[bin], ball)
}

// stepScript is a round of the authors' script.
func (o *oracle) stepScript() {
	position := 0
	if o.reading.ruleFirst {
		position = 1 % o.cfg.Ratio
	}
	rule := o.round%o.cfg.Ratio == position
	back := map[int]bool{} // bins whose ball returns
	for bin, balls := range o.bins {
		if len(balls) > 0 && !o.rests(bin) {
			o.bins[bin] = balls[1:]
			back[bin] = rule && len(balls) <= o.cfg.Threshold
		}
	}
	for bin := range o.bins {
		if back[bin] {
			o.throw(0, bin)
		}
	}
	for bin := range o.bins {
		if !back[bin] && !o.rests(bin) {
			o.throw(0, -1)
		}
	}
}

// most returns the maximum load.
func (o *oracle) most() (most int) {
	for _, queue := range o.bins {
		most = max(most, len(queue))
	}
	return most
}

// overfull returns the number of bins above the threshold.
func (o *oracle) overfull() (count int) {
	for _, queue := range o.bins {
		if len(queue) > o.cfg.Threshold {
			count++
		}
	}
	return count
}

// drawsOf returns the draws of a process on a stream.
func drawsOf(cfg Config, stream mc.Stream) func(flow int) int {
	cfg = cfg.WithDefaults()
	n := uint64(cfg.Bins)
	if cfg.Clocking != recycled.PerFlow {
		rng := stream.Rand()
		return func(int) int { return int(rng.Below(n)) }
	}
	var flows []mc.Rand
	for f := range n {
		flows = append(flows, stream.Child(f).Rand())
	}
	return func(flow int) int { return int(flows[flow].Below(n)) }
}

// anyConfig draws a small configuration of any kind.
func anyConfig(t *rapid.T) Config {
	c := rapid.SampledFrom(kinds()).Draw(t, "kind")
	c.Bins = rapid.IntRange(1, 12).Draw(t, "bins")
	c.Ratio = rapid.IntRange(1, 9).Draw(t, "ratio")
	c.Threshold = rapid.IntRange(1, 8).Draw(t, "threshold")
	c.Colors = rapid.IntRange(1, 6).Draw(t, "colors")
	c.Ring = rapid.IntRange(1, 9).Draw(t, "ring")
	return used(c)
}

// used returns a configuration without fields that apply to another clocking.
func used(c Config) Config {
	if c.Clocking != recycled.RoundRobin && c.Clocking != "" || c.Variant == EveryRthRound {
		c.Colors = 0
	}
	if c.Clocking != recycled.PerFlow {
		c.Ring = 0
	}
	return c
}

// TestAgainstOracle compares every load of every round and all counts, twice with
// one process to see that Reset forgets everything.
func TestAgainstOracle(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		cfg := anyConfig(t)
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for replica := range uint64(3) {
			stream := mc.NewStream(11, mc.Algorithm, replica)
			p.Reset(stream)
			slow := newOracle(cfg, reading{}, drawsOf(cfg, stream))
			peak, over := 0, 0
			for round := 1; round <= 300; round++ {
				// In the second run ports become slow, broken and whole now and then.
				if changes := uint64(round) * 2654435761 % 97; replica == 1 && changes < 4 {
					bin := round % cfg.Bins
					slow.every[bin] = int(changes)
					p.SetPort(bin, int(changes))
				}
				p.Step()
				slow.step()
				balls := 0
				for bin, queue := range slow.bins {
					want := len(queue)
					if got := p.Load(bin); got != want {
						t.Fatalf("%+v: round %d, bin %d: load %d, want %d", cfg, round, bin, got, want)
					}
					balls += want
				}
				peak = max(peak, slow.most())
				over += slow.overfull()
				all, random := p.Throws()
				got := [...]int{p.Round(), int(p.Balls()), p.MaxLoad(), int(p.OverThreshold()), int(all), int(random)}
				want := [...]int{round, balls, peak, over, slow.thrown, slow.random}
				if got != want {
					t.Fatalf("%+v: round %d: round, balls, peak, over, throws, random throws %v, want %v", cfg, round, got, want)
				}
				checkInvariants(t, cfg, p, balls)
			}
		}
	})
}

// checkInvariants holds a process against what every process must satisfy: n
// throws a round, and no more recycled throws than acknowledgements can teach.
func checkInvariants(t *rapid.T, cfg Config, p Process, balls int) {
	all, random := p.Throws()
	if want := int64(p.Round() * cfg.Bins); all != want && cfg.Clocking != recycled.SelfClocked {
		t.Fatalf("%+v: %d throws after round %d, want %d", cfg, all, p.Round(), want)
	}
	removed := all - int64(balls)
	most := removed / int64(cfg.Ratio) // acknowledgements
	switch cfg.Variant {
	case Carry, Reuse:
		most *= int64(cfg.Ratio)
	case EveryRthRound:
		most = int64(p.Round() / cfg.Ratio * cfg.Bins)
	}
	if all-random > most {
		t.Fatalf("%+v: %d recycled throws after round %d, but at most %d were taught", cfg, all-random, p.Round(), most)
	}
}
