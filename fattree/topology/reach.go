package topology

import (
	"slices"

	"repslab/fattree"
)

// connected reports whether every two ToRs reach each other, as they did before a
// part failed that was just noted. It looks only at pairs that can have lost a path.
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

// connectedBeyond reports the same where the fault concerns the way between cores
// and the aggregation switch of a pod and a group, the number in its pod. As long
// as it still reaches its like in another pod and they it, by another core, nothing
// has changed for the ToRs of these pods.
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

// joined reports whether a live path leads over a core from the aggregation switch
// of a group in one pod to that in another.
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

// reachAll reports whether live paths lead from each ToR of [first, end) to each
// other one of [otherFirst, otherEnd), and back.
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

// reach reports whether a live path leads from one ToR to another.
func (p *placer) reach(from, to int) bool {
	return p.wiring.Reaches(int32(from), fattree.Host(to*p.t.HostsPerToR), p.dead)
}
