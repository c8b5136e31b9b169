package fattree

// headersPerPacket is the number of headers that a host sends for each packet while both wait, as the NICs
// of [Bonato26-artifact] and [UEC-htsim] do. It matters for a [Router], which sees in what order packets
// come; for others it hardly changes completion times (docs/calibration.md) and is left out.
const headersPerPacket = 10

// yields reports whether a header of a host whose flows wait lets one more packet go first. The header's time on the
// link is then charged after that packet, together with the time of the next header.
func (t *tile) yields(host int32, nic *port) bool {
	sent := &t.turns[host] // headers while flows waited, since one of these had its turn
	*sent++
	switch {
	case *sent <= headersPerPacket:
		return false
	case *sent == headersPerPacket+1:
		nic.debt -= nic.perHeader
		return true
	}
	*sent = 2 // with the one that has waited
	nic.debt += nic.perHeader
	return false
}
