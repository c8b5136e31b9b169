package topology

import (
	"slices"

	"repslab/fattree"
)

// connected reports whether all ToRs still reach each other after the failure of a part, which has been noted, if
// they did before. It checks only pairs that can have lost a path.
func (p *placer) connected(part Part) bool {
	switch {
	case part.Tier == 0:
		return p.reachAll(part.Switch, part.Switch+1, 0, p.t.ToRs())
	case p.t.Tiers == 2:
		return p.reachAll(0, p.t.ToRs(), 0, p.t.ToRs())
	case part.Tier == 1 && part.WholeSwitch:
		pod := part.Switch / p.t.AggsPerPod()
		return p.reachAll(pod*p.t.ToRsPerPod, (pod+1)*p.t.ToRsPerPod, 0, p.t.ToRs())
	case part.Tier == 1:
		return p.connectedBeyond(part.Switch%p.t.AggsPerPod(), part.Switch/p.t.AggsPerPod())
	}
	group := part.Switch / p.t.CoresPerAgg()
	for pod := range p.t.Pods() {
		if !p.connectedBeyond(group, pod) {
			return false
		}
	}
	return true
}

// connectedBeyond reports whether all ToRs still reach each other after a failure between the cores and one
// aggregation switch. group is this switch's number in its pod. If it still reaches the switch of the same group
// in another pod over some core, and is reached by it, nothing has changed for the ToRs of the two pods.
func (p *placer) connectedBeyond(group, pod int) bool {
	tors := p.t.ToRsPerPod
	for other := range p.t.Pods() {
		if other == pod || p.joined(group, pod, other) && p.joined(group, other, pod) {
			continue
		}
		if !p.reachAll(pod*tors, (pod+1)*tors, other*tors, (other+1)*tors) {
			return false
		}
	}
	return true
}

// joined reports whether a working path leads over a core from the aggregation switch of a group in one pod to the
// switch of the same group in another pod.
func (p *placer) joined(group, from, to int) bool {
	t := &p.t
	cables := t.CoreCablesPerPair
	up, down := t.up(1, from*t.AggsPerPod()+group, 0), t.port(2, group*t.CoresPerAgg(), to*cables)
	for range t.CoresPerAgg() {
		if slices.Contains(p.dead[up:up+cables], false) && slices.Contains(p.dead[down:down+cables], false) {
			return true
		}
		up, down = up+cables, down+t.portsOf(2)
	}
	return false
}

// reachAll reports whether working paths lead from each ToR of [first, end) to each other ToR of [otherFirst,
// otherEnd), and back.
func (p *placer) reachAll(first, end, otherFirst, otherEnd int) bool {
	for a := first; a < end; a++ {
		for b := otherFirst; b < otherEnd; b++ {
			if a != b && !(p.reach(a, b) && p.reach(b, a)) {
				return false
			}
		}
	}
	return true
}

// reach reports whether a working path leads from one ToR to another.
func (p *placer) reach(from, to int) bool {
	return p.wiring.Reaches(int32(from), fattree.Host(to*p.t.HostsPerToR), p.dead)
}
