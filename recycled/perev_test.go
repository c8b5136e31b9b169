package recycled

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/internal/propertytest"
	"repslab/mc"

	"pgregory.net/rapid"
)

// slowPerEV transcribes the process of senders with sets of EVs: plain slices, the order of the
// definitions, and the same streams.
type slowPerEV struct {
	slowPorts
	slowMarks
	cfg      Config
	bins     [][]evBall
	senders  []slowSender
	removals []struct {
		due    int
		ball   evBall
		marked bool
	}
	losses mc.Rand
}

type evBall struct{ flow, ev int }

type slowSender struct {
	bins     []int // of each EV
	good     []int // EVs, oldest first
	penalty  []int // of each EV
	set      []int // active EVs
	sent     int   // under the rules with active EVs
	block    []int // EVs left in the block; under MRC all, from the one whose turn is next
	inFlight int
	silent   int
	draw     mc.Rand
}

func newSlowPerEV(cfg Config, stream mc.Stream) *slowPerEV {
	n := cfg.Bins
	s := &slowPerEV{slowPorts: slowPorts{}, slowMarks: newSlowMarks(cfg, stream), cfg: cfg, bins: make([][]evBall, n), losses: stream.Child(uint64(n)).Rand()}
	hashes := stream.Child(uint64(n) + 1).Rand()
	for f := range n {
		sender := slowSender{penalty: make([]int, cfg.EVS), draw: stream.Child(uint64(f)).Rand()}
		for range cfg.EVS {
			sender.bins = append(sender.bins, int(hashes.Below(uint64(n))))
		}
		if cfg.Rule == Mixed || cfg.Rule == Bitmap || cfg.Rule == Stratified {
			sender.newBlock(cfg.EVS)
		}
		if cfg.Rule == MRC {
			start := int(sender.draw.Below(uint64(cfg.EVS)))
			for i := range cfg.EVS {
				sender.block = append(sender.block, (start+i)%cfg.EVS)
			}
		}
		for (cfg.Rule == KLB || cfg.Rule == KLBAlways) && len(sender.set) < cfg.Active {
			sender.set = append(sender.set, sender.unlike(sender.set, cfg.EVS))
		}
		s.senders = append(s.senders, sender)
	}
	return s
}

// newBlock begins a block: all EVs, in an order that one number gives.
func (s *slowSender) newBlock(evs int) {
	order := int(s.draw.Below(uint64(evs)))
	for i := range evs {
		s.block = append(s.block, i^order)
	}
}

// pass takes the next EV of the block.
func (s *slowSender) pass(evs int) {
	if s.block = s.block[1:]; len(s.block) == 0 {
		s.newBlock(evs)
	}
}

// turn takes the EVs in turn up to the first one without a mark; the others lose theirs.
func (s *slowSender) turn() int {
	for {
		ev := s.block[0]
		s.block = append(s.block[1:], ev)
		if s.penalty[ev] == 0 {
			return ev
		}
		s.penalty[ev] = 0
	}
}

// unlike draws an EV that is not among the others; any if there are as many others as EVs.
func (s *slowSender) unlike(others []int, evs int) int {
	var free []int
	for ev := range evs {
		if !slices.Contains(others, ev) {
			free = append(free, ev)
		}
	}
	if len(others) >= evs {
		return int(s.draw.Below(uint64(evs)))
	}
	return free[s.draw.Below(uint64(len(free)))]
}

// change lets an EV join or leave the active EVs, at most size.
func (s *slowSender) change(cfg Config, size, ev int, marked bool) {
	slot := slices.Index(s.set, ev)
	switch {
	case !marked && cfg.Rule == HKLB && slot < 0 && len(s.set) < size:
		s.set = append(s.set, ev)
	case !marked || slot < 0:
	case cfg.Rule != KLBAlways && s.draw.Below(uint64(size)) == 0:
	case cfg.Rule == HKLB:
		s.set = slices.Delete(s.set, slot, slot+1)
	default:
		s.set[slot] = s.unlike(slices.Delete(slices.Clone(s.set), slot, slot+1), cfg.EVS)
	}
}

// size is the number of active EVs of a full set.
func (s *slowPerEV) size() int {
	if s.cfg.Rule == HKLB {
		return min(s.cfg.Active, s.cfg.EVS)
	}
	return s.cfg.Active
}

func (s *slowPerEV) loads() (lengths []int) {
	for _, balls := range s.bins {
		lengths = append(lengths, len(balls))
	}
	return lengths
}

