package figures

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/reps"
)

// ring shows what the number of entries of REPS's ring is good for.
func ring() Figure {
	return Figure{
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
		dead = append(dead, fattree.Fault{Switch: tor, Start: 50 * Microseconds})
	}
	return []ringScene{
		{"healthy", "(a) Healthy, 65,536 EVs", FullEVS, nil},
		{"few-evs", "(b) Healthy, 32 EVs", 32, nil},
		{"dead-uplink", "(c) 1 of 8 uplinks dead from 50 us", FullEVS, dead},
	}
}

func buildRing(ctx context.Context, s Settings) (Output, error) {
	const bytes = 8 * MiB
	topology := fattree.Topology{Hosts: 128}.WithDefaults()
	sizes := []int{1, 2, 4, 8, 16, 32}
	replicas := s.Scale.Choose(3, 20)
	scenes := ringScenes(topology.ToRs())
	var all Batch[Run] // by scene and entries, of OPS none
	for _, scene := range scenes {
		network := Permutation(s.Seed, fattree.Spec{Topology: topology, Faults: scene.faults}, bytes)
		all.Add(OPS().Setup(scene.evs, network), scene.key, 0)
		for _, entries := range sizes {
			sized := REPS()
			sized.Open = func(evs int) (fattree.Balancer, error) {
				return balance.NewRecycling(balance.Paper, reps.Config{BufferSize: entries, EVSSize: evs})
			}
			all.Add(sized.Setup(scene.evs, network), scene.key, entries)
		}
	}
	if err := all.Run(ctx, s, replicas, KeepWithIdeal); err != nil {
		return Output{}, err
	}
	rows := table.Table{Columns: append(append([]table.Column{table.Text("network"), table.Text("lb")}, table.Numbers("hosts", "message_bytes", "evs", "ring")...), RunColumns()...)}
	var panels []plot.Panel
	for i, scene := range scenes {
		sprayed := Runs(all.Of(scene.key, 0))
		rows.Rows = append(rows.Rows, append([]any{scene.key, "ops", topology.Hosts, bytes, scene.evs, nil}, sprayed.Cells(sprayed, s.Seed)...))
		longest, mean := plot.Series{Name: "REPS, maximum FCT", Mark: plot.ErrorBars, Color: 1}, plot.Series{Name: "REPS, mean FCT", Mark: plot.ErrorBars, Color: 3}
		for _, entries := range sizes {
			r := Runs(all.Of(scene.key, entries))
			AppendPoint(&longest, float64(entries), r.MaxFCT())
			AppendPoint(&mean, float64(entries), r.Time(Run.MeanFCT))
			rows.Rows = append(rows.Rows, append([]any{scene.key, "reps", topology.Hosts, bytes, scene.evs, entries}, r.Cells(sprayed, s.Seed)...))
		}
		oblivious := sprayed.MaxFCT()
		top := 1.04 * slices.Max(longest.Hi)
		if i < 2 {
			top = max(top, 1.02*oblivious.Value)
		}
		panels = append(panels, plot.Panel{Title: scene.title, XLabel: "Ring (entries)", YLabel: "FCT (us)", Y: plot.Axis{Min: new(170.0), Max: &top},
			X:      plot.Axis{Scale: plot.Log2, Ticks: []float64{1, 2, 4, 8, 16, 32}, TickLabels: []string{"1", "2", "4", "8", "16", "32"}},
			Series: []plot.Series{longest, mean}, Rules: ringRules(i, oblivious.Value)})
	}
	return Output{
		Tables:  []table.Table{rows},
		Formats: []table.Format{table.CSV},
		Plot:    &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}},
		Notes:   ringNotes(Runs(all.Of("dead-uplink", 0)).MaxFCT().Value, replicas),
	}, nil
}

// ringRules returns the line of OPS in the panels of healthy networks; in the
// other it is far above.
func ringRules(panel int, oblivious float64) []plot.ReferenceLine {
	if panel == 2 {
		return nil
	}
	return []plot.ReferenceLine{{At: oblivious, Label: "OPS, maximum"}}
}

// ringNotes describes the set-up.
func ringNotes(oblivious float64, replicas uint64) []string {
	return []string{
		"The figure is ours: the paper shows no ring but that of 8. An unmarked ACK brings one EV and lets one packet go, which takes it: entries pile up only while the window is closed, so a small ring loses little. 128 hosts, 2 tiers, queue 100, ECN 25/76, trimming, DCTCP variant, the paper's rules.",
		fmt.Sprintf("Panel (c): the uplink to the first spine is dead at every ToR, upwards, from 50 us on; senders freeze for 10 ms, that is to the end, and the ring holds all EVs that are left to them. OPS there has a maximum FCT of %.0f us.", oblivious),
		fmt.Sprintf("Means over %d replicas, 95 %% intervals as error bars, the same permutations for all.", replicas),
	}
}
