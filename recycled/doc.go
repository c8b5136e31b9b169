// Package recycled models balls into bins with memory: after a ball leaves a bin that was
// not overfull, its sender throws into that bin again.
//
// It is recycled packet spraying (REPS) on one switch: bins are output ports, balls are
// packets, and colours are the in-flight slots that carry an entropy value [Bonato26,
// section 5.1].
//
//	symbol  name              unit    meaning
//	n       Config.Bins       bins    output ports, also the balls thrown in a round
//	τ       Config.Threshold  balls   a removed ball is good if its bin held at most τ
//	                                  before the removal, itself included
//	b       Config.Colors     colours per bin; C = n b colours in all
//	M                         balls   all balls in the bins
//	K                         bins    bins that hold more than τ balls
//	d       Config.Delay      rounds  from a ball's removal to its return to its flow
//	W       Config.Window     balls   thrown by a flow and not yet back
//	λ       Config.Lambda     1       probability that a thrown ball is not lost
//	m       Config.Balls      balls   in the bins before round 1; M = m in a closed process
//	a                         balls   m/n
//
// Loads are observed after the throws of a round. Rounds count from 1. Before round 1
// nothing is remembered, and all bins are empty unless Config.Start says otherwise. A threshold on the load
// after the removal is τ+1 here, and the test "served below τ, overfull from τ
// on" of the authors' figure script is τ-1; neither is a variant.
//
// # Three processes under one name
//
// The paper describes two processes, and REPS itself is a third. [Clocking] selects
// one:
//
//   - [SelfClocked]: the process of the proof and of the authors' script. In a
//     round each non-empty bin removes a ball; a good ball returns to its bin in
//     the same round, the ball of an overfull bin goes to a uniform bin, and
//     every empty bin makes one fresh uniform ball. There are no colours.
//   - [RoundRobin]: the text of the model section. The C colours are thrown in
//     fixed cyclic order, n a round; a colour that remembers a bin throws into
//     it, else uniformly. A good removal makes the ball's colour remember the
//     bin unless it remembers one; another removal makes it forget.
//   - [PerFlow]: n REPS senders on one switch. Each flow throws at most one ball
//     a round, into the oldest unused bin of its own ring, else uniformly; a
//     removed ball comes back d rounds later and, if good, puts its bin into
//     the ring, where the oldest entry gives way.
//
// # Sets of entropy values
//
// Per-flow with Config.EVS = E > 0 gives each flow E EVs, each hashed to a uniform bin once for a
// run, by [Rule]: REPS remembers good EVs in its ring, else draws a uniform one; Mixed remembers
// them in a list without a limit, else takes the next EV of Bitmap. Stratified takes EVs in
// blocks of E balls that use each EV once, the index xor a number drawn for the block; Bitmap
// skips EVs with a penalty, of which the first one skipped for a ball loses
// 1; MRC takes all EVs in turn, from a uniform one on, and those with a penalty that it passes over lose
// it. A removed ball is acknowledged if its bin was overfull, or if it is the flow's r-th
// since the last acknowledgement, r = Config.Ratio. An overfull bin's ball adds 1 to the
// penalty of its EV, 15 at most (1 under MRC); a good ball, if it is acknowledged, lets the EV be remembered.
// Others only count for the window. OPS draws uniform EVs. The rules are those of [UEC-htsim], MRC
// that of [MRC26].
//
// Exact: acknowledgements return at most one EV per r good balls, so each recycled ball needs r
// returned ones, and with r > 1 no flow that keeps throwing recycles all its balls. The other
// balls follow the fallback. Under REPS and OPS they are uniform on the flow's EVs: at full load
// the queue of the bin with the most EVs grows in each round by the imbalance of the hash
// (package evsimbalance), times their share. Penalties move balls away from that bin.
//
// # Closed processes and threshold 0
//
// Config.Closed takes the fresh balls out of self-clocked: the m balls of the start stay.
// Config.Oblivious sets τ = 0: no ball is good. Together they are repeated balls into bins
// (RBB) [Becchetti19, Los23]: every non-empty bin loses a ball, then all removed balls go to
// uniform bins. The open process at τ = 0 throws n uniform balls a round: it is OPS, the
// batched process of package ballsbins at λ = 1, and not RBB. With Config.Choices = d > 1 a
// random throw draws d bins and takes the least loaded by the loads after the round's
// removals, so that throws of one round do not see each other.
//
// RBB has no absorbing state. A run has stabilised, and counts as converged, in the first
// round (0 is the start) in which no bin holds more than Config.Level balls; a later round
// may have more. With τ >= 1 a closed run converges when no bin is overfull, empty bins or
// not, and is certified at once if m > n τ.
//
// docs/research.md relates these processes to leaky bins and to the process with memory.
//
// # Absorbing states and certificates
//
// At λ = 1 self-clocked converges when no bin is empty and none holds more than
// τ: from then on loads do not change. Round-robin converges when every colour
// remembers, every bin is remembered by exactly b colours, and one full cycle
// of b rounds passed in which no bin was overfull, so that nothing was forgotten,
// or empty at its removal: each bin then received and lost b balls in the cycle,
// so the next cycle repeats it. (A cycle with an idle bin may be followed by
// higher loads and, if b > τ, by a forget, so it does not count.) Both are exact:
// the first such round is reported.
//
// In both M never decreases and a converged state holds at most n τ balls before the
// removals, so M > n τ certifies that a run never converges. At λ < 1 nothing is
// absorbing. Per-flow has absorbing states in special cases (two flows that hit on a
// permutation keep it), but this package does not look for them: as at λ < 1 it runs to
// Config.MaxRounds.
//
// [Run] ends where a run is decided; a diverging run ends at its certificate, when its
// loads have hardly begun to grow. [Outcome] therefore has the largest load until the
// decision and, separately, that of the whole run; Config.Horizon continues every run to
// a fixed round.
//
// # Slow and broken ports
//
// SetPort of [Process] makes a bin serve only in every k-th round, or in none. In a round
// in which it does not serve it removes nothing; under self-clocked, where a service
// triggers a throw, an empty bin then makes no fresh ball either. The other clockings
// throw n balls in every round, so with a broken port M grows unless λ or the window is
// small enough. No state is absorbing while a port is slow.
//
// # Use
//
// [Config] describes the process; its zero value is the process of the proof with 32
// bins and the parameters of the theorem. [Simulate] runs replicas, each until it is
// decided, and returns estimates with intervals. [New] makes a single process: Reset
// begins a run on a random stream, Step runs a round, Load and Status observe it; [Run]
// runs it until it is decided. [NewExperiment] returns the experiment that Simulate
// runs, for programs that save or merge tallies. Packages ballsbins and coalescing have
// the same shape.
//
// # The two phases of self-clocked
//
// The exact laws and the bounds at λ = 1 split a run from empty bins, with integer
// threshold τ, into two phases. T1 is the number of rounds until no bin is empty, T2
// that of the rounds from there to convergence, and Y the sum over bins of
// max(0, load - τ).
//
// A non-empty bin stays non-empty if τ >= 1, since only overfull bins lose a ball for
// good. In phase two M is constant and fresh balls are the K balls of the K overfull
// bins; a fresh ball is absorbed if it finds a bin below τ, and a round changes Y by
// minus the number of its absorbed balls. So Y never increases. Let y be Y before the
// round less the balls that the round absorbed so far. The holes, the sum of
// max(0, τ - load), are then
//
//	n τ - M + y                                              (1)
//
// exactly, whatever was thrown; at most τ-1 of them are in one bin.
//
// From empty bins the holes, and the empty bins, depend on the random throws alone: with N the
// throws that hit a bin and X its load, max(0, τ - X) = max(0, τ - N), and X = 0 exactly if N =
// 0. So a run converges exactly if its excess is at most its holes when phase one ends.
// [ConvergenceLimit] has the limit law of that event for n to infinity, which is a conjecture.
//
// # The mean field of per-flow
//
// A round trip lets a bin act on senders a circuit of d + q + ω rounds late: d of delay, q
// in the bin, ω in a ring. With q(t) the balls of one bin and r(t) the tokens, good balls
// that are back and not used, of one sender, both after round t, the limit of many bins is
//
//	q(t) = max(0, q(t-1) - 1) + X(t) + A(t),   X(t) ~ Poisson(ρ(t))           (2)
//	r(t) = min(ring, r(t-1) + G(t)) - 1[the sender throws a token]             (3)
//	ρ(t) = P[the sender throws, and has no token]                              (4)
//
// A(t) counts the bin's tokens thrown in round t: a ball that it serves in round s with
// 0 < q(s-1) <= τ is a token from round s+d on and is thrown ω rounds later, or dropped by a
// full ring. G(t) counts the sender's good balls that are back: one thrown in round s is
// back in round s + S + d. A sender throws if fewer than W of its balls are not back.
//
// Derivation: random throws are uniform, so those that reach one bin are Poisson as n grows.
// A sender has its balls in bins, and a bin its tokens with senders, which are all different
// with probability 1 - O((d + W)²/n), and each has a vanishing part in the law of all others.
// Closure: a token gets another sender on every circuit, one whose token's bin is equally loaded.
// So ω is a fresh draw from the waits in (3) of such senders, and S with its mark one from the
// sojourns in (2) that begin at this load. The state is then the path of the last circuit, too large
// for a table, so [NewMeanField] follows copies.
//
// The closure has to keep the load: a bin is about as long when a token returns as it was a circuit
// before, so the balls of a sender return nearly as regularly as they left. Sojourns drawn from all
// bins would scatter them: rings would empty more often, senders would throw more balls at random
// and hold more tokens, which cover losses without a random throw, and the longest stable delay at
// full rate would be too long: by 4 % after 20 circuits and by 13 % after 160, at τ = 16 and n =
// 1024.
//
// # What is exact and what is not
//
// For self-clocked at λ = 1, exact up to floating point with stated errors:
//
//   - [PhaseOne]: the mean rounds, and the law of the balls, until no bin is empty,
//     without a threshold, for n <= 16,384; upper bounds with one.
//   - [Chain]: the probability that a run never converges and the law of its
//     rounds, for n <= 8.
//
// For a closed process of few bins, exact in fractions: [ClosedLaw], the stationary law of
// RBB and the expected rounds to convergence from a given start. Asymptotic, for n to
// infinity: [ClosedEmptyShare] and [ClosedMeanField].
//
// Conjectured: [ConvergenceLimit] and [ConvergenceExponent]. Proved, for n to infinity: [CriticalThreshold].
// Both bounds, for any n: [NeverBounds].
//
// Upper bounds for self-clocked, for any n: [PhaseOneRoundsBound], [NeverConvergesBound],
// [PhaseTwoRoundsBound], [PhaseTwoRoundsSharp], [PhaseTwoTailBound] and, of a
// whole run from n = 16 and τ = 4 ln n on, [RoundsBound]. Since a run that never
// converges has a positive probability, the unconditional expected rounds are
// infinite; means are over runs that converge. Monte Carlo estimates, with
// intervals, for all clockings: [Simulate]; that a run never converges: [Never]; for rare queues of per-flow at
// λ < 1: [Exceeds];
// of the mean field of per-flow: [NewMeanField].
//
// Left out: finite queues, marking with Kmin < Kmax, congestion control; see
// package fattree.
//
// References (docs/references.md): [Bonato26], [Berenbrink18], [Johannsen10],
// [He01], [Doerr20], [UEC-htsim], [Becchetti19], [Los23], [Cancrini19].
package recycled
