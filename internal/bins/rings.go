package bins

// Rings holds a ring for every flow: the entries that the flow remembers, the oldest first. All rings
// have the same size. Make it with [NewRings].
type Rings struct {
	places []uint32 // ring of flow f: places[f*size : (f+1)*size]
	oldest []uint16
	used   []uint16
	size   int
}

// NewRings returns empty rings for the given number of flows, each with size entries, 1 <= size < 2^16.
// It holds 4 size + 4 bytes per flow.
func NewRings(flows, size int) Rings {
	return Rings{make([]uint32, flows*size), make([]uint16, flows), make([]uint16, flows), size}
}

// Reset forgets everything. O(flows).
func (r *Rings) Reset() {
	clear(r.oldest)
	clear(r.used)
}

// CopyFrom makes r equal to rings of the same number of flows and entries. O(flows * size).
func (r *Rings) CopyFrom(other *Rings) {
	copy(r.places, other.places)
	copy(r.oldest, other.oldest)
	copy(r.used, other.used)
}

// Put adds an entry. It drops the oldest entry of a full ring, and reports that the ring was full. O(1).
func (r *Rings) Put(flow, entry uint32) (full bool) {
	at := int(r.oldest[flow]) + int(r.used[flow])
	if at >= r.size {
		at -= r.size
	}
	r.places[int(flow)*r.size+at] = entry
	if int(r.used[flow]) < r.size {
		r.used[flow]++
		return false
	}
	r.advance(flow)
	return true
}

// Oldest returns the oldest entry, or false if there is none. O(1).
func (r *Rings) Oldest(flow uint32) (entry uint32, ok bool) {
	if r.used[flow] == 0 {
		return 0, false
	}
	return r.places[int(flow)*r.size+int(r.oldest[flow])], true
}

// Take returns and removes the oldest entry, or returns false if there is none.
// O(1).
func (r *Rings) Take(flow uint32) (entry uint32, ok bool) {
	if r.used[flow] == 0 {
		return 0, false
	}
	entry = r.places[int(flow)*r.size+int(r.oldest[flow])]
	r.used[flow]--
	r.advance(flow)
	return entry, true
}

// advance moves the oldest entry's place by one.
func (r *Rings) advance(flow uint32) {
	if r.oldest[flow]++; int(r.oldest[flow]) == r.size {
		r.oldest[flow] = 0
	}
}
