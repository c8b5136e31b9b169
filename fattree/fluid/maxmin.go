package fluid

// solver finds max-min fair rates by progressive filling. It reuses its memory.
type solver struct {
	capacity []float64 // by link, bytes per picosecond
	paths    []path    // by flow
	rate     []float64 // by flow, bytes per picosecond: the result for active flows

	left        []float64 // by link: capacity that frozen flows leave
	users       []int32   // by link: number of active flows that are not frozen; 0 between calls
	first, last []int32   // by link: its range in members
	members     []int32   // active flows, grouped by link
	touched     []int32   // links with active flows
	filling     []bottleneck
}

// bottleneck is a link on the heap, and the rate at which it would be full when it was put there. This rate can
// only rise.
type bottleneck struct {
	share float64
	link  int32
}

func newSolver(capacity []float64, paths []path) *solver {
	links := len(capacity)
	return &solver{
		capacity: capacity, paths: paths, rate: make([]float64, len(paths)),
		left: make([]float64, links), users: make([]int32, links),
		first: make([]int32, links), last: make([]int32, links),
	}
}

// unfrozen marks a rate that is still rising.
const unfrozen = -1

// solve sets the rates of the active flows, each listed once. A flow over a link without capacity gets 0. O(h log
// h) for h = active flows times hops; it allocates only to grow its memory.
func (s *solver) solve(active []int32) {
	s.index(active)
	for frozen := 0; frozen < len(active); {
		top := &s.filling[0]
		users := s.users[top.link]
		if users == 0 {
			s.pop()
			continue
		}
		if share := max(0, s.left[top.link]) / float64(users); share > top.share {
			top.share = share
			s.sink(0)
			continue
		}
		// No other link is full at a lower rate, so the flows of this link are frozen.
		level, link := top.share, top.link
		s.pop()
		for _, f := range s.members[s.first[link]:s.last[link]] {
			if s.rate[f] != unfrozen {
				continue
			}
			frozen++
			s.rate[f] = level
			for _, l := range s.paths[f].over() {
				s.left[l] -= level
				s.users[l]--
			}
		}
	}
}

// index lists the active flows of every link and puts the links on a heap.
func (s *solver) index(active []int32) {
	s.touched = s.touched[:0]
	for _, f := range active {
		s.rate[f] = unfrozen
		for _, l := range s.paths[f].over() {
			if s.users[l] == 0 {
				s.touched = append(s.touched, l)
				s.left[l] = s.capacity[l]
			}
			s.users[l]++
		}
	}
	s.filling = s.filling[:0]
	total := int32(0)
	for _, l := range s.touched {
		s.first[l], s.last[l] = total, total
		total += s.users[l]
		s.filling = append(s.filling, bottleneck{s.left[l] / float64(s.users[l]), l})
	}
	if cap(s.members) < int(total) {
		s.members = make([]int32, total)
	}
	s.members = s.members[:total]
	for _, f := range active {
		for _, l := range s.paths[f].over() {
			s.members[s.last[l]] = f
			s.last[l]++
		}
	}
	for i := len(s.filling)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
}

// pop removes the first link from the heap.
func (s *solver) pop() {
	end := len(s.filling) - 1
	s.filling[0] = s.filling[end]
	s.filling = s.filling[:end]
	s.sink(0)
}

// sink moves an entry of the heap down to its place.
func (s *solver) sink(i int) {
	heap := s.filling
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].share < heap[child].share {
			child++
		}
		if heap[i].share <= heap[child].share {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
