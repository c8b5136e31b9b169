package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/faults"
	"repslab/internal/claims"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/internal/view"
)

// Output holds the contents of a figure.
type Output struct {
	Tables   []frame.Table    // the first is the main one
	Formats  []view.Format    // formats of all tables, in addition to CSV
	Plot     *plot.Plot       // nil for a table of the paper
	Notes    []string         // the set-up, and how it differs from the paper's
	Findings []claims.Finding // one for each claim that the figure decides
	Runs     Outcome          // where the runs come from
}

// Figure is a figure, table or theorem of the paper, or a figure of our own.
type Figure struct {
	ID    string // as in "fig17"
	Title string
	Build func(context.Context, Settings) (Output, error)
}

// Make runs the figure's experiment. It fails if ctx is cancelled. Any other error is a fault of the program; if a
// finding is about an unknown claim, the error is a *[faults.FieldError].
func (f Figure) Make(ctx context.Context, s Settings) (out Output, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			unknown, ok := fault.(*faults.FieldError)
			if !ok {
				panic(fault)
			}
			out, err = Output{}, fmt.Errorf("figures: %s: %w", f.ID, unknown)
		}
	}()
	out, err = f.Build(ctx, s)
	if err != nil {
		return Output{}, fmt.Errorf("figures: %s: %w", f.ID, err)
	}
	for _, finding := range out.Findings {
		claims.Find(finding.Claim)
	}
	if s.Recorder != nil {
		out.Runs = s.Recorder.Outcome()
	}
	if runs := claimRuns(out.Findings); runs.Rows != nil {
		out.Tables = append(out.Tables, runs)
	}
	if lacksIntervals(out.Plot) {
		out.Notes = append(out.Notes, fmt.Sprintf("Drawn without an interval: values of fewer than %d runs, or of runs that are all alike.", plot.LeastRuns))
	}
	return out, nil
}

// lacksIntervals reports whether a value is drawn without an interval in a series with intervals.
func lacksIntervals(drawn *plot.Plot) bool {
	if drawn == nil {
		return false
	}
	for _, panel := range slices.Concat(drawn.Panels...) {
		for _, s := range panel.Series {
			for i, lo := range s.Lo {
				if math.IsNaN(lo) && !math.IsNaN(s.Y[i]) {
					return true
				}
			}
		}
	}
	return false
}

// All returns all figures: the paper's figures in its order, then our own.
func All() []Figure {
	return []Figure{
		{"tab01", "Per-connection memory footprint of REPS", tab01},
		{"fig02", "Rates and queues of the uplinks of a ToR, tornado of 16 MiB messages", fig02},
		{"fig03", "Load balancers on a healthy network: synthetic patterns, WebSearch, collectives", fig03},
		{"fig04", "Rates and queues of the uplinks of a ToR, one of them at 200 Gb/s, 32 MiB messages", fig04},
		{"fig05", "Load balancers where 3 % of the ToRs' uplinks run at 200 Gb/s", fig05},
		{"fig06", "Load balancers beside 10 % of background flows under ECMP", fig06},
		{"fig07", "Rates and queues of the uplinks of a ToR, two of which fail for a time, 32 MiB messages", fig07},
		{"fig08", "Load balancers where links and switches fail: permutation, WebSearch, ring allreduce", fig08},
		{"fig09", "Up to half of all links failed: REPS, PLB and the ideal, and the length of freezing mode", fig09},
		{"fig10", "FPGA testbed as a model: goodput, symmetric and with a slow link", fig10},
		{"fig11", "FPGA testbed as a model: completion times with a slow link, packets lost after a link failed",
			fig11},
		{"fig12", "OPS and REPS with one ACK for 1 to 63 packets, 8 MiB permutation", fig12},
		{"fig13", "REPS variants for ACK coalescing: standard, carry EVs, reuse EVs, 8 MiB permutation", fig13},
		{"fig14", "Load imbalance of entropy values on 32 uplinks", fig14},
		{"fig15", "OPS and REPS with 32, 256 and 65,536 EVs, and under DCTCP, EQDS and NSCC, 8 MiB permutation",
			fig15},
		{"fig16", "OPS and REPS by network size and number of entropy values, 8 MiB tornado", fig16},
		{"fig17", "Maximum queue of oblivious spraying by the number of ports, λ = 0.99", fig17},
		{"fig18", "Queues of all ports over 200 rounds, OPS against recycled balls", fig18},
		{"fig19", "Freezing mode forced at 50 us, 16 MiB messages; REPS with and without trimming", fig19},
		{"fig20", "Maximum queue under ACK coalescing in the recycled model, against OPS", fig20},
		{"fig21", "Load balancers on a tree of three tiers", fig21},
		{"fig22", "Rates and queues of the uplinks of a ToR, three of four fail for good, 32 MiB messages", fig22},
		{"fig23", "REPS with and without freezing mode: no failure, 1 % of the cables, one uplink for 10 ms",
			fig23},
		{"fig24", "Flow sizes of the traces, and which flows carry the bytes", fig24},
		{"thm1", "Theorem 1: convergence of recycled balls into bins at τ = 4 ln n, b = 2.4 ln n", thm1},
		{"open", "Open questions: smaller thresholds, round trip, window, lost balls, coalescing", open},
		{"threshold", "The sharp threshold of recycling: convergence far below 4 ln n, and its limit law", threshold},
		{"boundary", "How long a round trip recycling survives: delay, window, ring, length of a run", boundary},
		{"roundtrip", "Where recycling breaks down with a round trip, and what steps and ramps of marking do, 256 and 512 hosts", roundtrip},
		{"family", "Recycling among balanced allocations: equal and unequal bins, long batches, bias", family},
		{"memory", "How many entries recycling needs where ports are slow or broken, and ACKs coalesced", memory},
		{"look", "Every queue of a full switch of 16 ports, OPS against REPS", look},
		{"crosscheck", "Theory and network on one switch: maximum queue over time", crosscheck},
		{"passing", "OPS over REPS while an uplink or a spine fails for 50 to 400 µs, 2 to 32 MiB permutation", passing},
		{"planned", "Planned paths against REPS: one for each host, or all in turn, healthy, 8 MiB", planned},
		{"ring", "REPS with rings of 1 to 32 entries, 8 MiB permutation", ring},
		{"oversubscription", "Load balancers on trees with 1:1 to 8:1 oversubscription, 8 MiB permutation",
			oversubscription},
		{"ultraethernet", "Ultra Ethernet's load balancers by its transport: healthy, slow and failed links, 2 MB permutation",
			ultraethernet},
		{"mrc", "MRC's entropy values against REPS, 64 hosts in 8 planes: healthy, failures, random losses, a victim of an incast",
			mrc},
		{"training", "Time of a training step: dense and mixture of experts; healthy, slow cables, a cable that fails or flaps",
			training},
		{"settings", "Settings: the paper's text, the authors' simulator, the model's defaults", settings},
		{"conclusion", "All load balancers on incast, permutation and tornado: healthy, asymmetric, failing",
			conclusion},
		{"published", "Published runs of many seeds, theirs and ours, with the same permutations", published},
		{"findings", "What the program found in the authors' code: each slip without and with it", findings},
	}
}
