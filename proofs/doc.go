// Package proofs checks the paper's convergence proof by computation: which statements hold, for which n,
// by what margin, and which statements can replace the others.
//
// The theorem [Bonato26, section 5.1], its proof and both lemmas (appendix "REPS Single Switch
// Convergence Proof") are divided into steps: every equality, inequality, cited result, implicit
// assumption, and every sentence about the process. Each [Step] names its lines of the paper's LaTeX
// source and has a check that computes a [Finding]: a [Verdict], the margin, and, if it fails, the
// smallest counterexample. A stronger theorem, for the process that the proof analyses, is checked in the
// same way.
//
//	symbol  name                  unit   meaning
//	n       Audit.Bins            bins   at least 16 in the theorem
//	τ       Constants.Threshold   balls  4 ln n, rounded up
//	b       Constants.Colors      1      2.4 ln n colours a bin, rounded up
//	L                             1      ln n
//	M                             balls  all balls in the bins
//	K, k                          bins   bins that hold more than τ balls
//	Y                             balls  the excess: sum of max(0, load - τ)
//	B                             balls  binomial (k, 1/n): fresh balls that a bin gets
//	z                             balls  τ less a bin's load
//
// # Two processes
//
// The model section and the theorem describe the process that package recycled calls round-robin, but the
// proof uses facts that hold only in self-clocked. A sentence about the process is judged in the reading
// that the proof needs. A separate step, marked with an r, judges it in round-robin. The last steps are
// about a third process, in which balls come back to their senders a round trip later, and about queues of leaves and
// spines.
//
// # How verdicts rest on computation
//
// Small cases are exact rationals. Larger ones are enclosures ([Interval]): every operation rounds
// outward, logarithms and exponentials come from series with directed rounding and a bounded remainder. A
// comparison that the enclosures do not decide counts as a failure, so no verdict depends on rounding
// errors. Convexity bounds the drift of phase two over all configurations ([WorstDrift]). Beyond the
// computed n a step holds by its stated argument.
//
// Statements about the process are checked on every state that tiny systems reach; the search finds the
// shortest counterexample. Simulation refutes a claim of high probability only if, under the claimed
// bound, the outcome would have a probability below 1e-9.
//
// A step names the steps on which its derivation rests. If one of them fails, the step is judged no
// better than "not justified" ([Audit.Check]). The texts in steps.txt are a template over [Constants],
// and each constant is checked against its argument: a constant that the argument does not support
// changes the verdict or is listed in [Finding.Refuted].
//
// The repository's table of verdicts is verdicts.csv. A false step of the paper is a
// result; a recorded verdict that does not follow from its check is a failure.
//
// Left out: the model section's statements about batched balls into bins; see package
// ballsbins.
//
// References (docs/references.md): [Bonato26], [RaabSteger98], [He01],
// [Johannsen10], [Doerr20], [Berenbrink18], [Chung06], [Pelekis16], [Barbour84].
package proofs
