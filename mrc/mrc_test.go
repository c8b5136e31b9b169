package mrc

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// model is a connection as the package documentation tells it, in lists.
type model struct {
	cfg    Config
	sets   [][]EV // by plane
	states map[EV]State
	places []int // by plane: in the set, where the rotation goes on
	ports  uint16
	last   int
	probed int // place of the EV that probes test, by turns of all planes
	inRow  int
}

func newModel(cfg Config, m *MRC) *model {
	o := &model{cfg: cfg.withDefaults(), states: map[EV]State{}, ports: m.ports}
	o.places, o.last = make([]int, o.cfg.Planes), o.cfg.Planes-1
	for port := range o.cfg.Planes {
		o.sets = append(o.sets, m.AppendSet(nil, uint8(port)))
		for _, ev := range o.sets[port] {
			o.states[ev] = Good
		}
	}
	return o
}

// active returns the active EVs of a plane.
func (o *model) active(port int) (list []EV) {
	for _, ev := range o.sets[port] {
		if o.states[ev] <= Skip && len(list) < o.cfg.Active {
			list = append(list, ev)
		}
	}
	return list
}

func (o *model) allActive() (count int) {
	for port := range o.sets {
		count += len(o.active(port))
	}
	return count
}

func (o *model) next(free uint16) (EV, bool) {
	for turn := 1; turn <= o.cfg.Planes; turn++ {
		port := (o.last + turn) % o.cfg.Planes
		active := o.active(port)
		if free&o.ports>>port&1 == 0 || len(active) == 0 {
			continue
		}
		o.last = port
		resets := map[SkipRule]int{SkipRotation: len(active), SkipOnePerPacket: 1}[o.cfg.Skip]
		if !slices.ContainsFunc(active, func(ev EV) bool { return o.states[ev] == Good }) {
			resets = max(resets, 1)
		}
		for at := o.places[port]; ; at++ {
			ev := o.sets[port][at%len(o.sets[port])]
			switch {
			case !slices.Contains(active, ev):
			case o.states[ev] == Skip && resets > 0:
				o.states[ev] = Good
				resets--
			case o.states[ev] == Skip:
			default:
				o.places[port] = (at + 1) % len(o.sets[port])
				return ev, true
			}
		}
	}
	return EV{}, false
}

func (o *model) lose(ev EV) {
	if s, known := o.states[ev]; !known || s > Skip {
		return
	}
	if o.states[ev] = AssumedBad; o.allActive() < o.cfg.MinActive {
		o.states[ev] = Skip
	}
}

func (o *model) skip(ev EV) {
	if s, known := o.states[ev]; known && s == Good {
		o.states[ev] = Skip
	}
}

// under returns the EV that probes test, if it is AssumedBad or after having moved on to one that is.
func (o *model) under() (EV, bool) {
	all := o.cfg.Planes * len(o.sets[0])
	for range all {
		if ev := o.sets[o.probed%o.cfg.Planes][o.probed/o.cfg.Planes]; o.states[ev] == AssumedBad {
			return ev, true
		}
		o.probed, o.inRow = (o.probed+1)%all, 0
	}
	return EV{}, false
}

func (o *model) reply(ev EV, marked bool) {
	if under := o.sets[o.probed%o.cfg.Planes][o.probed/o.cfg.Planes]; under != ev || o.states[ev] != AssumedBad {
		return
	}
	if o.inRow++; o.inRow < o.cfg.ProbeReplies {
		return
	}
	if o.states[ev] = Good; marked {
		o.states[ev] = Skip
	}
	o.probed, o.inRow = (o.probed+1)%(o.cfg.Planes*len(o.sets[0])), 0
}

// TestAsTheModel compares an MRC with lists that follow the documentation word by word, over random events of
// 100 configurations, with REPSLAB_LONG=1 of 300.
func TestAsTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cases := 100
	if os.Getenv("REPSLAB_LONG") != "" {
		cases = 300
	}
	for range cases {
		cfg := randomConfig(rng)
		m, err := New(cfg, rng)
		if err != nil {
			t.Fatal(err)
		}
		both := pair{T: t, m: m, o: newModel(cfg, m), rng: rng}
		for range 400 {
			both.step()
		}
		both.compareStates()
		checkState(t, cfg, m)
	}
}

// randomConfig returns a configuration with all fields set.
func randomConfig(rng *rand.Rand) Config {
	cfg := Config{Planes: 1 + rng.IntN(8), Values: []int{1, 2, 12, 256, 65536}[rng.IntN(5)], ProbeReplies: 1 + rng.IntN(3)}
	cfg.Active = 1 + rng.IntN(min(cfg.Values, 200))
	if cfg.Backup = rng.IntN(min(cfg.Values, MaxSet) - cfg.Active + 1); cfg.Backup == 0 {
		cfg.Backup = -1
	}
	cfg.MinActive = 1 + rng.IntN(cfg.Planes*cfg.Active)
	cfg.Skip = SkipRule(rng.IntN(3))
	return cfg
}