func (s *slowPerEV) step(round int) {
	n := s.cfg.Bins
	for i := range n {
		bin := (round + i) % n
		if balls := s.bins[bin]; len(balls) > 0 && !s.rests(bin, round) {
			s.removals = append(s.removals, struct {
				due    int
				ball   evBall
				marked bool
			}{round + s.cfg.Delay, balls[0], !s.good(len(balls))})
			s.bins[bin] = balls[1:]
		}
	}
	for len(s.removals) > 0 && s.removals[0].due == round {
		r := s.removals[0]
		s.removals = s.removals[1:]
		s.acknowledge(&s.senders[r.ball.flow], r.ball.ev, r.marked)
	}
	for i := range n {
		flow := (round + i) % n
		sender := &s.senders[flow]
		if s.cfg.Window > 0 && sender.inFlight >= s.cfg.Window {
			continue
		}
		ev := s.next(sender)
		if s.cfg.Lambda < 1 && s.losses.Float64() >= s.cfg.Lambda {
			continue
		}
		sender.inFlight++
		s.bins[sender.bins[ev]] = append(s.bins[sender.bins[ev]], evBall{flow, ev})
	}
}

func (s *slowPerEV) acknowledge(sender *slowSender, ev int, marked bool) {
	sender.inFlight--
	sender.silent++
	if !marked && sender.silent < s.cfg.Ratio {
		return
	}
	sender.silent = 0
	if s.cfg.Active > 0 {
		sender.change(s.cfg, s.size(), ev, marked)
		return
	}
	if marked {
		if sender.penalty[ev] = min(15, sender.penalty[ev]+1); s.cfg.Rule == MRC {
			sender.penalty[ev] = 1
		}
		return
	}
	sender.good = append(sender.good, ev)
	if s.cfg.Rule == REPS && len(sender.good) > s.cfg.Ring {
		sender.good = sender.good[1:]
	}
}

func (s *slowPerEV) next(sender *slowSender) int {
	evs := s.cfg.EVS
	if (s.cfg.Rule == REPS || s.cfg.Rule == Mixed) && len(sender.good) > 0 {
		ev := sender.good[0]
		sender.good = sender.good[1:]
		return ev
	}
	if s.cfg.Rule == REPS || s.cfg.Rule == OPS {
		return int(sender.draw.Below(uint64(evs)))
	}
	if s.cfg.Rule == MRC {
		return sender.turn()
	}
	if s.cfg.Active > 0 {
		if sender.sent++; len(sender.set) < s.size() {
			return int(sender.draw.Below(uint64(evs)))
		}
		return sender.set[(sender.sent-1)%s.size()]
	}
	ev := sender.block[0]
	if s.cfg.Rule != Stratified && sender.penalty[ev] > 0 {
		sender.penalty[ev]--
		for range evs {
			sender.pass(evs)
			if ev = sender.block[0]; sender.penalty[ev] == 0 {
				break
			}
		}
	}
	sender.pass(evs)
	return ev
}

// TestPerEVAgainstOracle compares every load of every round, the number of balls and the maximum,
// three times with one process, with slow ports in the second run.
func TestPerEVAgainstOracle(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		cfg := Config{
			Bins:      rapid.IntRange(1, 12).Draw(t, "bins"),
			Threshold: rapid.IntRange(1, 6).Draw(t, "threshold"),
			Clocking:  PerFlow,
			Lambda:    rapid.SampledFrom([]float64{1, 1, 0.9, 0.5}).Draw(t, "lambda"),
			Ring:      rapid.IntRange(1, 9).Draw(t, "ring"),
			Delay:     rapid.IntRange(0, 12).Draw(t, "delay"),
			Window:    rapid.IntRange(0, 9).Draw(t, "window"),
			EVS:       1 << rapid.IntRange(0, 5).Draw(t, "log of EVs"),
			Rule:      rapid.SampledFrom(Rules()).Draw(t, "rule"),
			Ratio:     rapid.IntRange(1, 5).Draw(t, "ratio"),
			Ramp:      rapid.IntRange(0, 5).Draw(t, "ramp"),
			MaxRounds: 300,
		}
		if cfg.Rule.active() {
			cfg.Active = rapid.IntRange(1, 40).Draw(t, "active EVs")
			cfg.EVS += rapid.IntRange(0, 3).Draw(t, "more EVs")
		}
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for replica := range uint64(3) {
			stream := mc.NewStream(11, mc.Algorithm, replica)
			p.Reset(stream)
			slow, most := newSlowPerEV(cfg, stream), 0
			for round := 1; round <= cfg.MaxRounds; round++ {
				if changes := uint64(round) * 2654435761 % 97; replica == 1 && changes < 4 {
					p.SetPort(round%cfg.Bins, int(changes))
					slow.slow(round%cfg.Bins, int(changes))
				}
				p.Step()
				slow.step(round)
				balls := 0
				for bin, want := range slow.loads() {
					if got := p.Load(bin); got != want {
						t.Fatalf("%+v: round %d, bin %d: load %d, want %d", cfg, round, bin, got, want)
					}
					balls, most = balls+want, max(most, want)
				}
				if p.Balls() != int64(balls) || p.MaxLoad() != most || p.Status() != Running {
					t.Fatalf("%+v: round %d: %d balls, maximum %d; want %d, %d", cfg, round, p.Balls(), p.MaxLoad(), balls, most)
				}
			}
		}
	})
}

