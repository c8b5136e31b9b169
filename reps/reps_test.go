package reps

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// The three rule sets have one method set.
var (
	_ sender = (*REPS)(nil)
	_ sender = (*Artifact)(nil)
	_ sender = (*FIFO)(nil)
)

// play carries out a script on s from time now on and returns what it shows,
// joined by blanks. Words: aEV and mEV an unmarked and a marked ACK; k a NACK;
// f a failure; p a probe reply; +D lets D ns pass; n sends a packet (shows its
// EV if recycled, "r" if drawn, "sEV" if neither); nK sends K; ? shows frozen or
// thawed, the packets of exploration and the valid EVs.
func play(t *testing.T, s sender, now uint32, script string) string {
	t.Helper()
	random := newWords(1)
	var shown []string
	for word := range strings.FieldsSeq(script) {
		arg := 0
		if len(word) > 1 {
			var err error
			if arg, err = strconv.Atoi(word[1:]); err != nil {
				t.Fatalf("script word %q: %v", word, err)
			}
		}
		switch word[0] {
		case 'a', 'm':
			s.OnAck(now, uint16(arg), word[0] == 'm')
		case 'k':
			s.OnNack(now)
		case 'f':
			s.OnFailure(now)
		case 'p':
			s.OnProbeReply()
		case '+':
			now += uint32(arg)
		case 'n':
			for range max(arg, 1) {
				before := random.drawn
				switch ev, recycled := s.NextEV(random); {
				case recycled:
					shown = append(shown, strconv.Itoa(int(ev)))
				case random.drawn == before+1:
					shown = append(shown, "r")
				default:
					shown = append(shown, fmt.Sprintf("s%d", ev))
				}
			}
		case '?':
			state := "thawed"
			if s.Frozen() {
				state = "frozen"
			}
			shown = append(shown, fmt.Sprintf("%s/%d/%d", state, s.Exploring(), s.ValidEVs()))
		default:
			t.Fatalf("unknown script word %q", word)
		}
	}
	return strings.Join(shown, " ")
}

// scripted is a script played on a connection with a configuration, from a time
// on, and what it must show.
type scripted[C any] struct {
	name   string
	cfg    C
	start  uint32
	script string
	want   string
}

func playAll[C any, S sender](t *testing.T, open func(C) (S, error), tests []scripted[C]) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := open(tt.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if got := play(t, s, tt.start, tt.script); got != tt.want {
				t.Errorf("%q from %d = %q, want %q", tt.script, tt.start, got, tt.want)
			}
		})
	}
}

// quick is the configuration of most scripts.
func quick() Config { return Config{BufferSize: 4, FreezingTimeout: 100, PacketsPerWindow: 5} }

// with changes it.
func with(change func(*Config)) Config {
	c := quick()
	change(&c)
	return c
}

// TestRing: the ring without failures.
func TestRing(t *testing.T) {
	playAll(t, New, []scripted[Config]{
		{"new connection explores", quick(), 0, "n3 ?", "r r r thawed/0/0"},
		{"oldest first, then random", quick(), 0, "a7 a8 ? n3 ?", "thawed/0/2 7 8 r thawed/0/0"},
		{"marked ACK changes nothing", quick(), 0, "a7 m8 m9 ? n2", "thawed/0/1 7 r"},
		{"full ring drops its oldest", quick(), 0, "a1 a2 a3 a4 a5 a6 ? n5", "thawed/0/4 3 4 5 6 r"},
		{"negative offset wraps", quick(), 0, "a1 a2 a3 n3 a4 a5 a6 n4", "1 2 3 4 5 6 r"},
		{"one entry", with(func(c *Config) { c.BufferSize = 1 }), 0, "a1 a2 n2 f n2 a3 n3", "2 r 2 2 3 3 3"},
		{"32 entries", with(func(c *Config) { c.BufferSize = 32 }), 0, "a1 a2 ? n3", "thawed/0/2 1 2 r"},
		{"NACK and probe reply mean nothing", quick(), 0, "a1 f k p +500 k p ? n", "frozen/0/1 1"},
	})
}

// TestFreezing: what is read and written in freezing mode.
func TestFreezing(t *testing.T) {
	playAll(t, New, []scripted[Config]{
		{"frozen and nothing written: random", quick(), 0, "f n2 ?", "r r frozen/0/0"},
		{"frozen: valid ones first, then round the ring", quick(), 0, "a1 a2 a3 a4 n2 f n7 ?", "1 2 3 4 1 2 3 4 1 frozen/0/0"},
		{"frozen, partly filled: only written slots", quick(), 0, "a1 a2 n2 f n5 ?", "1 2 1 2 1 2 1 frozen/0/0"},
		{"frozen: an ACK goes over the slot after the last read", quick(), 0, "a1 a2 a3 a4 f n5 a9 n5", "1 2 3 4 1 9 3 4 1 9"},
		{"frozen, partly filled: an ACK in the middle", quick(), 0, "a1 a2 a3 f n4 a9 n4", "1 2 3 1 9 3 1 9"},
		{"frozen, partly filled: an ACK at the end takes a new slot", quick(), 0, "a1 a2 f n4 a9 n4", "1 2 1 2 9 1 2 9"},
		{"a marked ACK while frozen changes nothing", quick(), 0, "a1 f +500 m9 ? n2", "frozen/0/1 1 1"},
	})
}

