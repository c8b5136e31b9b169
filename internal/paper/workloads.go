package paper

import (
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/report"
)

// Groups of points.
const (
	healthy     = "healthy" // beside groups in which something fails
	patterns    = "patterns"
	midRun      = "mid-run" // permutations in which something fails after a while
	traces      = "traces"
	collectives = "collectives"
)

// traceSpec is what the authors' scripts of traces and collectives have in common:
// 32 of 128 hosts are busy, and flows between the same hosts inherit.
func traceSpec() fattree.Spec {
	return fattree.Spec{Topology: fattree.Topology{Hosts: 128}, DisableTrimming: true, InheritConnections: true}
}

const traceHosts = 32

// workloadColumns head what tables say of the points of this file.
func workloadColumns() []report.Column {
	return append([]report.Column{text("workload")}, numbers("hosts", "message_bytes", "load")...)
}

// varied returns networks for a workload that differs from replica to replica.
func varied(spec fattree.Spec, workload func(replica uint64) (fattree.Workload, error)) func(uint64) (*fattree.Network, error) {
	return fattree.Varied(func(replica uint64) (fattree.Spec, error) {
		of := spec
		var err error
		of.Workload, err = workload(replica)
		return of, err
	})
}

// synthetic returns the paper's synthetic set: incast of 8 hosts of one ToR,
// permutation and tornado, for messages of the given MiB.
func (s Settings) synthetic(spec fattree.Spec, sizes []int, replicas uint64) []point {
	hosts := spec.Topology.Hosts
	var points []point
	for _, pattern := range []string{"incast", "permutation", "tornado"} {
		for _, size := range sizes {
			message := traffic.Message{Bytes: int64(size) * mib}
			network := s.permutation(spec, message.Bytes)
			switch pattern {
			case "incast":
				network = fixed(spec)(traffic.Incast(hosts, 8, message))
			case "tornado":
				network = fixed(spec)(traffic.Tornado(hosts, message))
			}
			points = append(points, point{
				group: patterns, label: fmt.Sprintf("%s.%d", strings.ToUpper(pattern[:1]), size), place: fmt.Sprintf("%s of %d MiB", pattern, size),
				cells: []any{pattern, hosts, message.Bytes, nil}, metrics: []metric{longest()}, network: network, replicas: replicas,
			})
		}
	}
	return points
}

const patternLabel = "Pattern, message (MiB)"

// patternTimes returns a wide panel of a metric of the patterns, a maximum FCT.
func (c *comparison) patternTimes(title string, m metric) report.Panel {
	return c.times(report.Panel{Wide: true, Title: title, XLabel: patternLabel, YLabel: "Mean max. FCT (us)",
		Y: report.Axis{Scale: report.Log10, Min: new(50.0), Max: new(5000.0)}}, patterns, m)
}

// arrivals says how the flows of a trace come.
type arrivals struct {
	hosts    int // that send and receive, the first ones
	duration fattree.Picoseconds
	poisson  bool // and receivers uniform; else as the authors' generator has it
}

// websearch returns points of WebSearch flows at the given loads.
func (s Settings) websearch(spec fattree.Spec, a arrivals, loads []float64, replicas uint64) []point {
	topology := spec.Topology.WithDefaults()
	draw, key, mark := traffic.Paced, "websearch", ""
	if a.poisson {
		draw, key, mark = traffic.Poisson, "websearch-poisson", "P"
	}
	var points []point
	for _, load := range loads {
		of := traffic.Arrivals{Hosts: a.hosts, HostsPerToR: topology.HostsPerToR, Sizes: traffic.WebSearch(), Load: load, Gbps: topology.Access.Gbps, Duration: a.duration}
		points = append(points, point{
			group: traces, label: fmt.Sprintf("%.0f%s", 100*load, mark), place: fmt.Sprintf("%s at %.0f %% load", key, 100*load),
			cells: []any{key, a.hosts, nil, load}, metrics: []metric{average(), tail(), longest()}, replicas: replicas,
			network: varied(spec, func(replica uint64) (fattree.Workload, error) { return draw(of, s.Seed, replica) }),
		})
	}
	return points
}

// collective is a collective of the given number of hosts.
type collective struct {
	key, label string
	bytes      int64 // of each message
	draw       func(hosts int, m traffic.Message, seed, replica uint64) (fattree.Workload, error)
}

// paperCollectives returns the collectives as the authors ran them: a ring of half
// the hosts, a butterfly, and exchanges of all pairs.
func paperCollectives() []collective {
	list := []collective{
		{"allreduce-ring", "ring", 4_000_000, func(hosts int, m traffic.Message, seed, replica uint64) (fattree.Workload, error) {
			return traffic.RingAllreduce(hosts, hosts/2, m, seed, replica)
		}},
		{"allreduce-butterfly", "butterfly", 20_000_000, func(hosts int, m traffic.Message, _, _ uint64) (fattree.Workload, error) {
			return traffic.ButterflyAllreduce(hosts, m)
		}},
	}
	for _, parallel := range []int{4, 8, 16} {
		list = append(list, collective{fmt.Sprintf("alltoall-%d", parallel), fmt.Sprintf("a2a %d", parallel), 2_000_000,
			func(hosts int, m traffic.Message, seed, replica uint64) (fattree.Workload, error) {
				m.Start = microseconds
				return traffic.AllToAll(hosts, parallel, m, seed, replica)
			}})
	}
	return list
}

// collectives returns the points of collectives among the first 32 hosts, at
// quick scale of some of them among the first 16.
func (s Settings) collectives(spec fattree.Spec, replicas uint64) []point {
	hosts, list := int(s.Scale.choose(16, traceHosts)), paperCollectives()
	if s.Scale == Quick {
		list = slices.DeleteFunc(list, func(c collective) bool { return c.key == "allreduce-butterfly" || c.key == "alltoall-16" })
	}
	var points []point
	for _, c := range list {
		points = append(points, point{
			group: collectives, label: c.label, place: c.key,
			cells: []any{c.key, hosts, c.bytes, nil}, metrics: []metric{ending()}, replicas: replicas,
			network: varied(spec, func(replica uint64) (fattree.Workload, error) {
				return c.draw(hosts, traffic.Message{Bytes: c.bytes}, s.Seed, replica)
			}),
		})
	}
	return points
}
