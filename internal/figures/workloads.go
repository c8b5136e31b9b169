package figures

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/table"
)

// Groups of points.
const (
	Healthy     = "healthy" // beside groups in which something fails
	Patterns    = "patterns"
	MidRun      = "mid-run" // permutations in which something fails after a while
	Traces      = "traces"
	Collectives = "collectives"
)

// TraceSpec is what the authors' scripts of traces and collectives have in common:
// 32 of 128 hosts are busy, and flows between the same hosts inherit.
func TraceSpec() fattree.Spec {
	return fattree.Spec{Topology: fattree.Topology{Hosts: 128}, DisableTrimming: true, InheritConnections: true}
}

// TraceHosts are the busy ones of 128.
const TraceHosts = 32

// WorkloadColumns head what tables say of the points of this file.
func WorkloadColumns() []table.Column {
	return append([]table.Column{table.Text("workload")}, table.Numbers("hosts", "message_bytes", "load")...)
}

// Synthetic returns the paper's synthetic set: incast of 8 hosts of one ToR,
// permutation and tornado, for messages of the given MiB.
func SyntheticPoints(seed uint64, spec fattree.Spec, sizes []int, replicas uint64) []ComparisonPoint {
	hosts := spec.Topology.Hosts
	var points []ComparisonPoint
	for _, pattern := range []string{"incast", "permutation", "tornado"} {
		for _, size := range sizes {
			message := traffic.Message{Bytes: int64(size) * MiB}
			network := Permutation(seed, spec, message.Bytes)
			switch pattern {
			case "incast":
				network = Fixed(spec)(traffic.Incast(hosts, 8, message))
			case "tornado":
				network = Fixed(spec)(traffic.Tornado(hosts, message))
			}
			points = append(points, ComparisonPoint{
				Group: Patterns, Label: fmt.Sprintf("%s.%d", strings.ToUpper(pattern[:1]), size), Place: fmt.Sprintf("%s of %d MiB", pattern, size),
				Cells: Cells{"workload": pattern, "hosts": hosts, "message_bytes": message.Bytes}, Metrics: []Metric{Longest()}, Network: network, Replicas: replicas,
			})
		}
	}
	return points
}

// Arrivals says how the flows of a trace come.
type Arrivals struct {
	Hosts    int // that send and receive, the first ones
	Duration fattree.Picoseconds
	Poisson  bool // and receivers uniform; else as the authors' generator has it
}

// WebSearch returns points of WebSearch flows at the given loads.
func WebSearchPoints(seed uint64, spec fattree.Spec, a Arrivals, loads []float64, replicas uint64) []ComparisonPoint {
	topology := spec.Topology.WithDefaults()
	draw, key, mark := traffic.Paced, "websearch", ""
	if a.Poisson {
		draw, key, mark = traffic.Poisson, "websearch-poisson", "P"
	}
	var points []ComparisonPoint
	for _, load := range loads {
		of := traffic.Arrivals{Hosts: a.Hosts, HostsPerToR: topology.HostsPerToR, Sizes: traffic.WebSearch(), Load: load, Gbps: topology.Access.Gbps, Duration: a.Duration}
		points = append(points, ComparisonPoint{
			Group: Traces, Label: fmt.Sprintf("%.0f%s", 100*load, mark), Place: fmt.Sprintf("%s at %.0f %% load", key, 100*load),
			Cells: Cells{"workload": key, "hosts": a.Hosts, "load": load}, Metrics: []Metric{Average(), Tail(), Longest()}, Replicas: replicas,
			Network: Varied(spec, func(replica uint64) (fattree.Workload, error) { return draw(of, WorkloadSource(seed, replica)) }),
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
		{"allreduce-ring", "ring", 4_000_000, func(hosts int, m traffic.Message, source rand.Source) (fattree.Workload, error) {
			return traffic.RingAllreduce(hosts, hosts/2, m, source)
		}},
		{"allreduce-butterfly", "butterfly", 20_000_000, func(hosts int, m traffic.Message, _ rand.Source) (fattree.Workload, error) {
			return traffic.ButterflyAllreduce(hosts, m)
		}},
	}
	for _, parallel := range []int{4, 8, 16} {
		list = append(list, collective{fmt.Sprintf("alltoall-%d", parallel), fmt.Sprintf("a2a %d", parallel), 2_000_000,
			func(hosts int, m traffic.Message, source rand.Source) (fattree.Workload, error) {
				m.Start = Microseconds
				return traffic.AllToAll(hosts, parallel, m, source)
			}})
	}
	return list
}

// collectives returns the points of collectives among the first 32 hosts, at
// quick scale of some of them among the first 16.
func CollectivePoints(s Settings, spec fattree.Spec, replicas uint64) []ComparisonPoint {
	hosts, list := int(s.Scale.Choose(16, TraceHosts)), paperCollectives()
	if s.Scale == Quick {
		list = slices.DeleteFunc(list, func(c collective) bool { return c.key == "allreduce-butterfly" || c.key == "alltoall-16" })
	}
	var points []ComparisonPoint
	for _, c := range list {
		points = append(points, ComparisonPoint{
			Group: Collectives, Label: c.label, Place: c.key,
			Cells: Cells{"workload": c.key, "hosts": hosts, "message_bytes": c.bytes}, Metrics: []Metric{Ending()}, Replicas: replicas,
			Network: Varied(spec, func(replica uint64) (fattree.Workload, error) {
				return c.draw(hosts, traffic.Message{Bytes: c.bytes}, WorkloadSource(s.Seed, replica))
			}),
		})
	}
	return points
}
