package figures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// The main network of the atlas: hosts, and replicas of all its networks.
const (
	atlasHosts   = 128
	atlasNetRuns = 3
)

// atlasSizes lists the packets of a message in the main network, atlasFew in others, atlasShort in the largest ones.
func atlasSizes() []int { return []int{1 << 8, 1 << 11, 1 << 14} }
func atlasFew() []int   { return []int{1 << 8, 1 << 10, 1 << 12} }
func atlasShort() []int { return []int{1 << 6, 1 << 8, 1 << 10} }

// atlasScheme is a load balancer of the network with what it knows.
type atlasScheme struct {
	scheme
	decides, knows string
}

// atlasSchemes lists the load balancers of the network.
func atlasSchemes() []atlasScheme {
	const host, leaf = "host", "switch"
	turns := func(key, name string, start balance.Start) scheme {
		s := named("path-round-robin", name)
		s.key = key
		s.open = func(evs int) (transport.Balancer, error) { return balance.NewRotation(evs, start) }
		return s
	}
	active := func(key, name string, open func(evs, active int) (transport.Balancer, error)) scheme {
		s := named(key, name)
		s.open = func(evs int) (transport.Balancer, error) { return open(evs, evs/2) }
		return s
	}
	klb := func(evs, active int) (transport.Balancer, error) { return balance.NewKLB(evs, active, false) }
	return []atlasScheme{
		{lb("ops"), host, "nothing"},
		{lb("stratified"), host, "its own count"},
		{named("source-round-robin", "source rotation"), host, "its own count"},
		{turns("path-round-robin", "destination rotation", balance.StartZero), host, "a count for each destination"},
		{turns("path-round-robin-source", "coordinated rotation", balance.StartSource), host, "its own count and its number"},
		{named("path-static", "static"), host, "its number"},
		{lb("bitmap"), host, "marks, a round trip old"},
		{lb("mixed"), host, "marks, a round trip old"},
		{lb("mrc"), host, "marks, a round trip old"},
		{lb("reps"), host, "marks, a round trip old"},
		{active("klb", "KLB", klb), host, "marks, a round trip old"}, // half of the paths are active
		{active("hklb", "HKLB", balance.NewHKLB), host, "marks, a round trip old"},
		{named("round-robin", "switch rotation"), leaf, "its own count"},
		{named("destination-round-robin", "switch destination rotation"), leaf, "a count for each destination"},
		{named("adaptive-roce", "shortest queue"), leaf, "its own queues"},
		{named("shorter-of-two", "shorter of two"), leaf, "two of its queues"},
		{named("switch-adaptive", "adaptive switches"), leaf, "classes of its own queues"},
	}
}

// atlasFewSchemes lists the load balancers that run under all conditions.
func atlasFewSchemes() []string {
	return []string{"ops", "source-round-robin", "path-round-robin", "mrc", "reps", "round-robin", "destination-round-robin", "adaptive-roce"}
}

// atlasNet is a condition of the network.
type atlasNet struct {
	name                string
	tiers, ports, paths int
	spread              float64 // of starts, in round trips
	cc                  string
	sizes               []int
	allToAll            bool
	drawn               bool // in the figure, not only in its table
}

// atlasNets lists the conditions, the main one first.
func atlasNets() []atlasNet {
	few := atlasFew()
	return []atlasNet{
		{name: "16 ports", tiers: 2, ports: 16, paths: 8, cc: "none", sizes: atlasSizes(), drawn: true},
		{name: "8 ports", tiers: 2, ports: 8, paths: 4, cc: "none", sizes: few},
		{name: "32 ports", tiers: 2, ports: 32, paths: 16, cc: "none", sizes: few},
		{name: "64 ports", tiers: 2, ports: 64, paths: 32, cc: "none", sizes: few, drawn: true},
		{name: "128 ports", tiers: 2, ports: 128, paths: 64, cc: "none", sizes: atlasShort()},
		{name: "3 tiers of 8 ports", tiers: 3, ports: 8, paths: 16, cc: "none", sizes: few, drawn: true},
		{name: "3 tiers of 16 ports", tiers: 3, ports: 16, paths: 64, cc: "none", sizes: atlasShort()},
		{name: "starts over 1/2 RTT", tiers: 2, ports: 16, paths: 8, spread: 0.5, cc: "none", sizes: few},
		{name: "starts over 1 RTT", tiers: 2, ports: 16, paths: 8, spread: 1, cc: "none", sizes: few, drawn: true},
		{name: "DCTCP", tiers: 2, ports: 16, paths: 8, cc: "dctcp", sizes: few, drawn: true},
		{name: "8 ports, all to all", tiers: 2, ports: 8, paths: 4, cc: "none", sizes: few, allToAll: true},
		{name: "16 ports, all to all", tiers: 2, ports: 16, paths: 8, cc: "none", sizes: few, allToAll: true, drawn: true},
	}
}

// tree returns the full tree.
func (a atlasNet) tree() topology.FatTree {
	n := a.ports / 2
	t := topology.FatTree{Hosts: a.ports * n, HostsPerToR: n, UplinksPerToR: n}
	if a.tiers == 3 {
		t.Hosts, t.Tiers, t.ToRsPerPod, t.UplinksPerAgg = a.ports*n*n, 3, n, n
	}
	return t
}

