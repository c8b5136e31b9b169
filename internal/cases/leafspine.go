package cases

import (
	"context"
	"fmt"

	"repslab/ballsbins/leafspine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/sweep"
)

func leafspineModel() param.Model {
	results := append(param.Numbers(leafspineRow(leafspine.Observation{}, nil, nil, nil)), frame.Text("decides"), frame.Text("knows"))
	return param.New(param.Model{Name: "leafspine", Unit: "packet", Streams: 1, Results: results, Brief: []string{
		"ports", "rule", "traffic", "observed_packets", "max_queue_mean", "max_queue_se", "max_queue_exact", "max_queue_bound", "exponent",
	}, Replicas: 20}, func() param.Space { return leafspineSpace(new(Leafspine)) })
}

// Leafspine is a point: a combination of parameters of a leaf-spine network without feedback.
type Leafspine struct {
	leafspine.Config
	packets, from int
}

func leafspineSpace(p *Leafspine) param.Space {
	*p = Leafspine{Config: leafspine.Config{}.WithDefaults()}
	p.packets = p.Packets[0]
	rules := make([]leafspine.Rule, 0, len(leafspine.Rules()))
	for _, r := range leafspine.Rules() {
		rules = append(rules, r.Rule)
	}
	return param.NewSpace(p, (*Leafspine).complete, (*Leafspine).point, []param.Parameter{
		param.Integer("ports", "ports of a switch, k; there are k^2/2 hosts", 4, leafspine.MaxPorts, &p.Ports),
		param.Name("rule", "choice of a packet's spine", rules, &p.Rule),
		param.Name("traffic", "destinations of hosts", leafspine.Traffics(), &p.Traffic),
		param.Integer("spread", "slots over which the starts of hosts are drawn", 0, leafspine.MaxSpread, &p.Spread),
		param.Integer("packets", "packets of each host, m", 1, leafspine.MaxPackets, &p.packets),
		param.Integer("from", "observe after this many packets, at each doubling, and after the last",
			1, leafspine.MaxPackets, &p.from).NoPreset("only after the last"),
	})
}

// complete applies defaults and checks the point.
func (p *Leafspine) complete() error {
	if p.from == 0 {
		p.from = p.packets
	}
	if p.from > p.packets {
		return param.Usagef("--from (%d) must be at most --packets (%d)", p.from, p.packets)
	}
	p.Packets = nil
	for m := p.from; m < p.packets; m *= 2 {
		p.Packets = append(p.Packets, m)
	}
	p.Packets = append(p.Packets, p.packets)
	return p.Validate()
}

// point returns the point of a sweep.
func (p *Leafspine) point() sweep.Point {
	point := sweep.Estimated(p.String(), nil, leafspine.NewExperiment(p.Config), p.results)
	point.Work = p.work()
	return point
}

// work returns the packets of all hosts in a run.
func (p *Leafspine) work() float64 {
	return float64(p.packets+p.Spread) * float64(p.Ports*p.Ports) / 2
}

// String names the point in warnings and progress.
func (p *Leafspine) String() string {
	return fmt.Sprintf("ports=%d rule=%s traffic=%s spread=%d", p.Ports, p.Rule, p.Traffic, p.Spread)
}

// leafspineRow returns the cells of an observation. exact, bound and uplink are laws, nil where there is none.
func leafspineRow(o leafspine.Observation, exact, bound, uplink any) frame.Row {
	return frame.Row{
		{"observed_packets", o.Packets},
		{"max_queue_mean", frame.WithError(o.Longest)},
		{"max_queue_p95", frame.WithEnds(o.LongestP95)},
		{"max_queue_exact", exact},
		{"max_queue_bound", bound},
		{"exponent", frame.WithEnds(o.Growth)},
		{"uplink_queue_mean", frame.WithError(o.Uplink)},
		{"uplink_queue_exact", uplink},
	}
}

// results returns a row for each observed number of packets.
func (p *Leafspine) results(_ context.Context, tally *leafspine.Tally, replicas uint64) (sweep.Results, error) {
	out := sweep.Results{Work: float64(replicas) * p.work()}
	uplinks := leafspine.MeanUplink(p.Config)
	for i, o := range tally.Result().Observations {
		var exact, bound, uplink any
		if longest, known := leafspine.Longest(p.Config, o.Packets); known {
			exact = longest
		}
		if most, bounded := leafspine.Bound(p.Config); bounded {
			bound = most
		}
		if uplinks != nil {
			uplink = uplinks[i]
		}
		row := leafspineRow(o, exact, bound, uplink)
		rule := leafspine.RuleOf(p.Rule)
		out.Rows = append(out.Rows, append(row.Values(), rule.Decides, rule.Knows))
		queues := lists.Where(row, func(c frame.Cell) bool { return c.Key != "exponent" }) // which is often near 0
		out.Warnings = append(out.Warnings, wideIntervals(fmt.Sprintf("%s observed_packets=%d", p, o.Packets), queues, nil)...)
	}
	return out, nil
}
