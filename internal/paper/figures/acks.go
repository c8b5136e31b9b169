package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/paper"
	"repslab/internal/paper/lineup"
	"repslab/internal/paper/netrun"
	"repslab/internal/report"
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
	lineup.Contender
	carry bool // ACKs carry the EVs of all packets they cover
	reuse bool // an EV is used as often as an ACK covers packets
}

// at returns the scheme's contender where an ACK covers so many packets.
func (a ackScheme) at(ratio int) lineup.Contender {
	if !a.reuse {
		return a.Contender
	}
	return lineup.REPSAs(a.Key, a.Name, a.Look, balance.RecyclingConfig{REPS: reps.Config{ReuseCount: ratio}})
}

// ackGrid is a comparison of schemes in scenes, by packets to an ACK.
type ackGrid struct {
	hosts    int
	bytes    int64
	scenes   []ackScene
	ratios   []int
	schemes  []ackScheme
	replicas uint64
	runs     netrun.Batch[netrun.Run] // by scene, scheme and ratio
}

// newAckGrid runs schemes, OPS first, on the authors' permutation: healthy, and
// with the uplink to the first spine dead at every ToR, upwards, from the
// beginning.
func newAckGrid(ctx context.Context, s paper.Settings, replicas uint64, schemes ...ackScheme) (*ackGrid, error) {
	g := &ackGrid{hosts: 128, bytes: 8 * netrun.MiB, ratios: []int{1, 2, 4, 8, 16}, replicas: replicas}
	g.schemes = append([]ackScheme{{Contender: lineup.OPS()}}, schemes...)
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
				g.runs.Add(scheme.at(ratio).Setup(netrun.FullEVS, netrun.Permutation(s.Seed, spec, g.bytes)), scene.key, scheme.Key, ratio)
			}
		}
	}
	return g, g.runs.Run(ctx, s, g.replicas, netrun.KeepWithIdeal)
}

// at returns the runs of a scheme in a scene.
func (g *ackGrid) at(scene, scheme string, ratio int) netrun.Runs {
	return g.runs.Of(scene, scheme, ratio)
}

// over returns by how many percent the mean maximum FCT of a scheme is above that
// of another, replicas paired.
func (g *ackGrid) over(scene, slow, fast string, ratio int) mc.Estimate {
	return g.at(scene, slow, ratio).Over(g.at(scene, fast, ratio)).Percent()
}

// table lists every point.
func (g *ackGrid) table(seed uint64) paper.Table {
	t := paper.Table{Columns: append(append([]report.Column{paper.Text("network"), paper.Text("scheme")}, paper.Numbers("ack_ratio", "hosts", "message_bytes", "evs")...), netrun.Columns()...)}
	for _, scene := range g.scenes {
		for _, scheme := range g.schemes {
			for _, ratio := range g.ratios {
				t.Rows = append(t.Rows, append([]any{scene.key, scheme.Key, ratio, g.hosts, g.bytes, netrun.FullEVS}, g.at(scene.key, scheme.Key, ratio).Cells(g.at(scene.key, "ops", ratio), seed)...))
			}
		}
	}
	return t
}

// plot draws a panel for each scene.
func (g *ackGrid) plot() *report.Figure {
	x := report.Axis{Scale: report.Log2}
	for _, ratio := range g.ratios {
		x.Ticks, x.TickLabels = append(x.Ticks, float64(ratio)), append(x.TickLabels, fmt.Sprintf("%d:1", ratio))
	}
	var panels []report.Panel
	for _, scene := range g.scenes {
		panel := report.Panel{Title: scene.title, XLabel: "Packets to an ACK", YLabel: "Mean maximum FCT (us)", X: x, Y: report.Axis{Min: new(150.0)}}
		if scene.faults != nil {
			panel.Y = report.Axis{Scale: report.Log10, Min: new(100.0), Max: new(10_000.0)}
		}
		for _, scheme := range g.schemes {
			series := report.Series{Name: scheme.Name, Color: scheme.Look, Mark: report.ErrorBars}
			for _, ratio := range g.ratios {
				paper.AppendPoint(&series, float64(ratio), g.at(scene.key, scheme.Key, ratio).MaxFCT())
			}
			panel.Series = append(panel.Series, series)
		}
		panels = append(panels, panel)
	}
	return &report.Figure{Columns: report.Double, SharedLegend: true, Panels: [][]report.Panel{panels}}
}

// output returns the figure, with a note beside that on the set-up.
func (g *ackGrid) output(seed uint64, note string, findings []paper.Finding) paper.Output {
	return paper.Output{
		Tables:   []paper.Table{g.table(seed)},
		Formats:  []report.Format{report.CSV},
		Plot:     g.plot(),
		Notes:    []string{g.setup(), note},
		Findings: findings,
	}
}

// setup describes what was run.
func (g *ackGrid) setup() string {
	return fmt.Sprintf("%d hosts, 2 tiers, 8 uplinks to a ToR, queue 100, ECN 25/76, trimming, DCTCP variant, 8 MiB permutation that differs from replica to replica (the authors': one for all): the authors' set-up. A receiver acknowledges at once what is marked, a duplicate, a flow's first packet, and what its sender asks for. In (b) the uplink to the first spine is dead at every ToR, upwards, from the beginning: what their \"8 %% of the cables\" amounts to. Means over %d replicas with 95 %% intervals.", g.hosts, g.replicas)
}