// pair is an MRC and its model, to which the same happens.
type pair struct {
	*testing.T
	m   *MRC
	o   *model
	rng *rand.Rand
}

// step lets something happen: news of a packet, a probe, other ports, or a packet to be sent.
func (p *pair) step() {
	set := p.o.sets[p.rng.IntN(len(p.o.sets))]
	switch ev, yes := set[p.rng.IntN(len(set))], p.rng.IntN(2) == 0; p.rng.IntN(6) {
	case 0:
		p.lose(ev, yes)
	case 1:
		p.congest(ev, yes)
	case 2:
		p.deny(ev, p.rng.IntN(3) == 0)
	case 3:
		p.probe(yes)
	case 4:
		own, peer := mostPorts(p.rng), mostPorts(p.rng)
		p.m.OnPorts(own, peer)
		p.o.ports = own & peer
	default:
		free := mostPorts(p.rng)
		ev, ok := p.m.NextEV(free)
		if want, wants := p.o.next(free); ev != want || ok != wants {
			p.Fatalf("%+v: EV %v %v, want %v %v", p.o.cfg, ev, ok, want, wants)
		}
	}
	if p.m.Active() != p.o.allActive() {
		p.Fatalf("%+v: %d active EVs, want %d", p.o.cfg, p.m.Active(), p.o.allActive())
	}
}

// lose takes an EV out of use, because a packet is lost or the receiver says so.
func (p *pair) lose(ev EV, said bool) {
	if said {
		p.m.OnAlwaysSkip(ev)
	} else {
		p.m.OnLoss(ev)
	}
	p.o.lose(ev)
}

// congest reports a packet with or without a mark, or one that was trimmed there or at the last hop.
func (p *pair) congest(ev EV, counts bool) {
	switch p.rng.IntN(3) {
	case 0:
		p.m.EndSkip(ev)
		if p.o.states[ev] == Skip {
			p.o.states[ev] = Good
		}
		return
	case 1:
		p.m.OnAck(ev, counts)
	default:
		p.m.OnTrimmed(ev, !counts)
	}
	if counts {
		p.o.skip(ev)
	}
}

// deny takes an EV out of use or allows it.
func (p *pair) deny(ev EV, denied bool) {
	p.m.Deny(ev, denied)
	if denied {
		p.o.states[ev] = Denied
	} else if p.o.states[ev] == Denied {
		p.o.states[ev] = Good
	}
}

// probe compares the EVs to be probed, and answers or loses the probe.
func (p *pair) probe(marked bool) {
	ev, wanted := p.m.Probe()
	if want, wants := p.o.under(); ev != want || wanted != wants {
		p.Fatalf("%+v: probe of %v %v, want %v %v", p.o.cfg, ev, wanted, want, wants)
	}
	switch answered := p.rng.IntN(4) > 0; {
	case !wanted:
		p.m.OnProbeReply(ev, marked) // of an EV that is not under test
	case answered:
		p.m.OnProbeReply(ev, marked)
		p.o.reply(ev, marked)
	default:
		p.m.OnProbeLoss(ev)
		p.o.probed, p.o.inRow = (p.o.probed+1)%(p.o.cfg.Planes*len(p.o.sets[0])), 0
	}
}

// compareStates compares the states of all EVs.
func (p *pair) compareStates() {
	bad := 0
	for ev, want := range p.o.states {
		if want == AssumedBad {
			bad++
		}
		if got := p.m.State(ev); got != want {
			p.Fatalf("%+v: %v is %v, want %v", p.o.cfg, ev, got, want)
		}
	}
	if p.m.AssumedBad() != bad {
		p.Fatalf("%+v: %d EVs are assumed bad, want %d", p.o.cfg, p.m.AssumedBad(), bad)
	}
}

// mostPorts returns random ports, each with probability 3/4.
func mostPorts(rng *rand.Rand) uint16 {
	word := rng.Uint32()
	return uint16(word) | uint16(word>>16)
}

// checkState checks that a connection that continues with the state of m does what m does.
func checkState(t *testing.T, cfg Config, m *MRC) {
	t.Helper()
	state := m.AppendState(nil)
	if len(state) != cfg.StateBytes() {
		t.Fatalf("%+v: a state of %d bytes, StateBytes says %d", cfg, len(state), cfg.StateBytes())
	}
	var read, other MRC
	if err := read.SetState(cfg, state); err != nil {
		t.Fatalf("%+v: %v", cfg, err)
	}
	other.CopyFrom(&read)
	read.NextEV(0xffff) // of its own memory
	if again := other.AppendState(nil); !bytes.Equal(again, state) {
		t.Fatalf("%+v: state % x read as % x", cfg, state, again)
	}
	for range 50 {
		a, okA := m.NextEV(0xffff)
		if b, okB := other.NextEV(0xffff); a != b || okA != okB {
			t.Fatalf("%+v: EV %v after SetState, %v before", cfg, b, a)
		}
	}
}

