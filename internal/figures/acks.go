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

// ackScene is a network in which senders have fewer ACKs than packets.
type ackScene struct {
	key, title string
	faults     []fattree.Fault
}

// The scenes.
const (
	ackHealthy = "healthy"
	ackFailing = "dead-uplink"
)

// ackScheme is a load balancer under coalesced ACKs.
type ackScheme struct {
	Scheme
	carry bool // ACKs carry the EVs of all packets they cover
	reuse bool // an EV is used as often as an ACK covers packets
}

// at returns the scheme's contender where an ACK covers so many packets.
func (a ackScheme) at(ratio int) Scheme {
	if !a.reuse {
		return a.Scheme
	}
	return REPSAs(a.Key, a.Name, a.Look, balance.RecyclingConfig{REPS: reps.Config{ReuseCount: ratio}})
}

// ackGrid is a comparison of schemes in scenes, by packets to an ACK.
type ackGrid struct {
	hosts    int
	bytes    int64
	scenes   []ackScene
	ratios   []int
	schemes  []ackScheme
	replicas uint64
	runs     Batch[Run] // by scene, scheme and ratio
}

// newAckGrid runs schemes, OPS first, on the authors' permutation: healthy, and
// with the uplink to the first spine dead at every ToR, upwards, from the
// beginning.
func newAckGrid(ctx context.Context, s Settings, replicas uint64, schemes ...ackScheme) (*ackGrid, error) {
	g := &ackGrid{hosts: 128, bytes: 8 * MiB, ratios: []int{1, 2, 4, 8, 16}, replicas: replicas}
	g.schemes = append([]ackScheme{{Scheme: OPS()}}, schemes...)
	topology := fattree.Topology{Hosts: g.hosts}.WithDefaults()
	var dead []fattree.Fault
	for tor := range topology.ToRs() {
		dead = append(dead, fattree.Fault{Switch: tor})
	}
	g.scenes = []ackScene{{ackHealthy, "(a) Healthy", nil}, {ackFailing, "(b) 1 of 8 uplinks of each ToR dead", dead}}
	for _, scene := range g.scenes {
		for _, scheme := range g.schemes {
			for _, ratio := range g.ratios {
				spec := fattree.Spec{Topology: topology, Faults: scene.faults, AckRatio: ratio, CarryEVs: scheme.carry}
				g.runs.Add(scheme.at(ratio).Setup(FullEVS, Permutation(s.Seed, spec, g.bytes)), scene.key, scheme.Key, ratio)
			}
		}
	}
	return g, g.runs.Run(ctx, s, g.replicas, KeepWithIdeal)
}

// at returns the runs of a scheme in a scene.
func (g *ackGrid) at(scene, scheme string, ratio int) Runs {
	return g.runs.Of(scene, scheme, ratio)
}

// over returns by how many percent the mean maximum FCT of a scheme is above that
// of another, replicas paired.
func (g *ackGrid) over(scene, slow, fast string, ratio int) mc.Estimate {
	return g.at(scene, slow, ratio).Over(g.at(scene, fast, ratio)).Percent()
}

// table lists every point.
func (g *ackGrid) table(seed uint64) table.Table {
	t := table.Table{Columns: append(append([]table.Column{table.Text("network"), table.Text("scheme")}, table.Numbers("ack_ratio", "hosts", "message_bytes", "evs")...), RunColumns()...)}
	for _, scene := range g.scenes {
		for _, scheme := range g.schemes {
			for _, ratio := range g.ratios {
				t.Rows = append(t.Rows, append([]any{scene.key, scheme.Key, ratio, g.hosts, g.bytes, FullEVS}, g.at(scene.key, scheme.Key, ratio).Cells(g.at(scene.key, "ops", ratio), seed)...))
			}
		}
	}
	return t
}

// plot draws a panel for each scene.
func (g *ackGrid) plot() *plot.Plot {
	x := plot.Axis{Scale: plot.Log2}
	for _, ratio := range g.ratios {
		x.Ticks, x.TickLabels = append(x.Ticks, float64(ratio)), append(x.TickLabels, fmt.Sprintf("%d:1", ratio))
	}
	var panels []plot.Panel
	for _, scene := range g.scenes {
		panel := plot.Panel{Title: scene.title, XLabel: "Packets to an ACK", YLabel: "Mean maximum FCT (us)", X: x, Y: plot.Axis{Min: new(150.0)}}
		if scene.faults != nil {
			panel.Y = plot.Axis{Scale: plot.Log10, Min: new(100.0), Max: new(10_000.0)}
		}
		for _, scheme := range g.schemes {
			series := plot.Series{Name: scheme.Name, Color: scheme.Look, Mark: plot.ErrorBars}
			for _, ratio := range g.ratios {
				AppendPoint(&series, float64(ratio), g.at(scene.key, scheme.Key, ratio).MaxFCT())
			}
			panel.Series = append(panel.Series, series)
		}
		panels = append(panels, panel)
	}
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}}
}

// output returns the figure, with a note beside that on the set-up.
func (g *ackGrid) output(seed uint64, note string, findings []claims.Finding) Output {
	return Output{
		Tables:   []table.Table{g.table(seed)},
		Formats:  []table.Format{table.CSV},
		Plot:     g.plot(),
		Notes:    []string{g.setup(), note},
		Findings: findings,
	}
}

// setup describes what was run.
func (g *ackGrid) setup() string {
	return fmt.Sprintf("%d hosts, 2 tiers, 8 uplinks to a ToR, queue 100, ECN 25/76, trimming, DCTCP variant, 8 MiB permutation that differs from replica to replica (the authors': one for all): the authors' set-up. A receiver acknowledges at once what is marked, a duplicate, a flow's first packet, and what its sender asks for. In (b) the uplink to the first spine is dead at every ToR, upwards, from the beginning: what their \"8 %% of the cables\" amounts to. Means over %d replicas with 95 %% intervals.", g.hosts, g.replicas)
}
