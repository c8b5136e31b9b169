// Package fluid computes when flows would end if they were fluids that share links fairly.
//
// It is the rate-level companion of the packet model in package fattree: an ideal to compare its completion times
// with, and an estimate of ECMP.
//
//	symbol  name                          unit  meaning
//	P       Config.MTU                    B     a full packet on the wire
//	H       Config.HeaderBytes            B     its header, and an ACK
//	W       S + H ceil(S / (P-H))         B     a message of S bytes on the wire
//	L                                     B     a flow's last packet
//	C_l                                   B/s   capacity of constraint l
//	r_f                                   B/s   rate of flow f on the wire
//	T       Result                        ps    completion time (FCT)
//
// The rates of the active flows are max-min fair [Bertsekas92, section 6.5]: raising the rate of a flow would
// lower the rate of a flow that has no higher rate.
//
//	sum of r_f over the flows of l <= C_l      for every l                (1)
//	every f has an l where (1) is equality and r_f is the largest         (2)
//
// (1) and (2) have one solution. Progressive filling finds it: all rates rise together until a constraint is
// tight; the flows of this constraint then keep their rate. Rates change only when a flow starts or ends its
// transmission. If a flow's last byte passes its bottleneck at time t, its last acknowledgement arrives at
//
//	t + (2 turns of propagation) + L sum_{hops but the slowest} 1/C + H sum_{hops} 1/C   (3)
//
// but a flow never finishes sooner than it would alone ([fattree.Spec.Alone]). When it has finished, it fires its
// trigger. A turn of propagation is the sum of the latencies of all links and switches on the path.
//
// # Constraints
//
// The constraints are host links, up and down, and between switches one of these:
//
//	Ideal, Even     a flow is spread evenly over all its paths: each of the n
//	                parallel links of a stage carries 1/n of it, so the slowest,
//	                at rate c, limits the stage to n c
//	Ideal, Pooled   a flow is spread optimally: a stage is limited by the sum of
//	                its links
//	ECMP            every flow takes the single path that the switches' hash picks
//
// The stages are all uplinks of a ToR, all downlinks to a ToR, and in a tree of three tiers all links from a pod
// to the core and back. Without slow links Even and Pooled are equal. A sprayed flow has at most six constraints,
// however many paths. Even is exact: the limit of OPS with infinitely many, infinitely small packets. Pooled is a
// relaxation if links are slow: no division of flows over paths carries more through a stage. It may be optimistic
// if one spine is slow to one ToR and another spine is slow to another ToR.
//
// # Bounds
//
// The time alone ([fattree.Network.Unloaded]) is a lower bound of the completion time of each flow under any load
// balancer and congestion control. Ideal with Pooled, or with Even and no slow links, is a lower bound for a flow
// with a bottleneck that is always busy, in particular for the slowest flow of a permutation, tornado or incast of
// equal messages. Among unequal messages a flow may be faster if others get less than their fair share. ECMP is an
// estimate with perfect congestion control.
//
// Assumptions: rates adapt at once; no packet is lost or retransmitted; ACKs take no
// bandwidth (in a permutation they take H/P = 1.5 % of every link, so packets need that
// much longer); queues do not fill. Times have a relative accuracy of 1e-9 and are rounded
// to picoseconds.
//
// Left out: trees of one tier, slow host links, rates that change during a run, and connections: messages of one
// connection share links like other flows, instead of following each other.
//
// References (docs/references.md): [Bonato26], [Bertsekas92].
package fluid
