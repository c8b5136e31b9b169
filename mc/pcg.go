package mc

import (
	"encoding/binary"
	"math/rand/v2"

	// Deprecated upstream and frozen, so its streams cannot change. This file is its only
	// importer. rand.NewPCG of math/rand/v2 (PCG-DXSM) would replace it, with other streams.
	//lint:ignore SA1019 part of the project's chosen stack
	exprand "golang.org/x/exp/rand"
)

// Source returns a PCG XSL RR 128/64 generator [ONeill14] at the beginning of the stream, for cold paths:
// workloads, salts, and the Src of gonum's distributions. Its whole 128-bit state is hashed; neighbouring
// integers as seeds would give correlated sequences. It allocates 16 bytes and is not safe for concurrent
// use. Functions of the module that take a [rand.Source] accept any source.
func (s Stream) Source() rand.Source {
	var state [16]byte
	binary.BigEndian.PutUint64(state[:8], s.b)
	binary.BigEndian.PutUint64(state[8:], s.a)
	pcg := new(exprand.PCGSource)
	if err := pcg.UnmarshalBinary(state[:]); err != nil {
		panic("mc: PCGSource refused 16 bytes of state: " + err.Error())
	}
	return pcg
}
