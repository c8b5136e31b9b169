package reps

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// sender is the method set that the three rule sets share.
type sender interface {
	OnAck(now uint32, ev uint16, marked bool)
	OnNack(now uint32)
	OnFailure(now uint32)
	OnProbeReply()
	OnIdle(now uint32)
	NextEV(random Source) (ev uint16, recycled bool)
	Frozen() bool
	Exploring() int
	ValidEVs() int
}

// words is a Source that counts the words drawn.
type words struct {
	rand.PCG
	drawn int
}

func newWords(seed uint64) *words {
	w := new(words)
	w.Seed(seed, 0)
	return w
}

func (w *words) Uint64() uint64 {
	w.drawn++
	return w.PCG.Uint64()
}

// pair runs a sender beside its oracle. The oracle has absolute time, the
// sender the low 32 bits of it.
type pair struct {
	sender              sender
	oracle              oracle
	now                 uint64
	random, oracleWords *words
}

func newPair(s sender, o oracle, start, seed uint64) *pair {
	return &pair{s, o, start, newWords(seed), newWords(seed)}
}

// operation is one thing that can happen to a connection. arg chooses an EV, a
// delay or a repetition.
type operation struct {
	name string
	do   func(p *pair, arg uint32) error
}

// String returns the operation's name.
func (o operation) String() string { return o.name }

func operations() []operation {
	return []operation{
		{"ack", func(p *pair, arg uint32) error { return p.ack(uint16(arg), false) }},
		{"acks", func(p *pair, arg uint32) error {
			for i := range arg % 40 {
				if err := p.ack(uint16(arg>>8+i), false); err != nil {
					return err
				}
			}
			return nil
		}},
		{"marked", func(p *pair, arg uint32) error { return p.ack(uint16(arg), true) }},
		{"next", func(p *pair, arg uint32) error { return p.next() }},
		{"nexts", func(p *pair, arg uint32) error {
			for range arg % 40 {
				if err := p.next(); err != nil {
					return err
				}
			}
			return nil
		}},
		{"nack", func(p *pair, arg uint32) error {
			p.sender.OnNack(uint32(p.now))
			p.oracle.onNack(p.now)
			return p.compare()
		}},
		{"failure", func(p *pair, arg uint32) error {
			p.sender.OnFailure(uint32(p.now))
			p.oracle.onFailure(p.now)
			return p.compare()
		}},
		{"probe", func(p *pair, arg uint32) error {
			p.sender.OnProbeReply()
			p.oracle.onProbeReply()
			return p.compare()
		}},
		{"idle", func(p *pair, arg uint32) error {
			p.sender.OnIdle(uint32(p.now))
			p.oracle.onIdle(p.now)
			return p.compare()
		}},
		{"wait", func(p *pair, arg uint32) error { return p.wait(uint64(arg)) }},
		{"deadline", func(p *pair, arg uint32) error { // to 1 ns before it, to it, or 1 ns past it
			deadline, frozen := p.oracle.isFrozen()
			if to := deadline + uint64(arg%3) - 1; frozen && to > p.now {
				p.now = to
			}
			return nil
		}},
		{"reencode", func(p *pair, arg uint32) error { return p.reencode() }},
	}
}

func (p *pair) ack(ev uint16, marked bool) error {
	p.sender.OnAck(uint32(p.now), ev, marked)
	p.oracle.onAck(p.now, ev, marked)
	return p.compare()
}

func (p *pair) next() error {
	ev, recycled := p.sender.NextEV(p.random)
	wantEV, wantRecycled := p.oracle.nextEV(p.oracleWords)
	if ev != wantEV || recycled != wantRecycled {
		return fmt.Errorf("NextEV() = %d, %t, want %d, %t", ev, recycled, wantEV, wantRecycled)
	}
	if p.random.drawn != p.oracleWords.drawn {
		return fmt.Errorf("NextEV drew %d words in all, want %d", p.random.drawn, p.oracleWords.drawn)
	}
	return p.compare()
}

