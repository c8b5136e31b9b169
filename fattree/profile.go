package fattree

// Profile selects the rules of hosts.
type Profile uint8

// The transports. The package documentation describes the rules of the REPS artifact. The rules of UltraEthernet follow
// Ultra Ethernet's public simulator ([UEC-htsim]). They differ from the artifact's:
//
//   - a flow may send if its window has room for one more full packet. A packet requests an ACK if, after it, the
//     window has no room for two more;
//   - windows begin at 1.5 bandwidth-delay products across the network, which is also their bound, even between near
//     hosts and for hosts with several links; a smaller transport.Options.InitialWindow is kept;
//   - a NACK of a packet that was trimmed at the port to its receiver is feedback of the kind Good, or Marked if the
//     packet had a mark by then: its path is not to blame;
//   - a time-out is feedback about EV 0;
//   - without trimming, senders ask before they retransmit a packet that has timed out, see
//     transport.Options.RequestsForRetransmission;
//   - a short packet, the last one of a flow or message, takes only its own time on links;
//   - a header is lost at a port with waiting data if the waiting headers fill twice the bytes of the port's queue;
//   - a receiver answers a request for a pull; the sender then does not soon repeat the request;
//   - congestion control learns where a packet was trimmed (transport.Loss.LastHop), and whether an RTT may belong
//     to an earlier transmission (transport.Acknowledgement.Unclear).
const (
	Artifact      Profile = iota // [Bonato26-artifact]
	UltraEthernet                // [UEC-htsim]
	// MRC selects the rules of package multipath, [MRC26]. The network follows Artifact, with the queues, marks
	// and windows of UltraEthernet, except that windows use the rate of all links of a host.
	MRC
)

// ultraUntrimmed is how many times larger queues are without trimming, [UEC-htsim].
const ultraUntrimmed = 5
