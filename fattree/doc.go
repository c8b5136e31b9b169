// Package fattree is a packet-granular model of folded Clos networks: flows go
// in, completion times come out, and in between every packet takes the path that
// its entropy value (EV) hashes to. It has no headers and no byte streams; it is
// what remains of a packet simulator when only queues, marks, losses and windows
// count.
//
// The way through it is [Spec] -> [Build] -> [Network] -> [Network.NewRun] ->
// [Run.Execute] -> [Result]; the experiment of a [Setup] does many and estimates.
//
// # Model
//
// Time is counted in slots. A slot is the time of a full packet on the fastest
// link, 83 ns for 4150 bytes at 400 Gb/s; latencies are whole slots. In a slot
//
//  1. packets that are due enter their next queue; a full queue lets a fair coin
//     choose between the packet and the last one in it, and trims the loser to
//     its header or drops it;
//  2. ACKs and NACKs that are due reach their senders: congestion control, then
//     the load balancer;
//  3. packets whose RTO is over are declared lost;
//  4. each host sends at most one packet, its flows in turn, lost packets first;
//  5. each port with packets sends its head, with an ECN mark by what is left
//     behind: never up to Kmin, always above Kmax, linearly between.
//
// Packets that reach switches in one slot join their queues in random order, drawn
// anew each slot, so no flow profits from the number of its host, port or switch. With
// one tier, where hosts put their packets into the queues themselves, hosts and
// ports take turns in cyclic order; each slot starts with the next one.
//
// ACKs, NACKs and trimmed packets have strict priority: they do not queue, but each
// delays data on each link that it crosses, the hosts' links included, by the time of 64
// bytes; delays add up, and a full slot's worth skips one slot. An ACK goes back on the
// path that its own hash picks and is lost on a failed link; it carries the count of
// packets received, so a lost ACK does no harm, and which of the 64 packets up to its own
// have arrived. It comes for every AckRatio-th packet, and at once for the first one
// of a flow, a marked one, a duplicate, and one whose sender asks: after a full
// window, for the last one and for those sent again.
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
// Equal packets but for a flow's last one, which is shorter on every link of its
// way once the flow ends with it. Links are taken as they are when an ACK is
// sent, not when it crosses them. A degraded link keeps its latency. A sender
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
