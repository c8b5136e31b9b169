// Package bins holds the queues of many bins without an allocation for each, and the
// rounds in which the bins serve.
//
// [Queues] holds the queues of the bins of a balls-into-bins process and moves one ball at a time.
// [Lockstep] holds the same queues and moves the balls of whole rounds, which is several times faster.
// Both grow. [Rings] holds the bounded memories of the flows: a full ring drops its oldest entry. All are
// first in, first out, and keep 32-bit numbers in one slice. They share no code with the cache of package
// reps, so each can test the other.
//
// [Counts] holds the statistics of a run, [Switch] the statistics and the queues. [Ports] lists the slow
// and the failed bins.
//
// None is safe for concurrent use. An index out of range is a programming error: it
// panics or reads another bin's entries.
package bins
