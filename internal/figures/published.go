package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
)

// publishedFlows returns networks with failures, as on the command line, at places that are not drawn. Replica i has
// the flows of seed first + i mod seeds.
func publishedFlows(spec fattree.Spec, failures string, of pairing, first uint32, seeds int, bytes int64) experiment.Networks {
	return experiment.Varied(func(_, replica uint64) (varied fattree.Spec, err error) {
		varied = spec
		list, err := topology.ParseFailures(failures)
		if err == nil {
			varied.Faults, varied.Errors, err = topology.Place(treeOf(spec), list, nil)
		}
		if err == nil {
			text := of.flowList(first+uint32(replica%uint64(seeds)), treeOf(spec).Hosts, bytes)
			_, varied.Workload, err = traffic.ReadFlows(strings.NewReader(text))
		}
		return varied, err
	})
}

// The groups of published settings: publisher A sweeps thresholds and sizes, B slow links.
const (
	publishedSlow128  = "128 hosts, slow links"
	publishedSlow1024 = "1,024 hosts, slow links"
)

// newPublishedRecycling returns publisher A's runs: REPS with an unbounded list, one EV for each path, ports to hosts
// that do not mark, 400 Gb/s. x is the threshold in packets, or the size in MiB.
func newPublishedRecycling() (points []*comparedPoint) {
	const first = 42
	two := topology.FatTree{Hosts: 250, HostsPerToR: 25, UplinksPerToR: 25}
	add := func(name string, tree topology.FatTree, evs, x, kmin, kmax, mib, seeds, repeats int) {
		for _, c := range []struct {
			name, control string
			window        int
		}{{"line rate", "none", 10_000}, {"NSCC", "nscc", 140}} {
			spec := fattree.Spec{Topology: tree, Queue: 100, KMin: kmin, KMax: kmax, LastHopMarks: fattree.SpareLastHop,
				Options: transport.Options{InitialWindow: c.window}}
			points = append(points, &comparedPoint{group: name + ", " + c.name, x: x, hosts: tree.Hosts, evs: evs, schemes: lbs("reps-fifo"),
				control: controlled(c.control), replicas: uint64(seeds * repeats), keep: keepPublished(interpolated),
				network: publishedFlows(spec, "", ofRing, first, seeds, int64(mib)*mebi)})
		}
	}
	for _, k := range []int{1, 5, 10} {
		add("2 tiers", two, 25, k, k, k, 32, 5, 2)
	}
	for _, k := range []int{1, 7, 15} {
		add("3 tiers", threeTiersOf(10), 25, k, k, k, 32, 5, 2)
	}
	add("54 hosts", threeTiersOf(6), 9, 8, 25, 75, 8, 5, 4)
	add("128 hosts", threeTiersOf(8), 16, 8, 25, 75, 8, 10, 2)
	add("128 hosts", threeTiersOf(8), 16, 32, 25, 75, 32, 5, 2)
	add("128 hosts", threeTiersOf(8), 16, 128, 25, 75, 128, 5, 1)
	return points
}

// newPublishedSlow returns publisher B's runs: Ultra Ethernet's hosts without trimming, 100 Gb/s, 8 EVs, 2 MB. x is
// the number of links from the core that have a quarter of their rate.
func newPublishedSlow() (points []*comparedPoint) {
	const first, seeds, bytes = 13, 5, 2_000_000
	link := fattree.Link{Gbps: 100}
	for _, c := range []struct {
		group                string
		hosts, step, repeats int
	}{{publishedSlow128, 128, 2, 4}, {publishedSlow1024, 1024, 8, 1}} {
		for i := range 7 {
			spec := fattree.Spec{Topology: topology.FatTree{Hosts: c.hosts, Tiers: 3, Access: link, Fabric: link, Core: link},
				Profile: fattree.UltraEthernet, DisableTrimming: true, Horizon: 8000 * fattree.Microsecond}
			slow, failures := i*c.step, ""
			if slow > 0 {
				failures = fmt.Sprintf("degrade=%d:0.25,dir=down,layer=core,place=first", slow)
			}
			points = append(points, &comparedPoint{group: c.group, x: slow, hosts: c.hosts, evs: 8,
				schemes: []scheme{lb("stratified"), named("reps-legacy", "REPS, unbounded list")}, control: ultraNSCC,
				replicas: uint64(seeds * c.repeats), keep: keepPublished(rounded),
				network: publishedFlows(spec, failures, ofCycle, first, seeds, bytes)})
		}
	}
	return points
}

