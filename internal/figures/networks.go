package figures

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// ECN thresholds of the figures of one ToR's uplinks, packets.
const (
	microKMin = 20
	microKMax = 80
)

// The queue and the initial window in the authors' scripts, in packets, for trees of 2 and 3 tiers.
const (
	authorsQueue  = 100
	authorsWindow = 151
)

// evsSpec returns the network of the authors' EVS figure.
func evsSpec(tree topology.FatTree) fattree.Spec {
	return fattree.Spec{Topology: tree, Queue: authorsQueue, Options: transport.Options{InitialWindow: authorsWindow}}
}

// microSpec returns the network of the figures of one ToR's uplinks.
func microSpec(tree topology.FatTree) fattree.Spec {
	spec := evsSpec(tree)
	spec.KMin, spec.KMax = microKMin, microKMax
	return spec
}

// patternSpec returns the network of the authors' synthetic patterns, without trimming.
func patternSpec(tree topology.FatTree) fattree.Spec {
	return fattree.Spec{Topology: tree, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76, Options: transport.Options{InitialWindow: authorsWindow}}
}

// traceHosts is the number of busy hosts of the 128 hosts of traceSpec.
const traceHosts = 32

// traceSpec returns the network of the authors' traces and collectives: flows between the same hosts inherit.
func traceSpec() fattree.Spec {
	spec := evsSpec(topology.FatTree{Hosts: 128})
	spec.DisableTrimming, spec.Horizon = true, 100_000*microseconds
	transport.Change(&spec, func(o *transport.Options) { o.InheritConnections = true })
	return spec
}

// failedUplinks returns permanent upward failures of every ToR's first uplink, from a time on.
func failedUplinks(tree topology.FatTree, from fattree.Picoseconds) []fattree.Fault {
	var failed []fattree.Fault
	for tor := range tree.ToRs() {
		failed = append(failed, fattree.Fault{Ports: tree.Ports(topology.Part{Switch: tor}), Start: from})
	}
	return failed
}

// slowUplink returns a fault that halves the upward rate of a ToR's uplink.
func slowUplink(tree topology.FatTree, tor, uplink int) fattree.Fault {
	return fattree.Fault{Ports: tree.Ports(topology.Part{Switch: tor, Uplink: uplink}), Rate: 0.5}
}

// treeOf returns the fat tree of a specification, with defaults applied.
func treeOf(spec fattree.Spec) topology.FatTree {
	return spec.Topology.(topology.FatTree).WithDefaults()
}

// planOf returns the plan of a specification, which must be valid.
func planOf(spec fattree.Spec) *fattree.Plan {
	p, err := spec.Resolve()
	if err != nil {
		panic(err)
	}
	return p
}

// workloadSource returns the source of a replica's workload.
func workloadSource(seed, replica uint64) rand.Source {
	return mc.NewStream(seed, mc.Workload, replica).Source()
}

// drawWorkload draws the workload of a replica.
type drawWorkload func(rand.Source) (fattree.Workload, error)

// varied returns networks with a different workload for each replica.
func varied(spec fattree.Spec, workload drawWorkload) experiment.Networks {
	return experiment.Varied(func(seed, replica uint64) (of fattree.Spec, err error) {
		of = spec
		of.Workload, err = workload(workloadSource(seed, replica))
		return of, err
	})
}

// failing returns networks with a different workload and different places of failures for each replica. Failures
// are written as on the command line. Their random places are independent of the workload.
func failing(spec fattree.Spec, failures string, workload drawWorkload) experiment.Networks {
	return experiment.Varied(func(seed, replica uint64) (of fattree.Spec, err error) {
		of = spec
		list, err := topology.ParseFailures(failures)
		if err == nil {
			places := mc.NewStream(seed, mc.Workload, replica).Child(1).Source()
			if planes, several := of.Topology.(topology.Planes); several {
				of.Faults, of.Errors, err = planes.Place(list, places)
			} else {
				of.Faults, of.Errors, err = topology.Place(treeOf(of), list, places)
			}
		}
		if err == nil {
			of.Workload, err = workload(workloadSource(seed, replica))
		}
		return of, err
	})
}

// fixed returns a function from a workload to its networks. It takes the error of making the workload as well.
func fixed(spec fattree.Spec) func(fattree.Workload, error) experiment.Networks {
	return func(w fattree.Workload, err error) experiment.Networks {
		if err != nil {
			return func(_, _ uint64) (*fattree.Network, error) { return nil, err }
		}
		spec.Workload = w
		return experiment.Fixed(spec)
	}
}

