package mrc

import (
	"bytes"
	"math/rand/v2"
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
		for at := o.places[port]; ; at++ {
			ev := o.sets[port][at%len(o.sets[port])]
			switch {
			case !slices.Contains(active, ev):
			case o.states[ev] == Skip:
				o.states[ev] = Good
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

// TestAsTheModel compares an MRC with lists that follow the documentation word by word, over random events.
func TestAsTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		cfg := Config{
			Planes: 1 + rng.IntN(8), Values: []int{1, 2, 12, 256, 65536}[rng.IntN(5)], ProbeReplies: 1 + rng.IntN(3),
		}
		cfg.Active = 1 + rng.IntN(min(cfg.Values, 200))
		cfg.Backup = rng.IntN(min(cfg.Values, MaxSet) - cfg.Active + 1)
		if cfg.Backup == 0 {
			cfg.Backup = -1
		}
		cfg.MinActive = 1 + rng.IntN(cfg.Planes*cfg.Active)
		m, err := New(cfg, rng)
		if err != nil {
			t.Fatal(err)
		}
		o := newModel(cfg, m)
		some := func() EV {
			set := o.sets[rng.IntN(cfg.Planes)]
			return set[rng.IntN(len(set))]
		}
		for step := range 400 {
			switch event := rng.IntN(12); event {
			case 0, 1:
				ev := some()
				m.OnLoss(ev)
				o.lose(ev)
			case 2, 3:
				ev, marked := some(), rng.IntN(2) == 0
				m.OnAck(ev, marked)
				if marked {
					o.skip(ev)
				}
			case 4:
				ev, last := some(), rng.IntN(2) == 0
				m.OnTrimmed(ev, last)
				if !last {
					o.skip(ev)
				}
			case 5:
				ev, denied := some(), rng.IntN(3) == 0
				m.Deny(ev, denied)
				if denied {
					o.states[ev] = Denied
				} else if o.states[ev] == Denied {
					o.states[ev] = Good
				}
			case 6, 7:
				ev, wanted := m.Probe()
				want, wants := o.under()
				if ev != want || wanted != wants {
					t.Fatalf("%+v, step %d: probe of %v %v, want %v %v", cfg, step, ev, wanted, want, wants)
				}
				if marked := rng.IntN(2) == 0; rng.IntN(4) > 0 {
					m.OnProbeReply(ev, marked)
					if wants {
						o.reply(ev, marked)
					}
				} else if wanted {
					m.OnProbeLoss(ev)
					o.probed, o.inRow = (o.probed+1)%(cfg.Planes*len(o.sets[0])), 0
				}
			case 8:
				own, peer := mostPorts(rng), mostPorts(rng)
				m.OnPorts(own, peer)
				o.ports = own & peer
			default:
				free := mostPorts(rng)
				ev, ok := m.NextEV(free)
				if want, wants := o.next(free); ev != want || ok != wants {
					t.Fatalf("%+v, step %d: EV %v %v, want %v %v", cfg, step, ev, ok, want, wants)
				}
			}
			if m.Active() != o.allActive() {
				t.Fatalf("%+v, step %d: %d active EVs, want %d", cfg, step, m.Active(), o.allActive())
			}
		}
		bad := 0
		for ev, want := range o.states {
			if want == AssumedBad {
				bad++
			}
			if got := m.State(ev); got != want {
				t.Fatalf("%+v: %v is %v, want %v", cfg, ev, got, want)
			}
		}
		if m.AssumedBad() != bad {
			t.Fatalf("%+v: %d EVs are assumed bad, want %d", cfg, m.AssumedBad(), bad)
		}
		checkState(t, cfg, m)
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
	} {
		if _, err := New(c.cfg, rand.New(rand.NewPCG(0, 0))); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.cfg, err, c.want)
		}
	}
}

func TestStateRefusals(t *testing.T) {
	cfg := Config{Planes: 2, Values: 12, Active: 3, Backup: 2}
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
