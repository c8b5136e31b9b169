package bins

// Queues holds the queue of every bin. Balls are numbers: the colour or the flow that threw them. All
// queues lie in one slice and have the same capacity, a power of two; [Queues.Grow] doubles it. Make it
// with [NewQueues].
type Queues struct {
	places []uint32 // of bin i: places[i<<shift : (i+1)<<shift]
	ends   []ends
	shift  uint
	mask   uint32
}

// ends counts the balls that went into a bin (tail) and out of it (head), modulo 2^32; the difference is
// the load.
type ends struct{ head, tail uint32 }

// NewQueues returns empty queues of the given number of bins. Before they grow each has room for at least
// room balls. It holds 4 room + 8 bytes per bin, with room rounded up to a power of two.
func NewQueues(bins, room int) Queues {
	var shift uint
	for 1<<shift < room {
		shift++
	}
	return Queues{
		places: make([]uint32, bins<<shift),
		ends:   make([]ends, bins),
		shift:  shift,
		mask:   1<<shift - 1,
	}
}

// Reset empties all queues and keeps their memory. O(bins).
func (q *Queues) Reset() { clear(q.ends) }

// Load returns the number of balls in a bin, 0 <= bin < bins. O(1).
func (q *Queues) Load(bin int) uint32 {
	e := q.ends[bin]
	return e.tail - e.head
}

// Full reports whether a bin's queue has no room for another ball. O(1).
func (q *Queues) Full(bin uint32) bool {
	e := &q.ends[bin]
	return e.tail-e.head > q.mask
}

// Push puts a ball at the end of a bin's queue, which must not be full, and returns the bin's load. O(1).
// The caller checks Full and calls Grow, so that Push can be inlined.
func (q *Queues) Push(bin, ball uint32) uint32 {
	e := &q.ends[bin]
	q.places[int(bin)<<q.shift|int(e.tail&q.mask)] = ball
	e.tail++
	return e.tail - e.head
}

// Pop removes and returns the ball at the head of a queue, which must not be
// empty. O(1).
func (q *Queues) Pop(bin uint32) uint32 {
	e := &q.ends[bin]
	ball := q.places[int(bin)<<q.shift|int(e.head&q.mask)]
	e.head++
	return ball
}

// CopyFrom makes q equal to the queues of the same number of bins. It reuses the memory of q if that is
// large enough. O(bins * capacity).
func (q *Queues) CopyFrom(other *Queues) {
	q.places = append(q.places[:0], other.places...)
	copy(q.ends, other.ends)
	q.shift, q.mask = other.shift, other.mask
}

// Grow doubles the capacity of all queues. O(bins * capacity).
func (q *Queues) Grow() {
	larger := NewQueues(len(q.ends), 2<<q.shift)
	for bin, e := range q.ends {
		for at := e.head; at != e.tail; at++ {
			larger.places[bin<<larger.shift|int(at&larger.mask)] = q.places[bin<<q.shift|int(at&q.mask)]
		}
	}
	copy(larger.ends, q.ends)
	*q = larger
}