// TestSets checks that sets have as many different EVs as they are to have, and that each of few values is as
// likely as any other: chi-square over 16,000 EVs in a set of 3 of 8, false alarm at most 1e-4 (the seed is fixed).
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var seen [8]float64
	for range 2000 {
		m, err := New(Config{Planes: 2, Values: 8, Active: 3, Backup: 1}, rng)
		if err != nil {
			t.Fatal(err)
		}
		for port := range uint8(2) {
			set := m.AppendSet(nil, port)
			for i, ev := range set {
				seen[ev.Value]++
				if ev.Port != port || slices.Contains(set[:i], ev) || m.State(ev) != Good {
					t.Fatalf("set %v of plane %d", set, port)
				}
			}
		}
	}
	chi := 0.0
	for _, count := range seen {
		chi += (count - 2000) * (count - 2000) / 2000
	}
	if chi > 29.9 { // 7 degrees of freedom, p = 1e-4; sets without repetition vary less
		t.Errorf("EVs of sets %v, chi-square %.1f", seen, chi)
	}
}

// TestPlanesAreEqual: marks and losses move no load to another plane.
func TestPlanesAreEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m, err := New(Config{Planes: 4, Values: 256}, rng)
	if err != nil {
		t.Fatal(err)
	}
	var sent [4]int
	for range 4000 {
		ev, ok := m.NextEV(0xffff)
		if !ok {
			t.Fatal("no EV")
		}
		sent[ev.Port]++
		switch {
		case ev.Port == 2:
			m.OnAck(ev, true)
		case ev.Port == 1 && rng.IntN(50) == 0:
			m.OnLoss(ev)
		}
	}
	if sent != [4]int{1000, 1000, 1000, 1000} {
		t.Errorf("packets by plane %v", sent)
	}
}

// TestSkipRules: three of four EVs have a mark. A rotation forgets all marks that it passes, or one for each packet; or
// they stay, and if all EVs have one the next EV is sent.
func TestSkipRules(t *testing.T) {
	for rule, want := range map[SkipRule][8]int{
		SkipRotation: {0, 0, 1, 2, 3, 0, 1, 2}, SkipOnePerPacket: {0, 0, 1, 0, 1, 2, 0, 1}, SkipHeld: {0, 0, 0, 0, 0, 0, 0, 0},
	} {
		m, err := New(Config{Values: 4, Active: 4, Skip: rule}, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		set := m.AppendSet(nil, 0)
		for _, ev := range set[1:] {
			m.OnAck(ev, true)
		}
		for i, place := range want {
			if ev, _ := m.NextEV(1); ev != set[place] {
				t.Errorf("rule %d, packet %d: EV %d of the set, want %d", rule, i, slices.Index(set, ev), place)
			}
		}
		m.OnAck(set[0], true)
		m.OnAck(set[3], true)
		if ev, ok := m.NextEV(1); !ok || rule == SkipHeld && ev != set[1] {
			t.Errorf("rule %d: EV %v %v where all are marked, want %v", rule, ev, ok, set[1])
		}
	}
}

func TestReverse(t *testing.T) {
	var r Reverse
	if _, ok := r.Next(0xffff); ok {
		t.Error("an EV of nothing")
	}
	r.OnGood(EV{2, 7})
	r.OnGood(EV{5, 9})
	r.OnGood(EV{5, 10})
	r.OnGood(EV{16, 1})
	var got []EV
	for range 3 {
		ev, _ := r.Next(0xffff)
		got = append(got, ev)
	}
	r.OnBad(EV{2, 8}) // another one
	r.OnBad(EV{5, 10})
	for range 2 {
		ev, _ := r.Next(0xffff)
		got = append(got, ev)
	}
	if want := []EV{{2, 7}, {5, 10}, {2, 7}, {2, 7}, {2, 7}}; !slices.Equal(got, want) {
		t.Errorf("EVs %v, want %v", got, want)
	}
	if _, ok := r.Next(1 << 5); ok {
		t.Error("an EV of a port that has lost its own")
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Planes: 17}, "mrc: Planes (17) must be in [1, 16]"},
		{Config{Planes: -1}, "mrc: Planes (-1) must be in [1, 16]"},
		{Config{Values: 65537}, "mrc: Values (65537) must be in [1, 65536]"},
		{Config{Active: 257}, "mrc: Active (257) must be in [1, 256]"},
		{Config{Values: 8, Active: 9}, "mrc: Active (9) must be in [1, 8]"},
		{Config{Backup: -2}, "mrc: Backup (-2) must be in [-1, 256]"},
		{Config{Active: 200, Backup: 57}, "mrc: Backup (57) must be in [0, 56]"},
		{Config{Planes: 2, Active: 4, MinActive: 9}, "mrc: MinActive (9) must be in [1, 8]"},
		{Config{ProbeReplies: 256}, "mrc: ProbeReplies (256) must be in [1, 255]"},
		{Config{Skip: 3}, "mrc: Skip (3) must be in [0, 2]"},
	} {
		if _, err := New(c.cfg, rand.New(rand.NewPCG(0, 0))); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.cfg, err, c.want)
		}
	}
}

