package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig15 re-makes the figure on EVS sizes and congestion controls: an 8 MiB
// permutation with few and with many entropy values, and under three congestion
// controls.
func fig15() Figure {
	return Figure{
		ID:    "fig15",
		Title: "OPS and REPS with 32, 256 and 65,536 entropy values, and under DCTCP, EQDS and NSCC, 8 MiB permutation",
		Rules: []claims.Rule{
			{Claim: "N066", Text: "the mean maximum FCT of REPS with 256 EVs is within 2 % of that with 65,536, replicas paired"},
			{Claim: "N067", Text: "the mean maximum FCT of REPS, by the paper's rules or with the authors' list, is 7.2 to 8.8 % longer with 32 EVs than with 65,536, or 8 % is in the 95 % interval of either, replicas paired"},
			{Claim: "N068", Text: "the mean maximum FCT of OPS is 18.9 to 23.1 % longer with 256 EVs than with 65,536, or 21 % is in its 95 % interval, replicas paired"},
			{Claim: "N069", Text: "the mean maximum FCT of OPS is 57.6 to 70.4 % longer with 32 EVs than with 65,536, or 64 % is in its 95 % interval, replicas paired"},
			{Claim: "N070", Text: "under DCTCP, EQDS and NSCC each, with 65,536 EVs, the mean maximum FCT of OPS is longer than that of REPS by the paper's rules, with a 95 % interval above 0, replicas paired"},
		},
		Build: buildFig15,
	}
}

// fig15EVS are the sizes of the EVS, the largest last.
func fig15EVS() []int { return []int{32, 256, FullEVS} }

func buildFig15(ctx context.Context, s Settings) (Output, error) {
	const hosts, bytes = 128, 8 * MiB
	replicas := s.Scale.Choose(3, 40)
	compared := []Scheme{OPS(), REPS(), REPSList()}
	network := Permutation(s.Seed, fattree.Spec{Topology: fattree.Topology{Hosts: hosts}}, bytes)
	var runs Batch[Run] // by control, contender and EVs
	for _, c := range compared {
		for _, evs := range fig15EVS() {
			runs.Add(c.Setup(evs, network), "dctcp", c.Key, evs)
		}
	}
	for _, control := range fig15Controls()[1:] {
		for _, c := range compared {
			setup := c.Setup(FullEVS, network)
			setup.Control = control.open
			runs.Add(setup, control.key, c.Key, FullEVS)
		}
	}
	if err := runs.Run(ctx, s, replicas, KeepWithIdeal); err != nil {
		return Output{}, err
	}
	under := func(control, key string) Runs { return runs.Of(control, key, FullEVS) }
	with := func(key string, evs int) Runs { return runs.Of("dctcp", key, evs) }
	rows := table.Table{Columns: append(append([]table.Column{table.Text("lb")}, table.Numbers("hosts", "message_bytes", "evs", "slowdown_over_65536", "slowdown_lo", "slowdown_hi")...), RunColumns()...)}
	times := fig15Panel("(a) Completion time", "Mean maximum FCT (us)", 0)
	slower := fig15Panel("(b) Against 65,536 EVs", "Slowdown", 0)
	slower.Rules = []plot.ReferenceLine{{At: 1}}
	for _, c := range compared {
		bars := plot.Series{Name: c.Name, Color: c.Look, Mark: plot.Bars}
		ratios := bars
		for j, evs := range fig15EVS() {
			r := with(c.Key, evs)
			AppendPoint(&bars, float64(j), r.MaxFCT())
			ratio := r.Over(with(c.Key, FullEVS))
			if evs < FullEVS {
				AppendPoint(&ratios, float64(j), ratio)
			}
			rows.Rows = append(rows.Rows, append([]any{c.Key, hosts, bytes, evs, ratio.Value, ratio.Lo, ratio.Hi}, r.Cells(with("ops", evs), s.Seed)...))
		}
		times.Series, slower.Series = append(times.Series, bars), append(slower.Series, ratios)
	}
	controls, panel := fig15Control(compared, under, s.Seed)
	return Output{
		Tables:  []table.Table{rows, controls},
		Formats: []table.Format{table.CSV},
		Plot:    &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{{times, slower, panel}}},
		Notes: []string{
			"128 hosts, 2 tiers, 8 uplinks to a ToR, queue 100, ECN 25/76, trimming, DCTCP variant: the authors' set-up. Their permutation is one and the same in all runs, here it differs from replica to replica.",
			"REPS is the ring of 8 by the paper's rules. The authors ran a list without end and without freezing here; it is the third bar.",
			fmt.Sprintf("Means over %d replicas with 95 %% intervals; slowdowns from paired replicas. The authors' simulator, 5 seeds of one permutation: OPS 309.8, 232.1 and 195.0 us, the list 194.2, 185.2 and 184.9 us, the ring 195.3, 186.8 and 184.8 us with 32, 256 and 65,535 EVs.", replicas),
			"Panel (c), 65,536 EVs: EQDS and NSCC as in the authors' simulator; NSCC stands for the paper's proprietary control. The authors' simulator, 3 seeds: OPS 194.3, 194.0 and 191.7 us, the ring 184.9, 187.6 and 184.9 us under DCTCP, EQDS and NSCC.",
		},
		Findings: append(fig15Findings(with), fig15Helps(under)),
	}, nil
}

// fig15Panel returns a panel with a group of bars for each EVS size.
func fig15Panel(title, label string, least float64) plot.Panel {
	return plot.Panel{Title: title, XLabel: "EVS size", YLabel: label,
		X: plot.Axis{Ticks: []float64{0, 1, 2}, TickLabels: []string{"32", "256", "65,536"}}, Y: plot.Axis{Min: &least}}
}

// fig15Findings judges how much a small EVS costs.
func fig15Findings(with func(key string, evs int) Runs) []claims.Finding {
	slower := func(key string, evs int) mc.Estimate {
		return with(key, evs).Over(with(key, FullEVS)).Percent()
	}
	equal, ring, list := slower("reps", 256), slower("reps", 32), slower("reps-fifo", 32)
	some, many := slower("ops", 256), slower("ops", 32)
	return []claims.Finding{
		claims.Estimated("N066", equal.Value <= 2 && equal.Value >= -2, equal, Interval(equal, "%.2f")+" % longer", "").Resting(claims.Between(equal, -2, 2)),
		claims.Estimated("N067", claims.Near(ring, 8) || claims.Near(list, 8), ring,
			"ring of 8 "+Interval(ring, "%.1f")+" % longer, authors' list "+Interval(list, "%.1f")+" %",
			"the authors' simulator on one permutation, 5 seeds: 5.7 % with the ring, 5.0 % with the list").Resting(claims.Any(claims.CloseTo(ring, 8), claims.CloseTo(list, 8))),
		claims.Estimated("N068", claims.Near(some, 21), some, Interval(some, "%.1f")+" % longer", "the authors' simulator on one permutation, 5 seeds: 19.0 %").Resting(claims.CloseTo(some, 21)),
		claims.Estimated("N069", claims.Near(many, 64), many, Interval(many, "%.1f")+" % longer", "the authors' simulator on one permutation, 5 seeds: 58.9 %").Resting(claims.CloseTo(many, 64)),
	}
}
