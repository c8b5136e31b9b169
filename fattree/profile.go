package fattree

// Profile is a set of rules for hosts.
type Profile uint8

// The transports. Under the rules of UltraEthernet, those of Ultra Ethernet's public simulator
// ([UEC-htsim]), in contrast to those of the REPS artifact, which the package documentation tells:
//
//   - a flow may send if a whole packet more fits into its window, so a packet asks for an ACK if its
//     flow has no room for two after it;
//   - windows begin at, and are bounded by, 1.5 bandwidth-delay products across the network, also
//     between near hosts and of hosts with several links; a smaller transport.Options.InitialWindow holds;
//   - a NACK of a packet that was trimmed at the port to its receiver is feedback of the kind Good, or
//     Marked if the packet had a mark by then: its path is not to blame;
//   - a time-out is feedback about EV 0;
//   - without trimming senders ask before they send a packet again that has timed out, see
//     transport.Options.RequestsForRetransmission;
//   - a short packet, the last one of a flow or message, takes only its own time of links;
//   - a header is lost at a port where as many wait as twice the bytes of its queue, if data wait there too;
//   - a receiver answers a request for a pull, which is then not sent again soon;
//   - congestion control learns where a packet was trimmed (transport.Loss.LastHop), and whether an RTT may be
//     that of an earlier transmission (transport.Acknowledgement.Unclear).
const (
	Artifact      Profile = iota // [Bonato26-artifact]
	UltraEthernet                // [UEC-htsim]
	// MRC are the rules of package multipath, [MRC26]: the network is that of Artifact, with the queues, marks and
	// windows of UltraEthernet, but windows are those of all links of a host.
	MRC
)

// ultraUntrimmed is how many times as much fits into queues without trimming, [UEC-htsim].
const ultraUntrimmed = 5
