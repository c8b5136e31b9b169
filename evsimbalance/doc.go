// Package evsimbalance computes how unevenly a hash spreads a set of entropy values
// (EVS) over the uplinks of a switch.
//
// F flows leave a switch by n uplinks, each using every value of an EVS of size E once.
// A hash of (source, destination, EV) maps each value to an uplink. Packets draw their
// EVs uniformly, so the imbalance of the EVs is the imbalance of the expected packets [Bonato26,
// section 4.7].
//
//	symbol  name                  unit     meaning
//	F       Config.Flows          flows    that are active
//	E       Config.EVS            EVs      entropy values of a flow
//	n       Config.Uplinks        uplinks  ports that the hash chooses from
//	m       Config.Balls          EVs      F E, all EVs of all flows
//	c_j                           EVs      on uplink j, c_1 + ... + c_n = m
//	λ       Result                1        load imbalance
//
// Equations:
//
//	λ = max_j c_j / (m/n) - 1                                            (1)
//	P[max_j c_j <= k] = m! n^-m [z^m] (sum_{i<=k} z^i / i!)^n            (2)
//	                  = P[S = m, all X_j <= k] / P[S = m]                (3)
//
// (2) holds if each EV of each flow goes to a uniform uplink, independently: m
// balls into n bins. (3) is (2) in terms of independent X_j ~ Poisson(m/n) and
// their sum S [Levin81]. Its numerator is a coefficient of a product of
// transforms, here found by the discrete Fourier sum
//
//	P[S = m, all X_j <= k] = 1/N sum_a φ_k(2πa/N)^n e^(-2πi a m/N)       (4)
//	φ_k(θ) = sum_{i<=k} P[X = i] e^(iθi)                                 (5)
//
// in which a few dozen terms matter. φ_k follows from φ_{k-1} by one addition, so the whole law costs as
// much as one of its probabilities. For m = n the mean maximum is near Γ^-1(n) - 3/2 ([GonnetMean]) and
// so of order ln n / ln ln n; for m/n much larger than ln n, λ tends to 0 [RaabSteger98].
//
// # Spraying without replacement
//
// In the stratified walk of [UEC-htsim] a flow sends blocks of E packets and uses each EV once per block.
// Within a block its packets go to independent uniform uplinks, as if each drew an EV from an infinite
// set. But every block repeats the same draw, with the imbalance λ of FE balls for ever, whereas EVs
// drawn from an infinite set would even out. [LeastEVs] returns the smallest set with a given mean
// imbalance. At full load the queue of the busiest uplink grows by λ FE/n packets per block.
//
// # Use
//
// [Config] describes the EV sets; its zero value is one flow with 65,536 EVs on 32 uplinks. [Simulate]
// computes the imbalance exactly or estimates it over replicas, as Config.Method says. [New] makes a
// [Sampler], which draws one replica at a time. [NewExperiment] returns the experiment that Simulate
// runs, for programs that save or merge tallies. [NewMaxLaw] is the exact law itself. There are no
// rounds, so there is no Step; otherwise the package has the shape of ballsbins, recycled and coalescing.
//
// # What is exact and what is estimated
//
//	method       balls go to                                       result
//	exact        uniform independent uplinks                       exact law, [MaxLaw]
//	multinomial  the same, a replica's counts drawn at once        Monte Carlo
//	hash         ecmphash.Hash: random hosts, one salt per replica Monte Carlo
//	crc32        ecmphash.CRC32, likewise                          Monte Carlo
//	distinct     different uniform uplinks of a flow: exact paths  Monte Carlo
//
// CRC-32 is not a random hash: it is linear. For n a power of two up to 512 and E = 2^k >= n the EVs of
// every flow are spread evenly, and λ is 0 for all hosts and salts. For E < n a flow reaches E uplinks
// once each, a coset, and λ depends on the number of coinciding cosets.
//
// [NewWeightedMaxLaw] goes from EVs to packets: with the c_j as weights, it returns the law of the number
// of packets on the busiest uplink.
//
// For tests of a fabric, where a path is an uplink or, through several stages, a combination of uplinks:
// [CoverEVs] returns the number of EVs that reach all paths with a probability ([Holst86]), [LeastEVs] and
// [SureEVs] the number for a tolerated imbalance, and [LeastProbes] the number of packets that find a lossy
// path by the counts of arrivals.
//
// Assumptions: EVs are 0 to E - 1; hosts are random 64-bit pairs, different for
// each flow. Left out: the effect of the imbalance on queues; see package ballsbins for
// queues and fattree for the network.
//
// References (docs/references.md): [Bonato26], [RaabSteger98], [Levin81], [Hormann93],
// [Loader00], [Kachitvichyanukul88], [Gonnet81], [UEC-htsim], [MRC26],
// [DawsonSankoff67], [SobelUppuluri72], [Holst86].
package evsimbalance
