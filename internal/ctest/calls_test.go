package ctest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"repslab/reps"
)

// block is a block of random calls of c/test/calls.c. It is also the generator of its calls.
type block struct {
	state, digest uint64
	trace         func(call int, digest uint64) bool // of each call, if it is set; false ends the block
}

// Uint64 is draw of calls.c.
func (b *block) Uint64() uint64 {
	b.state += 0x9e3779b97f4a7c15
	z := b.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// add is add of calls.c.
func (b *block) add(answer uint64) {
	b.digest = (b.digest ^ answer) * 0x100000001b3
	b.digest ^= b.digest >> 29
}

// addBytes is add_bytes of calls.c.
func (b *block) addBytes(data []byte) {
	b.add(uint64(len(data)))
	for _, one := range data {
		b.add(uint64(one))
	}
}

// rules are the calls of a connection of package reps.
type rules interface {
	Reset()
	NextEV(reps.Source) (ev uint16, recycled bool)
	OnAck(now uint32, ev uint16, marked bool)
	OnNack(now uint32)
	OnFailure(now uint32)
	OnProbeReply()
	OnIdle(now uint32)
	Frozen() bool
	AppendSlots([]reps.Slot) []reps.Slot
}

// connection is a connection with the rules and the ring of a configuration of calls.c.
type connection struct {
	rules
	small    *reps.REPS // if it has an encoding
	artifact bool
	timeout  uint32
	exitTime uint32
}

// word is a source of one random word.
type word uint64

func (w word) Uint64() uint64 { return uint64(w) }

// fault returns the number of the first field in a list that an error names, the first of which has number 2.
func fault(err error, pkg string, fields ...string) uint64 {
	for i, name := range fields {
		if err != nil && strings.Contains(err.Error(), pkg+": "+name+" (") {
			return uint64(i + 2)
		}
	}
	if err != nil {
		panic(err)
	}
	return 0
}

// init configures c as reps_init does.
func (c *connection) init(cfg reps.Config, artifact bool) uint64 {
	large := new(reps.Large)
	if err := large.Init(cfg, artifact); err != nil {
		return fault(err, "reps", "BufferSize", "EVSSize", "FreezingTimeout", "PacketsPerWindow", "ReuseCount", "Rules", "Exit", "FrozenCache")
	}
	*c = connection{rules: large, artifact: artifact, timeout: cfg.FreezingTimeout}
	if c.timeout == 0 {
		c.timeout = reps.DefaultFreezingTimeout
	}
	if cfg.BufferSize <= reps.MaxBufferSize && artifact {
		small := new(reps.Artifact)
		must(small.Init(cfg))
		c.rules = small
	} else if cfg.BufferSize <= reps.MaxBufferSize {
		c.small = new(reps.REPS)
		must(c.small.Init(cfg))
		c.rules = c.small
	}
	return 0
}

// must panics if a call on valid values failed.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// config is random_config of calls.c.
func (b *block) config() (cfg reps.Config, artifact bool) {
	r := b.Uint64()
	artifact = r&1 == 0
	if r>>2&7 != 0 {
		cfg.BufferSize = int((r >> 5 & 63) % 34)
	} else {
		cfg.BufferSize = int(b.Uint64() % 1030)
	}
	if r>>11&1 == 0 {
		cfg.EVSSize = int(b.Uint64() % 65538)
	}
	if r>>12&1 == 0 {
		cfg.FreezingTimeout = uint32(b.Uint64()) >> (r >> 13 & 31)
	}
	if r>>18&1 == 0 {
		cfg.PacketsPerWindow = int(r >> 19 & 511)
	}
	if r>>28&15 == 0 {
		cfg.PacketsPerWindow <<= 7
	}
	if !artifact && r>>32&1 != 0 {
		cfg.ReuseCount = int((r >> 33 & 255) % 18)
	} else if r>>33&31 == 0 {
		cfg.ReuseCount = 2
	}
	if caching := r >> 44 & 15; caching == 15 {
		cfg.FrozenCache = 3
	} else if caching >= 8 {
		cfg.FrozenCache = reps.Caching(1 + caching&1)
	}
	cfg.DisableFreezing = r>>48&15 == 0
	if artifact && r>>1&1 == 0 {
		cfg = cfg.UltraEthernet()
	}
	if exit := r >> 41 & 7; exit >= 4 { // else the default of the rules
		cfg.Exit = reps.Exit(exit - 4)
	}
	return cfg, artifact
}

// encoded returns the encoded state, which is empty if there is none.
func (c *connection) encoded(data []byte) []byte {
	if c.small == nil {
		return data
	}
	data, err := c.small.AppendBinary(data)
	must(err)
	return data
}

// transfer is transfer of calls.c.
func transfer(to, from *connection, invert bool, bit uint64) uint64 {
	var room [80]byte
	data := from.encoded(room[:0])
	if invert && len(data) > 0 {
		data[bit/8%uint64(len(data))] ^= 1 << (bit % 8)
	}
	if to.small == nil || to.small.UnmarshalBinary(data) != nil {
		return 0
	}
	to.exitTime = to.small.ExitTime()
	return 1
}

// call is reps_call of calls.c.
func (b *block) call(all []connection, r uint64, now uint32) uint64 {
	argument := b.Uint64()
	c := &all[r%uint64(len(all))]
	switch r >> 8 & 15 {
	case 0:
		if r>>12&63 != 0 {
			c.OnNack(now)
			return 0
		}
		return c.init(b.config())
	case 1:
		switch r >> 12 & 15 {
		case 0:
			c.Reset()
			c.exitTime = 0
		case 1:
			c.OnIdle(now)
		default:
			c.OnProbeReply()
		}
	case 2:
		before := c.Frozen()
		if c.OnFailure(now); !before && c.Frozen() {
			c.exitTime = now + c.timeout
		}
	case 3:
		if r>>12&3 == 0 {
			return transfer(c, &all[argument%uint64(len(all))], argument>>8&1 != 0, argument>>9)
		}
	case 4:
		c.OnAck(now, uint16(argument%20), true)
	case 5, 6, 7, 8, 9:
		ev := uint16(argument >> 8)
		if argument&64 != 0 {
			ev = uint16(argument % 20)
		}
		c.OnAck(now, ev, false)
	default:
		ev, recycled := c.NextEV(word(argument))
		return uint64(ev)*2 + one(recycled)
	}
	return 0
}

// one returns 1 for true and 0 for false.
func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// reps is reps_block of calls.c.
func (b *block) reps(calls int) {
	var all [4]connection
	var slots []reps.Slot
	var room [80]byte
	now := uint32(b.Uint64())
	for i := range all {
		wrong := all[i].init(b.config())
		if b.add(wrong); wrong != 0 {
			all[i].init(reps.Config{}, false)
		}
	}
	for i := range calls {
		r := b.Uint64()
		c := &all[r%uint64(len(all))]
		switch {
		case r>>40&15 == 0:
			now = c.exitTime + uint32(r>>44&3) - 1
		case r>>40&12 != 0:
			now += uint32(r >> 44 & 0xfff)
		default:
			now += uint32(r>>32) >> (r & 31)
		}
		answer := b.call(all[:], r, now)
		b.add(answer*2 + one(c.Frozen()))
		if r>>16&15 == 0 {
			b.addBytes(c.encoded(room[:0]))
			if c.small == nil {
				slots = c.AppendSlots(slots[:0])
				for _, s := range slots {
					b.add(uint64(s.EV)*2 + one(s.Valid && !(c.artifact && c.Frozen())))
				}
			}
		}
		if b.trace != nil && !b.trace(i, b.digest) {
			return
		}
	}
}

const firstDigest = 0xcbf29ce484222325

// digests returns the digests of blocks of calls, as calls.c writes them.
func digests(kind func(*block, int), seed, blocks, calls int) []byte {
	out := make([]byte, 0, 8*blocks)
	for i := range blocks {
		b := block{state: uint64(seed + i), digest: firstDigest}
		kind(&b, calls)
		out = binary.LittleEndian.AppendUint64(out, b.digest)
	}
	return out
}

// firstDifference returns the number of the first call of a block that C answers in another way.
func firstDifference(t *testing.T, program, name string, kind func(*block, int), seed, calls int) (first int) {
	t.Helper()
	cmd := exec.Command(program, name, fmt.Sprint(seed))
	out, err := cmd.StdoutPipe()
	must(err)
	must(cmd.Start())
	defer cmd.Wait()
	defer out.Close()
	b := block{state: uint64(seed), digest: firstDigest}
	b.trace = func(call int, digest uint64) bool {
		var got uint64
		first = call
		return binary.Read(out, binary.LittleEndian, &got) == nil && got == digest
	}
	kind(&b, calls)
	return first
}

// kinds are the kinds of blocks.
var kinds = map[string]func(*block, int){"reps": (*block).reps, "mrc": (*block).mrc}

// compare compares blocks of random calls in C and in Go.
func compare(t *testing.T, program, name string, seed, blocks, calls int) {
	t.Helper()
	got, err := run(program, name, fmt.Sprint(seed), fmt.Sprint(blocks), fmt.Sprint(calls))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	want := digests(kinds[name], seed, blocks, calls)
	if bytes.Equal(got, want) {
		return
	}
	for i := range blocks {
		if at := 8 * i; len(got) < at+8 || !bytes.Equal(got[at:at+8], want[at:at+8]) {
			t.Errorf("%s, seed %d: call %d has another answer", name, seed+i, firstDifference(t, program, name, kinds[name], seed+i, calls))
			return
		}
	}
}

// TestCalls: C and Go answer 100,000 random calls in the same way, over all rules, rings and options; with
// REPSLAB_LONG=1 10^8 calls.
func TestCalls(t *testing.T) {
	program := build(t, "calls.c")
	calls, blocks := 500, 100
	if os.Getenv("REPSLAB_LONG") != "" {
		blocks = 100_000
	}
	var group sync.WaitGroup
	for half := range 2 {
		group.Go(func() { compare(t, program, "reps", 1+half*blocks, blocks, calls) })
	}
	group.Wait()
	compare(t, program, "mrc", 1, blocks/5, calls)
}
