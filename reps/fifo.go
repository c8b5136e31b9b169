package reps

import (
	"cmp"
	"errors"
)

// defaultSweepPackets is the default of FIFOConfig.SweepPackets, the authors'
// first window in packets.
const defaultSweepPackets = 151

// FIFOConfig configures a [FIFO]. A field that is 0 has its default.
type FIFOConfig struct {
	// EVSSize is the number of entropy values: 1 to 65536, default 65536.
	EVSSize int
	// SweepPackets is the number of packets at the start that get the EVs 1, 2,
	// 3, ... modulo EVSSize: 1 to 65535, default 151. No more than EVSSize
	// packets are swept, so no EV is swept twice.
	SweepPackets int
	// DisableSweep turns the sweep off.
	DisableSweep bool
}

// withDefaults returns c with defaults applied.
func (c FIFOConfig) withDefaults() FIFOConfig {
	c.EVSSize = cmp.Or(c.EVSSize, DefaultEVSSize)
	c.SweepPackets = cmp.Or(c.SweepPackets, defaultSweepPackets)
	return c
}

// Validate returns nil if c can configure a [FIFO], and otherwise one error
// that lists every fault.
func (c FIFOConfig) Validate() error {
	c = c.withDefaults()
	return errors.Join(
		inRange("EVSSize", int64(c.EVSSize), maxEVSSize),
		inRange("SweepPackets", int64(c.SweepPackets), 1<<16-1),
	)
}

// FIFO is the second variant of REPS in the authors' packet simulator: a list of good EVs without a limit, no
// freezing mode, and a start that sweeps the EVs in order. After the sweep a packet gets the oldest EV of the
// list, or a uniform EV if the list is empty.
//
// Call [FIFO.Init] on a zero value before any other method. A FIFO takes 48 bytes (on 64-bit machines) and a list
// of 2 bytes an entry. The list doubles when it is full and never shrinks; only its growth allocates, amortised
// O(1). The EVs in the list and the packets in flight together never exceed the larger of the sweep and the peak
// of packets in flight; [FIFO.Grow] makes room for them in advance. A copy by assignment shares the list: use only
// one of the two copies, or [FIFO.Assign]. It is not safe for concurrent use.
type FIFO struct {
	evsSize uint32
	sweep   uint32 // packets to sweep in all
	swept   uint32 // packets swept so far, the last EV of the sweep
	evs     queue
}

// Init gives f the configuration cfg and the state of a new connection. It returns the error of
// [FIFOConfig.Validate]; f is then unchanged.
func (f *FIFO) Init(cfg FIFOConfig) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	cfg = cfg.withDefaults()
	f.evsSize = uint32(cfg.EVSSize)
	f.sweep = uint32(min(cfg.SweepPackets, cfg.EVSSize))
	if cfg.DisableSweep {
		f.sweep = 0
	}
	f.Reset()
	return nil
}

// Reset returns f to the state of a new connection and keeps its configuration
// and the storage of its list.
func (f *FIFO) Reset() {
	f.swept = 0
	f.evs.clear()
}

// Grow makes room for a list of the given number of EVs: up to this length no call allocates. It panics if
// entries is not in [0, 2^24].
func (f *FIFO) Grow(entries int) {
	if entries < 0 || entries > 1<<24 {
		panic(refuse("entries", entries, "must be in [0, %d]", 1<<24))
	}
	for len(f.evs.buf) < entries {
		f.evs.grow()
	}
}

// Assign makes f a copy of from with a list of its own. O(EVs in the list).
func (f *FIFO) Assign(from *FIFO) {
	if from == nil {
		panic("reps: FIFO.Assign: from must not be nil")
	}
	own := f.evs
	*f = *from
	f.evs = own
	f.evs.clear()
	for i := range from.evs.n {
		f.evs.push(from.evs.buf[int(from.evs.head+i)&(len(from.evs.buf)-1)])
	}
}

// mustBeReady is [rules.mustBeReady].
func (f *FIFO) mustBeReady() { (&rules{evsSize: f.evsSize}).mustBeReady() }

// OnAck processes an ACK that echoes ev: an unmarked one appends ev to the list,
// a marked one changes nothing. The time is not used. Amortised O(1).
func (f *FIFO) OnAck(now uint32, ev uint16, marked bool) {
	f.mustBeReady()
	if !marked {
		f.evs.push(ev)
	}
}

// OnNack does nothing. It completes the common method set.
func (f *FIFO) OnNack(now uint32) {}

// OnFailure does nothing: this variant has no freezing mode.
func (f *FIFO) OnFailure(now uint32) {}

// OnProbeReply does nothing. It completes the common method set.
func (f *FIFO) OnProbeReply() {}

// NextEV returns the EV of the packet to be sent, and whether it came from the
// list. It takes one word of random if it draws the EV, else none. O(1).
func (f *FIFO) NextEV(random Source) (ev uint16, recycled bool) {
	if f.swept < f.sweep {
		f.swept++
		if f.swept == f.evsSize {
			return 0, false
		}
		return uint16(f.swept), false
	}
	if f.evs.n > 0 {
		return f.evs.pop(), true
	}
	f.mustBeReady()
	return draw(random, f.evsSize), false
}

// Frozen returns false.
func (f *FIFO) Frozen() bool { return false }

// Exploring returns the packets left of the sweep: 0 to 65535.
func (f *FIFO) Exploring() int { return int(f.sweep - f.swept) }

// ValidEVs returns the number of EVs in the list.
func (f *FIFO) ValidEVs() int { return int(f.evs.n) }
