package fattree

// Profile selects the rules of hosts.
type Profile uint8

// The profiles. The documentation of packages fattree and transport describes the rules of the REPS artifact.
// UltraEthernet follows Ultra Ethernet's public simulator ([UEC-htsim]) and differs in these points:
//
//   - A flow may send if its window has room for one more full packet. A packet requests an ACK if, after it, the
//     window has no room for two more.
//   - Windows begin at 1.5 bandwidth-delay products of the longest path, and do not grow beyond, also between near
//     hosts and for hosts with several links. A smaller transport.Options.InitialWindow is kept.
//   - If a packet was trimmed at the port to its receiver, its path is not to blame: the balancer's feedback is Good,
//     or Marked if the packet had a mark.
//   - The feedback of a time-out is about EV 0.
//   - Without trimming a sender asks before it retransmits a packet that timed out, see
//     transport.Slips.RequestsForRetransmission.
//   - A short packet, the last one of a flow or message, occupies links for its own bytes only.
//   - A port loses a header if data wait there and the waiting headers have twice the bytes of its queue.
//   - A receiver answers a request for a pull. The sender then waits before it repeats the request.
//   - Congestion control learns where a packet was trimmed (transport.Loss.LastHop), and whether an RTT may belong
//     to an earlier transmission (transport.Acknowledgement.Unclear).
const (
	Artifact      Profile = iota // [Bonato26-artifact]
	UltraEthernet                // [UEC-htsim]
	// MRC selects the rules of package multipath, [MRC26]. The network works as under Artifact, with the queues and
	// marks of UltraEthernet. Windows are 1.5 bandwidth-delay products at the rate of all links of a host.
	MRC
)

// ultraUntrimmed is the factor by which queues without trimming are longer, [UEC-htsim].
const ultraUntrimmed = 5
