// Package mc runs replicated random experiments and estimates means, quantiles,
// proportions and ratios with confidence intervals. Results are bit-identical on any
// machine and for any number of workers.
//
// # An experiment
//
// How many of 320 packets does the fullest of 32 ports get if each packet goes to a
// uniformly random port? The observable is an integer, the maximum load. A tally
// accumulates it, a function adds a replica to the tally, and a plan gives the number
// of replicas:
//
//	type tally struct{ max mc.Moments }
//
//	func (t *tally) Parts() []mc.NamedPart { return []mc.NamedPart{{Name: "max", Part: &t.max}} }
//
//	func (t *tally) StoppingStatistic() mc.Estimate { return t.max.Mean(mc.DefaultConfidence) }
//
//	experiment := mc.Repeat(func() *tally { return new(tally) }, func(t *tally, seed, replica uint64) {
//		random, loads := mc.NewStream(seed, mc.Algorithm, replica).Rand(), [32]int64{}
//		for range 320 {
//			loads[random.Below(32)]++
//		}
//		t.max.Add(slices.Max(loads[:]))
//	})
//	all, replicas, err := experiment.Run(ctx, mc.Plan{Seed: 1, Replicas: 1 << 20, Stop: mc.Precision{Relative: 0.001}})
//	fmt.Println(all.StoppingStatistic(), replicas, err)
//
// The Example of the package runs it.
//
// # Streams
//
// Every replica owns its random streams. A [Stream] is a function of (seed, purpose,
// replica) alone, hashed; it depends neither on the worker that runs the replica nor on
// the parameters of the experiment. So replica r meets the same workload, hash salts
// and service order under every balancer (common random numbers), and a run with two
// workers prints the bytes of a run with one.
//
//	hot kernels             Stream.Rand    64-bit words, inlined, no allocation
//	cold paths, gonum       Stream.Source  PCG XSL RR 128/64 of golang.org/x/exp/rand
//	one stream per part     Stream.Child   flows, ports, ...
//
// Both generators are sources of math/rand/v2.
//
// # Estimates
//
// Observables are integers (loads, rounds, packets, picoseconds; fractions in fixed
// point), so their sums and sums of squares ([Moments], 128 bits) and their empirical
// distributions ([Sample], counted values) are exact. Both merge associatively and
// commutatively: the result is the same for any split of the replicas into blocks,
// files or machines. A [Tally] consists of such parts; [AppendTally] and [ReadTally]
// write and read it exactly.
//
//	mean over replicas      Student's t interval               [Moments.Mean]
//	mean of few replicas    corrected for skewness             [Estimate.OfFew]
//	ratio of few pairs      corrected for skewness             [PairedMoments.RatioOfFew]
//	quantile over replicas  order statistics, any distribution [Sample.Quantile]
//	proportion              Wilson's score interval            [Proportion]
//	ratio of paired means   Student's t of the logarithm       [PairedMoments.Ratio]
//	ratio of other means    Welch's t of the logarithm         [WelchRatio], [Estimate.Welch]
//	difference of means     Welch's t, Holm's correction       [NewWelch], [Holm]
//	largest of estimates    Bonferroni's correction            [LargestOf]
//	one-sided p-values      from the interval's scatter        [Estimate.PAtMost]
//	rare events             multilevel splitting               [Splitting]
//
// # Running
//
// [Experiment.Run] deals blocks of replicas to workers and folds the blocks in replica
// order, so a stopping rule ([Precision]) stops after the same replica for any number
// of workers. If there are more workers than blocks, a replica may use several of them
// ([Goroutines]). [Paired] runs two experiments on the same replicas; [WithWorkers] lets
// experiments that overlap share cores. A nil ctx panics, as in the package context.
//
// # Errors
//
// A [faults.FieldError] names the field of a configuration, its value and the constraint. The
// Validate methods of the module return all faults joined.
//
// References (docs/references.md): [Lemire19], [Steele14], [Wyrand], [ONeill14],
// [Student08], [Wilson27], [Hedges99], [Johnson78], [Clopper34], [Bahadur56], [Fieller54],
// [David03], [Welch47], [Holm79], [Chow65], [Villen91].
package mc
