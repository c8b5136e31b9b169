package figures

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// ECN thresholds of the figures of one ToR's uplinks, packets.
const (
	microKMin = 20
	microKMax = 80
)

// microSpec is the network of those figures.
func microSpec(tree topology.FatTree) fattree.Spec {
	return fattree.Spec{Topology: tree, KMin: microKMin, KMax: microKMax}
}

// patternSpec is the network of the authors' synthetic patterns, without trimming.
func patternSpec(tree topology.FatTree) fattree.Spec {
	return fattree.Spec{Topology: tree, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
}

// traceHosts are the busy ones of the 128 hosts of traceSpec.
const traceHosts = 32

// traceSpec is the network of the authors' traces and collectives: flows between the same
// hosts inherit.
func traceSpec() fattree.Spec {
	return fattree.Spec{Topology: topology.FatTree{Hosts: 128}, DisableTrimming: true, InheritConnections: true}
}

// failedUplinks fails the first uplink of every ToR from a time on, upwards.
func failedUplinks(tree topology.FatTree, from fattree.Picoseconds) []fattree.Fault {
	var failed []fattree.Fault
	for tor := range tree.ToRs() {
		failed = append(failed, fattree.Fault{Ports: tree.Ports(topology.Part{Switch: tor}), Start: from})
	}
	return failed
}

// slowUplink makes an uplink of a ToR run at half its rate, upwards.
func slowUplink(tree topology.FatTree, tor, uplink int) fattree.Fault {
	return fattree.Fault{Ports: tree.Ports(topology.Part{Switch: tor, Uplink: uplink}), Rate: 0.5}
}

// treeOf returns the fat tree of a specification, with its defaults.
func treeOf(spec fattree.Spec) topology.FatTree {
	return spec.Topology.(topology.FatTree).WithDefaults()
}

// workloadSource returns the source of a replica's workload.
func workloadSource(seed, replica uint64) rand.Source {
	return mc.NewStream(seed, mc.Workload, replica).Source()
}

// drawWorkload draws the workload of a replica.
type drawWorkload func(rand.Source) (fattree.Workload, error)

// varied returns networks whose workload differs between replicas.
func varied(spec fattree.Spec, workload drawWorkload) experiment.Networks {
	return experiment.Varied(func(seed, replica uint64) (of fattree.Spec, err error) {
		of = spec
		of.Workload, err = workload(workloadSource(seed, replica))
		return of, err
	})
}

// failing returns networks whose workload and places of failures differ between
// replicas. Failures are written as on the command line; their random places are
// independent of the workload.
func failing(spec fattree.Spec, failures string, workload drawWorkload) experiment.Networks {
	return experiment.Varied(func(seed, replica uint64) (of fattree.Spec, err error) {
		of = spec
		list, err := topology.ParseFailures(failures)
		if err == nil {
			places := mc.NewStream(seed, mc.Workload, replica).Child(1).Source()
			of.Faults, of.Errors, err = topology.Place(treeOf(of), list, places)
		}
		if err == nil {
			of.Workload, err = workload(workloadSource(seed, replica))
		}
		return of, err
	})
}

// fixed returns a function that makes the network for a workload, or for the
// error of making one.
func fixed(spec fattree.Spec) func(fattree.Workload, error) experiment.Networks {
	return func(w fattree.Workload, err error) experiment.Networks {
		if err != nil {
			return func(_, _ uint64) (*fattree.Network, error) { return nil, err }
		}
		spec.Workload = w
		return experiment.Fixed(spec)
	}
}

// altered returns the networks with their specification altered; by may change the flows.
func altered(network experiment.Networks, by func(*fattree.Spec)) experiment.Networks {
	return func(seed, replica uint64) (*fattree.Network, error) {
		n, err := network(seed, replica)
		if err != nil {
			return nil, err
		}
		spec := n.Spec()
		spec.Workload.Flows = slices.Clone(spec.Workload.Flows)
		by(&spec)
		return fattree.Build(spec)
	}
}

// drawPermutation draws a permutation of all hosts.
func drawPermutation(hosts int, bytes int64) drawWorkload {
	return func(source rand.Source) (fattree.Workload, error) {
		return traffic.Permutation(hosts, traffic.Message{Bytes: bytes}, source)
	}
}

// permuted returns networks with a permutation that differs between replicas.
func permuted(spec fattree.Spec, bytes int64) experiment.Networks {
	return varied(spec, drawPermutation(treeOf(spec).Hosts, bytes))
}

// arrive draws the arrivals of flows.
type arrive func(traffic.Arrivals, rand.Source) (fattree.Workload, error)

// drawWebSearch draws WebSearch flows among the first hosts that arrive for some time, in us.
func drawWebSearch(by arrive, hosts int, tree topology.FatTree, load float64, us int64) drawWorkload {
	tree = tree.WithDefaults()
	of := traffic.Arrivals{Hosts: hosts, HostsPerToR: tree.HostsPerToR, Sizes: traffic.WebSearch(),
		Load: load, Gbps: tree.Access.Gbps, Duration: us * microseconds}
	return func(source rand.Source) (fattree.Workload, error) { return by(of, source) }
}

// failurePoint returns a point with failures, called label.
func failurePoint(group, workload, label, failures string, spec fattree.Spec, draw drawWorkload) *comparedPoint {
	return &comparedPoint{group: group, label: label, place: workload + ", " + label, workload: workload,
		hosts: treeOf(spec).Hosts, network: failing(spec, failures, draw)}
}

// workloadCells are the cells of a workload; nil for what it does not have.
func workloadCells(workload string, hosts int, bytes, load any) cells {
	return cells{{"workload", workload}, {"hosts", hosts}, {"message_bytes", bytes}, {"load", load}}
}

// patternSizes are the messages of the synthetic set, in MiB.
func patternSizes(scale Scale) []int { return choose(scale, []int{8}, []int{4, 8, 16}) }

// patternPoints returns the paper's synthetic set: incast of 8 hosts of one ToR,
// permutation and tornado, for messages of the given MiB.
func patternPoints(spec fattree.Spec, sizes []int, replicas uint64) []*comparedPoint {
	hosts := treeOf(spec).Hosts
	var points []*comparedPoint
	for _, pattern := range []string{"incast", "permutation", "tornado"} {
		for _, size := range sizes {
			message := traffic.Message{Bytes: int64(size) * mebi}
			network := permuted(spec, message.Bytes)
			switch pattern {
			case "incast":
				network = fixed(spec)(traffic.Incast(hosts, 8, message))
			case "tornado":
				network = fixed(spec)(traffic.Tornado(hosts, message))
			}
			points = append(points, &comparedPoint{
				group: patterns, label: fmt.Sprintf("%s.%d", strings.ToUpper(pattern[:1]), size),
				place: fmt.Sprintf("%s of %d MiB", pattern, size), workload: pattern, hosts: hosts,
				cells:   workloadCells(pattern, hosts, message.Bytes, nil),
				metrics: []metric{byMaxFCT()}, network: network, replicas: replicas,
			})
		}
	}
	return points
}

// traceLoads are the loads of the traces.
func traceLoads(scale Scale) []float64 {
	return choose(scale, []float64{0.4, 1}, []float64{0.4, 0.6, 0.8, 1})
}

// webSearchPoints returns points of WebSearch flows among the first 32 hosts at the given
// loads: by the authors' generator, or Poisson arrivals with uniform receivers.
func webSearchPoints(s Settings, spec fattree.Spec, poisson bool, loads []float64, replicas uint64) []*comparedPoint {
	draw, key, mark := arrive(traffic.Paced), "websearch", ""
	if poisson {
		draw, key, mark = traffic.Poisson, "websearch-poisson", "P"
	}
	var points []*comparedPoint
	for _, load := range loads {
		points = append(points, &comparedPoint{
			group: traces, label: fmt.Sprintf("%.0f%s", 100*load, mark),
			place:    fmt.Sprintf("%s at %.0f %% load", key, 100*load),
			workload: key, hosts: traceHosts, load: load, cells: workloadCells(key, traceHosts, nil, load),
			metrics: []metric{byMeanFCT(), byP99FCT(), byMaxFCT()}, replicas: replicas,
			network: varied(spec,
				drawWebSearch(draw, traceHosts, treeOf(spec), load, choose[int64](s.Scale, 500, 3500))),
		})
	}
	return points
}

// collectivePoints returns the points of collectives as the authors ran them, among the
// first 32 hosts: a ring of half the hosts, a butterfly, and exchanges of all pairs. At
// quick scale it returns some of them, among the first 16.
func collectivePoints(s Settings, spec fattree.Spec, replicas uint64) []*comparedPoint {
	hosts := choose(s.Scale, 16, traceHosts)
	var points []*comparedPoint
	add := func(key, label string, bytes int64, draw drawWorkload) {
		points = append(points, &comparedPoint{
			group: collectives, label: label, place: key, workload: key, hosts: hosts,
			cells: workloadCells(key, hosts, bytes, nil), metrics: []metric{byEnd()}, replicas: replicas,
			network: varied(spec, draw),
		})
	}
	add("allreduce-ring", "ring", 4_000_000, func(source rand.Source) (fattree.Workload, error) {
		return traffic.RingAllreduce(hosts, hosts/2, traffic.Message{Bytes: 4_000_000}, source)
	})
	if s.Scale == Full {
		add("allreduce-butterfly", "butterfly", 20_000_000, func(rand.Source) (fattree.Workload, error) {
			return traffic.ButterflyAllreduce(hosts, traffic.Message{Bytes: 20_000_000})
		})
	}
	for _, parallel := range choose(s.Scale, []int{4, 8}, []int{4, 8, 16}) {
		const bytes = 2_000_000
		add(fmt.Sprintf("alltoall-%d", parallel), fmt.Sprintf("a2a %d", parallel), bytes,
			func(source rand.Source) (fattree.Workload, error) {
				return traffic.AllToAll(hosts, parallel, traffic.Message{Bytes: bytes, Start: microseconds}, source)
			})
	}
	return points
}
