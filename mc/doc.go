// Package mc answers one question: how does a random experiment become a
// number with an interval, the same number on any machine and with any number
// of workers?
//
// # Streams
//
// Every replica owns its random streams. A [Stream] is a function of (seed,
// purpose, replica) alone, hashed; the worker that happens to run the replica
// and the parameter point take no part. Replica r therefore meets the same
// workload, hash salts and service order under every balancer (common random
// numbers), and a run with two workers prints the bytes of a run with one.
//
//	hot kernels          Stream.Rand    64-bit words, inlined, no allocation
//	cold paths, gonum    Stream.Source  golang.org/x/exp/rand's PCGSource
//	one stream per part  Stream.Child   flows, ports, ...
//
// # Estimates
//
// Observables are integers (loads, rounds, packets, picoseconds; fractions in
// fixed point), so that their sums and sums of squares are kept exactly in 128
// bits ([Moments]) and their empirical distributions as counted values
// ([Sample]). Both merge associatively and commutatively: how replicas were
// split into blocks, files or machines leaves no trace in the result. A [Tally] is
// made of such parts; [AppendTally] and [ReadTally] write and read it exactly.
//
//	mean over replicas      Student's t interval           [Moments.Mean]
//	quantile over replicas  order statistics, any law      [Sample.Quantile]
//	proportion              Wilson's score interval        [Proportion]
//	ratio of paired means   Student's t of the logarithm   [PairedMoments.Ratio]
//	difference of means     Welch's t, Holm's correction   [NewWelch], [Holm]
//
// # Running
//
// [Run] deals blocks of replicas to workers and folds the blocks in replica
// order, so a stopping rule ([Precision]) sees prefixes that do not depend on
// the number of workers.
//
// References (docs/references.md): [Lemire19], [Steele14], [Wyrand],
// [ONeill14], [Student08], [Wilson27], [Hedges99], [Fieller54], [David03],
// [Welch47], [Holm79].
package mc
