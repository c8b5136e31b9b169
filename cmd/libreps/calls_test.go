//go:build cgo

package main

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"repslab/reps"
)

// The names of the C types in Go, as the tool cgo spells them.
type (
	cBlock  = _Ctype_reps_connection
	cConfig = _Ctype_reps_config
	cEV     = _Ctype_uint16_t
	cByte   = _Ctype_uint8_t
	cChar   = _Ctype_char
)

// explained calls a function that explains its errors, and returns its result and
// its message in a buffer of a size.
func explained[R ~int32](size int, f func(message *cChar) R) (int, string) {
	buffer := make([]byte, max(size, 1))
	code := f((*cChar)(unsafe.Pointer(&buffer[0])))
	text, _, _ := strings.Cut(string(buffer), "\x00")
	return int(code), text
}

// TestErrors: each kind of wrong call has its code and its text, and changes nothing.
func TestErrors(t *testing.T) {
	var c, before cBlock
	config := cConfig{buffer_size: 33, reuse_count: 17, exit_on_probe: true}
	var data [100]cByte
	misaligned := (*cBlock)(unsafe.Add(unsafe.Pointer(new([2]cBlock)), 1))
	check := func(what string, code int, want int, text, wantText string) {
		t.Helper()
		if code != want || text != wantText {
			t.Errorf("%s: code %d, %q, want %d, %q", what, code, text, want, wantText)
		}
		if c != before {
			t.Errorf("%s changes the connection", what)
		}
	}
	initialise := func(p *cBlock, config *cConfig, size int) (int, string) {
		return explained(size, func(m *cChar) _Ctype_int { return reps_init(p, config, m, _Ctype_size_t(size)) })
	}
	decode := func(p *cBlock, data *cByte, length int) (int, string) {
		return explained(200, func(m *cChar) _Ctype_int { return reps_decode(p, data, _Ctype_size_t(length), m, 200) })
	}
	const null = "a pointer is NULL, but must not be"
	const unready = "connection must be initialised with reps_init before its first use"
	const skewed = "connection is not aligned as a reps_connection must be"
	const wrong = "buffer_size (33) must be in [1, 32]; reuse_count (17) must be in [1, 16]"

	code, text := initialise(nil, nil, 200)
	check("init of NULL", code, -1, text, null)
	code, text = initialise(misaligned, nil, 200)
	check("init of a misaligned address", code, -2, text, skewed)
	code, text = initialise(&c, &config, 200)
	check("init with a bad configuration", code, -4, text, wrong)
	code, text = initialise(&c, &config, 10)
	check("init with a short buffer", code, -4, text, wrong[:9])
	code, text = initialise(&c, &config, 0)
	check("init without a buffer", code, -4, text, "")
	code, text = decode(&c, &data[0], 25)
	check("decode before init", code, -3, text, unready)
	for name, f := range onConnection(&data[0]) {
		check(name+" before init", f(&c), -3, "", "")
		check(name+" of NULL", f(nil), -1, "", "")
		check(name+" of a misaligned address", f(misaligned), -2, "", "")
	}

	if code, text := initialise(&c, nil, 200); code != 0 || text != "" {
		t.Fatalf("init: code %d, %q", code, text)
	}
	before = c
	code, text = initialise(&c, &config, 200)
	check("second init with a bad configuration", code, -4, text, wrong)
	check("next_ev to NULL", int(reps_next_ev(&c, 0, nil)), -1, "", "")
	check("encode to NULL", int(reps_encode(&c, nil, 100)), -1, "", "")
	check("encode to 24 bytes", int(reps_encode(&c, &data[0], 24)), -6, "", "")
	code, text = decode(&c, nil, 25)
	check("decode of NULL", code, -1, text, null)
	code, text = decode(&c, &data[0], 24)
	check("decode of 24 bytes", code, -5, text, "length (24 bytes) must be 25 for buffer_size 8 and reuse_count 1")
	code, text = decode(&c, &data[0], -1)
	check("decode of all memory", code, -5, text, "length (18446744073709551615 bytes) must be at most 77")
	data[24] = 1
	code, text = decode(&c, &data[0], 25)
	check("decode of padding", code, -5, text, "padding (0x1) must be zero")
}

// onConnection returns the functions that use an initialised connection, with
// arguments that they accept.
func onConnection(data *cByte) map[string]func(*cBlock) int {
	ev := new(cEV)
	return map[string]func(*cBlock) int{
		"reset":          func(c *cBlock) int { return int(reps_reset(c)) },
		"next_ev":        func(c *cBlock) int { return int(reps_next_ev(c, 1<<63, ev)) },
		"on_ack":         func(c *cBlock) int { return int(reps_on_ack(c, 7, 9, false)) },
		"on_ack, marked": func(c *cBlock) int { return int(reps_on_ack(c, 7, 9, true)) },
		"on_nack":        func(c *cBlock) int { return int(reps_on_nack(c, 7)) },
		"on_failure":     func(c *cBlock) int { return int(reps_on_failure(c, 7)) },
		"on_probe_reply": func(c *cBlock) int { return int(reps_on_probe_reply(c)) },
		"frozen":         func(c *cBlock) int { return int(reps_frozen(c)) },
		"exploring":      func(c *cBlock) int { return int(reps_exploring(c)) },
		"valid_evs":      func(c *cBlock) int { return int(reps_valid_evs(c)) },
		"encode":         func(c *cBlock) int { return int(reps_encode(c, data, 100)) },
	}
}

