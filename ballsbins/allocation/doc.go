// Package allocation models balanced allocations: balls that are thrown one after the other into bins and
// stay there, under many rules and with many kinds of information about the loads. It compares REPS with
// processes for which the literature bounds the gap: a REPS sender remembers ports by one bit of
// information that is a round trip old.
//
// # The process
//
//	symbol  name                 unit   meaning
//	n       Config.Bins          bins
//	m       Config.Balls         balls  thrown until an observation
//	        Config.Sampling             law of a sample: a random bin
//	w       Config.Weights       1      law of a ball's weight, drawn after its bin is chosen
//	s_i     Config.Speeds        1      speed of bin i, an integer
//	S                            1      sum of the speeds, n if all are 1
//	x_i     Process.Load         balls  load of bin i: the weight of its balls over s_i
//	W                            balls  all weight thrown so far and at the start
//	b       Config.Batch         balls  of a batch
//	g, σ    Config.Width, Sigma  balls  of the noise
//
// A ball is thrown in three steps. The rule ([Rule]) draws samples and chooses a bin by what the
// information ([Information]) reports of the loads; the ball draws its weight w; the bin's load grows by
// w/s_i. Loads are exact: they are kept in units of 1/L, L the least common multiple of the speeds. Rules
// and noise see loads relative to speed. They see the loads before the throw, so of two bins with equal
// loads the faster one is not preferred. Observed are
//
//	gap = max x_i - W/S,   under = W/S - min x_i,   max x_i                         (1)
//
// after m balls, never rounded, and maxgap: the largest gap at the end of the run or of any batch
// (without batches: of any n balls). In batches maxgap is well above the gap at the end: 8.3 and 4.7 for
// two choices with b = n = 1000 and m = 100 n.
//
// Rule, information, weights, speeds, samples and start are independent choices. Combinations without a
// meaning are refused, with the reason: noise needs a rule that compares two samples, tokens need batches, and groups
// need uniform samples.
//
// # Ties
//
// Of equally loaded samples the first wins. The samples of a ball are exchangeable, but for AlwaysGoLeft, so this is
// a fair coin for each ball. In batches that matters: if the order of equally loaded bins is fixed for a whole
// batch, the gap after the first batch is far larger than with one choice, 41.3 instead of 17.9 for b =
// 25 n, n = 1000. [Ties] reproduces published programs that fix it.
//
// # Use
//
// [Config] describes the process; its zero value is two choices. [Simulate] runs replicas and
// returns estimates with intervals. [New] makes a single process: Reset begins a run on a random
// stream, Advance throws balls, Load, Gap and Under observe. [NewExperiment] is for programs that
// save or merge tallies.
//
// # What is exact and what is not
//
// The tests compare Process with the exact joint law of the loads for tiny n and m, which another model
// computes in fractions and without common code, and larger gaps with their orders of growth. A lower bound with its
// constant, for any samples and speeds: [GapRate]. Proved below: the gap of [Token] has an exponential
// tail. Monte Carlo estimates, with intervals: [Simulate].
//
// Left out: departures (packages ballsbins and recycled) and more than two samples under noise.
//
// # The gap of tokens is bounded
//
// Let the sample probabilities p_i > 0 for every bin, Offset f >= 0, Eta 1 and unit weights.
//
// Theorem. There are C and λ > 0, which depend on n, b, f and the p_i only, such that
// P[gap >= g] <= C exp(-λ g) after every batch of [Token]. So the gap stays bounded as m grows.
//
// Proof. Let p be the least and q the largest p_i, y_i the load of bin i minus W/n, τ = ceil(2 n q/p) and
// D = τ b. In τ batches no y_i rises by more than D or falls by more than D/n.
//
//  1. Few balls are random. The y_i sum to 0, so if the gap is at least (n - 1) D, some bin j has y_j <= -D and
//     stays below the limit for τ batches. All its balls keep their tokens, and a batch uses all tokens, so in each
//     batch the tokens of bin j grow by S_j, the random balls that it gets. There are at most b tokens, so the sum of
//     E[S_j] = p_j E[random balls] over the batches is at most b: on average at most b/p_j balls are random in
//     all τ batches.
//  2. High bins fall. A bin i with y_i > c = f + D/n stays above the limit for τ batches. It has no tokens and gets
//     random balls only, so its y_i changes by at most p_i b/p_j - τ b/n <= -D/(2n) on average.
//  3. So does their norm. Let V be the Euclidean norm of the max(y_i - c, 0). After τ batches the mean of V² is at
//     most V² - (D/n) V + n D², by step 2 for the high bins and at most D² for each of the others. So V falls by
//     D/(4n) on average if V >= 2 n² D, and then the gap is at least (n - 1) D, as step 1 needs. V moves by at most
//     sqrt(n) D. A process with bounded steps that falls on average above a level has an exponential tail, uniformly
//     in time [Hajek82].
//
// The constants are far from measured gaps, and nothing is said about growth with n. Step 1 is sharp: while only bin
// j is below the limit, b p_i/p_j random balls go to bin i, however long the run. With Eta < 1 unused tokens expire,
// so the tokens of bin j can decrease and the proof fails.
//
// References (docs/references.md): [Azar99], [Berenbrink06], [Berenbrink12], [FeldheimGurelGurevich21],
// [Hajek82], [Los22], [Los22b], [Los22c], [Los22d], [LosProcesses], [LosSauerwaldSylvester23], [Los23b], [Peres15],
// [RaabSteger98], [Vocking03], [Walker77], [Wieder07].
package allocation