// wait lets time pass, but not 2^31 ns or more past a pending deadline, where
// a 32-bit clock is meant to differ from a 64-bit one.
func (p *pair) wait(d uint64) error {
	if deadline, frozen := p.oracle.isFrozen(); frozen {
		d = min(d, deadline+1<<31-1-p.now)
	}
	p.now += d
	return nil
}

// reencode replaces a REPS by what a new one decodes from its encoding.
func (p *pair) reencode() error {
	r, ok := p.sender.(*REPS)
	if !ok {
		return nil
	}
	data, err := r.MarshalBinary()
	if err != nil {
		return err
	}
	if len(data) != r.EncodedLen() {
		return fmt.Errorf("encoding has %d bytes, want EncodedLen() = %d", len(data), r.EncodedLen())
	}
	decoded, err := New(r.Config())
	if err != nil {
		return err
	}
	if err := decoded.UnmarshalBinary(data); err != nil {
		return err
	}
	if *decoded != *r {
		return fmt.Errorf("decoded %+v, want %+v", *decoded, *r)
	}
	p.sender = decoded
	return nil
}

// compare returns an error if the states differ, slot by slot where there are
// slots.
func (p *pair) compare() error {
	if got, want := p.sender.ValidEVs(), p.oracle.validEVs(); got != want {
		return fmt.Errorf("ValidEVs() = %d, want %d", got, want)
	}
	if got, want := p.sender.Exploring(), p.oracle.exploring(); got != want {
		return fmt.Errorf("Exploring() = %d, want %d", got, want)
	}
	deadline, frozen := p.oracle.isFrozen()
	if got := p.sender.Frozen(); got != frozen {
		return fmt.Errorf("Frozen() = %t, want %t", got, frozen)
	}
	switch s := p.sender.(type) {
	case *REPS:
		if s.ExitTime() != uint32(deadline) {
			return fmt.Errorf("ExitTime() = %d, want %d modulo 2^32", s.ExitTime(), deadline)
		}
		if err := invariant(s); err != nil {
			return fmt.Errorf("invariant: %w", err)
		}
		m := p.oracle.(*modelREPS)
		return compareRing(&s.ring, s.validBits(), m.repsBuffer, m.head)
	case *Artifact:
		if s.ExitTime() != uint32(deadline) {
			return fmt.Errorf("ExitTime() = %d, want %d modulo 2^32", s.ExitTime(), deadline)
		}
		m := p.oracle.(*modelArtifact)
		return compareRing(&s.ring, s.valid, m.slots, m.head)
	}
	return nil
}

// invariant returns an error if r is in a state that decoding would refuse.
func invariant(r *REPS) error {
	s := snapshot{*r, r.validBits()}
	return s.check()
}

func compareRing(g *ring, valid uint32, slots []modelSlot, head int) error {
	if int(g.head) != head {
		return fmt.Errorf("head = %d, want %d", g.head, head)
	}
	for i, s := range slots {
		if g.ev[i] != s.cachedEV || (valid>>i&1 != 0) != s.isValid || (i < int(g.written)) != s.written {
			return fmt.Errorf("slot %d = %d (valid bits %b, written %d), want %+v", i, g.ev[i], valid, g.written, s)
		}
	}
	return nil
}

