package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/paper"
	"repslab/internal/paper/lineup"
	"repslab/internal/paper/netrun"
	"repslab/internal/report"
	"repslab/reps"
)

// ring shows what the number of entries of REPS's ring is good for.
func ring() paper.Figure {
	return paper.Figure{
		ID:    "ring",
		Title: "REPS with rings of 1 to 32 entries, 8 MiB permutation",
		Build: buildRing,
	}
}

// ringScene is a network of the figure.
type ringScene struct {
	key, title string
	evs        int
	faults     []fattree.Fault
}

// ringScenes returns the networks of the panels: healthy with many and with few
// EVs, and with one uplink of every ToR dead from 50 us on.
func ringScenes(tors int) []ringScene {
	var dead []fattree.Fault
	for tor := range tors {
		dead = append(dead, fattree.Fault{Switch: tor, Start: 50 * netrun.Microseconds})
	}
	return []ringScene{
		{"healthy", "(a) Healthy, 65,536 EVs", netrun.FullEVS, nil},
		{"few-evs", "(b) Healthy, 32 EVs", 32, nil},
		{"dead-uplink", "(c) 1 of 8 uplinks dead from 50 us", netrun.FullEVS, dead},
	}
}

func buildRing(ctx context.Context, s paper.Settings) (paper.Output, error) {
	const bytes = 8 * netrun.MiB
	topology := fattree.Topology{Hosts: 128}.WithDefaults()
	sizes := []int{1, 2, 4, 8, 16, 32}
	replicas := s.Scale.Choose(3, 20)
	scenes := ringScenes(topology.ToRs())
	var all netrun.Batch[netrun.Run] // by scene and entries, of OPS none
	for _, scene := range scenes {
		network := netrun.Permutation(s.Seed, fattree.Spec{Topology: topology, Faults: scene.faults}, bytes)
		all.Add(lineup.OPS().Setup(scene.evs, network), scene.key, 0)
		for _, entries := range sizes {
			sized := lineup.REPS()
			sized.Open = func(evs int) (fattree.Balancer, error) {
				return balance.NewRecycling(balance.Paper, reps.Config{BufferSize: entries, EVSSize: evs})
			}
			all.Add(sized.Setup(scene.evs, network), scene.key, entries)
		}
	}
	if err := all.Run(ctx, s, replicas, netrun.KeepWithIdeal); err != nil {
		return paper.Output{}, err
	}
	table := paper.Table{Columns: append(append([]report.Column{paper.Text("network"), paper.Text("lb")}, paper.Numbers("hosts", "message_bytes", "evs", "ring")...), netrun.Columns()...)}
	var panels []report.Panel
	for i, scene := range scenes {
		sprayed := netrun.Runs(all.Of(scene.key, 0))
		table.Rows = append(table.Rows, append([]any{scene.key, "ops", topology.Hosts, bytes, scene.evs, nil}, sprayed.Cells(sprayed, s.Seed)...))
		longest, mean := report.Series{Name: "REPS, maximum FCT", Mark: report.ErrorBars, Color: 1}, report.Series{Name: "REPS, mean FCT", Mark: report.ErrorBars, Color: 3}
		for _, entries := range sizes {
			r := netrun.Runs(all.Of(scene.key, entries))
			paper.AppendPoint(&longest, float64(entries), r.MaxFCT())
			paper.AppendPoint(&mean, float64(entries), r.Time(netrun.Run.MeanFCT))
			table.Rows = append(table.Rows, append([]any{scene.key, "reps", topology.Hosts, bytes, scene.evs, entries}, r.Cells(sprayed, s.Seed)...))
		}
		oblivious := sprayed.MaxFCT()
		top := 1.04 * slices.Max(longest.Hi)
		if i < 2 {
			top = max(top, 1.02*oblivious.Value)
		}
		panels = append(panels, report.Panel{Title: scene.title, XLabel: "Ring (entries)", YLabel: "FCT (us)", Y: report.Axis{Min: new(170.0), Max: &top},
			X:      report.Axis{Scale: report.Log2, Ticks: []float64{1, 2, 4, 8, 16, 32}, TickLabels: []string{"1", "2", "4", "8", "16", "32"}},
			Series: []report.Series{longest, mean}, Rules: ringRules(i, oblivious.Value)})
	}
	return paper.Output{
		Tables:  []paper.Table{table},
		Formats: []report.Format{report.CSV},
		Plot:    &report.Figure{Columns: report.Double, SharedLegend: true, Panels: [][]report.Panel{panels}},
		Notes:   ringNotes(netrun.Runs(all.Of("dead-uplink", 0)).MaxFCT().Value, replicas),
	}, nil
}

// ringRules returns the line of OPS in the panels of healthy networks; in the
// other it is far above.
func ringRules(panel int, oblivious float64) []report.Rule {
	if panel == 2 {
		return nil
	}
	return []report.Rule{{At: oblivious, Label: "OPS, maximum"}}
}

// ringNotes describes the set-up.
func ringNotes(oblivious float64, replicas uint64) []string {
	return []string{
		"The figure is ours: the paper shows no ring but that of 8. An unmarked ACK brings one EV and lets one packet go, which takes it: entries pile up only while the window is closed, so a small ring loses little. 128 hosts, 2 tiers, queue 100, ECN 25/76, trimming, DCTCP variant, the paper's rules.",
		fmt.Sprintf("Panel (c): the uplink to the first spine is dead at every ToR, upwards, from 50 us on; senders freeze for 10 ms, that is to the end, and the ring holds all EVs that are left to them. OPS there has a maximum FCT of %.0f us.", oblivious),
		fmt.Sprintf("Means over %d replicas, 95 %% intervals as error bars, the same permutations for all.", replicas),
	}
}
