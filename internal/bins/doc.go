// Package bins answers one question: how do many bins keep their balls without an
// allocation for each, and in which rounds do they serve?
//
// [Queues] are the queues of the bins of a balls-into-bins process, ball by ball,
// and [Wheel] the same for whole rounds at a time, which is several times faster;
// both grow. [Rings] are the bounded memories of its flows; when one is full its
// oldest entry gives way. All keep 32-bit numbers first in, first out, all of one
// kind in one slice. They are the theory's own and share no code with the cache in
// package reps, so that each may serve as the other's oracle.
//
// [Ports] lists the slow and the failed bins.
//
// None is safe for concurrent use. Indices beyond those made are the caller's
// fault and panic or meet a neighbour's entries.
package bins
