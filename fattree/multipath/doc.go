// Package multipath is what hosts do by the rules of Multipath Reliable Connection (MRC, [MRC26]) in networks of
// package fattree: selective acknowledgements for packets in any order, a time-out for each packet, an EV that names
// the plane and the path of every packet, and hosts that tell each other which of their links work. [NewRun] puts its
// hosts on a network whose [fattree.Spec].Transport is [fattree.MRC].
//
// It calls the load balancers and congestion controls of package transport. A [transport.PlaneBalancer], such as
// balance.MRC, chooses link and EV of a packet together; with others a host uses its links in turn, and what they
// choose is the path in the plane, so that several can be compared in the same transport.
//
// # Model
//
// In each slot hosts answer the packets that arrive with SACKs, take in headers, look after time-outs, and send a
// packet over each link that is free, their flows in turn, lost packets first, the lowest one before others.
//
//   - A SACK says the number of packets that have come without a gap and which of 64 others have come, and carries
//     the EV and the mark of the packet that it answers. It is sent for every [transport.Options].AckRatio-th packet, and
//     at once for a marked one, a duplicate, one whose sender asks for it (the last one that fits into the window, or
//     of the flow, and one that is sent again), and one that fills the last gap before such a packet.
//   - A NACK says that a packet was trimmed, and whether at the last hop. That is congestion of the receiver: the
//     balancer takes it for a packet that arrived without a mark. Switches do not mark at the last hop either.
//   - A packet is lost for its sender when a NACK comes or its time-out is over. It is sent again along the path that
//     the balancer then chooses, if it fits into the window. The time-out of a packet is Options.RTO, seven times in a
//     row, and doubles from then on, up to 2^14 times.
//   - A packet that is not answered when half of its time-out is over makes the sender send a reliability probe, if no
//     other one is under way: a header along the next path. The answer says the number of packets that have come
//     without a gap and whether that packet has. A probe is under way until it is answered or a packet of the flow
//     times out. There are none where each packet is answered and no answer can be lost: on links that never fail.
//   - A flow may send while fewer packets than its window are in flight, and as far as 32,640 packets beyond the first
//     that the receiver has not got.
//   - A SACK or NACK goes back along the path on which its packet came: the reverse set of a receiver holds what last
//     came by each plane.
//   - A host tells the sources of its unfinished flows which of its links work, when that changes and when the first
//     packet of a flow arrives while one does not. It sends nothing over a link of its own that has failed.
//
// # Where to read
//
// run.go has what is run; then in the order in which a packet meets it sending.go, receiving.go (its SACK), answers.go
// (what its sender learns); timing.go has time-outs, ports.go links that fail, turns.go balancers that know no
// planes.
//
// # Assumptions
//
// A flow is a connection, and its window its own. A SACK echoes the time of its packet, which here is known unless
// a packet was sent again: then from its EV, or the RTT counts as unclear. The receiver's penalty and NACKs for other
// reasons than trimming are left out, since receivers here have memory for everything.
//
// # References
//
// [MRC26]; the full entry is under this key in docs/references.md. What is public, and what was chosen where it is
// silent: docs/mrc.md.
package multipath
