//go:build cgo

package main

// #define REPS_CONST
// #include "reps.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"repslab/reps"
)

// initialised marks a connection after a successful reps_init: "REPS" in memory. Uninitialised memory is unlikely
// to contain it.
const initialised = 'R' | 'E'<<8 | 'P'<<16 | 'S'<<24

// connection is the content of a reps_connection. As a [reps.Source] it returns the random word given to the
// current call.
type connection struct {
	word uint64
	mark uint32
	reps reps.REPS
}

// A reps_connection has exactly the size of a connection.
var _ [C.sizeof_reps_connection]byte = [unsafe.Sizeof(connection{})]byte{}

// Uint64 returns the random word of the current call.
func (c *connection) Uint64() uint64 { return c.word }

// place returns the connection at an address, or an error code if the address is not valid.
func place(p *C.reps_connection) (*connection, C.int) {
	switch {
	case p == nil:
		return nil, C.REPS_NULL
	case uintptr(unsafe.Pointer(p))%unsafe.Alignof(connection{}) != 0:
		return nil, C.REPS_MISALIGNED
	}
	return (*connection)(unsafe.Pointer(p)), 0
}

// open returns the initialised connection at an address, or an error code.
func open(p *C.reps_connection) (*connection, C.int) {
	c, code := place(p)
	if code == 0 && c.mark != initialised {
		code = C.REPS_NOT_INITIALISED
	}
	return c, code
}

// on calls a function with the initialised connection at an address and returns its result, or an error code if
// there is no such connection.
func on(p *C.reps_connection, do func(c *connection) C.int) C.int {
	c, code := open(p)
	if code != 0 {
		return code
	}
	return do(c)
}

// tell calls a function with the initialised connection at an address and returns 0, or an error code if there is
// no such connection.
func tell(p *C.reps_connection, do func(r *reps.REPS)) C.int {
	return on(p, func(c *connection) C.int {
		do(&c.reps)
		return 0
	})
}

// texts are the messages of errors without details.
var texts = map[C.int]string{
	C.REPS_NULL:            "a pointer is NULL, but must not be",
	C.REPS_MISALIGNED:      "connection is not aligned as a reps_connection must be",
	C.REPS_NOT_INITIALISED: "connection must be initialised with reps_init before its first use",
}

// inC replaces names in the errors of package reps by the names in reps.h.
var inC = strings.NewReplacer("reps: ", "", "\n", "; ",
	"BufferSize", "buffer_size", "EVSSize", "evs_size", "FreezingTimeout", "freezing_timeout_ns",
	"PacketsPerWindow", "packets_per_window", "ReuseCount", "reuse_count", "DisableFreezing", "disable_freezing")

// fail writes an error message into the caller's buffer, cut to its size, and returns the code.
func fail(code C.int, text string, message *C.char, size C.size_t) C.int {
	if message == nil || size == 0 {
		return code
	}
	buffer := unsafe.Slice((*byte)(unsafe.Pointer(message)), min(uint64(size), uint64(len(text))+1))
	buffer[copy(buffer[:len(buffer)-1], text)] = 0
	return code
}

// truth returns 1 for true and 0 for false.
func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// The functions of the library; reps.h documents them.

//export reps_size
func reps_size() C.size_t { return C.sizeof_reps_connection }

//export reps_init
func reps_init(p *C.reps_connection, config *C.reps_config, message *C.char, size C.size_t) C.int {
	c, code := place(p)
	if code != 0 {
		return fail(code, texts[code], message, size)
	}
	var cfg reps.Config
	if config != nil {
		cfg = reps.Config{
			BufferSize:       int(config.buffer_size),
			EVSSize:          int(config.evs_size),
			FreezingTimeout:  uint32(config.freezing_timeout_ns),
			PacketsPerWindow: int(config.packets_per_window),
			ReuseCount:       int(config.reuse_count),
			DisableFreezing:  bool(config.disable_freezing),
		}
		if config.exit_on_probe {
			cfg.Exit = reps.ExitOnProbe
		}
	}
	if err := c.reps.Init(cfg); err != nil {
		return fail(C.REPS_BAD_CONFIG, inC.Replace(err.Error()), message, size)
	}
	c.mark = initialised
	return 0
}

//export reps_reset
func reps_reset(p *C.reps_connection) C.int {
	return tell(p, func(r *reps.REPS) { r.Reset() })
}

//export reps_next_ev
func reps_next_ev(p *C.reps_connection, random C.uint64_t, ev *C.uint16_t) C.int {
	c, code := open(p)
	if code != 0 {
		return code
	}
	if ev == nil {
		return C.REPS_NULL
	}
	c.word = uint64(random)
	next, recycled := c.reps.NextEV(c)
	*ev = C.uint16_t(next)
	if recycled {
		return C.REPS_RECYCLED
	}
	return C.REPS_DRAWN
}

//export reps_on_ack
func reps_on_ack(p *C.reps_connection, now C.uint32_t, ev C.uint16_t, marked C.bool) C.int {
	return tell(p, func(r *reps.REPS) { r.OnAck(uint32(now), uint16(ev), bool(marked)) })
}

//export reps_on_nack
func reps_on_nack(p *C.reps_connection, now C.uint32_t) C.int {
	return tell(p, func(r *reps.REPS) { r.OnNack(uint32(now)) })
}

//export reps_on_failure
func reps_on_failure(p *C.reps_connection, now C.uint32_t) C.int {
	return tell(p, func(r *reps.REPS) { r.OnFailure(uint32(now)) })
}

//export reps_on_probe_reply
func reps_on_probe_reply(p *C.reps_connection) C.int {
	return tell(p, func(r *reps.REPS) { r.OnProbeReply() })
}

//export reps_frozen
func reps_frozen(p *C.reps_connection) C.int {
	return on(p, func(c *connection) C.int { return truth(c.reps.Frozen()) })
}

//export reps_exploring
func reps_exploring(p *C.reps_connection) C.int {
	return on(p, func(c *connection) C.int { return C.int(c.reps.Exploring()) })
}

//export reps_valid_evs
func reps_valid_evs(p *C.reps_connection) C.int {
	return on(p, func(c *connection) C.int { return C.int(c.reps.ValidEVs()) })
}

//export reps_encode
func reps_encode(p *C.reps_connection, data *C.uint8_t, size C.size_t) C.int {
	c, code := open(p)
	if code != 0 {
		return code
	}
	if data == nil {
		return C.REPS_NULL
	}
	length := c.reps.EncodedLen()
	if uint64(size) < uint64(length) {
		return C.REPS_TOO_SMALL
	}
	encoded, err := c.reps.AppendBinary(unsafe.Slice((*byte)(data), length)[:0])
	if err != nil {
		return C.REPS_NOT_INITIALISED
	}
	return C.int(len(encoded))
}

//export reps_decode
func reps_decode(p *C.reps_connection, data *C.uint8_t, length C.size_t, message *C.char, size C.size_t) C.int {
	c, code := open(p)
	if code == 0 && data == nil {
		code = C.REPS_NULL
	}
	if code != 0 {
		return fail(code, texts[code], message, size)
	}
	if length > C.REPS_MAX_ENCODED { // a wrong length may exceed the largest slice
		text := fmt.Sprintf("length (%d bytes) must be at most %d", length, C.REPS_MAX_ENCODED)
		return fail(C.REPS_BAD_STATE, text, message, size)
	}
	if err := c.reps.UnmarshalBinary(unsafe.Slice((*byte)(data), length)); err != nil {
		return fail(C.REPS_BAD_STATE, inC.Replace(err.Error()), message, size)
	}
	return 0
}
