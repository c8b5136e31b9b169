// Package traffic builds workloads: who sends what to whom, and when.
//
// The synthetic patterns of the paper [Bonato26, section 4.1]; all messages have the same size and start:
//
//	pattern       flows
//	Permutation   every host sends to one other host and receives from one, at random
//	Tornado       host i to host i + N/2 mod N
//	Incast        hosts N/2 to N/2 + degree - 1 to host 0
//	OneToR        host i of the first ToR to host i + N/2: one fully loaded ToR
//
// Flows of random sizes, from [WebSearch], [Facebook] or a file:
//
//	Paced         as in the authors' generator: evenly paced, to a partner
//	Poisson       Poisson arrivals, to uniform hosts
//
// Collectives, in which flows wait for others to end:
//
//	RingAllreduce       chains around a ring of hosts
//	ButterflyAllreduce  log2 N exchanges between hosts 1, 2, 4, ... apart
//	AllToAll            every pair, a fixed number of flows of a host at a time
//
// Random workloads draw from a [rand.Source] of math/rand/v2, such as the source of an [mc.Stream]. The same
// source in the same state gives the same flows, on 32-bit and 64-bit platforms. Arguments out of range, and a nil
// source, are reported as joined [*faults.FieldError] values.
//
// The package also reads the files of ns-3's RDMA simulators ([ReadNS3Flows], [ReadNS3Topology]), and two kinds of
// text files of the authors' simulator htsim [Bonato26-artifact], so that both simulators run the same workload:
//
//	.cm    a flow list, with triggers that start flows when others end
//	.topo  a fat tree of two or three tiers
//
// # Flow lists
//
//	file    = header { flow | trigger }
//	header  = "Nodes" hosts, "Connections" flows, [ "Triggers" triggers ]
//	flow    = SRC "->" DST { "id" N | "size" BYTES | "start" PICOSECONDS |
//	          "trigger" N | "send_done_trigger" N | "recv_done_trigger" N | "msg" }
//	trigger = "trigger" { "id" N | "oneshot" | "multishot" | "barrier" [ N ] | "count" N }
//
// each on its own line. A flow has a size, and either a start or the trigger that starts it. It may have one of
// two more triggers: send_done_trigger is fired when its sender has the last acknowledgement, recv_done_trigger
// when its receiver has all bytes. A start may have decimals if they are zeros. Ids of flows and of triggers are
// positive and unique, except that flows with "msg" may share an id: they are messages of one connection
// ([fattree.Flow]), as with -conn_reuse of [UEC-htsim]. Flows and triggers are numbered by their order in the
// file, whatever their ids.
//
// # Sizes
//
//	file = { BYTES [ NUMBER ] PART }
//
// each on its own line, separated by spaces or commas. PART is the cumulative fraction of messages up to the size,
// from 0 to 1, or to 100 in per cent. NUMBER is not used. Messages up to the first size are uniform from 1 byte on.
//
// # Topologies
//
//	file   = header tier { tier }
//	header = "Nodes" hosts, "Tiers" 2 or 3, "Podsize" hosts of a pod
//	tier   = "Tier" T, "Downlink_speed_Gbps" N, "Radix_Down" N, [ "Radix_Up" N ],
//	         "Downlink_Latency_ns" N, [ "Switch_Latency_ns" N ],
//	         [ "Oversubscribed" N ], [ "Bundle" N ]
//
// each on its own line, with keys in any case and any order. Radix_Up is required except for the highest tier,
// which has no uplinks. Redundant values are checked: Podsize, Radix_Down of the higher tiers, and Oversubscribed,
// the ratio of a switch's downlink capacity to its uplink capacity.
//
// In all files a byte-order mark, empty lines and lines that begin with # are ignored. Unknown words and UTF-16 are
// errors, and so are features that the model does not have: priorities, and tiers with different switch latencies.
// Failures and lengths of queues are errors too, since they are no part of a workload or topology here.
//
// References (docs/references.md): [Bonato26], [Bonato26-artifact].
package traffic