// altered returns networks with an altered specification; by may change the flows.
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

// changing returns a change of the options of hosts, for [altered].
func changing(by func(*transport.Options)) func(*fattree.Spec) {
	return func(s *fattree.Spec) { transport.Change(s, by) }
}

// drawPermutation draws a permutation of all hosts.
func drawPermutation(hosts int, bytes int64) drawWorkload {
	return func(source rand.Source) (fattree.Workload, error) {
		return traffic.Permutation(hosts, traffic.Message{Bytes: bytes}, source)
	}
}

// drawIncast returns the paper's incast, of 8 hosts of one ToR.
func drawIncast(hosts int, m traffic.Message) drawWorkload {
	return func(rand.Source) (fattree.Workload, error) { return traffic.Incast(hosts, 8, m) }
}

// permuted returns networks with a different permutation for each replica.
func permuted(spec fattree.Spec, bytes int64) experiment.Networks {
	return varied(spec, drawPermutation(treeOf(spec).Hosts, bytes))
}

// arrive draws the arrivals of flows.
type arrive func(traffic.Arrivals, rand.Source) (fattree.Workload, error)

// drawWebSearch draws WebSearch flows among the first hosts, arriving during us microseconds.
func drawWebSearch(by arrive, hosts int, tree topology.FatTree, load float64, us int64) drawWorkload {
	tree = tree.WithDefaults()
	of := traffic.Arrivals{Hosts: hosts, HostsPerToR: tree.HostsPerToR, Sizes: traffic.WebSearch(),
		Load: load, Gbps: tree.Access.Gbps, Duration: fattree.Picoseconds(us) * fattree.Microsecond}
	return func(source rand.Source) (fattree.Workload, error) { return by(of, source) }
}

// failurePoint returns a point with failures, labelled label.
func failurePoint(group, workload, label, failures string, spec fattree.Spec, draw drawWorkload) *comparedPoint {
	return &comparedPoint{group: group, label: label, place: workload + ", " + label, workload: workload,
		hosts: treeOf(spec).Hosts, network: failing(spec, failures, draw)}
}

// workloadCells returns the cells about a workload; values that it does not have are nil.
func workloadCells(workload string, hosts int, bytes, load any) cells {
	return cells{{"workload", workload}, {"hosts", hosts}, {"message_bytes", bytes}, {"load", load}}
}

// fewest is the number of replicas of most points. Fewer say little, because one late retransmission decides a
// run.
const fewest = 5

// fewLong is the number of replicas of traces, as many as the authors have, and of the testbed. These runs take
// the most time, and this number is enough to decide their claims.
const fewLong = 3

// patternSizes returns the sizes of messages of the synthetic patterns, in MiB.
func patternSizes() []int { return []int{4, 8, 16} }

// onSpec returns a function that makes networks of a specification with drawn workloads.
func onSpec(spec fattree.Spec) func(drawWorkload) experiment.Networks {
	return func(draw drawWorkload) experiment.Networks { return varied(spec, draw) }
}

// patternPoints returns the paper's synthetic patterns: incast of 8 hosts of one ToR, permutation and tornado, for
// messages of the given sizes in MiB. Axes name a pattern once.
func patternPoints(spec fattree.Spec, sizes []int, replicas uint64) []*comparedPoint {
	return patternsOn(onSpec(spec), treeOf(spec).Hosts, sizes, replicas)
}

// patternsOn returns the synthetic patterns on networks.
func patternsOn(network func(drawWorkload) experiment.Networks, hosts int, sizes []int,
	replicas uint64) []*comparedPoint {
	var points []*comparedPoint
	for _, pattern := range []string{"incast", "permutation", "tornado"} {
		for _, size := range sizes {
			message := traffic.Message{Bytes: int64(size) * mebi}
			draw := drawPermutation(hosts, message.Bytes)
			switch pattern {
			case "incast":
				draw = drawIncast(hosts, message)
			case "tornado":
				draw = func(rand.Source) (fattree.Workload, error) { return traffic.Tornado(hosts, message) }
			}
			points = append(points, &comparedPoint{
				group: patterns, label: fmt.Sprintf("%d MiB", size), sort: strings.ToUpper(pattern[:1]) + pattern[1:],
				place: fmt.Sprintf("%s of %d MiB", pattern, size), workload: pattern, hosts: hosts,
				cells:   workloadCells(pattern, hosts, message.Bytes, nil),
				metrics: []metric{byMaxFCT()}, network: network(draw), replicas: replicas,
			})
		}
	}
	return points
}

// traceLoads are the loads of the traces.
func traceLoads() []float64 { return []float64{0.4, 0.6, 0.8, 1} }

