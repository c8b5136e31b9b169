package main

import (
	"fmt"

	"repslab/fattree"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/sweep"
)

// fattreeKeys are the columns of a point's parameters, whose cells keys returns.
func fattreeKeys() []table.Column {
	return columns([]string{
		"hosts", "tiers", "oversubscription", "lb", "reps", "cc", "workload", "sizes", "load", "arrivals", "duration_us", "degree", "message_bytes",
		"background_every", "inherit", "failure", "evs", "ack_ratio", "ack_variant",
		"trimming", "freezing", "freeze_us", "freeze_exit", "ring", "queue", "kmin", "kmax", "window", "rto_us", "link_gbps", "latency_ns", "mtu", "topology", "flow_list",
	}, "lb", "reps", "cc", "workload", "sizes", "arrivals", "inherit", "failure", "trimming", "freezing", "ack_variant", "freeze_exit", "topology", "flow_list")
}

// keys returns the point's parameters.
func (p *fattreePoint) keys() []any {
	var rules, freezing, freeze, exit, ring, topology, flows, sizes, load, arrivals, duration any
	if p.kind().sizes != nil {
		load, arrivals, duration = p.load, string(p.arrivals), p.duration
	}
	if p.topology != nil {
		topology = p.topology.path
	}
	if p.flows != nil {
		flows = p.flows.path
	} else if p.sizes != nil {
		sizes = p.sizes.path
	}
	if p.lb == lbREPS {
		rules = string(p.rules)
	}
	if p.caches() {
		freezing, freeze, exit, ring = p.freezing.String(), p.freeze, p.exit.String(), p.ring
	}
	t := p.spec.Topology
	return []any{
		p.hosts, p.tiers, float64(t.HostsPerToR) / float64(t.UplinksPerToR), string(p.lb), rules, string(p.cc), string(p.workload),
		sizes, load, arrivals, duration, unlessZero(p.degree), unlessZero(p.message), unlessZero(p.background), string(p.inherit), p.failure.String(), p.evs, p.ackRatio, string(p.variant),
		string(p.trimming), freezing, freeze, exit, ring, p.queue, p.kmin, p.kmax, p.window, float64(p.spec.RTO) / 1e6, t.Access.Gbps, t.Access.LatencyNs, p.mtu, topology, flows,
	}
}

// unlessZero returns a parameter, or nil if it means nothing.
func unlessZero[T int | int64](v T) any {
	if v == 0 {
		return nil
	}
	return v
}

// fattreeResults are the columns of what is estimated, whose cells results returns.
func fattreeResults() []table.Column {
	return columns([]string{
		"max_fct_us", "max_fct_us_se", "mean_fct_us", "mean_fct_us_se", "p99_fct_us", "p999_fct_us", "slowdown_p99", "end_us",
		"flows", "finished", "sent", "retransmitted", "dropped", "trimmed", "lost", "corrupted", "ecn_marked_fraction", "recycled_fraction",
		"reorder_depth_p99", "reroute_us", "max_queue_packets", "packet_hops",
		"background_max_fct_us", "background_mean_fct_us",
	})
}

// results turns a summary into a row.
func (p *fattreePoint) results(s fattree.Summary) sweep.Results {
	us := func(e mc.Estimate) any { return e.Per(1e6).Value }
	out := sweep.Results{Work: float64(s.TotalHops), Rows: [][]any{{
		us(s.MaxFCT), s.MaxFCT.Per(1e6).StdErr, us(s.MeanFCT), s.MeanFCT.Per(1e6).StdErr, us(s.P99FCT), us(s.P999FCT), s.SlowdownP99.Value, us(s.End),
		s.Flows.Value, s.Finished.Value, s.Sent.Value, s.Retransmitted.Value, s.Dropped.Value, s.Trimmed.Value, s.Lost.Value, s.Corrupted.Value,
		s.Marked.Value / s.PacketHops.Value, s.Recycled.Value / s.Sent.Value,
		s.ReorderP99.Value, us(s.Reroute), s.MaxQueue.Value, s.PacketHops.Value,
		us(s.BackgroundMaxFCT), us(s.BackgroundMeanFCT),
	}}}
	if s.Unfinished > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s: flows were left unfinished after %d ms in %d of %d replicas; completion times are those of the others", p, p.spec.Horizon/1_000_000_000, s.Unfinished, s.Replicas))
	}
	return out
}

// fattreeOver returns the number of runs behind a mean completion time: all of them
// where every flow finished. Otherwise a row does not say how many runs are left.
func fattreeOver(_ string, cell func(key string) any) (runs uint64, known bool) {
	n, known := number(cell("replicas"))
	return uint64(n), known && cell("finished") == cell("flows")
}