// configFrom returns a random complete configuration and a start of the clock,
// often shortly before it comes round. pick(n) must return a number in [0, n).
func configFrom(pick func(n int) int) (cfg Config, start uint64) {
	evs := []int{1, 2, 3, 32, 1000, 65535, 65536}
	timeouts := []uint32{1, 50, 1000, DefaultFreezingTimeout, 1<<31 - 1}
	windows := []int{1, 2, 7, 8, 9, 100, 255, 256, 65535}
	cfg = Config{
		BufferSize:       1 + pick(MaxBufferSize),
		EVSSize:          evs[pick(len(evs))],
		FreezingTimeout:  timeouts[pick(len(timeouts))],
		PacketsPerWindow: windows[pick(len(windows))],
		ReuseCount:       1 + pick(MaxReuseCount)*pick(2),
		Exit:             Exit(pick(2)),
		DisableFreezing:  pick(8) == 0,
	}
	if pick(3) == 0 {
		cfg.BufferSize = 1 + pick(4) // small rings meet more corner cases
	}
	if !cfg.DisableFreezing {
		cfg.FrozenCache = Caching(pick(3))
	}
	start = uint64(pick(1<<16))<<16 | uint64(pick(1<<16))
	if pick(2) == 0 {
		start = 1<<32 - 1 - uint64(pick(int(min(3*uint64(cfg.FreezingTimeout), math.MaxInt32))))
	}
	return cfg, start
}

// pairs returns a pair of each rule set by name.
func pairs() map[string]func(pick func(n int) int) (*pair, error) {
	return map[string]func(pick func(n int) int) (*pair, error){
		"paper": func(pick func(n int) int) (*pair, error) {
			cfg, start := configFrom(pick)
			r, err := New(cfg)
			return newPair(r, newModelREPS(cfg), start, uint64(pick(1000))), err
		},
		"artifact": func(pick func(n int) int) (*pair, error) {
			cfg, start := configFrom(pick)
			cfg.ReuseCount, cfg.Exit = 1, []Exit{ExitOnTimeout, ExitOnFeedback}[pick(2)]
			a, err := newArtifact(cfg)
			return newPair(a, newModelArtifact(cfg), start, uint64(pick(1000))), err
		},
		"fifo": func(pick func(n int) int) (*pair, error) {
			cfg := FIFOConfig{EVSSize: 1 + pick(200), SweepPackets: 1 + pick(300), DisableSweep: pick(2) == 0}
			f, err := newFIFO(cfg)
			return newPair(f, newModelFIFO(cfg), 0, uint64(pick(1000))), err
		},
	}
}

// TestAgainstModel compares each rule set with its oracle over sequences of random operations, with
// fixed seeds, or those from REPSLAB_RESEED on. It must see each kind of decision often.
func TestAgainstModel(t *testing.T) {
	first := uint64(1)
	if s := os.Getenv("REPSLAB_RESEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("REPSLAB_RESEED (%s) must be a number", s)
		}
		first = n * 1_000_003
		t.Logf("seeds from %d on", first)
	}
	ops := operations()
	for name, newPair := range pairs() {
		t.Run(name, func(t *testing.T) {
			frozenReads, explored := 0, 0
			for seed := first; seed < first+300; seed++ {
				g := rand.New(rand.NewPCG(seed, 7))
				p, err := newPair(g.IntN)
				if err != nil {
					t.Fatal(err)
				}
				for step := range 300 {
					op, arg := ops[g.IntN(len(ops))], g.Uint32()>>g.IntN(32)
					if op.name == "next" && p.sender.Frozen() && p.sender.ValidEVs() == 0 {
						frozenReads++
					}
					if op.name == "next" && p.sender.Exploring() > 0 {
						explored++
					}
					if err := op.do(p, arg); err != nil {
						t.Fatalf("seed %d, step %d, %s(%d): %v", seed, step, op.name, arg, err)
					}
				}
			}
			if name != "fifo" && (frozenReads < 300 || explored < 300) {
				t.Errorf("only %d frozen reads and %d explored packets, want 300 of each for the test to mean something", frozenReads, explored)
			}
		})
	}
}

// newArtifact returns a new Artifact.
func newArtifact(cfg Config) (*Artifact, error) {
	a := new(Artifact)
	return a, a.Init(cfg)
}

// newFIFO returns a new FIFO.
func newFIFO(cfg FIFOConfig) (*FIFO, error) {
	f := new(FIFO)
	return f, f.Init(cfg)
}
