package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/internal/claims"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/reps"
)

const bitsPerByte = 8

// tab01 recomputes Table 1, the memory footprint of a connection, from the
// widths that the encoder of package reps uses.
func tab01(context.Context, Settings) (Output, error) {
	out := Output{
		Formats: []table.Format{table.Markdown, table.LaTeX},
		Notes:   notes(nil, "tab01"),
	}
	small, err := reps.Footprint(reps.Config{BufferSize: 1})
	if err != nil {
		return Output{}, err
	}
	components, err := reps.Footprint(reps.Config{})
	if err != nil {
		return Output{}, err
	}
	var rows table.Table
	for _, c := range components {
		addRow(&rows, cells{{"component", c.Name}, {"meaning", c.Meaning}, {"bits", c.Bits}, {"count", c.Count},
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
		addRow(&rows, cells{{"component", total.name}, {"meaning", total.meaning}, {"bits", nil}, {"count", nil},
			{"total_bits", total.bits}})
	}
	out.Tables = []table.Table{rows}

	random, err := exploredShare()
	if err != nil {
		return Output{}, err
	}
	saved := (16 - 8) * reps.DefaultBufferSize / bitsPerByte
	perEV := 1 << 16
	out.Findings = []claims.Finding{
		claims.Exactly("N002", all <= 25*bitsPerByte, float64(bits)/bitsPerByte,
			fmt.Sprintf("%.3f B for the table's fields, %.3f B with the written count, 25 B encoded",
				float64(bits)/bitsPerByte, float64(all)/bitsPerByte),
			"whole bytes are 25, so \"less than 25 B\" holds of the bits only"),
		claims.Exactly("N004", all >= 24*bitsPerByte && all <= 26*bitsPerByte && 10*all < 368*bitsPerByte,
			float64(all)/bitsPerByte,
			fmt.Sprintf("%.3f B with the written count, 1/%.0f of 368 B", float64(all)/bitsPerByte,
				368*bitsPerByte/float64(all)), "the 368 bytes are cited from others and not computed here"),
		claims.Exactly("N010", reps.DefaultEVSSize == 65536, reps.DefaultEVSSize,
			fmt.Sprintf("%d EVs", reps.DefaultEVSSize), "a setting of the model; the authors' simulator uses 65,535"),
		claims.Exactly("N011", reps.DefaultBufferSize == 8, reps.DefaultBufferSize,
			fmt.Sprintf("%d entries", reps.DefaultBufferSize), "a setting of the model"),
		claims.Exactly("N015", claims.Within10Percent(random, 1.0/8), random,
			fmt.Sprintf("%.3f of the packets of an exploration", random),
			"measured on package reps with a ring that never runs dry; an empty ring adds random EVs"),
		claims.Exactly("N016", smallBits == 74, float64(smallBits), fmt.Sprintf("%d bits", smallBits), ""),
		claims.Exactly("N017", bits == 193, float64(bits), fmt.Sprintf("%d bits", bits), ""),
		claims.Exactly("N018", perEV == 64<<10, float64(perEV), fmt.Sprintf("%d bits", perEV), "arithmetic"),
		claims.Exactly("N095", saved == 1, float64(saved), fmt.Sprintf("%d bytes", saved),
			"each of the 8 entries becomes 1 byte shorter; the paper's 1 byte is right for one entry"),
	}
	return out, nil
}

// exploredShare sends the packets of one exploration, after a forced freezing,
// through package reps with a good ACK before each packet, and returns the share
// that got a random EV.
func exploredShare() (float64, error) {
	const window = 200
	sender, err := reps.New(reps.Config{PacketsPerWindow: window, FreezingTimeout: 1})
	if err != nil {
		return math.NaN(), err
	}
	rng := mc.NewStream(1, mc.Algorithm, 0).Rand()
	sender.OnFailure(0)
	sender.OnAck(2, 1, false) // later than the time-out: exploration begins
	random := 0
	for range window {
		sender.OnAck(2, 1, false)
		if _, recycled := sender.NextEV(&rng); !recycled {
			random++
		}
	}
	return float64(random) / window, nil
}
