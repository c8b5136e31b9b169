// Package fattree is a packet-granular model of networks of switches: every packet takes the path that its entropy
// value (EV) hashes to, through queues with ECN marks and losses. A [Topology] says which ports of a switch lead
// to a host; package topology has the fat trees. A [Transport] decides what hosts do: it sends packets and answers
// them. Windows, ACKs and time-outs belong to the transport; this package knows nothing of them. Package transport
// has the rules of the paper and of Ultra Ethernet, and the interfaces of balancers and congestion controls;
// package multipath has the rules of MRC. Packets have neither header fields nor byte streams.
//
// Use it in this order: [Spec], [Plan] or [Build], [Network], a run, [Result]. A run is NewRun of package transport and
// its Execute, or [Network.NewRun] and [Run.Execute] for hosts of your own. Package experiment runs many replicas with
// package transport and estimates means and intervals.
//
// # Model
//
// Time is counted in slots. A slot is the time of a full packet on the fastest link, 83 ns for 4150 bytes at 400
// Gb/s. If slots of whole packets would lengthen a round trip by more than 1 %, a packet takes several slots (see
// timing.go). Latencies are whole slots, at least one. In a slot
//
//  1. each port with packets sends the head of its queue. The ECN marking probability
//     depends on the packets left behind: 0 up to Kmin, then rising linearly to Pmax
//     at Kmax, and 1 above;
//  2. links fail, slow down or recover;
//  3. packets that arrive at a switch join their next queues; if one is full, either the
//     arriving packet or the last one in the queue, with probability 1/2 each, is trimmed to
//     its header or dropped;
//  4. headers that arrive at a switch are sent on;
//  5. hosts receive packets and headers, and each sends at most one packet.
//
// Packets that arrive in the same slot join their queues in random order: the order of links is drawn anew in each
// epoch (see below), and the order of hosts in each slot. So host, port and switch numbers favour no flow. Before
// a sink, packets join the queues as they are sent. There hosts act in cyclic order, and so do ports; in each slot
// the order begins one host, and one port, later.
//
// A header is a packet trimmed to its header, or a message of the transport without data: an ACK, a NACK, a probe,
// a pull or a request. It crosses each link with strict priority but without preemption. If data wait for the link,
// the header waits for the end of the packet on the wire, and delays the data by the time of Spec.HeaderBytes. These
// delays add up; when they reach a slot, the link skips one slot. If switches choose ports, a
// host with one link and waiting flows lets one more packet go ahead of every tenth header, as NICs in
// [Bonato26-artifact] do. A header takes the path that its own hash picks and is lost on a failed link.
//
// # How a run is executed
//
// A tile is a switch with its hosts, if it has any; it is advanced alone. Whatever a tile sends to another tile
// arrives at least one epoch later: an epoch is the least latency of a link, at most 12 slots. So within an epoch
// tiles do not depend on each other, and a switch does not depend on its hosts. A run advances one tile after the
// other through a whole epoch, or several tiles at a time ([Run.Workers]). It first advances the switch (steps 1
// to 4 of every slot) and then its hosts (step 5), so that their state stays in the processor's cache. Each tile
// and each flow draws its own random numbers, so results depend neither on the order of tiles nor on the number of
// workers. If something outside the tiles can act before the epoch ends, such as a trigger or a trace, the run
// advances all tiles through a shorter block of slots. While a trigger can fire, blocks are one slot long.
//
// # Where to read
//
// packet.go defines packets, headers and notes. The next files follow the way of a packet: transport.go (it leaves
// its host), links.go (it crosses links), switching.go (it joins a queue, and a port sends it or loses it),
// passing.go (headers go ahead of data), tile.go (the steps of a slot), fault.go (links fail, packets have bit
// errors), transport.go again (it reaches the other host). Some files serve only some networks: routing.go and
// headers.go (switches that choose ports), nic.go (hosts with several links), short.go (links that count bytes),
// precedence.go (queues that retransmissions pass). The input:
// spec.go, timing.go, defaults.go, profile.go, flow.go and connections.go (the workload), wiring.go (switches and
// ports), network.go. A run: run.go (its memory), execute.go (its blocks of slots, and triggers). Results:
// result.go, trace.go, unloaded.go.
//
// # Symbols
//
//	slot        Spec.SlotTime        the time of a packet of MTU bytes on the fastest link, or a fraction of it
//	base RTT    Network.BaseRTT      unloaded round trip: propagation, and a packet and an ACK on every link
//	Kmin, Kmax  Spec.KMin, KMax      packets left behind at a dequeue
//	Pmax        Spec.PMax            probability of a mark at Kmax
//	FCT         FlowResult.FCT       from a flow's start until its transport says that it has ended
//
// # Assumptions
//
// All packets have the same size. The only exception, by the rules of [UltraEthernet], is the last packet of a
// flow or of a message of a connection. A degraded link keeps its latency. Packets take whole slots on their way;
// headers are delayed by fractions of a slot so that round trips have their exact length. A host with nothing else
// to send rounds such a fraction down.
//
// # One switch
//
// A network with a sink ([Outline].Sink) is the balls-into-bins set-up: hosts on one switch with ports to an ideal
// sink, infinite queues, no time-outs. OneSwitch of package experiment describes it. With Kmin = Kmax = tau-1 and
// the EV as the port, OPS is the batched process of package ballsbins and REPS the per-flow process of package
// recycled, with the same loads.
//
// # What is left out
//
// Loss of headers in full queues (except by the rules of [UltraEthernet]), pause frames, and routing that reacts
// to failures.
//
// # References
//
// [Bonato26] sec. 4.1 for the set-up; [Bonato26-artifact], the authors' packet simulator, for every
// constant; [UEC-htsim] for the rules of Ultra Ethernet. Full entries are under these keys in
// docs/references.md.
package fattree
