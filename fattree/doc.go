// Package fattree is a packet-granular model of folded Clos networks: flows go
// in, completion times come out, and in between every packet takes the path that
// its entropy value (EV) hashes to. It models queues, ECN marks, losses and windows, packet
// by packet, but neither headers nor byte streams.
//
// Use it in this order: [Spec] -> [Build] -> [Network] -> [Network.NewRun] ->
// [Run.Execute] -> [Result]; the experiment of a [Setup] runs many replicas and estimates.
//
// # Model
//
// Time is counted in slots. A slot is the time of a full packet on the fastest
// link, 83 ns for 4150 bytes at 400 Gb/s; latencies are whole slots. In a slot
//
//  1. packets that arrive join their next queue; if it is full, either the arriving
//     packet or the last one in the queue, with probability 1/2 each, is trimmed to its
//     header or dropped;
//  2. ACKs and NACKs reach their senders: congestion control, then the load balancer;
//  3. packets whose RTO is over are declared lost;
//  4. each host sends at most one packet, its flows in turn, lost packets first;
//  5. each port with packets sends the head of its queue. The ECN marking probability
//     depends on the packets left behind: 0 up to Kmin, 1 above Kmax, linear between.
//
// Packets that arrive in the same slot join their queues in random order, so host, port
// and switch numbers favour no flow. With one tier, where packets join the queues as they
// are sent, hosts and ports act in cyclic order, and each slot starts with the next one.
//
// ACKs, NACKs and trimmed packets have strict priority: they do not queue, but each
// delays data on each link that it crosses, the hosts' links included, by the time of 64
// bytes; delays add up, and a full slot's worth skips one slot. An ACK goes back on the
// path that its own hash picks and is lost on a failed link; it carries the
// cumulative count and a bitmap of the 64 packets up to its own, so the next ACK makes up
// for a lost one. Every AckRatio-th packet is acknowledged, and at once the first one of a
// flow, a marked one, a duplicate, and one whose sender asks: the last of a full window,
// the last of the flow and retransmitted ones.
//
// A packet is lost for its sender when a NACK comes or the RTO is over since it
// was last sent. A flow may send while fewer packets than its window are in
// flight.
//
// # Symbols
//
//	slot        Spec.SlotTime        the time of a packet of MTU bytes on the fastest link
//	base RTT    Network.BaseRTT      unloaded round trip: propagation, and a packet and an ACK on every link
//	Kmin, Kmax  Spec.KMin, KMax      packets left behind at a dequeue
//	cwnd        Window.Packets       packets
//	RTO         Spec.RTO             base RTT across the network and four full queues' time
//	BDP         Window.Most / 1.5    packets
//	FCT         FlowResult.FCT       from a flow's start until its sender has the last ACK
//
// # Assumptions
//
// All packets have the same size, except the last one of a flow if its arrival completes
// the flow. The state of the links when an ACK is sent decides whether it
// is lost. A degraded link keeps its latency. A sender
// whose window is full after a time-out waits for room and sends no request (the
// authors' simulator would send a request). An RTT is known modulo 2^16 slots.
//
// # One switch
//
// With one tier the network is the balls-into-bins set-up: hosts on one switch
// whose ports lead to an ideal sink, infinite queues, no time-outs. With Kmin =
// Kmax = tau-1 and the EV as the port, OPS is the batched process of package
// ballsbins and REPS the per-flow process of package recycled, load by load.
//
// # What is left out
//
// Loss of ACKs by full queues, pause frames, adaptive RTOs, routing that reacts.
//
// # References
//
// [Bonato26] sec. 4.1 for the set-up; [Bonato26-artifact], the authors' packet
// simulator, for every constant. Full entries are under these keys in
// docs/references.md.
package fattree
