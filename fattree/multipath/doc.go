// Package multipath implements the hosts of Multipath Reliable Connection (MRC, [MRC26]) in networks of package
// fattree. Hosts send selective acknowledgements for packets in any order, a time-out runs for each packet, an EV
// names the plane and the path of every packet, and hosts tell each other which of their links work. [NewRun] puts
// its hosts on a network with [fattree.MRC] as its [fattree.Spec].Profile.
//
// It uses the load balancers and congestion controls of package transport. A [transport.PlaneBalancer], such as
// the one of balance.NewMRC, chooses link and EV of a packet together. With any other balancer, a host uses its links
// in turn, and the balancer chooses the path in the plane. So several balancers can be compared in the same transport.
//
// # Model
//
// In each slot hosts answer arriving packets with SACKs, take in headers, and handle time-outs. Then they send a
// packet over each free link. Their flows take turns; a flow sends its lost packets first, the lowest number
// first.
//
//   - A SACK has the number of packets that have arrived without a gap, a bitmap of 64 other packets, and the EV
//     and the mark of the packet that it answers. It is sent for every [transport.Options].AckRatio-th packet. It
//     is sent at once for a marked packet, a duplicate, a packet that requests an answer, and one that fills the
//     last gap before such a packet. Requests come with the last packet that fits into the window, the last packet
//     of the flow, and retransmissions.
//   - A NACK says that a packet was trimmed, and whether at the last hop. Trimming at the last hop is congestion of the
//     receiver: the balancer treats the packet like one that arrived without a mark. Switches do not mark at the last
//     hop either.
//   - A sender takes a packet for lost when a NACK comes or its time-out is over. It sends the packet again along the
//     path that the balancer then chooses, if the packet fits into the window. The time-out of a packet is Options.RTO,
//     seven times in a row, and doubles from then on, up to 2^14 times.
//   - If a packet is not answered when half of its time-out is over, the sender sends a reliability probe, unless
//     one is in flight: a header along the next path. The answer has the number of packets that have arrived
//     without a gap, and says whether the packet has arrived. A probe counts as in flight until it is answered or a
//     packet of the flow times out. There are no probes if each packet is answered and no answer can be lost: on
//     links that never fail.
//   - A flow may send while fewer packets than its window are in flight, and at most 32,640 packets beyond the
//     first one that the receiver does not have.
//   - A SACK, a NACK and the answer to a probe have the EV of the packet that they answer. So they go back in its
//     plane. Each switch on their way hashes the EV, so their path need not be the packet's. The reverse set of EVs
//     of [MRC26] is left out.
//   - A host tells the sources of its unfinished flows which of its links work: when that changes, and when the first
//     packet of a flow arrives while some link has failed. It sends nothing over a failed link of its own.
//
// # Where to read
//
// run.go has the run. The next files follow the way of a packet: sending.go, receiving.go (its SACK), answers.go
// (what its sender learns). timing.go has time-outs, ports.go failed links, turns.go balancers that know no
// planes.
//
// # Assumptions
//
// A flow is a connection with a window of its own. A SACK echoes the send time of its packet; here the sender
// knows it. If a packet was sent again, the EV tells which transmission is answered, or else the RTT counts as
// unclear. The receiver's penalty, and NACKs for other reasons than trimming, are left out, because receivers here
// have memory for everything.
//
// # References
//
// [MRC26]; the full entry is under this key in docs/references.md. docs/mrc.md says what is public, and what was
// chosen where the sources are silent.
package multipath