func TestStateRefusals(t *testing.T) {
	cfg := Config{Planes: 2, Values: 12, Active: 3, Backup: 2, ProbeReplies: 1}
	m, err := New(cfg, rand.New(rand.NewPCG(7, 8)))
	if err != nil {
		t.Fatal(err)
	}
	good := m.AppendState(nil)
	for _, c := range []struct {
		at    int
		value byte
		want  string
	}{
		{0, 4, "ports"}, {2, 2, "ports"}, {3, 2, "ports"}, {4, 5, "ports"}, {5, 1, "ports"},
		{6, 12, "plane 0"}, {8, 0, "plane 0"}, {8, 6, "plane 0"}, {10, 5, "plane 0"}, {13, 12, "plane 1"},
	} {
		bad := slices.Clone(good)
		bad[c.at] = c.value
		if err := m.SetState(cfg, bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("byte %d is %d: %v, want an error about %s", c.at, c.value, err, c.want)
		}
	}
	if err := m.SetState(cfg, good[1:]); err == nil {
		t.Error("a state that is a byte short is read")
	}
	if !bytes.Equal(m.AppendState(nil), good) {
		t.Error("a refused state changes the connection")
	}
}

func TestNothingIsAllocated(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	m, err := New(Config{Planes: 8, Values: 256}, rng)
	if err != nil {
		t.Fatal(err)
	}
	if allocs := testing.AllocsPerRun(1000, func() {
		ev, _ := m.NextEV(0xffff)
		m.OnAck(ev, rng.IntN(8) == 0)
		if rng.IntN(100) == 0 {
			m.OnLoss(ev)
		}
		if probe, wanted := m.Probe(); wanted {
			m.OnProbeReply(probe, false)
		}
	}); allocs > 0 {
		t.Errorf("%v allocations a packet", allocs)
	}
	if err := m.Init(Config{Planes: 8, Values: 256}, rng); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkPacket measures an acknowledgement and the next EV, beside a random word.
func BenchmarkPacket(b *testing.B) {
	for _, c := range []struct {
		name  string
		cfg   Config
		marks uint64 // in 1024
	}{
		{"planes=1/marks=0", Config{Values: 256}, 0},
		{"planes=8/marks=0", Config{Planes: 8, Values: 256}, 0},
		{"planes=8/marks=10%", Config{Planes: 8, Values: 256}, 102},
	} {
		b.Run(c.name, func(b *testing.B) {
			random := rand.NewPCG(1, 1)
			m, err := New(c.cfg, random)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				ev, _ := m.NextEV(0xffff)
				m.OnAck(ev, random.Uint64()%1024 < c.marks)
			}
		})
	}
	b.Run("limit", func(b *testing.B) {
		random, sum := rand.NewPCG(1, 1), uint64(0)
		for b.Loop() {
			sum += random.Uint64()
		}
		if sum == 0 {
			b.Log(sum)
		}
	})
}

// FuzzSetState: any bytes are refused, or read as a state that is written as it was, up to bits that no EV has, and
// goes on.
func FuzzSetState(f *testing.F) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 0))
		cfg := randomConfig(rng)
		m, err := New(cfg, rng)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed, m.AppendState(nil))
	}
	f.Fuzz(func(t *testing.T, seed uint64, state []byte) {
		cfg := randomConfig(rand.New(rand.NewPCG(seed, 0)))
		var m, again MRC
		if m.SetState(cfg, state) != nil {
			return
		}
		written := m.AppendState(nil)
		if err := again.SetState(cfg, written); err != nil || !bytes.Equal(again.AppendState(nil), written) {
			t.Fatalf("state % x read as % x, %v", state, written, err)
		}
		for range 20 {
			if ev, ok := m.NextEV(0xffff); ok && m.State(ev) != Good {
				t.Fatalf("EV %v is %v", ev, m.State(ev))
			}
			if ev, wanted := m.Probe(); wanted {
				m.OnProbeReply(ev, false)
			}
		}
	})
}
