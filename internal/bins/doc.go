// Package bins holds the queues of many bins without an allocation for each, and the
// rounds in which the bins serve.
//
// [Queues] are the queues of the bins of a balls-into-bins process, ball by ball,
// and [Lockstep] the same for whole rounds at a time, which is several times faster;
// both grow. [Rings] are the bounded memories of its flows: a full ring drops its
// oldest entry. All are first in, first out, and keep 32-bit numbers in one slice. They
// share no code with the cache of package reps, so each can test the other.
//
// [Counts] and [Switch] hold the statistics of a run, [Switch] also the queues.
// [Ports] lists the slow and the failed bins.
//
// None is safe for concurrent use. An index out of range is a programming error: it
// panics or reads another bin's entries.
package bins