// webSearch is a trace of WebSearch flows among the first hosts of a network.
type webSearch struct {
	key, mark string // key in tables; suffix of the load on an axis
	arrivals  arrive
	hosts     int
	us        int64 // time during which flows arrive
}

// authorsTrace returns the trace of the authors' flow lists.
func authorsTrace() webSearch { return webSearch{"websearch", "", traffic.Paced, traceHosts, 3500} }

// poissonTrace returns a trace with Poisson arrivals and uniform receivers.
func poissonTrace() webSearch {
	return webSearch{"websearch-poisson", ", Poisson", traffic.Poisson, traceHosts, 3500}
}

// wholeTrace returns the trace of the paper's text, with all hosts busy.
func wholeTrace() webSearch {
	return webSearch{"websearch", ", 128 hosts", traffic.Paced, 128, 5000}
}

// points returns the trace at the given loads, on networks with the tree of traceSpec. The first label says that
// the numbers are loads.
func (w webSearch) points(network func(drawWorkload) experiment.Networks, loads ...float64) []*comparedPoint {
	var points []*comparedPoint
	for i, load := range loads {
		label := fmt.Sprintf("%.0f %%", 100*load) + w.mark
		if i == 0 && w.mark == "" {
			label += " load"
		}
		points = append(points, &comparedPoint{
			group: traces, label: label,
			place:    fmt.Sprintf("%s at %.0f %% load, %d hosts", w.key, 100*load, w.hosts),
			workload: w.key, hosts: w.hosts, load: load, cells: workloadCells(w.key, w.hosts, nil, load),
			metrics: []metric{byMeanFCT(), byP99FCT(), byMaxFCT()}, replicas: fewLong,
			network: network(drawWebSearch(w.arrivals, w.hosts, traceSpec().Topology.(topology.FatTree), load, w.us)),
		})
	}
	return points
}

// collectivePoints returns the collectives of the authors' flow lists among the first 32 hosts: a ring of half the
// hosts, a butterfly, and exchanges between all pairs.
func collectivePoints(spec fattree.Spec, replicas uint64) []*comparedPoint {
	const hosts = traceHosts
	network, ring := onSpec(spec), traffic.Message{Bytes: 4_000_000}
	points := []*comparedPoint{collectivePoint("allreduce-ring", "Ring", hosts, ring.Bytes,
		network(func(source rand.Source) (fattree.Workload, error) {
			return traffic.RingAllreduce(hosts, hosts/2, ring, source)
		})), butterflyPoint(network, hosts, 20_000_000)}
	for _, parallel := range []int{4, 8, 16} {
		message := traffic.Message{Bytes: 2_000_000, Start: microseconds}
		points = append(points, collectivePoint(fmt.Sprintf("alltoall-%d", parallel),
			fmt.Sprintf("All-to-all, %d flows", parallel), hosts, message.Bytes,
			network(func(source rand.Source) (fattree.Workload, error) {
				return traffic.AllToAll(hosts, parallel, message, source)
			})))
	}
	for _, p := range points {
		p.replicas = replicas
	}
	return points
}

// butterflyPoint returns a butterfly allreduce of the first hosts.
func butterflyPoint(network func(drawWorkload) experiment.Networks, hosts int, bytes int64) *comparedPoint {
	return collectivePoint("allreduce-butterfly", "Butterfly", hosts, bytes,
		network(func(rand.Source) (fattree.Workload, error) {
			return traffic.ButterflyAllreduce(hosts, traffic.Message{Bytes: bytes})
		}))
}

// collectivePoint returns a point of a collective among the first hosts.
func collectivePoint(key, label string, hosts int, bytes int64, network experiment.Networks) *comparedPoint {
	return &comparedPoint{group: collectives, label: label, place: fmt.Sprintf("%s of %d hosts", key, hosts),
		workload: key, hosts: hosts, cells: workloadCells(key, hosts, bytes, nil), metrics: []metric{byEnd()},
		network: network}
}

// withWideBitmap makes points compare all schemes. BitMap has 65,535 EVs there, with the authors' mask, as in
// their traces and collectives.
func withWideBitmap(points []*comparedPoint) []*comparedPoint {
	schemes := allSchemes()
	bitmap := &schemes[slices.IndexFunc(schemes, func(of scheme) bool { return of.key == "bitmap" })]
	bitmap.open = func(int) (transport.Balancer, error) { return balance.NewBitmapByMask(fullEVS - 1) }
	for _, p := range points {
		p.schemes = schemes
	}
	return points
}
