// Package fattree is a packet-granular model of networks of switches: flows go
// in, completion times come out, and in between every packet takes the path that
// its entropy value (EV) hashes to. A [Topology] says which ports of a switch lead to a host;
// package topology has the fat trees. The model has queues, ECN marks, losses and windows, packet
// by packet, but neither fields of headers nor byte streams.
//
// Use it in this order: [Spec] -> [Build] -> [Network] -> [Network.NewRun] ->
// [Run.Execute] -> [Result]; package experiment runs many replicas and estimates.
//
// # Model
//
// Time is counted in slots. A slot is the time of a full packet on the fastest
// link, 83 ns for 4150 bytes at 400 Gb/s; latencies are whole slots, at least one. In a slot
//
//  1. each port with packets sends the head of its queue. The ECN marking probability
//     depends on the packets left behind: 0 up to Kmin, 1 above Kmax, linear between;
//  2. links fail, slow down or recover;
//  3. packets that arrive at a switch join their next queues; if one is full, either the
//     arriving packet or the last one in the queue, with probability 1/2 each, is trimmed to
//     its header or dropped;
//  4. headers that arrive at a switch are sent on;
//  5. hosts receive packets and answer with ACKs; ACKs and NACKs reach their senders:
//     congestion control, then the load balancer;
//  6. packets whose RTO is over are declared lost, and flows begin;
//  7. each host sends at most one packet, its flows in turn, lost packets first.
//
// Packets that arrive in the same slot join their queues in an order of links that is drawn anew
// in each epoch (see below) and a random order of hosts, so host, port and switch numbers favour
// no flow. Before a sink, where packets join the queues as they
// are sent, hosts and ports act in cyclic order, and each slot starts with the next one.
//
// A header is an ACK, a NACK, what is left of a trimmed packet, a probe, a pull or a request.
// It crosses link after link with strict priority but without preemption: where data wait for
// the link, it waits for the end of the packet on the wire, and delays data by the time of 64
// bytes; delays add up, and a full slot's worth skips one slot. If switches choose ports, every tenth
// header of a host with one link whose flows wait lets one more packet go first. An ACK goes back on the path
// that its own hash picks and is lost on a failed link; it carries the
// cumulative count and a bitmap of the 64 packets up to its own, so the next ACK makes up
// for a lost one. Every AckRatio-th packet is acknowledged, and at once the first one of a
// flow, a marked one, a duplicate, and one whose sender asks: the last of a full window,
// the last of the flow and retransmitted ones.
//
// A packet is lost for its sender when a NACK comes or the RTO is over since it
// was last sent. A flow may send while fewer packets than its window are in
// flight. A flow that a trigger starts begins in the slot after the trigger at the earliest.
//
// # How a run is executed
//
// A tile is a switch with its hosts, if it has any: what is advanced alone. What a tile sends to
// another one arrives an epoch later or more, an epoch being the least latency of a link, at most
// 12 slots. So within an epoch tiles do not depend on each other, nor does a switch on its hosts: a
// run advances one tile after the other through a whole epoch, first the switch (steps 1 to 4 of
// every slot), then its hosts (5 to 7), whose state then stays in the processor's cache, or
// several tiles at a time ([Run.Workers]). Everything random is drawn by the tile or the flow that it
// is about, so results depend neither on the order of tiles nor on the number of workers. While
// a trigger can fire, blocks are one slot long.
//
// # Where to read
//
// What is run: spec.go, flow.go, wiring.go (switches and ports), fault.go, network.go. Who takes part:
// balancer.go, routing.go, granting.go. A run: run.go (its memory), execute.go (its blocks of slots),
// tile.go (a slot). Then in the order in which a packet meets them: sending.go (its host), links.go,
// switching.go, receiving.go, headers.go (its ACK), and sending.go again; plain.go has the loops of runs
// with few options in their place. Further, timing.go has time-outs, subflows.go flows that are cut,
// early.go hosts that send between ACKs, nic.go hosts with several links, inherit.go flows that go on
// where others ended, messages.go those that share a connection, requests.go and doubleturns.go slips of
// the authors' simulator, transport.go the rules of Ultra Ethernet's, short.go its short packets, and
// sleek.go its loss recovery. Results: result.go, trace.go, unloaded.go.
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
// All packets have the same size, except the last one of a flow, or of a message of a connection, if its
// arrival completes it; by the rules of [UltraEthernet] it also takes less of links. A degraded link keeps
// its latency. A sender whose window is full after a time-out waits for room, unless
// [Spec.RequestsForRetransmission] is set. An RTT is known modulo 2^16 slots. Packets take whole
// slots on their way; headers are later by the parts of slots that a round trip lacks, which a host that has
// nothing else to send rounds down.
//
// # One switch
//
// A network with a sink ([Outline].Sink) is the balls-into-bins set-up: hosts on one switch
// whose ports lead to an ideal sink, infinite queues, no time-outs. With Kmin =
// Kmax = tau-1 and the EV as the port, OPS is the batched process of package
// ballsbins and REPS the per-flow process of package recycled, load by load.
//
// # What is left out
//
// Loss of headers by full queues but by the rules of [UltraEthernet], pause frames, adaptive RTOs, routing
// that reacts.
//
// # References
//
// [Bonato26] sec. 4.1 for the set-up; [Bonato26-artifact], the authors' packet simulator, for every
// constant; [UEC-htsim] for the rules of Ultra Ethernet. Full entries are under these keys in
// docs/references.md.
package fattree