// TestStratifiedThrows: without service, whole blocks leave in every bin as many balls as EVs hash
// to it, times the blocks: the fixed draw of package evsimbalance.
func TestStratifiedThrows(t *testing.T) {
	cfg := Config{Bins: 8, Clocking: PerFlow, EVS: 32, Rule: Stratified}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.Reset(mc.NewStream(3, mc.Algorithm, 0))
	for bin := range cfg.Bins {
		p.SetPort(bin, 0)
	}
	counts := make([]int, cfg.Bins)
	for _, bin := range p.(*perEV).hash {
		counts[bin]++
	}
	for block := 1; block <= 5; block++ {
		p.Advance(cfg.EVS)
		for bin, count := range counts {
			if p.Load(bin) != block*count {
				t.Errorf("block %d, bin %d: %d balls, want %d", block, bin, p.Load(bin), block*count)
			}
		}
	}
}

// TestRecycledShareOfRules: with r balls per acknowledgement and no mark, mixed and REPS recycle one
// ball in r once balls come back; the other rules none.
func TestRecycledShareOfRules(t *testing.T) {
	t.Parallel()
	for _, ratio := range []int{1, 4, 16} {
		for _, rule := range Rules() {
			cfg := Config{Bins: 8, Threshold: MaxThreshold, Clocking: PerFlow, EVS: 64, MaxRounds: 40_000}
			cfg.Rule, cfg.Ratio = rule, ratio
			s, err := Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 2})
			if err != nil {
				t.Fatal(err)
			}
			want := 1.0
			if rule == REPS || rule == Mixed {
				want -= 1 / float64(ratio)
			}
			// Bins that are empty now and then hold acknowledgements back.
			if got := s.RandomFraction.Value; got < want || got > want+0.01 {
				t.Errorf("%s, %d balls per acknowledgement: share of new EVs %v, want %v", rule, ratio, got, want)
			}
		}
	}
}

// TestPerEVIsTheSameForAnyWorkers: results do not depend on the number of workers.
func TestPerEVIsTheSameForAnyWorkers(t *testing.T) {
	for _, rule := range Rules() {
		mctest.SameForAnyWorkers(t, string(rule), func(workers int) (any, error) {
			cfg := Config{Bins: 6, Clocking: PerFlow, EVS: 16, Rule: rule, Ratio: 2, MaxRounds: 200}
			return Simulate(context.Background(), cfg, mc.Plan{Seed: 2, Replicas: 200, Workers: workers})
		})
	}
}

