// Package repslab is a laboratory for the theory and simulation of packet
// spraying in data-centre networks, built around REPS (Recycled Entropy Packet
// Spraying, EuroSys '26). The package itself only computes the digest of the
// program's source ([Source]) that result files carry. Other modules can import:
//
//	reps                   REPS itself: Algorithms 1 and 2, 25 bytes of state
//	mrc                    MRC's entropy values: sets of good and bad paths by plane
//	faults                 errors about values that are not allowed
//	mc                     random streams, replicas, estimates with intervals
//	ballsbins              balls into bins without memory: oblivious packet spraying
//	ballsbins/leafspine    queues of a leaf-spine network under rules of spraying
//	ballsbins/allocation   balanced allocations: choices, thinning, memory, tokens
//	recycled               recycled balls into bins
//	coalescing             the same with one ACK per several packets
//	evsimbalance           imbalance of entropy values hashed onto uplinks
//	proofs                 the convergence proof as executable checks
//	fattree                a network of switches with queues, packet by packet
//	fattree/transport      its hosts: windows, ACKs, time-outs; flow completion times
//	fattree/multipath      hosts by the rules of MRC, Multipath Reliable Connection
//	fattree/topology       fat trees, planes of them, and failures by name
//	fattree/balance        load balancers
//	fattree/congestion     congestion controls
//	fattree/traffic        workloads: patterns, traces, collectives, htsim's files
//	fattree/schedule       schedules of sends, receives and computation, such as a step of training
//	fattree/fluid          max-min fair rates: the ideal completion times
//	fattree/experiment     replicas of a network, estimates, paired comparisons
//	sweep                  grids of experiments, result files, shards
//
// The command is cmd/repslab. docs/architecture.md describes all packages, the
// folder examples has programs that use the library, and docs/README.md is the
// contents of the documentation; comments cite docs/references.md by keys such
// as [Bonato26].
package repslab
