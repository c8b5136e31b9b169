package bins

// Lockstep holds the queues of bins that all serve once per round. The head of each queue leaves in every
// round, so a ball that finds k others in its bin leaves k services later. It is put at once into the
// slot that this service will read. The balls of one service lie side by side, and of a queue only the
// load has to be stored. Make it with [NewLockstep].
type Lockstep struct {
	loads  []uint32
	places []uint32 // the ball that leaves bin i at service t: places[(t&mask) len(loads) + i]
	mask   uint32   // places for a bin, a power of two, minus one
	clock  uint32   // services since Reset, modulo 2^32
}

// NewLockstep returns empty queues of the given number of bins, at least 1. Before they grow each has
// room for at least room balls. It holds 4 room + 4 bytes per bin, with room rounded up to a power of
// two.
func NewLockstep(bins, room int) Lockstep {
	places := 1
	for places < room {
		places *= 2
	}
	return Lockstep{
		loads:  make([]uint32, bins),
		places: make([]uint32, bins*places),
		mask:   uint32(places - 1),
	}
}

// Reset empties all queues and keeps their memory. O(bins).
func (w *Lockstep) Reset() {
	clear(w.loads)
	w.clock = 0
}

// Load returns the number of balls in a bin, 0 <= bin < bins. O(1).
func (w *Lockstep) Load(bin int) uint32 { return w.loads[bin] }

// Heads returns the loads of all bins and the balls at their heads, both by bin;
// the head of an empty bin has no meaning. They share memory with w and are valid
// until Push. O(1).
func (w *Lockstep) Heads() (loads, heads []uint32) {
	n := len(w.loads)
	return w.loads, w.places[int(w.clock&w.mask)*n:][:n]
}

// Serve removes the heads and returns the same as Heads. Before the next call the caller must lower every
// load that is not 0 by 1: it reads all loads anyhow, so this saves a second pass. O(1).
func (w *Lockstep) Serve() (loads, heads []uint32) {
	loads, heads = w.Heads()
	w.clock++
	return loads, heads
}

// Hold lets a bin miss the next service: each of its balls leaves one service later. Until
// [Lockstep.Release] the bin looks empty to Heads and Serve. Hold returns its load. O(load), or O(bins *
// room) when the queue outgrows its room.
func (w *Lockstep) Hold(bin uint32) (load uint32) {
	load = w.loads[bin]
	if load > w.mask {
		w.grow()
	}
	n := len(w.loads)
	for t := w.clock + load; t != w.clock; t-- {
		w.places[int(t&w.mask)*n+int(bin)] = w.places[int((t-1)&w.mask)*n+int(bin)]
	}
	w.loads[bin] = 0
	return load
}

// Release gives a bin on hold its load back, after Serve and before Push. O(1).
func (w *Lockstep) Release(bin, load uint32) { w.loads[bin] = load }

// Push puts the balls first, first+1, ... at the ends of the queues of the given bins, in this order. It
// skips a ball if its bin is not in [0, bins). O(len(bins)), plus O(bins * room) when a queue outgrows
// its room.
func (w *Lockstep) Push(bins []uint32, first uint32) {
	loads, places, mask, clock := w.loads, w.places, w.mask, w.clock
	for i, bin := range bins {
		if uint(bin) >= uint(len(loads)) { // unsigned, since int(bin) is negative if int has 32 bits
			continue
		}
		load := loads[bin]
		if load > mask {
			w.grow()
			places, mask = w.places, w.mask
		}
		loads[bin] = load + 1
		places[int((clock+load)&mask)*len(loads)+int(bin)] = first + uint32(i)
	}
}

// grow doubles the room of all queues. O(bins * room).
func (w *Lockstep) grow() {
	n, mask := len(w.loads), 2*w.mask+1
	places := make([]uint32, 2*len(w.places))
	for t := w.clock; t != w.clock+w.mask+1; t++ {
		copy(places[int(t&mask)*n:][:n], w.places[int(t&w.mask)*n:])
	}
	w.places, w.mask = places, mask
}