// TestExitFromFreezing: the first unmarked ACK after the deadline.
func TestExitFromFreezing(t *testing.T) {
	playAll(t, New, []scripted[Config]{
		{"exit not before the deadline", quick(), 0, "f +99 a1 ?", "frozen/0/1"},
		{"exit not at the deadline", quick(), 0, "f +100 a1 ?", "frozen/0/1"},
		{"exit just after the deadline", quick(), 0, "f +101 a1 ?", "thawed/5/1"},
		{"exit not on a marked ACK", quick(), 0, "f +101 m1 ? a2 ?", "frozen/0/0 thawed/5/1"},
		{"exit not without an ACK", quick(), 0, "a1 f +1000 n3 ?", "1 1 1 frozen/0/0"},
		{"the ring survives the exit", quick(), 0, "a1 a2 f +101 a3 ? n2 n n", "thawed/5/3 r 1 2 3"},
		{"clock comes round before the deadline", quick(), 1<<32 - 50, "f +100 a1 ? +1 a2 ?", "frozen/0/1 thawed/5/2"},
		{"clock comes round at the deadline", quick(), 1<<32 - 100, "f +99 a1 ? +1 a2 ? +1 a3 ?", "frozen/0/1 frozen/0/2 thawed/5/3"},
		{"half the clock past the deadline", quick(), 1<<32 - 7, "f +100 +2147483647 a1 ?", "thawed/5/1"},
		{"over half the clock looks early", quick(), 1<<32 - 7, "f +100 +2147483647 +1 a1 ?", "frozen/0/1"},
		{"longest time-out", with(func(c *Config) { c.FreezingTimeout = 1<<31 - 1 }), 1 << 31, "f a1 ? +2147483647 a2 ? +1 a3 ?", "frozen/0/1 frozen/0/2 thawed/5/3"},
	})
}

// TestExploration: after the exit, until the counter is at 0.
func TestExploration(t *testing.T) {
	playAll(t, New, []scripted[Config]{
		{"exploring: counter at a multiple of the ring is random, else the normal rule", quick(), 0,
			"f a1 a2 a3 +101 a4 n n n n n ? n", "r 1 2 3 r thawed/0/1 4"},
		{"exploring with nothing valid is random", quick(), 0, "f +101 a1 n8", "r 1 r r r r r r"},
		{"exploring, ring of 3", with(func(c *Config) { c.BufferSize = 3 }), 0, "f a1 a2 +101 a3 n5 ?", "1 r 2 3 r thawed/0/0"},
		{"exploring, ring of 1: all random", with(func(c *Config) { c.BufferSize = 1 }), 0, "f +101 a1 n5 n", "r r r r r 1"},
		{"failure while exploring is ignored", quick(), 0, "f +101 a1 f ? n4 f ? n f ?", "thawed/5/1 r 1 r r thawed/1/0 r frozen/0/0"},
		{"failure while frozen does not move the deadline", quick(), 0, "f +90 f +11 a1 ?", "thawed/5/1"},
		{"exploration saturates", with(func(c *Config) { c.PacketsPerWindow = 1000 }), 0, "f +101 a1 ?", "thawed/255/1"},
		{"freezing disabled", with(func(c *Config) { c.DisableFreezing = true }), 0, "a1 f ? n2", "thawed/0/1 1 r"},
	})
}

func TestExitOnProbe(t *testing.T) {
	probe := with(func(c *Config) { c.Exit = ExitOnProbe })
	playAll(t, New, []scripted[Config]{
		{"probe: time does not end it", probe, 0, "f +101 a1 ? p ?", "frozen/0/1 thawed/5/1"},
		{"probe: a reply without freezing means nothing", probe, 0, "a1 p ? n2", "thawed/0/1 1 r"},
	})
}

