package fattree

// headersPerPacket is the number of headers that a host sends for each packet while both wait, as the NICs of
// [Bonato26-artifact] and [UEC-htsim] do. The interleaving matters only with a [Router], which sees in what order
// packets come. With others it hardly changes completion times (docs/calibration.md), so it is left out.
const headersPerPacket = 10

// yields reports whether a header has to let one more packet go first, at a host with waiting flows. The header's
// time on the link is then charged after that packet, together with the time of the next header.
func (t *tile) yields(host int32, nic *port) bool {
	sent := &t.run.turns[host] // headers sent while flows waited, since a packet last went first
	*sent++
	switch {
	case *sent <= headersPerPacket:
		return false
	case *sent == headersPerPacket+1:
		nic.debt -= nic.perHeader
		return true
	}
	*sent = 2 // including the header that has waited
	nic.debt += nic.perHeader
	return false
}
