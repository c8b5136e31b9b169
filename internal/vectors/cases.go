package vectors

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"repslab/reps"
)

// paper is the default configuration.
func paper() Config {
	return Config{
		BufferSize:       reps.DefaultBufferSize,
		EVSSize:          reps.DefaultEVSSize,
		FreezingTimeout:  reps.DefaultFreezingTimeout,
		PacketsPerWindow: reps.DefaultPacketsPerWindow,
		ReuseCount:       reps.DefaultReuseCount,
	}
}

// quick returns the configuration of most scripts with some changes: 4 entries, 100 ns
// of freezing mode, 5 packets of exploration.
func quick(changes ...func(*Config)) Config {
	c := paper()
	c.BufferSize, c.FreezingTimeout, c.PacketsPerWindow = 4, 100, 5
	for _, change := range changes {
		change(&c)
	}
	return c
}

// play runs the events of a script. Its words are: aEV and mEV, an unmarked and a marked ACK; k, a NACK;
// f, a failure; p, a probe reply; r, a reset; +D, a pause of D ns; nK, K packets sent.
func (r *recorder) play(script string) {
	for word := range strings.FieldsSeq(script) {
		argument := 0
		if len(word) > 1 {
			var err error
			argument, err = strconv.Atoi(word[1:])
			must(err)
		}
		now := r.now
		switch word[0] {
		case 'a', 'm':
			ev, marked := uint16(argument), word[0] == 'm'
			v := Vector{Event: Ack, Now: &now, EV: &ev, Marked: &marked}
			r.tell(v, func() { r.reps.OnAck(now, ev, marked) })
		case 'k':
			r.tell(Vector{Event: Nack, Now: &now}, func() { r.reps.OnNack(now) })
		case 'f':
			r.tell(Vector{Event: Failure, Now: &now}, func() { r.reps.OnFailure(now) })
		case 'p':
			r.tell(Vector{Event: ProbeReply}, r.reps.OnProbeReply)
		case 'r':
			r.tell(Vector{Event: Reset}, r.reps.Reset)
		case '+':
			r.now += uint32(argument)
		case 'n':
			for range argument {
				r.next(r.random.Uint64())
			}
		default:
			panic("vectors: unknown word " + word)
		}
	}
}

// scripts records the corner cases.
func (r *recorder) scripts() {
	one := func(c *Config) { c.BufferSize = 1 }
	reuse := func(c *Config) { c.ReuseCount = 3 }
	probe := func(c *Config) { c.ExitOnProbe = true }
	for _, s := range []struct {
		name   string
		cfg    Config
		start  uint32
		script string
	}{
		{"default configuration", paper(), 0, "n2 a1 a2 m3 a4 n4 f a5 n3 +10000000 a6 +1 a7 n110 r"},
		{"oldest EV first, then random", quick(), 0, "a7 m9 a8 n3"},
		{"full ring overwrites the oldest EV", quick(), 0, "a1 a2 a3 a4 a5 a6 n5"},
		{"valid EVs across the end of the ring", quick(), 0, "a1 a2 a3 n3 a4 a5 a6 n4"},
		{"one entry", quick(one), 0, "a1 a2 n2 f n2 a3 n3 +101 a4 n6"},
		{"NACK and probe reply change nothing", quick(), 0, "a1 k p f k p n2"},
		{"frozen with nothing written", quick(), 0, "f n2"},
		{"frozen: valid EVs first, then around the ring", quick(), 0, "a1 a2 a3 a4 n2 f n7"},
		{"frozen, partly filled: among the written slots", quick(), 0, "a1 a2 n2 f n5"},
		{"frozen: an ACK overwrites the slot after the last read", quick(), 0, "a1 a2 a3 a4 f n5 a9 n5"},
		{"frozen, partly filled: an ACK takes a new slot", quick(), 0, "a1 a2 f n4 a9 n4"},
		{"frozen, partly filled: an ACK between written slots", quick(), 0, "a1 a2 a3 f n4 a9 n4"},
		{"end of freezing mode, around the deadline", quick(), 0, "f +99 a1 +1 a2 +1 m3 a4 n6"},
		{"no end without an unmarked ACK", quick(), 0, "a1 f +1000 n3 m2 n1"},
		{"clock wraps before the deadline", quick(), 1<<32 - 50, "f +100 a1 +1 a2"},
		{"clock wraps at the deadline", quick(), 1<<32 - 100, "f +99 a1 +1 a2 +1 a3"},
		{"2^31-1 ns after the deadline", quick(), 1<<32 - 7, "f +100 +2147483647 a1"},
		{"2^31 ns after the deadline looks early", quick(), 1<<32 - 7, "f +100 +2147483647 +1 a1"},
		{"longest time-out", quick(func(c *Config) { c.FreezingTimeout = 1<<31 - 1 }), 1 << 31, "f a1 +2147483647 a2 +1 a3"},
		{"exploration with valid EVs", quick(), 0, "f a1 a2 a3 +101 a4 n7"},
		{"exploration without valid EVs", quick(), 0, "f +101 a1 n8"},
		{"a failure during exploration is ignored", quick(), 0, "f +101 a1 f n4 f n1 f"},
		{"a second failure does not move the deadline", quick(), 0, "f +90 f +11 a1"},
		{"exploration of at most 255 packets", quick(func(c *Config) { c.PacketsPerWindow = 1000 }), 0, "f +101 a1 n3"},
		{"freezing disabled", quick(func(c *Config) { c.DisableFreezing = true }), 0, "a1 f n2 p"},
		{"exit on a probe reply only", quick(probe), 0, "p f a1 +500 a2 p p n6 f p"},
		{"reuse", quick(reuse), 0, "a1 a2 n7"},
		{"reuse: the oldest EV is overwritten between its uses", quick(reuse), 0, "a1 a2 a3 a4 n2 a5 n4"},
		{"reuse: an ACK beside the EV in use", quick(reuse), 0, "a1 n2 a2 n5"},
		{"reuse: freezing mode reads each slot once in turn", quick(reuse), 0, "a1 a2 f n10"},
		{"reset keeps the configuration", quick(probe), 7, "a1 a2 n1 f r n1 f p r"},
	} {
		r.begin(s.name, s.cfg, s.start)
		r.play(s.script)
	}
}

