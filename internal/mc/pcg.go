package mc

import (
	"encoding/binary"

	//lint:ignore SA1019 part of the project's chosen stack; this file is its only importer
	"golang.org/x/exp/rand"
)

// Source is a stream for cold paths: workloads, salts and gonum's samplers
// (it satisfies math/rand/v2.Source, which gonum's distributions take as Src).
// A Source is not safe for concurrent use.
type Source interface {
	Uint64() uint64
}

// Source returns a PCG XSL RR 128/64 generator [ONeill14] at the beginning of
// the stream. Its whole 128-bit state is taken from the hashed stream: seeding
// with neighbouring integers would give correlated sequences.
func (s Stream) Source() Source {
	var state [16]byte
	binary.BigEndian.PutUint64(state[:8], s.b)
	binary.BigEndian.PutUint64(state[8:], s.a)
	pcg := new(rand.PCGSource)
	if err := pcg.UnmarshalBinary(state[:]); err != nil {
		panic("mc: PCGSource refused 16 bytes of state: " + err.Error())
	}
	return pcg
}
