package fattree

// AppendPath appends to dst the port that each switch on the way picks by its hash, counted from 0, for a flow's packet
// with an EV. Switches with a single port are left out. A network card with several links counts as a switch that picks
// the given link. It returns dst as it is if a [Router] chooses. Hashes are those of the last run. O(hops).
func (r *Run) AppendPath(dst []int32, flow int32, ev uint16, link int32) []int32 {
	if r.router != nil {
		return dst
	}
	ends := r.ends[flow]
	for at := r.net.home[ends.source]; at >= 0; {
		sw := &r.net.nodes[at]
		first, count := sw.next(ends.destination)
		if count == 0 {
			first, count = r.net.search(at, ends.destination)
		}
		choice := link
		if count == 1 {
			choice = 0
		} else if !sw.nic {
			choice = int32(Ports{r, sw.firstPort + first, count}.Hashed(Passing{Switch: at, Flow: flow, EV: ev}))
		}
		if count > 1 {
			dst = append(dst, choice)
		}
		at = r.net.ports[sw.firstPort+first+choice].peer
	}
	return dst
}