// draws records drawn EVs for the smallest and the largest random word that gives each of them.
func (r *recorder) draws() {
	for _, evs := range []uint64{1, 2, 3, 1000, 65535, 65536} {
		c := paper()
		c.EVSSize = int(evs)
		r.begin(fmt.Sprintf("random word to EV, %d EVs", evs), c, 0)
		r.next(0)
		for _, ev := range []uint64{1, evs / 2, evs - 1} {
			if ev == 0 || ev >= evs {
				continue
			}
			// The first word of ev is 2^64*ev/evs, rounded up.
			first, rest := bits.Div64(ev, 0, evs)
			if rest > 0 {
				first++
			}
			r.next(first - 1)
			r.next(first)
		}
		r.next(math.MaxUint64)
	}
}

// stepsOfWalk is the number of events of one random walk.
const stepsOfWalk = 52

// walks records random events with every ring size.
func (r *recorder) walks() {
	evs := []int{65536, 32, 3, 65535, 1000, 1}
	timeouts := []uint32{1000, 1, reps.DefaultFreezingTimeout, 1<<31 - 1, 50}
	windows := []int{3, 8, 1, 20, 256}
	for size := 1; size <= reps.MaxBufferSize; size++ {
		c := Config{
			BufferSize:       size,
			EVSSize:          evs[size%len(evs)],
			FreezingTimeout:  timeouts[size/2%len(timeouts)],
			PacketsPerWindow: windows[size%len(windows)],
			ReuseCount:       max(1, size%7-3),
			ExitOnProbe:      size%5 == 3,
			DisableFreezing:  size == 14,
		}
		// The clock wraps around during most walks.
		r.begin(fmt.Sprintf("random walk, %d entries", size), c, -(min(c.FreezingTimeout, 1<<20) / 2))
		for range stepsOfWalk {
			r.walk()
		}
	}
}

// walk lets some time pass and runs one random event.
func (r *recorder) walk() {
	word := r.random.Uint64()
	choice, ev := word%32, uint16(word>>16)
	switch word >> 8 % 4 {
	case 0:
		if r.reps.Frozen() { // to 1 ns before the deadline, to the deadline, or 1 ns past it
			r.now = r.reps.ExitTime() + uint32(word>>12%3) - 1
		}
	case 1:
		r.now += uint32(word>>32) >> (word >> 10 % 32)
	}
	switch {
	case choice < 6:
		r.play(fmt.Sprintf("a%d", ev))
	case choice < 8: // enough to fill a ring
		for i := range min(4, r.config.BufferSize) {
			r.play(fmt.Sprintf("a%d", ev+uint16(i)))
		}
	case choice < 10:
		r.play(fmt.Sprintf("m%d", ev))
	case choice < 20:
		r.play("n1")
	case choice < 23:
		r.play("n3")
	case choice < 28:
		r.play("f")
	case choice < 30:
		r.play("p")
	default:
		r.play("k")
	}
}
