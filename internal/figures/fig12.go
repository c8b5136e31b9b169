package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/reps"
)

// fig12 reproduces completion times under ACK coalescing.
func fig12(ctx context.Context, s Settings) (Output, error) {
	g, err := newAckGrid(ctx, s, s.Scale.replicas(3, 40), ackScheme{scheme: lb("reps")})
	if err != nil {
		return Output{}, err
	}
	return g.output(s.Seed,
		"The authors' simulator, one permutation, 3 seeds, maximum FCT with 1, 2, 4, 8 and 16 packets to an ACK, us. Healthy: OPS 194.3, 199.0, 202.5, 209.2, 255.1; REPS 184.9, 190.1, 198.1, 204.1, 254.9. Failure: OPS 3,027, 3,196, 3,477, 4,948, 6,193; REPS 225.6, 240.6, 279.6, 428.9, 995.9.",
		fig12Findings(g)...), nil
}

// fig12Findings judges the claims.
func fig12Findings(g *ackGrid) []claims.Finding {
	var better rule
	for _, ratio := range g.ratios {
		lead := g.longer(ackHealthy, "ops", "reps", ratio)
		better.words = append(better.words, fmt.Sprintf("%d:1 %s %%", ratio, withBounds(lead, "%.1f")))
		switch ratio {
		case 1:
		case 16:
			better.add(claims.AtMost(lead, 2), "")
		default:
			better.add(claims.AtLeast(lead, 2).When(lead.Value > 2 && lead.Lo > 0), "")
		}
	}
	failed := g.of(ackFailing, "ops", 16).over(g.of(ackFailing, "reps", 16))
	spec := fattree.Spec{}.WithDefaults()
	overhead := 100 * float64(spec.HeaderBytes) / float64(spec.MTU)
	return []claims.Finding{
		better.all("N059", "OPS above REPS: ", "; ", ""),
		claims.Estimated("N060", failed, claims.AtLeast(failed, 2).When(failed.Lo >= 2),
			"OPS over REPS at 16:1 "+withBounds(failed, "%.1f"), ""),
		claims.Exactly("N062", overhead >= 0.5 && overhead <= 1.5, overhead,
			fmt.Sprintf("%.2f %%: %d of %d bytes", overhead, spec.HeaderBytes, spec.MTU),
			"with packets of 8 KiB it would be 0.8 %"),
	}
}

// ackNetwork is a network in which senders have fewer ACKs than packets.
type ackNetwork struct {
	key, title string
	faults     []fattree.Fault
}

// The networks.
const (
	ackHealthy = "healthy"
	ackFailing = "dead-uplink"
)

// ackScheme is a load balancer under coalesced ACKs.
type ackScheme struct {
	scheme
	carry bool // ACKs carry the EVs of all packets they cover
	reuse bool // an EV is used as often as an ACK covers packets
}

// at returns the scheme for a number of packets per ACK.
func (a ackScheme) at(ratio int) scheme {
	if !a.reuse {
		return a.scheme
	}
	return repsAs(a.key, a.name, a.color, balance.RecyclingConfig{REPS: reps.Config{ReuseCount: ratio}})
}

// ackGrid compares schemes on networks, by the number of packets per ACK.
type ackGrid struct {
	hosts    int
	bytes    int64
	networks []ackNetwork
	ratios   []int
	schemes  []ackScheme
	replicas uint64
	netGrid  // x is the ratio
}

// newAckGrid runs schemes, OPS first, on the authors' permutation: healthy, and
// with the uplink to the first spine failed at every ToR, upwards, from the
// beginning.
func newAckGrid(ctx context.Context, s Settings, replicas uint64, schemes ...ackScheme) (*ackGrid, error) {
	g := &ackGrid{hosts: 128, bytes: 8 * mebi, ratios: []int{1, 2, 4, 8, 16}, replicas: replicas}
	g.schemes = append([]ackScheme{{scheme: lb("ops")}}, schemes...)
	topology := fattree.Topology{Hosts: g.hosts}.WithDefaults()
	g.networks = []ackNetwork{{ackHealthy, "(a) Healthy", nil},
		{ackFailing, "(b) 1 of 8 uplinks of each ToR dead", failedUplinks(topology, 0)}}
	for _, network := range g.networks {
		for _, c := range g.schemes {
			for _, ratio := range g.ratios {
				spec := fattree.Spec{Topology: topology, Faults: network.faults, AckRatio: ratio, CarryEVs: c.carry}
				g.add(network.key, c.key, ratio, c.at(ratio).setup(fullEVS, permuted(s.Seed, spec, g.bytes)))
			}
		}
	}
	return g, g.run(ctx, s, g.replicas, keepWithIdeal)
}

// longer returns by how many percent the mean maximum FCT of a scheme is above that
// of another, replicas paired.
func (g *ackGrid) longer(network, slow, fast string, ratio int) mc.Estimate {
	return g.of(network, slow, ratio).over(g.of(network, fast, ratio)).Percent()
}

// table lists every experiment.
func (g *ackGrid) table(seed uint64) table.Table {
	var t table.Table
	g.rows(&t, seed, func(key netKey) cells {
		return cells{{"network", key.network}, {"scheme", key.scheme}, {"ack_ratio", key.x}, {"hosts", g.hosts},
			{"message_bytes", g.bytes}, {"evs", fullEVS}}
	})
	return t
}

// plot draws a panel for each network.
func (g *ackGrid) plot() *plot.Plot {
	x := ticked(onScale(plot.Log2), "%d:1", g.ratios...)
	var panels []plot.Panel
	for _, network := range g.networks {
		panel := plot.Panel{Title: network.title, XLabel: "Packets to an ACK", YLabel: "Mean maximum FCT (us)", X: x,
			Y: from(150)}
		if network.faults != nil {
			panel.Y = onScale(plot.Log10, 100, 10_000)
		}
		for _, c := range g.schemes {
			panel.Series = append(panel.Series, over(c.series(plot.ErrorBars), g.ratios, func(ratio int) mc.Estimate {
				return g.of(network.key, c.key, ratio).maxFCT()
			}))
		}
		panels = append(panels, panel)
	}
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}}
}

// output returns the figure; note is added to the one on the set-up.
func (g *ackGrid) output(seed uint64, note string, findings ...claims.Finding) Output {
	return Output{Tables: []table.Table{g.table(seed)}, Plot: g.plot(), Notes: []string{g.setup(), note},
		Findings: findings}
}

// setup describes what was run.
func (g *ackGrid) setup() string {
	return fmt.Sprintf("%d hosts, 2 tiers, 8 uplinks to a ToR, queue 100, ECN 25/76, trimming, DCTCP variant, 8 MiB permutation that differs from replica to replica (the authors': one for all): the authors' set-up. A receiver acknowledges at once what is marked, a duplicate, a flow's first packet, and what its sender asks for. In (b) the uplink to the first spine has failed at every ToR, upwards, from the beginning: what their \"8 %% of the cables\" amounts to. Means over %d replicas with 95 %% intervals.", g.hosts, g.replicas)
}
