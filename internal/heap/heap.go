// Package heap provides a priority queue. Unlike container/heap it does not allocate for each item.
package heap

// Heap is a binary heap: the first item comes before all others. The zero value is empty.
type Heap[T interface{ Before(T) bool }] []T

// Push adds an item. O(log items).
func (h *Heap[T]) Push(item T) {
	items := append(*h, item)
	i := len(items) - 1
	for ; i > 0 && item.Before(items[(i-1)/2]); i = (i - 1) / 2 {
		items[i] = items[(i-1)/2]
	}
	items[i], *h = item, items
}

// Pop removes the first item of a heap that is not empty. O(log items).
func (h *Heap[T]) Pop() T {
	items, last := *h, len(*h)-1
	first, item, i := items[0], items[last], 0
	for child := 1; child < last; child = 2*i + 1 {
		if child+1 < last && items[child+1].Before(items[child]) {
			child++
		}
		if item.Before(items[child]) {
			break
		}
		items[i], i = items[child], child
	}
	items[i], *h = item, items[:last]
	return first
}
