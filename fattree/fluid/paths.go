package fluid

import (
	"repslab/fattree/topology"
)

// maxHops is the largest number of constraints of a flow: the links of a path in three tiers.
const maxHops = 6

// path holds the constraints of a flow.
type path struct {
	links [maxHops]int32
	hops  int8
}

// add appends a constraint.
func (p *path) add(link int) {
	p.links[p.hops] = int32(link)
	p.hops++
}

// over returns the constraints of the path. The slice is valid as long as p.
func (p *path) over() []int32 { return p.links[:p.hops] }

// layout numbers constraints. Host links come first, up and then down. Groups of links follow for tier 0 and for
// tier 1, up and then down.
type layout struct {
	capacity []float64 // bytes per picosecond
	base     [2][2]int // first constraint of a tier, up and down
}

// bytesPerPicosecond converts a rate.
func bytesPerPicosecond(gbps float64) float64 { return gbps / 8000 }

// newLayout returns the layout of host links and of groups of links between switches, by
// tier, with the given capacity in Gb/s.
func newLayout(t topology.FatTree, groups [2]int, gbps [2]float64) *layout {
	l := &layout{}
	grow := func(count int, gbps float64) (base int) {
		base = len(l.capacity)
		for range count {
			l.capacity = append(l.capacity, bytesPerPicosecond(gbps))
		}
		return base
	}
	grow(2*t.Hosts, t.Access.Gbps)
	for tier := range t.Tiers - 1 {
		l.base[tier] = [2]int{grow(groups[tier], gbps[tier]), grow(groups[tier], gbps[tier])}
	}
	return l
}

// direction is the index of a direction in layout.base.
func direction(down bool) int {
	if down {
		return 1
	}
	return 0
}

// stages returns the constraints of sprayed flows, one for each stage.
func (c Config) stages() *layout {
	t := c.Topology
	width := [2]float64{float64(t.UplinksPerToR), float64(t.AggsPerPod() * t.UplinksPerAgg)}
	rate := [2]float64{t.Fabric.Gbps, t.Core.Gbps}
	full := [2]float64{width[0] * rate[0], width[1] * rate[1]}
	l := newLayout(t, [2]int{t.ToRs(), t.Pods()}, full)
	missing := make([]float64, len(l.capacity)) // capacity lost by slow links, in links
	for _, s := range c.SlowLinks {
		stage := s.Switch
		if s.Tier == 1 {
			stage /= t.AggsPerPod()
		}
		i := l.base[s.Tier][direction(s.Down)] + stage
		if c.Spreading == Even {
			l.capacity[i] = min(l.capacity[i], bytesPerPicosecond(full[s.Tier]*s.Rate))
			continue
		}
		missing[i] += 1 - s.Rate
		l.capacity[i] = bytesPerPicosecond(rate[s.Tier] * max(0, width[s.Tier]-missing[i]))
	}
	return l
}

// sprayed returns the stages on the path of each flow.
func (c Config) sprayed(l *layout) []path {
	t := c.Topology
	paths := make([]path, len(c.Workload.Flows))
	for i, f := range c.Workload.Flows {
		p := &paths[i]
		climb := t.Climb(f.Source, f.Destination)
		from, to := int(f.Source)/t.HostsPerToR, int(f.Destination)/t.HostsPerToR
		p.add(int(f.Source))
		if climb >= 1 {
			p.add(l.base[0][0] + from)
			if climb == 2 {
				p.add(l.base[1][0] + from/t.ToRsPerPod)
				p.add(l.base[1][1] + to/t.ToRsPerPod)
			}
			p.add(l.base[0][1] + to)
		}
		p.add(t.Hosts + int(f.Destination))
	}
	return paths
}
