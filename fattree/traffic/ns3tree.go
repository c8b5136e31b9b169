package traffic

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// peers returns the nodes of a level that are linked to a node, in order and each once, and the number of these
// links.
func (p *ns3Topology) peers(node, level int) (list []int, links int) {
	for _, end := range p.ends[node] {
		if p.level[end.peer] == level {
			list = append(list, end.peer)
		}
	}
	links = len(list)
	slices.Sort(list)
	return slices.Compact(list), links
}

// least returns the lowest peer of a node in a level, or the largest integer if there is none.
func (p *ns3Topology) least(node, level int) int {
	list, _ := p.peers(node, level)
	return append(list, math.MaxInt)[0]
}

// name names a node.
func (p *ns3Topology) name(node int) string {
	return fmt.Sprintf("%s %d", []string{"host", "switch"}[min(1, p.level[node])], node)
}

// compareDegrees returns an error unless each host has links to one switch, no link joins nodes of one tier, and all
// switches of a tier have equally many links down and up. It names the nodes.
func (p *ns3Topology) compareDegrees() error {
	first := map[int]int{} // by level
	for node, level := range p.level {
		if same, _ := p.peers(node, level); len(same) > 0 {
			return misfit("%s and %s of one tier are linked", p.name(node), p.name(same[0]))
		}
		if switches, _ := p.peers(node, 1); level == 0 && len(switches) > 1 {
			return misfit("host %d has links to %d switches; --planes describes several", node, len(switches))
		}
		if _, known := first[level]; !known {
			first[level] = node
		}
		other := first[level]
		for _, to := range []int{level - 1, level + 1} {
			_, want := p.peers(other, to)
			if _, have := p.peers(node, to); have != want {
				what := map[bool]string{true: "links up", false: "links down"}[to > level]
				if to == 0 {
					what = "hosts"
				}
				return misfit("%s has %d %s, %s has %d", p.name(other), want, what, p.name(node), have)
			}
		}
	}
	return nil
}

// fatTree returns the tree that has the network's tiers and degrees, and the network's hosts in the order of pods
// and ToRs. It returns an error if the links of the tree and of the network differ.
func (p *ns3Topology) fatTree() (t topology.FatTree, hosts []int, err error) {
	at := make([][]int, 4) // nodes by level
	for node, level := range p.level {
		at[level] = append(at[level], node)
	}
	if len(at[1]) == 0 {
		return t, nil, misfit("no switch has a host")
	}
	tors, aggs := at[1], at[2]
	slices.SortFunc(tors, func(a, b int) int { return cmp.Or(cmp.Compare(p.least(a, 2), p.least(b, 2)), a-b) })
	place := map[int]int{}
	for i, tor := range tors {
		place[tor] = i
	}
	slices.SortFunc(at[0], func(a, b int) int { return cmp.Or(place[p.ends[a][0].peer]-place[p.ends[b][0].peer], a-b) })
	slices.SortFunc(aggs, func(a, b int) int {
		return cmp.Or(place[p.least(a, 1)]-place[p.least(b, 1)], cmp.Compare(p.least(a, 3), p.least(b, 3)), a-b)
	})
	above, uplinks := p.peers(tors[0], 2)
	t = topology.FatTree{Hosts: len(at[0]), Tiers: 2, HostsPerToR: max(1, len(at[0])/len(tors)), UplinksPerToR: max(1, uplinks)}
	t.CablesPerPair, t.ToRsPerPod = max(1, uplinks/max(1, len(above))), len(tors)
	if len(at[3]) > 0 {
		at[3] = at[3][:0]
		for _, agg := range aggs[:len(above)] { // aggregation switches of the first pod
			cores, links := p.peers(agg, 3)
			if shared := slices.IndexFunc(cores, func(core int) bool { return slices.Contains(at[3], core) }); shared >= 0 {
				return t, nil, misfit("%s and another switch of its pod have links to %s, but each has its own switches above it here", p.name(agg), p.name(cores[shared]))
			}
			at[3] = append(at[3], cores...)
			t.UplinksPerAgg, t.CoreCablesPerPair = links, max(1, links/max(1, len(cores)))
		}
		t.Tiers, t.ToRsPerPod = 3, max(1, len(tors)*len(above)/len(aggs))
	}
	t = t.WithDefaults()
	links, err := p.compare(t, at)
	if err != nil {
		return t, nil, err
	}
	t.Access, t.Fabric, t.Core = links[0], cmp.Or(links[1], links[0]), cmp.Or(links[2], t.Core)
	if tors := p.counts[2]; tors != 0 && tors != t.ToRs() {
		return t, nil, fmt.Errorf("traffic: first line: found %d ToRs, expected %d, the switches with hosts", tors, t.ToRs())
	}
	return t, at[0], t.Validate()
}

// compare returns the classes of links above hosts and above the two lower tiers. It returns an error unless the
// nodes, by level, have the links of tree t.
func (p *ns3Topology) compare(t topology.FatTree, at [][]int) (links [3]fattree.Link, err error) {
	have, want := map[[2]int]int{}, map[[2]int]int{}
	var pairs [][2]int
	expect := func(level, lower, upper, cables int) {
		if upper < len(at[level+1]) {
			pair := [2]int{at[level][lower], at[level+1][upper]}
			want[pair], pairs = cables, append(pairs, pair)
		}
	}
	for i := range at[0] {
		expect(0, i, i/t.HostsPerToR, 1)
	}
	for i := range at[1] {
		for j := range t.AggsPerPod() {
			expect(1, i, i/t.ToRsPerPod*t.AggsPerPod()+j, t.CablesPerPair)
		}
	}
	for i := range at[2] {
		for j := range t.CoresPerAgg() {
			expect(2, i, i%t.AggsPerPod()*t.CoresPerAgg()+j, t.CoreCablesPerPair)
		}
	}
	for node, level := range p.level {
		for _, end := range p.ends[node] {
			if p.level[end.peer] < level {
				continue
			}
			if links[level] = cmp.Or(links[level], end.link); end.link != links[level] {
				return links, misfit("the link of %s to %s has %v Gb/s and %v ns, others of its tier %v Gb/s and %v ns",
					p.name(node), p.name(end.peer), end.link.Gbps, end.link.LatencyNs, links[level].Gbps, links[level].LatencyNs)
			}
			pair := [2]int{node, end.peer}
			have[pair]++
			pairs = append(pairs, pair)
		}
	}
	for _, pair := range pairs {
		if have[pair] != want[pair] {
			return links, misfit("%s has %d links to %s, expected %d by the other links", p.name(pair[0]), have[pair], p.name(pair[1]), want[pair])
		}
	}
	return links, nil
}
