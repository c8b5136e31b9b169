package schedule

import "repslab/fattree"

// event is something that happens to an operation at a time.
type event struct {
	at   fattree.Picoseconds
	what what
	op   int32
}

// what happens to an operation. At one time, all that comes to its end does so before any operation takes its turn.
type what int32

const (
	arrival what = iota // the message of a Recv is complete
	end                 // it ends
	start               // it has its turn
	ready               // it waits for nothing but its turn
)

// before reports whether an event takes effect before another one.
func (e event) before(f event) bool {
	return e.at < f.at || e.at == f.at && (e.what < f.what || e.what == f.what && e.op < f.op)
}

// agenda is a heap of events, the next one first.
type agenda []event

// push adds an event.
func (a *agenda) push(e event) {
	heap := append(*a, e)
	i := len(heap) - 1
	for ; i > 0 && e.before(heap[(i-1)/2]); i = (i - 1) / 2 {
		heap[i] = heap[(i-1)/2]
	}
	heap[i], *a = e, heap
}

// pop removes the next event.
func (a *agenda) pop() event {
	heap, last := *a, len(*a)-1
	first, e, i := heap[0], heap[last], 0
	for child := 1; child < last; child = 2*i + 1 {
		if child+1 < last && heap[child+1].before(heap[child]) {
			child++
		}
		if e.before(heap[child]) {
			break
		}
		heap[i], i = heap[child], child
	}
	heap[i], *a = e, heap[:last]
	return first
}
