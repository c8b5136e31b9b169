package schedule

import "repslab/fattree"

// event is something that happens to an operation at a time.
type event struct {
	at   fattree.Picoseconds
	op   int32
	what what
}

// what happens to an operation. At one time, all that comes to its end does so before any operation takes its turn.
type what uint8

const (
	arrival what = iota // the message of a Recv is complete
	end                 // it ends
	start               // it has its turn
	ready               // it waits for nothing but its turn
)

// before reports whether an event takes effect before another one.
func (e event) before(f event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	return e.what < f.what || e.what == f.what && e.op < f.op
}

// agenda is a heap of events, the next one first.
type agenda []event

// push adds an event.
func (a *agenda) push(e event) {
	heap := append(*a, e)
	i := len(heap) - 1
	for i > 0 && e.before(heap[(i-1)/2]) {
		heap[i] = heap[(i-1)/2]
		i = (i - 1) / 2
	}
	heap[i], *a = e, heap
}

// pop removes the next event.
func (a *agenda) pop() event {
	heap := *a
	first, e := heap[0], heap[len(heap)-1]
	heap = heap[:len(heap)-1]
	*a = heap
	i := 0
	for child := 1; child < len(heap); child = 2*i + 1 {
		if child+1 < len(heap) && heap[child+1].before(heap[child]) {
			child++
		}
		if !heap[child].before(e) {
			break
		}
		heap[i], i = heap[child], child
	}
	if len(heap) > 0 {
		heap[i] = e
	}
	return first
}