// TestNoAllocation: no function allocates unless it reports an error.
func TestNoAllocation(t *testing.T) {
	var c cBlock
	var data [100]cByte
	config := cConfig{buffer_size: 8}
	functions := onConnection(&data[0])
	functions["init"] = func(c *cBlock) int { return int(reps_init(c, &config, nil, 0)) }
	functions["decode"] = func(c *cBlock) int { return int(reps_decode(c, &data[0], 25, nil, 0)) }
	functions["size"] = func(*cBlock) int { return int(reps_size()) }
	if functions["init"](&c) != 0 || functions["encode"](&c) != 25 {
		t.Fatal("init or encode failed")
	}
	for name, f := range functions {
		worst := 0
		if n := testing.AllocsPerRun(1000, func() { worst = min(worst, f(&c)) }); n != 0 || worst < 0 {
			t.Errorf("%s: %v allocations for a call, want 0; least result %d", name, n, worst)
		}
	}
	if reps_size() != 104 || unsafe.Sizeof(c) != 104 {
		t.Errorf("a connection has %d bytes and reps_size says %d, want 104", unsafe.Sizeof(c), reps_size())
	}
}

// TestFrozen: a failure begins freezing mode; a configuration may end it by a probe alone.
func TestFrozen(t *testing.T) {
	var c cBlock
	if code := reps_init(&c, &cConfig{exit_on_probe: true}, nil, 0); code != 0 {
		t.Fatalf("code %d", code)
	}
	before := reps_frozen(&c)
	reps_on_failure(&c, 0)
	during := reps_frozen(&c)
	reps_on_probe_reply(&c)
	if after := reps_frozen(&c); before != 0 || during != 1 || after != 0 {
		t.Errorf("frozen: %d, after a failure %d, after a probe reply %d; want 0, 1, 0", before, during, after)
	}
}

// ofLibrary is a connection of the library, used through the functions that C calls.
type ofLibrary struct{ block cBlock }

// TestFunctionsEqualGo: 40,000 random calls of the functions that C calls, from several threads, return what the same
// calls on package reps return.
func TestFunctionsEqualGo(t *testing.T) {
	const calls = 10_000
	var records [threads][]uint32
	var group sync.WaitGroup
	for thread := range records {
		c := newCaller(t, firstSeed+uint64(thread), func() implementation { return new(ofLibrary) })
		group.Go(func() {
			for range calls {
				record := c.step(t)
				records[thread] = append(records[thread], record[:]...)
			}
		})
	}
	group.Wait()
	checkCalls(t, slices.Concat(records[:]...))
}

// must panics unless a function accepts its arguments.
func must(code int) int {
	if code < 0 {
		panic(code)
	}
	return code
}

// refusal returns the error of a function that may refuse its arguments by one code.
func refusal(code, may int) error {
	if code == may {
		return errRefused
	}
	must(code)
	return nil
}

var errRefused = errors.New("refused")

func (c *ofLibrary) Init(cfg reps.Config) error {
	config := cConfig{buffer_size: _Ctype_uint32_t(cfg.BufferSize), evs_size: _Ctype_uint32_t(cfg.EVSSize),
		freezing_timeout_ns: _Ctype_uint32_t(cfg.FreezingTimeout), packets_per_window: _Ctype_uint32_t(cfg.PacketsPerWindow),
		reuse_count: _Ctype_uint32_t(cfg.ReuseCount), exit_on_probe: _Ctype__Bool(cfg.Exit == reps.ExitOnProbe),
		disable_freezing: _Ctype__Bool(cfg.DisableFreezing)}
	return refusal(int(reps_init(&c.block, &config, nil, 0)), -4)
}

func (c *ofLibrary) NextEV(source reps.Source) (uint16, bool) {
	var ev cEV
	recycled := must(int(reps_next_ev(&c.block, _Ctype_uint64_t(source.Uint64()), &ev))) == 1
	return uint16(ev), recycled
}

func (c *ofLibrary) OnAck(now uint32, ev uint16, marked bool) {
	must(int(reps_on_ack(&c.block, _Ctype_uint32_t(now), cEV(ev), _Ctype__Bool(marked))))
}

func (c *ofLibrary) Reset()               { must(int(reps_reset(&c.block))) }
func (c *ofLibrary) OnNack(now uint32)    { must(int(reps_on_nack(&c.block, _Ctype_uint32_t(now)))) }
func (c *ofLibrary) OnFailure(now uint32) { must(int(reps_on_failure(&c.block, _Ctype_uint32_t(now)))) }
func (c *ofLibrary) OnProbeReply()        { must(int(reps_on_probe_reply(&c.block))) }
func (c *ofLibrary) Frozen() bool         { return must(int(reps_frozen(&c.block))) == 1 }
func (c *ofLibrary) Exploring() int       { return must(int(reps_exploring(&c.block))) }
func (c *ofLibrary) ValidEVs() int        { return must(int(reps_valid_evs(&c.block))) }

func (c *ofLibrary) MarshalBinary() ([]byte, error) {
	data := make([]byte, 77) // REPS_MAX_ENCODED
	n := must(int(reps_encode(&c.block, (*cByte)(&data[0]), _Ctype_size_t(len(data)))))
	return data[:n], nil
}

func (c *ofLibrary) UnmarshalBinary(data []byte) error {
	return refusal(int(reps_decode(&c.block, (*cByte)(&data[0]), _Ctype_size_t(len(data)), nil, 0)), -5)
}
