package figures

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// ECN thresholds of the figures of one ToR's uplinks, packets.
const (
	microKMin = 20
	microKMax = 80
)

// microSpec is the network of those figures.
func microSpec(topology fattree.Topology) fattree.Spec {
	return fattree.Spec{Topology: topology, KMin: microKMin, KMax: microKMax}
}

// patternSpec is the network of the authors' synthetic patterns, without trimming.
func patternSpec(topology fattree.Topology) fattree.Spec {
	return fattree.Spec{Topology: topology, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
}

// traceHosts are the busy ones of the 128 hosts of traceSpec.
const traceHosts = 32

// traceSpec is the network of the authors' traces and collectives: flows between the same
// hosts inherit.
func traceSpec() fattree.Spec {
	return fattree.Spec{Topology: fattree.Topology{Hosts: 128}, DisableTrimming: true, InheritConnections: true}
}

// failedUplinks fails the first uplink of every ToR from a time on, upwards.
func failedUplinks(topology fattree.Topology, from fattree.Picoseconds) []fattree.Fault {
	var failed []fattree.Fault
	for tor := range topology.ToRs() {
		failed = append(failed, fattree.Fault{Switch: tor, Start: from})
	}
	return failed
}

// workloadSource returns the source of a replica's workload.
func workloadSource(seed, replica uint64) rand.Source {
	return mc.NewStream(seed, mc.Workload, replica).Source()
}

// drawWorkload draws the workload of a replica.
type drawWorkload func(replica uint64) (fattree.Workload, error)

// failing returns networks whose workload and places of failures differ between
// replicas. Failures are written as on the command line; their random places are
// independent of the workload.
func failing(seed uint64, spec fattree.Spec, failures string, workload drawWorkload) fattree.Networks {
	return fattree.Varied(func(_, replica uint64) (fattree.Spec, error) {
		of := spec
		list, err := fattree.ParseFailures(failures)
		if err != nil {
			return of, err
		}
		of.Faults, of.Errors, err = fattree.Place(of.Topology, list,
			mc.NewStream(seed, mc.Workload, replica).Child(1).Source())
		if err != nil {
			return of, err
		}
		of.Workload, err = workload(replica)
		return of, err
	})
}

// varied returns networks whose workload differs between replicas.
func varied(spec fattree.Spec, workload drawWorkload) fattree.Networks {
	return fattree.Varied(func(_, replica uint64) (fattree.Spec, error) {
		of := spec
		var err error
		of.Workload, err = workload(replica)
		return of, err
	})
}

// fixed returns a function that makes the network for a workload, or for the
// error of making one.
func fixed(spec fattree.Spec) func(fattree.Workload, error) fattree.Networks {
	return func(w fattree.Workload, err error) fattree.Networks {
		if err != nil {
			return func(_, _ uint64) (*fattree.Network, error) { return nil, err }
		}
		spec.Workload = w
		return fattree.Fixed(spec)
	}
}

// drawPermutation draws a permutation of all hosts.
func drawPermutation(seed uint64, hosts int, bytes int64) drawWorkload {
	return func(replica uint64) (fattree.Workload, error) {
		return traffic.Permutation(hosts, traffic.Message{Bytes: bytes}, workloadSource(seed, replica))
	}
}

// permuted returns networks with a permutation that differs between replicas.
func permuted(seed uint64, spec fattree.Spec, bytes int64) fattree.Networks {
	return varied(spec, drawPermutation(seed, spec.Topology.Hosts, bytes))
}

// drawTrace draws the flows of a trace by the authors' generator.
func drawTrace(seed uint64, a traffic.Arrivals) drawWorkload {
	return func(replica uint64) (fattree.Workload, error) { return traffic.Paced(a, workloadSource(seed, replica)) }
}

// workloadCells are the cells of a workload; nil for what it does not have.
func workloadCells(workload string, hosts int, bytes, load any) cells {
	return cells{{"workload", workload}, {"hosts", hosts}, {"message_bytes", bytes}, {"load", load}}
}

// patternSizes are the messages of the synthetic set, in MiB.
func patternSizes(scale Scale) []int { return choose(scale, []int{8}, []int{4, 8, 16}) }

// patternPoints returns the paper's synthetic set: incast of 8 hosts of one ToR,
// permutation and tornado, for messages of the given MiB.
func patternPoints(seed uint64, spec fattree.Spec, sizes []int, replicas uint64) []*comparedPoint {
	hosts := spec.Topology.Hosts
	var points []*comparedPoint
	for _, pattern := range []string{"incast", "permutation", "tornado"} {
		for _, size := range sizes {
			message := traffic.Message{Bytes: int64(size) * mebi}
			network := permuted(seed, spec, message.Bytes)
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

// arrivals says how the flows of a trace arrive.
type arrivals struct {
	hosts    int // that send and receive, the first ones
	duration fattree.Picoseconds
	poisson  bool // Poisson arrivals and uniform receivers; else the authors' generator
}

// traceLoads returns the loads of the traces, and how long their flows arrive.
func traceLoads(scale Scale) (loads []float64, paced arrivals) {
	paced = arrivals{hosts: traceHosts, duration: choose[fattree.Picoseconds](scale, 500, 3500) * microseconds}
	return choose(scale, []float64{0.4, 1}, []float64{0.4, 0.6, 0.8, 1}), paced
}

// webSearchPoints returns points of WebSearch flows at the given loads.
func webSearchPoints(seed uint64, spec fattree.Spec, a arrivals, loads []float64, replicas uint64) []*comparedPoint {
	topology := spec.Topology.WithDefaults()
	draw, key, mark := traffic.Paced, "websearch", ""
	if a.poisson {
		draw, key, mark = traffic.Poisson, "websearch-poisson", "P"
	}
	var points []*comparedPoint
	for _, load := range loads {
		of := traffic.Arrivals{Hosts: a.hosts, HostsPerToR: topology.HostsPerToR, Sizes: traffic.WebSearch(),
			Load: load, Gbps: topology.Access.Gbps, Duration: a.duration}
		points = append(points, &comparedPoint{
			group: traces, label: fmt.Sprintf("%.0f%s", 100*load, mark),
			place:    fmt.Sprintf("%s at %.0f %% load", key, 100*load),
			workload: key, hosts: a.hosts, load: load, cells: workloadCells(key, a.hosts, nil, load),
			metrics: []metric{byMeanFCT(), byP99FCT(), byMaxFCT()}, replicas: replicas,
			network: varied(spec,
				func(replica uint64) (fattree.Workload, error) { return draw(of, workloadSource(seed, replica)) }),
		})
	}
	return points
}

// collective is a collective of the given number of hosts.
type collective struct {
	key, label string
	bytes      int64 // of each message
	draw       func(hosts int, m traffic.Message, source rand.Source) (fattree.Workload, error)
}

// paperCollectives returns the collectives as the authors ran them: a ring of half
// the hosts, a butterfly, and exchanges of all pairs.
func paperCollectives() []collective {
	list := []collective{
		{"allreduce-ring", "ring", 4_000_000, func(hosts int, m traffic.Message,
			source rand.Source) (fattree.Workload, error) {
			return traffic.RingAllreduce(hosts, hosts/2, m, source)
		}},
		{"allreduce-butterfly", "butterfly", 20_000_000,
			func(hosts int, m traffic.Message, _ rand.Source) (fattree.Workload, error) {
				return traffic.ButterflyAllreduce(hosts, m)
			}},
	}
	for _, parallel := range []int{4, 8, 16} {
		list = append(list, collective{fmt.Sprintf("alltoall-%d", parallel), fmt.Sprintf("a2a %d", parallel), 2_000_000,
			func(hosts int, m traffic.Message, source rand.Source) (fattree.Workload, error) {
				m.Start = microseconds
				return traffic.AllToAll(hosts, parallel, m, source)
			}})
	}
	return list
}

// collectivePoints returns the points of collectives among the first 32 hosts, at
// quick scale of some of them among the first 16.
func collectivePoints(s Settings, spec fattree.Spec, replicas uint64) []*comparedPoint {
	hosts, list := int(s.Scale.replicas(16, traceHosts)), paperCollectives()
	if s.Scale == Quick {
		list = slices.DeleteFunc(list,
			func(c collective) bool { return c.key == "allreduce-butterfly" || c.key == "alltoall-16" })
	}
	var points []*comparedPoint
	for _, c := range list {
		points = append(points, &comparedPoint{
			group: collectives, label: c.label, place: c.key, workload: c.key, hosts: hosts,
			cells: workloadCells(c.key, hosts, c.bytes, nil), metrics: []metric{byEnd()}, replicas: replicas,
			network: varied(spec, func(replica uint64) (fattree.Workload, error) {
				return c.draw(hosts, traffic.Message{Bytes: c.bytes}, workloadSource(s.Seed, replica))
			}),
		})
	}
	return points
}