// spec returns the network for messages of some packets. ACKs take next to no room, queues hold all that comes, and
// without control windows hold a whole message.
func (a atlasNet) spec(packets int) fattree.Spec {
	spec := fattree.Spec{Topology: a.tree(), Choose: topology.ExactPath, ChooseByTier: true, HeaderBytes: 1, Queue: min(1<<16, 1024+8*packets), KMin: microKMin, KMax: microKMax,
		Horizon: 1_000_000 * microseconds, Options: transport.Options{RTO: 100_000 * microseconds}}
	if a.cc == "none" {
		transport.Change(&spec, func(o *transport.Options) { o.InitialWindow = 2 * packets })
	}
	return spec
}

// draw draws the workload, and the starts of hosts uniformly over the spread.
func (a atlasNet) draw(spec fattree.Spec, packets int) drawWorkload {
	hosts, payload, plan := a.tree().Hosts, int64(planOf(spec).Spec().PayloadBytes()), planOf(spec)
	return func(source rand.Source) (w fattree.Workload, err error) {
		if a.allToAll {
			w, err = traffic.AllToAll(hosts, hosts-1, traffic.Message{Bytes: int64(packets/hosts) * payload}, source)
		} else {
			w, err = traffic.Permutation(hosts, traffic.Message{Bytes: int64(packets) * payload}, source)
		}
		starts, spread := map[fattree.Host]fattree.Picoseconds{}, int64(a.spread*float64(plan.LongestRTT()))
		random := rand.New(source)
		for i := range w.Flows {
			from := w.Flows[i].Source
			if _, drawn := starts[from]; !drawn {
				starts[from] = fattree.Picoseconds(random.Int64N(spread + 1))
			}
			w.Flows[i].Start += starts[from]
		}
		return w, err
	}
}

// newAtlasNetwork returns the comparison, not yet run. Groups are conditions; x is the packets of a message.
func newAtlasNetwork() comparison {
	c := comparison{schemes: lists.Map(atlasSchemes(), func(s atlasScheme) scheme { return s.scheme })}
	few := lists.Where(c.schemes, func(s scheme) bool { return slices.Contains(atlasFewSchemes(), s.key) })
	for i, a := range atlasNets() {
		for _, m := range a.sizes {
			spec := a.spec(m)
			c.points = append(c.points, &comparedPoint{group: a.name, x: m, schemes: few, place: fmt.Sprintf("%s, %d packets", a.name, m), evs: a.paths,
				cells: cells{{"packets", m}}, network: varied(spec, a.draw(spec, m)), control: controlled(a.cc), replicas: atlasNetRuns})
			if i == 0 {
				c.points[len(c.points)-1].schemes = nil // all
			}
		}
	}
	return c
}

// atlasRan reports whether a load balancer ran under a condition.
func (c *comparison) atlasRan(a atlasNet, key string) bool { return len(c.having(a.name, key)) > 0 }

// atlasGrowth returns the growth of a load balancer under a condition.
func (c *comparison) atlasGrowth(a atlasNet, key string) queueGrowth {
	queues := make([][]int, atlasNetRuns)
	for _, m := range a.sizes {
		for i, run := range c.at(a.name, m, key) {
			queues[i] = append(queues[i], int(run.MaxQueue))
		}
	}
	return grows(a.sizes, queues, mc.Support{Least: math.Inf(-1), Most: math.Inf(1)})
}

// atlasRows adds a row for each load balancer under each condition.
func (c *comparison) atlasRows(t *frame.Table) {
	for _, a := range atlasNets() {
		pattern := "permutation"
		if a.allToAll {
			pattern = "alltoall"
		}
		for _, s := range atlasSchemes() {
			if !c.atlasRan(a, s.key) {
				continue
			}
			t.Add(cells{{"model", "network"}, {"traffic", pattern}, {"tiers", a.tiers}, {"ports", a.ports}, {"start_spread_rtt", a.spread},
				{"cc", a.cc}, {"rule", s.key}, {"decides", s.decides}, {"knows", s.knows}, {"packets_from", a.sizes[0]},
				{"packets_to", a.sizes[len(a.sizes)-1]}}, c.atlasGrowth(a, s.key).cells(), cells{{"bound", nil}}, madeFrom(c.seed, atlasNetRuns))
		}
	}
}

// atlasExponents draws the exponents of the network, a series for each condition.
func (c *comparison) atlasExponents() plot.Panel {
	schemes := atlasSchemes()
	panel := plot.Panel{Title: "(b) Network: permutation, fixed window if not said otherwise", YLabel: "Exponent", Legend: plot.Above,
		X: labelled(schemes, func(s atlasScheme) string { return atlasLabel(s.name) }), Y: from(-0.1, 1.65), References: atlasLevels()}
	shown := lists.Where(atlasNets(), func(a atlasNet) bool { return a.drawn })
	for i, a := range shown {
		series := plot.Series{Name: a.name, Mark: plot.Points, Color: plot.NthColor(i)}
		for x, s := range schemes {
			if c.atlasRan(a, s.key) {
				appendPoint(&series, float64(x)+0.12*(float64(i)-2.5), c.atlasGrowth(a, s.key).exponent)
			}
		}
		panel.Series = append(panel.Series, series)
	}
	return wide(panel)
}

// atlasLabel returns the name of a rule as a label of an axis.
func atlasLabel(rule string) string { return strings.ReplaceAll(rule, "-", " ") }
