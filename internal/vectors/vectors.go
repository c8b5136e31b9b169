// Package vectors generates test vectors for implementations of REPS in other languages or in hardware. A
// vector is one event on one connection: its configuration, the encoded state before, the event with its
// time and random word, the encoded state after, and for a packet its entropy value (EV). Package reps
// computes the expected values. docs/vectors.md describes the format for users.
//
// The vectors come from scripts for the corner cases of Algorithms 1 and 2 of [Bonato26], among them
// every kind of reset and up to 16 uses of an EV, from random walks with every ring size from 1 to 32,
// and from encodings with a wrong variable, which decoders must refuse. The tests of package reps replay
// them through that package and through a literal transcription of the pseudocode, and measure which
// branches they reach.
//
// Tests also write vectors of package mrc, in a format of their own: random walks. The tests of mrc
// replay them through lists that share no code with mrc.
package vectors

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"

	"repslab/reps"
)

// Event is the name of an event of a connection.
type Event string

// The events.
const (
	Ack        Event = "ack"
	Nack       Event = "nack"
	Failure    Event = "failure"
	ProbeReply Event = "probe_reply"
	NextEV     Event = "next_ev"
	Reset      Event = "reset"
	Decode     Event = "decode" // decoding of Before, which may have to be refused
	Encode     Event = "encode" // encoding of a connection without a configuration
)

// Config is a reps.Config without defaults: every number is used as it is, except that PacketsPerWindow
// may exceed the 255 packets that REPS can count.
type Config struct {
	BufferSize       int    `json:"buffer_size"`
	EVSSize          int    `json:"evs_size"`
	FreezingTimeout  uint32 `json:"freezing_timeout_ns"`
	PacketsPerWindow int    `json:"packets_per_window"`
	ReuseCount       int    `json:"reuse_count"`
	ExitOnProbe      bool   `json:"exit_on_probe"`
	DisableFreezing  bool   `json:"disable_freezing"`
}

// Vector is one line of the file. A pointer is nil, and null in the file, where the
// event has no such argument or result.
type Vector struct {
	Case       string  `json:"case"`        // name of the scenario
	Config     *Config `json:"config"`      // nil: reps.REPS.Init was not called
	Event      Event   `json:"event"`       //
	Before     *string `json:"before"`      // encoded state, hexadecimal
	Now        *uint32 `json:"now_ns"`      // time, ns modulo 2^32
	EV         *uint16 `json:"ev"`          // EV echoed by the ACK
	Marked     *bool   `json:"marked"`      // congestion mark of the ACK
	Random     *string `json:"random"`      // offered random word, 16 hexadecimal digits
	After      *string `json:"after"`       // encoded state, hexadecimal
	NextEV     *uint16 `json:"next_ev"`     // EV of the packet
	Recycled   *bool   `json:"recycled"`    // the EV came from the ring
	RandomUsed *bool   `json:"random_used"` // the random word was used
	Refused    *string `json:"refused"`     // reason of the refusal; nil if the event is accepted
}

// Offer is a [reps.Source] of one word that remembers whether it was used.
type Offer struct {
	Word uint64
	Used bool
}

// Uint64 returns the word.
func (o *Offer) Uint64() uint64 {
	o.Used = true
	return o.Word
}

// recorder applies events to a connection and records them.
type recorder struct {
	vectors []Vector
	name    string
	config  Config
	reps    reps.REPS
	now     uint32
	random  *rand.PCG
}

// All returns all vectors, the same ones every time.
func All() []Vector {
	r := &recorder{random: rand.NewPCG(1, 0)}
	r.scripts()
	r.draws()
	r.walks()
	r.refusals()
	r.reuses()
	r.resets()
	return r.vectors
}

// Write writes all vectors to w, one JSON object per line. It returns the errors of w.
func Write(w io.Writer) error { return writeLines(w, All()) }

// writeLines writes vectors as JSON objects, one for each line.
func writeLines[V any](w io.Writer, list []V) error {
	encoder := json.NewEncoder(w)
	for _, v := range list {
		if err := encoder.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// REPS returns the configuration for package reps.
func (c Config) REPS() reps.Config {
	cfg := reps.Config{
		BufferSize:       c.BufferSize,
		EVSSize:          c.EVSSize,
		FreezingTimeout:  c.FreezingTimeout,
		PacketsPerWindow: c.PacketsPerWindow,
		ReuseCount:       c.ReuseCount,
		DisableFreezing:  c.DisableFreezing,
	}
	if c.ExitOnProbe {
		cfg.Exit = reps.ExitOnProbe
	}
	return cfg
}

// must panics if a call on valid values failed, which is a fault of this package.
func must(err error) {
	if err != nil {
		panic("vectors: " + err.Error())
	}
}

// begin starts a case with a new connection.
func (r *recorder) begin(name string, cfg Config, now uint32) {
	r.name, r.config, r.now = name, cfg, now
	must(r.reps.Init(cfg.REPS()))
}

// state returns the encoded state.
func (r *recorder) state() []byte {
	data, err := r.reps.MarshalBinary()
	must(err)
	return data
}

// record runs an event by calling do, and appends v with the states before and after.
func (r *recorder) record(v Vector, do func(v *Vector)) {
	cfg := r.config
	v.Case, v.Config, v.Before = r.name, &cfg, new(hex.EncodeToString(r.state()))
	do(&v)
	v.After = new(hex.EncodeToString(r.state()))
	r.vectors = append(r.vectors, v)
}

// tell records an event without a result. v holds its arguments.
func (r *recorder) tell(v Vector, do func()) { r.record(v, func(*Vector) { do() }) }

// next records the packet that is offered a random word.
func (r *recorder) next(word uint64) {
	v := Vector{Event: NextEV, Random: new(fmt.Sprintf("%016x", word))}
	r.record(v, func(v *Vector) {
		o := Offer{Word: word}
		ev, recycled := r.reps.NextEV(&o)
		v.NextEV, v.Recycled, v.RandomUsed = &ev, &recycled, &o.Used
	})
}