// newPublishedSpraying returns publisher C's runs of NDP: constant windows of 50 packets, an ACK for each packet, 100
// Gb/s, 2 MB. x is the number of EVs.
func newPublishedSpraying() (points []*comparedPoint) {
	const first, bytes = 13, 2_000_000
	const trimmed, untrimmed = 34, 1000 // packets of a queue: 35 of 4,000 bytes are 34 with headers
	add := func(group string, k, evs, seeds, repeats int, of scheme, change func(*fattree.Spec)) {
		link := fattree.Link{Gbps: 100}
		tree := threeTiersOf(k)
		tree.Access, tree.Fabric, tree.Core = link, link, link
		spec := fattree.Spec{Topology: tree, Profile: fattree.UltraEthernet, MTU: 4064, Queue: trimmed,
			Options: transport.Options{InitialWindow: 50, AckRatio: 1}}
		if change != nil {
			change(&spec)
		}
		points = append(points, &comparedPoint{group: group, x: evs, hosts: tree.Hosts, evs: evs, schemes: []scheme{of},
			control: fixedWindow, replicas: uint64(seeds * repeats), keep: keepPublished(rank),
			network: publishedFlows(spec, "", ofTwo, first, seeds, bytes)})
	}
	long := func(s *fattree.Spec) { s.Queue, s.DisableTrimming = untrimmed, true }
	for _, evs := range []int{256, 32} {
		add("8,192 hosts, untrimmed", 32, evs, 1, 3, lb("stratified"), long)
		add("8,192 hosts, trimmed", 32, evs, 1, 3, lb("stratified"), nil)
	}
	add("8,192 hosts, marked skipped", 32, 32, 1, 3, named("bitmap", "Bitmap"), func(s *fattree.Spec) {
		long(s)
		s.KMin, s.KMax, s.LastHopMarks = 17, 17, fattree.SpareLastHop
	})
	for _, evs := range []int{1, 8, 16, 32} {
		add("432 hosts, last flow", 12, evs, 4, 2, lb("stratified"), nil)
	}
	for _, evs := range []int{1, 8, 16, 32, 64} {
		add("1,024 hosts, last flow", 16, evs, 4, 1, lb("stratified"), nil)
	}
	return points
}

// threeTiersOf returns the fat tree of three tiers of switches with k ports.
func threeTiersOf(k int) topology.FatTree {
	return topology.FatTree{Hosts: k * k * k / 4, Tiers: 3, HostsPerToR: k / 2, UplinksPerToR: k / 2, ToRsPerPod: k / 2, UplinksPerAgg: k / 2}
}

// newPublished returns the comparison, not yet run.
func newPublished() (c comparison) {
	c.points = slices.Concat(newPublishedRecycling(), newPublishedSlow(), newPublishedSpraying())
	for _, p := range c.points {
		p.cells = cells{{"setting", p.group}, {"x", p.x}}
	}
	return c
}

// published holds the network against what others published for several seeds, with the same permutations. It decides
// no claim.
func published(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c, rows := newPublished(), readPublished()
	return compared(ctx, s, func() engine.Output {
		times, gains := timesAgainst(&c, rows), gainsAgainst(&c, rows)
		return engine.Output{
			Tables: []frame.Table{times.table("", "_us", c.seed), gains.table("gains", "", c.seed)},
			Plot:   publishedPlot(times, gains),
			Notes:  notes(facts{"agreement": agreements(times.agreement(""))}, "published"),
		}
	}, &c)
}