func TestReuse(t *testing.T) {
	reuse := with(func(c *Config) { c.ReuseCount = 3 })
	playAll(t, New, []scripted[Config]{
		{"reuse: each entry in turn", reuse, 0, "a1 a2 n7", "1 1 1 2 2 2 r"},
		{"reuse: the oldest overwritten in mid-use", reuse, 0, "a1 a2 a3 a4 n2 a5 n4 ?", "1 1 2 2 2 3 thawed/0/3"},
		{"reuse: ring of 1 overwritten in mid-use", with(func(c *Config) { c.BufferSize = 1; c.ReuseCount = 3 }), 0, "a1 n2 a2 n4", "1 1 2 2 2 r"},
		{"reuse: an ACK beside the one in use", reuse, 0, "a1 n2 a2 n4 ?", "1 1 1 2 2 2 thawed/0/0"},
		{"reuse: cycling uses a slot once at a time", reuse, 0, "a1 a2 f n6 n4", "1 1 1 2 2 2 1 2 1 2"},
	})
}

// TestExploreCounts counts the random EVs of a whole exploration with a ring
// that always has a valid entry: one for each multiple of BufferSize below
// PacketsPerWindow, 0 included.
func TestExploreCounts(t *testing.T) {
	for _, tt := range []struct{ size, window, want int }{
		{8, 100, 13}, {8, 150, 19}, {8, 255, 32}, {8, 8, 1}, {8, 9, 2}, {5, 100, 20}, {1, 100, 100}, {32, 31, 1},
	} {
		r, err := New(Config{BufferSize: tt.size, PacketsPerWindow: tt.window})
		if err != nil {
			t.Fatal(err)
		}
		random := newWords(1)
		r.OnFailure(0)
		r.OnAck(DefaultFreezingTimeout+1, 1, false)
		for range tt.window {
			r.OnAck(DefaultFreezingTimeout+1, 1, false)
			r.NextEV(random)
		}
		if random.drawn != tt.want || r.Exploring() != 0 {
			t.Errorf("%d entries, %d packets: %d random EVs and %d packets left, want %d and 0", tt.size, tt.window, random.drawn, r.Exploring(), tt.want)
		}
	}
}

func TestMultipleOfSize(t *testing.T) {
	for size := 1; size <= MaxBufferSize; size++ {
		r := newRules(Config{BufferSize: size})
		for x := range 256 {
			if got, want := r.multipleOfSize(uint8(x)), x%size == 0; got != want {
				t.Errorf("multipleOfSize(%d) with %d entries = %t, want %t", x, size, got, want)
			}
		}
	}
}

// constant is a Source that always yields one word.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

func TestDraw(t *testing.T) {
	const third = (1<<64-1)/3 + 1 // smallest word of the second of three EVs
	for _, tt := range []struct {
		word uint64
		evs  uint32
		want uint16
	}{
		{0, 1, 0}, {1<<64 - 1, 1, 0},
		{0, 3, 0}, {third - 1, 3, 0}, {third, 3, 1}, {1<<64 - 1, 3, 2},
		{0, 65536, 0}, {1<<48 - 1, 65536, 0}, {1 << 48, 65536, 1}, {1<<64 - 1, 65536, 65535},
		{1<<64 - 1, 65535, 65534},
	} {
		if got := draw(constant(tt.word), tt.evs); got != tt.want {
			t.Errorf("draw(%#x, %d) = %d, want %d", tt.word, tt.evs, got, tt.want)
		}
	}
}

func TestResetAndCopy(t *testing.T) {
	cfg := Config{BufferSize: 3, EVSSize: 9, FreezingTimeout: 5, PacketsPerWindow: 7, ReuseCount: 2, Exit: ExitOnProbe}
	fresh, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if fresh.Config() != cfg {
		t.Errorf("Config() = %+v, want %+v", fresh.Config(), cfg)
	}
	used := *fresh
	play(t, &used, 0, "a1 a2 n f n3 p n")
	if *fresh == used {
		t.Fatal("a copy shares its state with the original")
	}
	used.Reset()
	if *fresh != used {
		t.Errorf("after Reset %+v, want %+v", used, *fresh)
	}
	before := used
	if err := used.Init(Config{BufferSize: 33}); err == nil || used != before {
		t.Errorf("a failed Init (%v) changed its receiver", err)
	}
}

func TestAccessors(t *testing.T) {
	r, err := New(Config{BufferSize: 3, FreezingTimeout: 10})
	if err != nil {
		t.Fatal(err)
	}
	play(t, r, 1<<32-4, "a1 a2 a3 a4 n f")
	if got := r.AppendValid([]uint16{9}); fmt.Sprint(got) != "[9 3 4]" {
		t.Errorf("AppendValid([9]) = %v, want [9 3 4]", got)
	}
	if r.WrittenSlots() != 3 || r.ExitTime() != 6 || r.ValidEVs() != 2 {
		t.Errorf("WrittenSlots, ExitTime, ValidEVs = %d, %d, %d, want 3, 6, 2", r.WrittenSlots(), r.ExitTime(), r.ValidEVs())
	}
}

