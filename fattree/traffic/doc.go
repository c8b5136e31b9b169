// Package traffic answers one question: who sends what to whom, and when?
//
// The synthetic patterns of the paper [Bonato26, section 4.1], all messages of
// the same size and begun at the same time:
//
//	pattern       flows
//	Permutation   every host sends to one other host and receives from one, drawn
//	Tornado       host i to host i + N/2 mod N
//	Incast        hosts N/2 to N/2 + degree - 1 to host 0
//	OneToR        host i of the first ToR to host i + N/2: one ToR loaded to the full
//
// Flows of drawn sizes, [WebSearch], [Facebook] or those of a file, that come as
//
//	Paced         the authors' generator has it: at fixed distances, to a partner
//	Poisson       independent flows to uniform hosts would
//
// Collectives, whose flows wait for the end of others:
//
//	RingAllreduce       chains around a ring of hosts
//	ButterflyAllreduce  log2 N exchanges between hosts 1, 2, 4, ... apart
//	AllToAll            every pair, a fixed number of flows of a host at a time
//
// Random workloads draw from a [rand.Source] of math/rand/v2: that of an
// [mc.Stream] or any other. The same source in the same state gives the same
// flows, on 32-bit and 64-bit platforms.
//
// And the text files of the authors' simulator htsim [Bonato26-artifact], read
// and written, so that both simulators run the very same workload:
//
//	.cm    a flow list, with triggers by which the end of a flow starts others
//	.topo  a fat tree of two or three tiers
//
// # Flow lists
//
//	file    = header { flow | trigger }
//	header  = "Nodes" hosts, "Connections" flows, [ "Triggers" triggers ]
//	flow    = SRC "->" DST { "id" N | "size" BYTES | "start" PICOSECONDS |
//	          "trigger" N | "send_done_trigger" N }
//	trigger = "trigger" { "id" N | "oneshot" | "multishot" | "barrier" [ N ] | "count" N }
//
// each on its own line. A flow has a size and either a start or the trigger that
// starts it; send_done_trigger is fired when its sender has the last
// acknowledgement. Ids of flows and of triggers are positive and unique. Flows
// are numbered by their place in the file, and so are triggers, whatever their
// ids.
//
// # Sizes
//
//	file = { BYTES PART }
//
// each on its own line: the part of the messages that are at most so long, from 0
// to 1, or to 100 in per cent.
//
// # Topologies
//
//	file   = header tier { tier }
//	header = "Nodes" hosts, "Tiers" 2 or 3, "Podsize" hosts of a pod
//	tier   = "Tier" T, "Downlink_speed_Gbps" N, "Radix_Down" N, [ "Radix_Up" N ],
//	         "Downlink_Latency_ns" N, [ "Switch_Latency_ns" N ],
//	         [ "Oversubscribed" N ], [ "Bundle" N ]
//
// each on its own line, keys in any case of letters and any order. Radix_Up is
// required but for the highest tier, which has none. What follows from other
// lines is checked: Podsize, Radix_Down of the higher tiers and Oversubscribed,
// the capacity of a switch's downlinks over that of its uplinks.
//
// In all files empty lines and lines that begin with # mean nothing. Unknown
// words are errors, and so is whatever the model has no place for: failures,
// priorities and triggers fired by receivers; bundles between aggregation and
// core, and tiers with different switch latencies.
//
// References (docs/references.md): [Bonato26], [Bonato26-artifact].
package traffic
