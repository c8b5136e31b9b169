// Package transport implements the hosts of networks of package fattree: windows, ACKs, time-outs and
// retransmission by the rules of the REPS artifact or of Ultra Ethernet ([fattree.Profile]). It defines the
// interfaces of load balancers ([Balancer]; package balance) and congestion controls ([Control]; package
// congestion) that hosts call. [NewRun] puts its hosts on a network; its [Options] are a field of [fattree.Spec].
//
// # Model
//
// In each slot, as step 5 of package fattree,
//
//  1. hosts receive packets and answer with ACKs; ACKs and NACKs reach their senders:
//     congestion control, then the load balancer;
//  2. packets are declared lost if their RTO is over, and flows begin;
//  3. each host sends at most one packet, its flows in turn, lost packets first.
//
// If ACKs can be lost or do not answer every packet, each carries the cumulative count and a bitmap of 64 packets,
// so the next ACK makes up for a lost one. The bitmap has the packets up to the one that is acknowledged, or from it
// on if that is marked or, without being a duplicate, requests an ACK. Every AckRatio-th packet is acknowledged. Some
// packets are acknowledged at once: the first one of a flow, a marked one, a duplicate, a packet that requests an
// ACK, and one that fills the last gap before such a packet. Requests come with the last packet of a full window, the
// last packet of the flow, and retransmitted packets.
//
// A sender takes a packet for lost when a NACK arrives, when the RTO has passed since it was last sent, or by the
// rules of SLEEK (sleek.go). A flow may send while fewer packets than its window are in flight. A flow ends when its
// sender has the last ACK. A flow that a trigger starts begins in the slot after the trigger or later.
//
// # Where to read
//
// balancer.go and control.go have the interfaces, run.go the run, state.go the state of a flow. The next files
// follow the way of a packet: sending.go, receiving.go (its ACK), headers.go and sending.go again; timing.go has
// time-outs, flows.go beginnings and ends. For runs without options, the loops of plain.go replace these. Some
// files serve only some runs: subflows.go (split flows), early.go (hosts that send between ACKs), nic.go (hosts
// with several links), granting.go (credit), messages.go (several messages in a connection), requests.go and
// doubleturns.go (bugs of the authors' simulator), rules.go (the rules of the Ultra Ethernet simulator), and
// sleek.go (its loss recovery).
//
// # Symbols
//
//	cwnd        Window.Packets       packets
//	RTO         Options.RTO          longest base RTT plus the time to drain four full queues, with the rules of
//	                                 Ultra Ethernet six; slower links add to it
//	BDP         Window.Most / 1.5    packets
//
// # Assumptions
//
// A sender with a full window after a time-out waits for room, unless [Slips.RequestsForRetransmission] is set.
// RTOs do not adapt. Short packets take as long on links as full ones, unless links count bytes; the end of a flow
// is corrected for it.
//
// # References
//
// [Bonato26-artifact], the authors' packet simulator, for every constant; [UEC-htsim] for the rules of Ultra
// Ethernet. Full entries are under these keys in docs/references.md.
package transport
