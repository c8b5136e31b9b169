package fattree

import "math/bits"

// wheel is a timing wheel: a bucket for each of the next slots. Emptied buckets pass their
// memory to the next ones that fill, so a cache needs to hold only what is in flight.
type wheel[T any] struct {
	buckets [][]T // by slot modulo their number, a power of two
	spare   [][]T // empty, the last one used on top
}

// newWheel returns a wheel for delays up to most slots.
func newWheel[T any](most int32) wheel[T] {
	return wheel[T]{buckets: make([][]T, 1<<bits.Len32(uint32(most)))}
}

// put adds something to a slot's bucket.
func (w *wheel[T]) put(slot int32, item T) {
	bucket := w.open(slot)
	*bucket = append(*bucket, item)
}

// open returns a slot's bucket for appending, before any other use of the wheel.
func (w *wheel[T]) open(slot int32) *[]T {
	bucket := &w.buckets[int(slot)&(len(w.buckets)-1)]
	if *bucket == nil {
		*bucket = w.unused()
	}
	return bucket
}

// unused returns an empty bucket.
func (w *wheel[T]) unused() []T {
	last := len(w.spare) - 1
	if last < 0 {
		return nil
	}
	bucket := w.spare[last]
	w.spare = w.spare[:last]
	return bucket
}

// at returns what is in a slot's bucket.
func (w *wheel[T]) at(slot int32) []T { return w.buckets[int(slot)&(len(w.buckets)-1)] }

// empty takes everything out of a slot's bucket.
func (w *wheel[T]) empty(slot int32) {
	bucket := &w.buckets[int(slot)&(len(w.buckets)-1)]
	if *bucket != nil {
		w.spare = append(w.spare, (*bucket)[:0])
		*bucket = nil
	}
}

// reset empties the wheel and keeps its memory.
func (w *wheel[T]) reset() {
	for slot := range w.buckets {
		w.empty(int32(slot))
	}
}
