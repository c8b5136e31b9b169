package reps

// firstQueueLen is the number of places of a queue after its first push.
const firstQueueLen = 16

// queue is a first-in first-out list of EVs that grows without a limit. The
// length of buf is 0 or a power of two.
type queue struct {
	buf  []uint16
	head uint32 // place of the oldest EV
	n    uint32
}

// push appends ev, in amortised O(1).
func (q *queue) push(ev uint16) {
	if int(q.n) == len(q.buf) {
		q.grow()
	}
	q.buf[int(q.head+q.n)&(len(q.buf)-1)] = ev
	q.n++
}

// pop removes and returns the oldest EV; the queue must not be empty.
func (q *queue) pop() uint16 {
	ev := q.buf[int(q.head)&(len(q.buf)-1)]
	q.head++
	q.n--
	return ev
}

// clear empties q and keeps its storage.
func (q *queue) clear() {
	q.head, q.n = 0, 0
}

// grow doubles the storage and moves the oldest EV to the front.
func (q *queue) grow() {
	bigger := make([]uint16, max(firstQueueLen, 2*len(q.buf)))
	at := int(q.head) & max(len(q.buf)-1, 0)
	copied := copy(bigger, q.buf[at:])
	copy(bigger[copied:], q.buf[:at])
	q.buf, q.head = bigger, 0
}
