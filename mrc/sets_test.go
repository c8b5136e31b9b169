package mrc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

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

// stuck is a Source of one word, which counts the calls.
type stuck struct {
	word  uint64
	calls int
}

// Uint64 returns the word.
func (s *stuck) Uint64() uint64 {
	s.calls++
	return s.word
}

// TestStuckGenerator: a generator that always returns the same word gives a set of different EVs after at most 257
// calls, with stride 1 if its own stride is not prime to the values.
func TestStuckGenerator(t *testing.T) {
	for _, c := range []struct {
		word   uint64
		values int
		calls  int
		second uint16
	}{
		{1 << 63, 0, 257, 32769}, {1 << 63, 1 << 15, 257, 16385}, {0, 0, 2, 1}, {1 << 63, 3, 2, 0}, {1 << 63, 1, 1, 0},
	} {
		random := &stuck{word: c.word}
		m, err := New(Config{Values: c.values}, random)
		if err != nil {
			t.Fatal(err)
		}
		set := m.AppendSet(nil, 0)
		if random.calls != c.calls || set[1%len(set)].Value != c.second {
			t.Errorf("%+v: %d calls, set %v", c, random.calls, set)
		}
		for i, ev := range set {
			if slices.Contains(set[:i], ev) || m.State(ev) != Good {
				t.Errorf("%+v: EV %d of set %v", c, i, set)
			}
			m.Deny(ev, true)
		}
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
