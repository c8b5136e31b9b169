// Package ballsbins models balls that are thrown into bins without memory: the batched
// process, its exact distributions, bounds and asymptotics.
//
// It models oblivious packet spraying (OPS) on one switch: bins are output
// ports, balls are packets, the load of a bin is its queue, a round is the time
// that a port needs for one packet [Bonato26, section 5.1].
//
// # The batched process
//
//	symbol  name           unit   meaning
//	n       Config.Bins    bins   output ports, also the balls offered each round
//	λ       Config.Lambda  1      probability that an offered ball arrives
//	x_i(0)  Config.Start   balls  load of bin i before round 1
//	x_i(t)  Process.Load   balls  load of bin i after round t, t = 1, 2, ...
//
// In every round each non-empty bin loses one ball, then each of n balls arrives
// independently with probability λ and goes to a bin ([Berenbrink18]; the
// paper's text):
//
//	x_i(t) = max(0, x_i(t-1) - 1) + A_i(t),  A_i(t) ~ Binomial(n, λ/n)   (1)
//
// for the uniform policy, where the A_i of a round are negatively associated. The
// loads x_i(0) are Config.Start, by default 0. [Process.SetPort] makes a bin slow, so that it serves only
// in some rounds, or broken. Variants ([Variant]) serve after the arrivals, or give
// every ball the weight λ as the figure script of the paper's authors does. Policies
// ([Policy]) other than uniform are for comparison: two random choices, round-robin, a
// static assignment.
//
// # Use
//
// [Config] describes the process and the rounds to observe; its zero value is a full
// switch of 32 ports, observed after 1,000 rounds. [Simulate] runs replicas and returns
// estimates with intervals. [New] makes a single process: Reset begins a run on a
// random stream, Step runs a round, Load returns a queue. [NewExperiment] returns the
// experiment that Simulate runs, for programs that save or merge tallies. Packages
// recycled and coalescing have the same shape.
//
// # What is exact and what is not
//
// Exact, up to floating point with stated error bounds:
//
//   - [OneBinLaw]: the law of one bin (1), round by round, and the expected
//     maximum of n independent bins with that law: the mean-field prediction, a
//     lower bound for the process ([MeanFieldMaxLoad]).
//   - [MeanLoads]: the mean of (1) at λ = 1, in closed form.
//   - [Stationary]: the same for λ < 1 after infinitely many rounds, for binomial
//     and Poisson arrivals, with its mean in closed form and the median of the
//     maximum.
//
// Asymptotic: [Brownian] for λ = 1 and many rounds. Bounds up to a constant, with fitted constants:
// leakyUpperShape, leakyLowerShape, [FitLeaky]. Monte Carlo estimates, with
// intervals: [Simulate]; [NewExceedsExperiment] for rare queues; samples: [Process].
//
// Left out: finite queues, marking, and the feedback of senders; see package
// recycled for memory and fattree for the network.
//
// References (docs/references.md): [Bonato26], [Berenbrink18], [Azar99],
// [Mitzenmacher01], [JoagDev83], [Spitzer56], [Ramaswami88], [Harrison85].
package ballsbins
