package fattree

import "repslab/mc"

// checkPaths returns an error that names the first flow that the faults cut off
// for good.
func (n *Network) checkPaths() error {
	dead, any := newBitSet(len(n.ports)), false
	for _, f := range n.spec.Faults {
		if f.Rate == 0 && f.End == 0 {
			for _, port := range n.faultyPorts(f) {
				dead.add(port)
				any = true
			}
		}
	}
	if !any {
		return nil
	}
	alive := map[[2]int32]bool{} // by ToR and ToR
	for i, e := range n.ends {
		for _, way := range [][2]int32{{e.source, e.destination}, {e.destination, e.source}} {
			pair := [2]int32{n.torOf(way[0]), n.torOf(way[1])}
			ok, known := alive[pair]
			if !known {
				ok = n.reaches(pair[0], way[1], dead)
				alive[pair] = ok
			}
			if !ok {
				return mc.NewFieldError("fattree", "Faults", faultCount(len(n.spec.Faults)), "must not cut the last path of flow %d between hosts %d and %d", i, e.source, e.destination)
			}
		}
	}
	return nil
}

// reaches reports whether a path of live ports leads from a switch to a host.
func (n *Network) reaches(sw, to int32, dead bitSet) bool {
	first, count := n.nodes[sw].next(to)
	first += n.nodes[sw].firstPort
	for port := first; port < first+count; port++ {
		if dead.has(port) {
			continue
		}
		if peer := n.ports[port].peer; peer < 0 || n.reaches(peer, to, dead) {
			return true
		}
	}
	return false
}

// connected reports whether every two ToRs reach each other, as they did before a
// fault that was just noted. It looks only at pairs that can have lost a path.
func (p *placer) connected(fault Fault) bool {
	switch {
	case fault.Tier == 0:
		return p.reachAll(fault.Switch, fault.Switch+1, 0, p.t.ToRs())
	case p.t.Tiers == 2:
		return p.reachAll(0, p.t.ToRs(), 0, p.t.ToRs())
	case fault.Tier == 1 && fault.WholeSwitch:
		pod := fault.Switch / p.t.AggsPerPod()
		return p.reachAll(pod*p.t.ToRsPerPod, (pod+1)*p.t.ToRsPerPod, 0, p.t.ToRs())
	case fault.Tier == 1:
		return p.connectedBeyond(fault.Switch%p.t.AggsPerPod(), fault.Switch/p.t.AggsPerPod())
	}
	group := fault.Switch / p.t.UplinksPerAgg
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
	agg := &p.net.nodes[int(p.net.firstNode[1])+from*p.t.AggsPerPod()+group]
	for uplink := range agg.ups {
		up := agg.up(uplink)
		core := &p.net.nodes[p.net.ports[up].peer]
		if down := core.firstPort + int32(to)*core.cables; !p.dead.has(up) && !p.dead.has(down) {
			return true
		}
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
	return p.net.reaches(int32(from), int32(to*p.t.HostsPerToR), p.dead)
}
