package fattree

// EnlargeRings gives the queues of the following runs rings with room for all packets that they may hold.
func EnlargeRings(r *Run) {
	for i := range r.tiles {
		r.tiles[i].ringMask = 1<<9 - 1
		r.tiles[i].rings = make([]Packet, r.tiles[i].nics<<9)
	}
}