// TestPerEVConfig: fields of EV sets out of range are refused with their names.
func TestPerEVConfig(t *testing.T) {
	oblivious := Config{Bins: 4, Clocking: PerFlow, EVS: 4, Oblivious: true, MaxRounds: 1000}
	s, err := Simulate(context.Background(), oblivious, mc.Plan{Replicas: 2})
	if err != nil || s.RandomFraction.Value != 1 {
		t.Errorf("threshold 0: result %+v, error %v, want that nothing is recycled", s, err)
	}
	active, unused := Config{EVS: 4, Clocking: PerFlow, Rule: HKLB}, Config{Clocking: PerFlow, EVS: 4, Active: 3}
	if a, b := active.WithDefaults().Active, unused.Used().Active; a != 8 || b != 0 {
		t.Errorf("%d active EVs by default, and %d of REPS; want 8 and none", a, b)
	}
	good := Config{Bins: 4, Clocking: PerFlow, EVS: 12, Ratio: MaxRatio}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, cfg := range map[string]Config{
		"recycled: EVS (12) must be a power of two for rule mixed":                  {Bins: 4, EVS: 12, Rule: Mixed},
		"recycled: EVS (-1) must be in [0, 16777216]":                               {Bins: 4, EVS: -1},
		"recycled: EVS (0) must be at least 1 for rule ops":                         {Bins: 4, Rule: OPS},
		"recycled: EVS (8) must be 0 unless bins start empty":                       {Bins: 4, EVS: 8, Clocking: PerFlow, Start: AllInOne},
		"recycled: Active (3) must be 0 unless the rule is klb, klb-always or hklb": {Bins: 4, EVS: 8, Clocking: PerFlow, Active: 3},
		"recycled: Active (129) must be in [1, 128]":                                {Bins: 4, EVS: 8, Clocking: PerFlow, Rule: HKLB, Active: 129},
		"recycled: Active (128) must be in [1, 64]":                                 {Bins: MaxBins, EVS: 8, Clocking: PerFlow, Rule: KLB, Active: 128},
		"recycled: Ratio (2) must be in [1, 1]":                                     {Bins: 4, Ratio: 2},
		fmt.Sprintf("recycled: Rule (%q) must be one of %v", "x", Rules()):          {Bins: 4, EVS: 1, Rule: "x"},
		"recycled: Ratio (65537) must be in [1, 65536]":                             {Bins: 4, EVS: 1, Ratio: 65537},
	} {
		if err := cfg.Validate(); err == nil || !slices.Contains(strings.Split(err.Error(), "\n"), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestPerEVAllocatesNothing: rounds of senders whose lists have grown allocate nothing.
func TestPerEVAllocatesNothing(t *testing.T) {
	for _, rule := range Rules() {
		p, err := New(Config{Bins: 8, Clocking: PerFlow, EVS: 64, Rule: rule, Delay: 10, Window: 20})
		if err != nil {
			t.Fatal(err)
		}
		p.Reset(mc.NewStream(1, mc.Algorithm, 0))
		p.Advance(2000)
		if allocs := testing.AllocsPerRun(100, p.Step); allocs > 0 {
			t.Errorf("%s: %v allocations a round", rule, allocs)
		}
	}
}

// TestFixedDrawGrows: at full load without feedback the queue of a bin to which c EVs hash, n E in all,
// holds at least B (c - E) balls after B blocks: it got B c and served at most one a round.
func TestFixedDrawGrows(t *testing.T) {
	cfg := Config{Bins: 16, Clocking: PerFlow, EVS: 32, Rule: Stratified}
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.Reset(mc.NewStream(4, mc.Algorithm, 0))
	counts := make([]int, cfg.Bins)
	for _, bin := range p.(*perEV).hash {
		counts[bin]++
	}
	const blocks = 100
	p.Advance(blocks * cfg.EVS)
	grew := 0
	for bin, count := range counts {
		if least := blocks * (count - cfg.EVS); p.Load(bin) < least {
			t.Errorf("bin %d of %d EVs: %d balls, want at least %d", bin, count, p.Load(bin), least)
		} else if least > 0 {
			grew++
		}
	}
	if grew == 0 {
		t.Error("no bin has more than E EVs")
	}
}

// TestPenaltiesMoveBalls: with 64 EVs and one acknowledgement for 4 balls, REPS follows the fixed
// draw, whose imbalance on 32 bins is 27 % on average: some 270 balls in 1,000 rounds. Penalties
// keep the largest queue of mixed far below; with one acknowledgement per ball both rules stay
// near the threshold. Means of 50 runs are 232, 35, 15 and 15 with standard errors of 15, 1, 0.2
// and 0.2 for 10; the bounds are more than 6.11 of them away, a false-alarm rate of 1e-9 each.
func TestPenaltiesMoveBalls(t *testing.T) {
	for _, c := range []struct {
		rule        Rule
		ratio       int
		least, most float64
	}{{REPS, 4, 130, 340}, {Mixed, 4, 25, 45}, {REPS, 1, 13, 17}, {Mixed, 1, 13, 17}} {
		cfg := Config{Bins: 32, Clocking: PerFlow, EVS: 64, Rule: c.rule, Ratio: c.ratio, MaxRounds: 1000}
		s, err := Simulate(context.Background(), cfg, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 10})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.MaxLoad.Value; got < c.least || got > c.most {
			t.Errorf("%s, ratio %d: largest queue %v, want in [%v, %v]", c.rule, c.ratio, got, c.least, c.most)
		}
	}
}

func BenchmarkPerEV(b *testing.B) {
	const bins, rounds = 32, 1000
	for _, rule := range Rules() {
		b.Run(fmt.Sprintf("rule=%s/bins=%d", rule, bins), func(b *testing.B) {
			p, err := New(Config{Bins: bins, Clocking: PerFlow, EVS: 64, Rule: rule, Ratio: 4})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			runs := uint64(0)
			for b.Loop() {
				p.Reset(mc.NewStream(1, mc.Algorithm, runs))
				p.Advance(rounds)
				runs++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(runs*rounds*bins), "ns/ball")
		})
	}
}
