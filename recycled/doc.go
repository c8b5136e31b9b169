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
//	w       Config.Ramp       balls   width of a marking ramp above τ
//	p       Config.PMax       1       probability of a mark at its end
//	b       Config.Colors     colours per bin; C = n b colours in all
//	M                         balls   all balls in the bins
//	K                         bins    bins that hold more than τ balls
//	d       Config.Delay      rounds  from a ball's removal to its return to its flow
//	W       Config.Window     balls   most balls of a flow thrown and not yet back
//	λ       Config.Lambda     1       probability that a thrown ball is not lost
//	m       Config.Balls      balls   in the bins before round 1; M = m in a closed process
//	a                         balls   m/n
//
// Loads are observed after the throws of a round. Rounds count from 1. Before round 1 nothing is
// remembered, and all bins are empty unless Config.Start says otherwise. Other texts number thresholds
// differently: a threshold τ on the load after the removal is τ+1 here, and τ in the figure script of the
// authors ("served below τ, overfull from τ on") is τ-1 here. They are not different processes.
//
// # Five processes under one name
//
// The paper describes two processes, REPS itself is a third, the fourth is REPS whenever its window is the
// limit, and the fifth is REPS in freezing mode. [Clocking] selects one:
//
//   - [SelfClocked]: the process of the proof and of the authors' script. In a
//     round each non-empty bin removes a ball; a good ball returns to its bin in
//     the same round, the ball of an overfull bin goes to a uniform bin, and
//     every empty bin makes one fresh uniform ball. There are no colours.
//   - [RoundRobin]: the text of the model section. The C colours are thrown in fixed cyclic order, n per
//     round. A colour that remembers a bin is thrown into it, another colour into a uniform bin. A good
//     removal makes the ball's colour remember the bin unless it remembers one already; any other removal
//     makes it forget.
//   - [PerFlow]: n REPS senders on one switch. Each flow throws at most one ball per round, into the
//     oldest unused bin of its own ring or, if there is none, into a uniform bin. A removed ball comes
//     back d rounds later. A good ball puts its bin into the ring, and a full ring drops its oldest
//     entry.
//   - [Ack]: n ACK-clocked senders. In each of the first W rounds each flow throws one new uniform ball. A
//     removed ball comes back d rounds later and is thrown at once: into its bin again if it was good,
//     otherwise into a uniform bin. So n W balls stay in the bins and on their way, and no ring is needed.
//   - [Frozen]: n ACK-clocked senders in freezing mode. In each of the first W rounds each flow throws one
//     ball of a new EV, which is a uniform bin. A removed ball comes back d rounds later and is thrown at
//     once: of the same EV if it was good, otherwise of the EV that its flow threw B throws before. So a
//     flow begins with the W EVs of its balls and B EVs in its ring, and draws no others.
//
// # Marking by a ramp
//
// With Config.Ramp = w > 0 a ball removed from a bin with τ + i balls is not good with probability p i/w if
// i <= w and 1 if i > w, independently: marks begin above τ, the Kmin of a switch, and are certain above
// τ + w, its Kmax. p is its Pmax, by default 1; then a ramp of 1 is the step, since loads are integers. The
// random words come from a stream of their own. Convergence, certificates and the meaning of overfull stay
// as they are. Exact laws, [ConvergenceLimit], the bounds and [NewMeanField] are for a step.
//
// # Drift of frozen senders
//
// A frozen sender draws nothing. Each mark replaces the EV of a ball by a copy of another, so EVs are lost
// one after the other, and none comes back. [FrozenSender] has the law if marks are independent of the EVs.
// On the switch of [Frozen] they are not: a bin that is overfull marks all EVs that lead to it.
//
// # Sets of entropy values
//
// Per-flow with Config.EVS = E > 0 gives each flow E EVs. Each EV is hashed to a uniform bin once per
// run. [Rule] chooses the EV of a ball. OPS draws uniform EVs. REPS takes good EVs from its ring, or
// draws a uniform EV if the ring has none. Stratified takes EVs in blocks of E balls that use each EV
// once: the EV is the index in the block xor a number drawn for the block. Bitmap does the same but skips
// EVs with a penalty; the first EV skipped for a ball loses 1 of its penalty. Mixed takes good EVs from a
// list without a limit, or the next EV of Bitmap if the list is empty. MRC takes all EVs in turn,
// beginning with a uniform one; EVs with a penalty are skipped and lose it. A removed ball is
// acknowledged if its bin was overfull, or if it is the r-th ball of its flow since the last
// acknowledgement, r = Config.Ratio. A ball of an overfull bin adds 1 to the penalty of its EV, up to 15
// (1 under MRC). The EV of an acknowledged good ball is remembered. Balls without acknowledgement only
// count for the window. The rules are taken from [UEC-htsim], MRC from [MRC26].
//
// KLB keeps a set of K = Config.Active EVs, at first uniform and all different, and takes them in turn. An
// acknowledged ball of an overfull bin replaces its EV, if the set still has it, with probability (K-1)/K: by a
// uniform EV that no other place of the set has. KLBAlways always replaces it. HKLB starts without EVs. It
// draws uniform EVs while the set is not full; EVs of good balls join it, and leave it as under KLB. The
// rules are taken from [ecn-sweep].
//
// Exact: KLB with K = 1 never leaves its EV, and with K = E all EVs take turns for ever. HKLB at τ = 0 is
// OPS, draw for draw.
//
// Exact: acknowledgements return at most one EV per r good balls. So each recycled ball needs r returned
// balls, and with r > 1 no flow that keeps throwing recycles all its balls. The rule's fallback chooses
// the EVs of the other balls. Under REPS and OPS they are uniform on the flow's EVs: at full load the
// queue of the bin with the most EVs grows in each round by the imbalance of the hash (package
// evsimbalance), times their share. Penalties move balls away from that bin.
//
// # Closed processes and threshold 0
//
// Config.Closed removes the fresh balls from self-clocked: the m balls of the start stay.
// Config.Oblivious sets τ = 0: no ball is good. Together they are repeated balls into bins (RBB)
// [Becchetti19, Los23]: every non-empty bin loses a ball, then all removed balls go to uniform bins. The
// open process at τ = 0 throws n uniform balls a round: it is OPS, the batched process of package
// ballsbins at λ = 1, and not RBB. With Config.Choices = d > 1 a random throw draws d bins and takes the
// least loaded. It compares the loads after the removals of the round, so that throws of one round do not
// see each other.
//
// RBB has no absorbing state. A run has stabilised, and counts as converged, in the first round (0 is the
// start) in which no bin holds more than Config.Level balls; a later round may have more. With τ >= 1 a
// closed run converges when no bin is overfull, even if some are empty. If m > n τ it is certified at
// once.
//
// docs/research.md relates these processes to leaky bins and to the process with memory.
//
// # Absorbing states and certificates
//
// At λ = 1 self-clocked converges when no bin is empty and none holds more than τ: from then on loads do
// not change. Round-robin converges when three conditions hold: every colour remembers a bin, every bin
// is remembered by exactly b colours, and in the last full cycle of b rounds every bin was neither
// overfull nor empty at its removals. Nothing was forgotten in this cycle, and each bin received and lost
// b balls, so the next cycle repeats it. (A cycle with an idle bin does not count: higher loads may
// follow and, if b > τ, a colour may forget.) Both conditions are exact: the first such round is
// reported.
//
// In both M never decreases and a converged state holds at most n τ balls before the removals, so M > n τ
// certifies that a run never converges. At λ < 1 nothing is absorbing. Per-flow has absorbing states in
// special cases (two flows that use different bins keep them), but this package does not look for them:
// as at λ < 1, a run goes on to Config.MaxRounds.
//
// [Run] ends when a run is decided. A diverging run ends at its certificate, when its loads have hardly
// begun to grow. [Outcome] therefore has the largest load until the decision and, separately, the largest
// load of the whole run. Config.Horizon continues every run to a fixed round.
//
// # Slow and broken ports
//
// SetPort of [Process] makes a bin serve only in every k-th round, or in none. In other rounds it removes
// nothing; under self-clocked, where a service triggers a throw, an empty bin then makes no fresh ball
// either. The other clockings throw n balls in every round, so with a broken port M grows unless λ or the
// window is small enough. No state is absorbing while a port is slow.
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
// The exact laws and the bounds at λ = 1 split a run from empty bins, with integer threshold τ, into two
// phases. T1 is the number of rounds until no bin is empty, T2 the number of rounds from there to
// convergence. The excess Y is the sum over bins of max(0, load - τ).
//
// A non-empty bin stays non-empty if τ >= 1, since only overfull bins lose a ball for good. In phase two
// M is constant, and the fresh balls of a round are the K balls of the K overfull bins. A fresh ball is
// absorbed if it finds a bin below τ. A round lowers Y by the number of balls that it absorbs, so Y never
// increases. Let y be Y before the round minus the balls that the round has absorbed so far. The number
// of holes, the sum of max(0, τ - load), is then
//
//	n τ - M + y                                              (1)
//
// exactly, wherever the balls went. A bin has at most τ-1 holes.
//
// In a run from empty bins, the holes and the empty bins depend on the random throws alone: if N throws
// hit a bin and its load is X, then max(0, τ - X) = max(0, τ - N), and X = 0 exactly if N = 0. So a run
// converges exactly if, when phase one ends, its excess is at most its holes. [ConvergenceLimit] has the
// limit law of this event as n grows, which is a conjecture.
//
// # The mean field of per-flow
//
// A token is a good ball that is back at its sender and not used yet. A bin affects senders one circuit
// late, after d + q + ω rounds: d rounds of delay, q in the bin, ω in a ring. Let q(t) be the balls of
// one bin and r(t) the tokens of one sender, both after round t. The limit of many bins is
//
//	q(t) = max(0, q(t-1) - 1) + X(t) + A(t),   X(t) ~ Poisson(ρ(t))           (2)
//	r(t) = min(ring, r(t-1) + G(t)) - 1[the sender throws a token]             (3)
//	ρ(t) = P[the sender throws, and has no token]                              (4)
//
// A(t) counts the tokens of the bin that are thrown in round t: a ball that the bin serves in round s
// with 0 < q(s-1) <= τ is a token from round s+d on, and is thrown ω rounds later or dropped by a full
// ring. G(t) counts the good balls that come back to the sender in round t: a ball thrown in round s
// spends S rounds in its bin and is back in round s + S + d. A sender throws if fewer than W of its balls
// are not back.
//
// Derivation: random throws are uniform, so the number that reach one bin is Poisson as n grows. The bins
// that hold the balls of a sender, and the senders that hold the tokens of a bin, are all different with
// probability 1 - O((d + W)²/n), and each has a vanishing influence on the law of the others. Closure: on
// every circuit a token moves to another sender, one that holds a token of an equally loaded bin. So ω is
// drawn anew from the waits in (3) of such senders. S and the mark are drawn anew from the sojourns in
// (2) that begin at this load. The state is then the path of the last circuit, which is too large for a
// table, so [NewMeanField] simulates copies.
//
// The closure has to keep the load. The load of a bin is about the same when a token returns as one
// circuit before, so the balls of a sender return nearly as regularly as they left. Sojourns drawn from
// all bins would scatter them. Rings would then empty more often, and senders would throw more balls at
// random and hold more tokens, which cover losses without a random throw. The longest stable delay at
// full rate would be too long: by 4 % after 20 circuits and by 13 % after 160, at τ = 16 and n = 1024.
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
// infinity: [ClosedEmptyShare].
//
// With a round trip: [BoundaryLaw] says where per-flow recycling breaks down, without a proof;
// [CriticalWindow] is the exact transition of a model of Ack as n grows; [SettlesBound] is an upper bound
// for any n.
//
// Conjectured: [ConvergenceLimit]. Proved, for n to infinity:
// [CriticalThreshold]. Lower and upper bounds for any n: [NeverBounds].
//
// Upper bounds for self-clocked, for any n: [PhaseOneRoundsBound], [NeverConvergesBound],
// [PhaseTwoRoundsBound], [PhaseTwoTailBound] and, for a whole run with n >= 16 and
// τ >= 4 ln n, [RoundsBound]. Since a run that never converges has a positive probability, the
// unconditional expected rounds are infinite; means are over runs that converge. Monte Carlo estimates
// with intervals: [Simulate] for all clockings; [Never] for the probability that a run never converges;
// [NewExceedsExperiment] for rare queues of per-flow at λ < 1; [NewMeanField] for the mean field of per-flow.
//
// Left out: finite queues, congestion control; see package fattree.
//
// References (docs/references.md): [Bonato26], [Berenbrink18], [Johannsen10],
// [He01], [Doerr20], [UEC-htsim], [ecn-sweep], [Becchetti19], [Los23], [Cancrini19], [JoagDev83].
package recycled
