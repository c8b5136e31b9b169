package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
)

// fig24Steps divides the share of flows. All points of both distributions are at
// whole steps, so sums of trapezoids over steps are exact.
const fig24Steps = 1000

// fig24Curve is a distribution of sizes at every step of the share of flows.
type fig24Curve struct {
	key, name string
	color     plot.Color
	sizes     traffic.Sizes
	bytes     []float64 // that a share of step/fig24Steps of the flows does not exceed
	carried   []float64 // share of all bytes that those flows carry
}

// fig24Curves returns both distributions.
func fig24Curves() []fig24Curve {
	curves := []fig24Curve{{key: "websearch", name: "WebSearch", color: plot.Blue, sizes: traffic.WebSearch()},
		{key: "facebook", name: "Facebook", color: plot.Vermilion, sizes: traffic.Facebook()}}
	for i := range curves {
		c := &curves[i]
		sum := 0.0
		for step := range fig24Steps + 1 {
			c.bytes = append(c.bytes, c.sizes.Quantile(min(float64(step)/fig24Steps, math.Nextafter(1, 0))))
			if step > 0 {
				sum += (c.bytes[step-1] + c.bytes[step]) / 2 / fig24Steps
			}
			c.carried = append(c.carried, sum/c.sizes.Mean())
		}
	}
	return curves
}

// below returns the share of flows of at most the given bytes, and of the bytes
// that they carry.
func (c fig24Curve) below(bytes float64) (flows, carried float64) {
	step, _ := slices.BinarySearch(c.bytes, bytes)
	if step == 0 || step > fig24Steps {
		return float64(min(step, fig24Steps)) / fig24Steps, c.carried[min(step, fig24Steps)]
	}
	part := (bytes - c.bytes[step-1]) / (c.bytes[step] - c.bytes[step-1])
	flows = (float64(step-1) + part) / fig24Steps
	return flows, c.carried[step-1] + part/fig24Steps*(c.bytes[step-1]+bytes)/2/c.sizes.Mean()
}

// drawn returns the ascending sizes of the flows of a trace, some thousands.
func (c fig24Curve) drawn(seed uint64) ([]int64, error) {
	const hosts, flows, gbps = 128, 12_000, 400
	duration := c.sizes.Mean() * flows / hosts * 8 / gbps * 1000 // ps
	w, err := traffic.Paced(traffic.Arrivals{Hosts: hosts, HostsPerToR: 8, Sizes: c.sizes, Load: 1, Gbps: gbps,
		Duration: int64(duration)}, workloadSource(seed, 0))
	var sizes []int64
	for _, flow := range w.Flows {
		sizes = append(sizes, flow.Bytes)
	}
	slices.Sort(sizes)
	return sizes, err
}

// fig24 reproduces the distributions of flow sizes.
func fig24(ctx context.Context, s Settings) (Output, error) {
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	curves := fig24Curves()
	var main table.Table
	check := table.Table{Name: "drawn"}
	flows := plot.Panel{Title: "(a) Flows", XLabel: "Flow size (bytes)", YLabel: "Share of flows",
		X: onScale(plot.Log10, 100, 1e8), Y: from(0, 1.05)}
	carried := plot.Panel{Title: "(b) Bytes", XLabel: "Flow size (bytes)", YLabel: "Share of bytes", X: flows.X,
		Y: flows.Y}
	for _, c := range curves {
		line, weight := plot.Series{Name: c.name, Color: c.color}, plot.Series{Name: c.name, Color: c.color}
		for step, bytes := range c.bytes {
			share := float64(step) / fig24Steps
			addRow(&main, cells{{"distribution", c.key}, {"bytes", bytes}, {"flows_cdf", share},
				{"bytes_cdf", c.carried[step]}})
			if bytes < 1 {
				continue
			}
			appendXY(&line, bytes, share)
			appendXY(&weight, bytes, c.carried[step])
		}
		sizes, err := c.drawn(s.Seed)
		if err != nil {
			return Output{}, err
		}
		sum := 0.0
		points := plot.Series{Name: c.name + ", drawn", Color: c.color, Mark: plot.Points}
		for _, size := range sizes {
			sum += float64(size)
		}
		for k := 1; k < 20; k++ {
			points.X, points.Y = append(points.X, rank(sizes, float64(k)/20)), append(points.Y, float64(k)/20)
		}
		addRow(&check, cells{{"distribution", c.key}, {"flows", len(sizes)}, {"mean_bytes", c.sizes.Mean()},
			{"drawn_mean_bytes", sum / float64(len(sizes))},
			{"p50_bytes", c.sizes.Quantile(0.5)}, {"drawn_p50_bytes", rank(sizes, 0.5)},
			{"p90_bytes", c.sizes.Quantile(0.9)}, {"drawn_p90_bytes", rank(sizes, 0.9)}, {"seed", s.Seed}})
		flows.Series, carried.Series = append(flows.Series, line, points), append(carried.Series, weight)
	}
	small, load := curves[0].below(100_000)
	return Output{
		Tables: []table.Table{main, check},
		Plot:   &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{{flows, carried}}},
		Notes:  notes(facts{"websearch": curves[0].sizes.Mean(), "facebook": curves[1].sizes.Mean()}, "fig24"),
		Findings: []claims.Finding{claims.Exactly("N026", small > 0.5, small,
			fmt.Sprintf("%.2f %% of the WebSearch flows are shorter than 100,000 bytes; they carry %.2f %% of the bytes", 100*small, 100*load), "")},
	}, nil
}
