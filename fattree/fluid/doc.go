// Package fluid answers one question: when would flows end if they were fluids
// that share links fairly?
//
// It is the rate-level companion of the packet model in package fattree: the
// ideal that its completion times are compared with, and what ECMP can be
// expected to make of a workload.
//
//	symbol  name                          unit  meaning
//	P       Config.MTU                    B     a full packet on the wire
//	H       Config.HeaderBytes            B     of it that is no payload, and an ACK
//	W       S + H ceil(S / (P-H))         B     on the wire of a message of S bytes
//	L                                     B     a flow's last packet
//	C_l                                   B/s   capacity of constraint l
//	r_f     Rates                         B/s   rate of flow f on the wire
//	T       Result                        ps    completion time (FCT)
//
// The rates of the active flows are max-min fair [Bertsekas92, section 6.5]: no
// flow can get more but by taking from one that has no more than it.
//
//	sum of r_f over the flows of l <= C_l      for every l                (1)
//	every f has an l where (1) is equality and r_f is the largest         (2)
//
// (1) and (2) have one solution. Progressive filling finds it: all rates rise
// together until a constraint is met, whose flows then keep their rate. Rates
// change when a flow begins or ends its transmission; in between bytes flow. A
// flow whose last byte passed its bottleneck at time t has its last acknowledgement at
//
//	t + (2 turns of propagation) + L sum_{hops but the slowest} 1/C + H sum_{hops} 1/C   (3)
//
// and not before the time that it would take alone (see [fattree.Spec.Alone]);
// then it fires its trigger. Propagation takes each link's latency, and the latency
// of each switch on the way, there and back.
//
// # What the constraints are
//
// Host links, up and down, and between switches one of these:
//
//	Ideal, Even     a flow is spread evenly over all its paths: of the n parallel
//	                links of a stage each carries 1/n of it, so the slowest, at
//	                rate c, limits the stage to n c
//	Ideal, Pooled   a flow is spread as suits best: a stage is limited by the sum
//	                of its links
//	ECMP            every flow on the one path that the switches' hash picks
//
// The stages are: all uplinks of a ToR, all downlinks to a ToR, and in a tree of
// three tiers all links from a pod to the core and back. Without slow links Even
// and Pooled are the same. A sprayed flow so has at most six constraints, however
// many paths. Even is exact; it is what OPS with infinitely many, infinitely small
// packets would give. Pooled is a relaxation where links are slow: no division of
// flows over paths passes more through a stage, but a spine that is slow to one
// ToR and another that is slow from a second may make it optimistic.
//
// # What is bounded by what
//
// The time alone ([fattree.Network.Unloaded]) is a lower bound of the completion
// time of each flow under any load balancer and congestion control. Ideal under
// Pooled (without slow links: either)
// is a lower bound of the time of a flow whose bottleneck never has less to do,
// above all of the slowest flow of a permutation, tornado or incast of equal
// messages; a single flow of unequal ones may beat it where others get less than
// their fair share. ECMP is an estimate with perfect congestion control.
//
// Assumptions: rates adapt at once; no packet is lost or sent twice; ACKs take no
// bandwidth (in a permutation they take H/P = 1.5 % of every link, so packets need
// that much longer); queues do not fill. Times are accurate to 1e-9 of themselves
// and rounded to picoseconds.
//
// Left out: trees of one tier, links of hosts that are slow, and links whose rate
// changes while flows run.
//
// References (docs/references.md): [Bonato26], [Bertsekas92].
package fluid
