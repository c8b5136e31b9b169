package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/fattree/balance"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/rows"
	"repslab/mc"
	"repslab/reps"
)

const bitsPerByte = 8

// tab01 recomputes Table 1, the memory footprint of a connection, from the widths in the encoder of package reps.
func tab01(context.Context, engine.Settings) (engine.Output, error) {
	out := engine.Output{
		Formats: []rows.Format{rows.Markdown, rows.LaTeX},
		Notes:   notes(nil, "tab01"),
	}
	small, err := reps.Footprint(reps.Config{BufferSize: 1})
	if err != nil {
		return engine.Output{}, err
	}
	components, err := reps.Footprint(reps.Config{})
	if err != nil {
		return engine.Output{}, err
	}
	var rows frame.Table
	for _, c := range components {
		rows.Add(cells{{"component", c.Name}, {"meaning", c.Meaning}, {"bits", c.Bits}, {"count", c.Count},
			{"total_bits", c.TotalBits()}})
	}
	smallBits, smallAll := reps.SumBits(small)
	bits, all := reps.SumBits(components)
	for _, total := range []struct {
		name, meaning string
		bits          int
	}{
		{"total, ring of 1", "as in the paper's table", smallBits},
		{"total, ring of 1, with the written count", "what is encoded", smallAll},
		{"total, ring of 8", "as in the paper's table", bits},
		{"total, ring of 8, with the written count", "what is encoded", all},
	} {
		rows.Add(cells{{"component", total.name}, {"meaning", total.meaning}, {"bits", nil}, {"count", nil},
			{"total_bits", total.bits}})
	}
	others, err := stateTable(all)
	if err != nil {
		return engine.Output{}, err
	}
	out.Tables = []frame.Table{rows, others}

	random, err := exploredShare()
	if err != nil {
		return engine.Output{}, err
	}
	out.Findings = tab01Findings(smallBits, bits, all, random)
	return out, nil
}

// tab01Findings grades the claims about state: the bits with a ring of 1 entry and of 8 entries, all bits of a
// ring of 8 with the written count, and the share of packets explored.
func tab01Findings(smallBits, bits, all int, random float64) []claims.Finding {
	saved := func(entries int) int { return (16 - 8) * entries / bitsPerByte }
	bytesOf := func(bits int) float64 { return float64(bits) / bitsPerByte }
	const evs, ofMPTCP = 1 << 16, 368
	authors := func(claim string) string { return claims.Find(claim).Witness[0].Value }
	return []claims.Finding{
		claims.Exactly("N002", "state", bytesOf(all),
			fmt.Sprintf("%.3f B for the table's fields, %.3f B with the written count", bytesOf(bits), bytesOf(all)),
			fmt.Sprintf("in whole bytes it is %.0f", math.Ceil(bytesOf(all)))),
		claims.Exactly("N004", "whole bytes", math.Ceil(bytesOf(all)),
			fmt.Sprintf("%.3f B with the written count", bytesOf(all)),
			fmt.Sprintf("1/%.0f of MPTCP's %d B, which are cited", ofMPTCP/bytesOf(all), ofMPTCP)),
		claims.Exactly("N010", "values", reps.DefaultEVSSize,
			fmt.Sprintf("%d EVs", reps.DefaultEVSSize), "the authors' scripts pass "+authors("N010")),
		claims.Exactly("N011", "entries", reps.DefaultBufferSize,
			fmt.Sprintf("%d entries", reps.DefaultBufferSize), "the authors' code has "+authors("N011")),
		claims.LeftOut("N015", fmt.Sprintf("%.3f of the packets of an exploration", random),
			"package reps, a ring that never runs dry; share in the authors' code: "+authors("N015")),
		claims.Exactly("N016", "bits", float64(smallBits), fmt.Sprintf("%d bits", smallBits),
			fmt.Sprintf("%.2f B", bytesOf(smallBits))),
		claims.Exactly("N017", "bits", float64(bits), fmt.Sprintf("%d bits", bits),
			fmt.Sprintf("%.3f B", bytesOf(bits))),
		claims.Exactly("N018", "bits", evs, fmt.Sprintf("%d bits", evs), "one bit for each EV"),
		claims.InParts("N095", []claims.Part{
			claims.Met("N095", "one remembered value", claims.Exact(float64(saved(1)))),
			claims.Met("N095", "8 remembered values", claims.Exact(float64(saved(reps.DefaultBufferSize)))),
		}, fmt.Sprintf("%d byte with a ring of 1, %d bytes with one of %d", saved(1), saved(reps.DefaultBufferSize),
			reps.DefaultBufferSize), "each entry becomes a byte shorter"),
	}
}

// stateTable lists the state of a connection in bits: under the balancers of Ultra Ethernet's simulator, and the
// encoded ring of the paper's REPS. It is for 64 EVs and the window of a 2-tier tree at 400 Gb/s, 1.5
// bandwidth-delay products.
func stateTable(paper int) (frame.Table, error) {
	const window = 151
	rows := frame.Table{Name: "balancers"}
	add := func(name string, evs, bits int) {
		rows.Add(cells{{"balancer", name}, {"evs", evs}, {"bits", bits}, {"bytes", (bits + bitsPerByte - 1) / bitsPerByte}})
	}
	for _, name := range []string{"stratified", "bitmap", "mixed", "reps-legacy", "reps"} {
		for _, evs := range []int{reps.UltraEthernetEVSSize, 256} {
			components, err := balance.Footprint(name, evs, window)
			if err != nil {
				return rows, err
			}
			_, bits := reps.SumBits(components)
			add(name, evs, bits)
		}
	}
	add("reps, paper", reps.DefaultEVSSize, paper)
	return rows, nil
}

// exploredShare sends the packets of one exploration, after a forced freezing mode, through package reps, with a
// good ACK before each packet. It returns the share of packets with a random EV.
func exploredShare() (float64, error) {
	const window = 200
	sender, err := reps.New(reps.Config{PacketsPerWindow: window, FreezingTimeout: 1})
	if err != nil {
		return math.NaN(), err
	}
	rng := mc.NewStream(1, mc.Algorithm, 0).Rand()
	sender.OnFailure(0)
	sender.OnAck(2, 1, false) // later than the time-out, so exploration begins
	random := 0
	for range window {
		sender.OnAck(2, 1, false)
		if _, recycled := sender.NextEV(&rng); !recycled {
			random++
		}
	}
	return float64(random) / window, nil
}
