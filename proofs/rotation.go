package proofs

import "slices"

// rotationRun is a run of a network of leaves and spines in which hosts rotate for each destination, written for
// clarity and independent of package leafspine. A packet in a queue is its destination.
type rotationRun struct {
	spines, leaves, fan int                      // hosts of a leaf, leaves, destinations of a host
	destination         func(host, turn int) int // a destination of a host
	begin, start        []int                    // first slot of a host; first spine by host and destination
	queues              [3][][]int               // uplinks by leaf and spine, downlinks by spine and leaf, ports of hosts
}

// push adds a packet to a queue of a stage.
func (s *rotationRun) push(stage, queue, to int) {
	s.queues[stage][queue] = append(s.queues[stage][queue], to)
}

// step runs a slot: queues serve, the last stage first, then hosts send. It returns the longest queue of each stage.
func (s *rotationRun) step(slot int) (longest [3]int) {
	for stage := 2; stage >= 0; stage-- {
		for i, q := range s.queues[stage] {
			if len(q) > 0 {
				s.queues[stage][i] = q[1:]
			}
			if len(q) > 0 && stage < 2 {
				s.push(stage+1, []int{i%s.spines*s.leaves + q[0]/s.spines, q[0]}[stage], q[0])
			}
		}
	}
	for host, begin := range s.begin {
		round, turn, leaf := (slot-begin)/s.fan, (slot-begin)%s.fan, host/s.spines
		if slot < begin {
			continue
		}
		if to := s.destination(host, turn); to/s.spines == leaf {
			s.push(2, to, to)
		} else {
			s.push(0, leaf*s.spines+(s.start[host*s.fan+turn]+round)%s.spines, to)
		}
	}
	for stage, queues := range s.queues {
		for _, q := range queues {
			longest[stage] = max(longest[stage], len(q))
		}
	}
	return longest
}

// play runs slots from empty queues. It returns the longest queues after each.
func (s rotationRun) play(slots int) (all [][3]int) {
	for stage := range s.queues {
		s.queues[stage] = make([][]int, s.spines*s.leaves)
	}
	for slot := range slots {
		all = append(all, s.step(slot))
	}
	return all
}

// rotationBounds returns the bounds of S29 on uplinks, downlinks and ports of hosts, for n spines and d destinations.
func rotationBounds(n, d int) [3]int { return [3]int{d*(n-1) + 1, d * (2*n - 1), d*(3*n-1) - 1} }

// checkRotation plays all starts of small networks and checks S29 after every slot.
func checkRotation(*Audit) Finding {
	f, runs, attained := Finding{Verdict: Holds, Margin: "exact"}, 0, 0
	for _, s := range []rotationRun{{leaves: 2, fan: 1}, {leaves: 3, fan: 1}, {leaves: 2, fan: 2}} {
		hosts, bounds := 2*s.leaves, rotationBounds(2, s.fan)
		s.spines, s.destination = 2, func(host, turn int) int { return (host + 2 + turn) % hosts }
		for word := range choices(2, hosts*(1+s.fan)) {
			s.begin, s.start = word[:hosts], word[hosts:]
			for slot, q := range s.play(12) {
				if q[0] == bounds[0] {
					attained++
				}
				if q[0] > bounds[0] || q[1] > bounds[1] || q[2] > bounds[2] {
					f.fails("%d leaves, %d destinations, starts %v, slot %d: queues of %v", s.leaves, s.fan, slices.Clone(word), slot, q)
				}
			}
			runs++
		}
	}
	f.require(attained > 0, "some uplink reaches its bound")
	f.evidence("all starts of three networks with 2 spines, %d runs of 12 slots: no violation; %d times an uplink reaches its bound", runs, attained)
	return f
}
