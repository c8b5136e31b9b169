// Package fattree is a packet-granular model of networks of switches: every packet takes the path that
// its entropy value (EV) hashes to, through queues with ECN marks and losses. A [Topology] says which ports of a
// switch lead to a host; package topology has the fat trees. What hosts do is not decided here: a [Transport]
// sends packets and answers them, and knows windows, ACKs and time-outs, of which this package knows nothing.
// Package transport has the rules of the paper and of Ultra Ethernet, and the interfaces of
// balancers and congestion controls; package multipath has the rules of MRC. Packets have neither fields of headers
// nor byte streams.
//
// Use it in this order: [Spec] -> [Build] -> [Network] -> NewRun and its Execute in package transport, or
// [Network.NewRun] and [Run.Execute] for hosts of your own -> [Result]; package experiment runs many replicas
// of the former and estimates.
//
// # Model
//
// Time is counted in slots. A slot is the time of a full packet on the fastest
// link, 83 ns for 4150 bytes at 400 Gb/s, or a part of it where whole packets' times would lengthen a round trip by
// more than 1 % (see slot.go); latencies are whole slots, at least one. In a slot
//
//  1. each port with packets sends the head of its queue. The ECN marking probability
//     depends on the packets left behind: 0 up to Kmin, 1 above Kmax, linear between;
//  2. links fail, slow down or recover;
//  3. packets that arrive at a switch join their next queues; if one is full, either the
//     arriving packet or the last one in the queue, with probability 1/2 each, is trimmed to
//     its header or dropped;
//  4. headers that arrive at a switch are sent on;
//  5. hosts receive packets and headers, and each sends at most one packet.
//
// Packets that arrive in the same slot join their queues in an order of links that is drawn anew
// in each epoch (see below) and a random order of hosts, so host, port and switch numbers favour
// no flow. Before a sink, where packets join the queues as they
// are sent, hosts and ports act in cyclic order, and each slot starts with the next one.
//
// A header is what is left of a trimmed packet, or what a transport sends without data: an ACK, a NACK, a
// probe, a pull or a request. It crosses link after link with strict priority but without preemption: where
// data wait for the link, it waits for the end of the packet on the wire, and delays data by the time of 64
// bytes; delays add up, and a full slot's worth skips one slot. If switches choose ports, every tenth
// header of a host with one link whose flows wait lets one more packet go first. A header goes on the path
// that its own hash picks and is lost on a failed link.
//
// # How a run is executed
//
// A tile is a switch with its hosts, if it has any: what is advanced alone. What a tile sends to
// another one arrives an epoch later or more, an epoch being the least latency of a link, at most
// 12 slots. So within an epoch tiles do not depend on each other, nor does a switch on its hosts: a
// run advances one tile after the other through a whole epoch, first the switch (steps 1 to 4 of
// every slot), then its hosts (step 5), whose state then stays in the processor's cache, or
// several tiles at a time ([Run.Workers]). Everything random is drawn by the tile or the flow that it
// is about, so results depend neither on the order of tiles nor on the number of workers. Where
// something outside tiles can act before the epoch ends, such as a trigger or a trace, the run advances all tiles
// through a shorter block of slots; while a trigger can fire, blocks are one slot long.
//
// # Where to read
//
// packet.go has the words. Then in the order in which a packet meets them: transport.go (it leaves its host),
// links.go (it crosses links), switching.go (it joins a queue, and a port sends it or loses it), headers.go (headers
// go ahead of data), tile.go (the steps of a slot), fault.go (links fail, packets have bit errors), transport.go
// again (it reaches the other host). What only some networks have: routing.go (switches that choose ports), nic.go
// (hosts with several links), short.go (links that know the bytes of packets). What is run: spec.go, timing.go,
// defaults.go, profile.go, flow.go and connections.go (the workload), wiring.go (switches and ports), network.go.
// A run: run.go (its memory), execute.go (its blocks of slots, and triggers). Results: result.go, trace.go, unloaded.go.
//
// # Symbols
//
//	slot        Spec.SlotTime        the time of a packet of MTU bytes on the fastest link
//	base RTT    Network.BaseRTT      unloaded round trip: propagation, and a packet and an ACK on every link
//	Kmin, Kmax  Spec.KMin, KMax      packets left behind at a dequeue
//	FCT         FlowResult.FCT       from a flow's start until its transport says that it has ended
//
// # Assumptions
//
// All packets have the same size, except, by the rules of [UltraEthernet], the last one of a flow or of a message
// of a connection. A degraded link keeps its latency. Packets take whole
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
// Loss of headers by full queues but by the rules of [UltraEthernet], pause frames, routing that reacts.
//
// # References
//
// [Bonato26] sec. 4.1 for the set-up; [Bonato26-artifact], the authors' packet simulator, for every
// constant; [UEC-htsim] for the rules of Ultra Ethernet. Full entries are under these keys in
// docs/references.md.
package fattree
