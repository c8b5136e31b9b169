// Package transport is what hosts do in networks of package fattree: windows, ACKs, time-outs and
// retransmission by the rules of the REPS artifact or of Ultra Ethernet ([fattree.Profile]), with the interfaces
// of load balancers ([Balancer]; package balance) and congestion controls ([Control]; package congestion) that
// they call. [NewRun] puts its hosts on a network; its [Options] are a field of [fattree.Spec].
//
// # Model
//
// In each slot, as step 5 of package fattree,
//
//  1. hosts receive packets and answer with ACKs; ACKs and NACKs reach their senders:
//     congestion control, then the load balancer;
//  2. packets whose RTO is over are declared lost, and flows begin;
//  3. each host sends at most one packet, its flows in turn, lost packets first.
//
// An ACK carries the cumulative count and a bitmap of the 64 packets up to its own, so the next ACK makes up
// for a lost one. Every AckRatio-th packet is acknowledged, and at once the first one of a
// flow, a marked one, a duplicate, and one whose sender asks: the last of a full window,
// the last of the flow and retransmitted ones.
//
// A packet is lost for its sender when a NACK comes or the RTO is over since it
// was last sent. A flow may send while fewer packets than its window are in
// flight. A flow ends when its sender has the last ACK. One that a trigger starts begins in the slot after the
// trigger at the earliest.
//
// # Where to read
//
// balancer.go and control.go have the interfaces, run.go what is run, state.go the state of a flow. Then in the
// order in which a packet meets them: sending.go, receiving.go (its ACK), headers.go and sending.go again;
// timing.go has time-outs, flows.go beginnings and ends. Runs without options go through the loops of plain.go
// in the place of these. What only some runs have: subflows.go flows that are cut, early.go hosts that send
// between ACKs, nic.go hosts with several links, granting.go credit, inherit.go flows that go on where others
// ended, messages.go those that share a connection, requests.go and doubleturns.go slips of the authors'
// simulator, rules.go the rules of Ultra Ethernet's, and sleek.go its loss recovery.
//
// # Symbols
//
//	cwnd        Window.Packets       packets
//	RTO         Options.RTO          longest base RTT and four full queues' time, each at its rate
//	BDP         Window.Most / 1.5    packets
//
// # Assumptions
//
// A sender whose window is full after a time-out waits for room, unless
// [Options.RequestsForRetransmission] is set. RTOs do not adapt. Packets
// that are shorter than others take as long on links, unless links count bytes; the end of a flow makes up for it.
//
// # References
//
// [Bonato26-artifact], the authors' packet simulator, for every constant; [UEC-htsim] for the rules of Ultra
// Ethernet. Full entries are under these keys in docs/references.md.
package transport