// TestNotReady: the first use of each connection without a configuration panics with Init, and NextEV without a
// source with the source.
func TestNotReady(t *testing.T) {
	panics := func(want string, use func()) {
		t.Helper()
		defer func() {
			if got := recover(); got != want {
				t.Errorf("panic %v, want %q", got, want)
			}
		}()
		use()
	}
	source := rand.NewPCG(1, 2)
	for _, use := range []func(){
		func() { new(REPS).NextEV(source) }, func() { new(REPS).OnAck(1, 2, false) }, func() { new(REPS).OnFailure(1) },
		func() { new(REPS).Config() }, func() { new(REPS).EncodedLen() },
		func() { new(Artifact).NextEV(source) }, func() { new(Artifact).OnAck(1, 2, false) }, func() { new(Artifact).OnFailure(1) },
		func() { new(FIFO).NextEV(source) }, func() { new(FIFO).OnAck(1, 2, false) },
		func() { new(Large).NextEV(source) }, func() { new(Large).OnAck(1, 2, false) }, func() { new(Large).OnFailure(1) },
	} {
		panics("reps: call Init before its first use", use)
	}
	ready, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	panics("reps: NextEV: random must not be nil when an EV is drawn", func() { ready.NextEV(nil) })
	var r REPS
	if _, err := r.MarshalBinary(); err == nil {
		t.Error("MarshalBinary without Init: no error")
	}
	if err := r.UnmarshalBinary(make([]byte, 25)); err == nil {
		t.Error("UnmarshalBinary without Init: no error")
	}
}

// TestSizes pins the memory per connection that the doc comments state.
func TestSizes(t *testing.T) {
	if got := unsafe.Sizeof(REPS{}); got != 92 {
		t.Errorf("a REPS takes %d bytes, want 92", got)
	}
	if got := unsafe.Offsetof(REPS{}.ring) + unsafe.Offsetof(ring{}.ev); got+16*2 > 64 {
		t.Errorf("entry 16 ends at byte %d, want at most 64", got+16*2)
	}
	if got := unsafe.Sizeof(Artifact{}); got != 96 {
		t.Errorf("an Artifact takes %d bytes, want 96", got)
	}
	if got := unsafe.Sizeof(FIFO{}); got != 48 && unsafe.Sizeof(uintptr(0)) == 8 {
		t.Errorf("a FIFO takes %d bytes, want 48", got)
	}
}

func TestAllocations(t *testing.T) {
	random := newWords(1)
	buf := make([]byte, 0, 100)
	var r REPS
	var a Artifact
	var f FIFO
	if err := f.Init(FIFOConfig{}); err != nil {
		t.Fatal(err)
	}
	exercise := func(s sender) {
		for i := range uint32(40) {
			s.OnAck(i<<20, uint16(i), i%5 == 0)
			s.NextEV(random)
			s.NextEV(random)
			s.OnFailure(i << 20)
			s.OnNack(i << 20)
			s.OnProbeReply()
		}
	}
	exercise(&f) // lets its list grow
	if n := testing.AllocsPerRun(100, func() {
		if r.Init(Config{}) != nil || a.Init(Config{}) != nil {
			t.Error("Init failed")
		}
		exercise(&r)
		exercise(&a)
		exercise(&f)
		data, err := r.AppendBinary(buf)
		if err != nil || r.UnmarshalBinary(data) != nil {
			t.Error("encoding failed")
		}
	}); n != 0 {
		t.Errorf("%v allocations per run, want 0", n)
	}
}

// TestFrozenCaching: EVs that come back from a frozen ring of 8, one for each of 4 packets, leave one EV if all are
// cached. If only new EVs are cached, or none, the ring keeps its 8.
func TestFrozenCaching(t *testing.T) {
	for caching, want := range map[Caching]int{CacheAll: 1, CacheNew: 8, CacheFree: 8} {
		r := mustNew(t, Config{FrozenCache: caching})
		if r.Config().FrozenCache != caching || mustNew(t, Config{DisableFreezing: true}).Config().FrozenCache != CacheAll {
			t.Errorf("%v: Config() = %+v", caching, r.Config())
		}
		for ev := range uint16(8) {
			r.OnAck(0, ev, false)
		}
		r.OnFailure(0)
		for range 3 { // messages
			var sent []uint16
			for range 64 {
				ev, _ := r.NextEV(nil)
				sent = append(sent, ev)
			}
			for i := 3; i < 64; i += 4 {
				r.OnAck(0, sent[i], false)
			}
		}
		different := map[uint16]bool{}
		for _, s := range r.AppendSlots(nil) {
			different[s.EV] = true
		}
		if len(different) != want {
			t.Errorf("caching %v: %d EVs, want %d", caching, len(different), want)
		}
		r.OnAck(DefaultFreezingTimeout+1, 3, false)
		if r.Frozen() {
			t.Errorf("caching %v: frozen after the time-out", caching)
		}
	}
}
