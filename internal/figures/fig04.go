package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/fluid"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// fig04 reproduces the uplinks of a ToR with one uplink at half its rate.
func fig04(ctx context.Context, s engine.Settings) (engine.Output, error) {
	tree := topology.FatTree{Hosts: 128, Tiers: 3}
	workload, err := traffic.OneToR(tree, traffic.Message{Bytes: 32 * mebi})
	spec := microSpec(tree)
	spec.Faults = []fattree.Fault{slowUplink(tree, 0, 0)}
	scene := newUplinks(fixed(spec)(workload, err), keepSteadiness, lbs("ops", "reps")...)
	if err := scene.run(ctx, s); err != nil {
		return engine.Output{}, err
	}
	var ideal [2]float64 // us, with flows spread evenly and optimally
	for i, spreading := range []fluid.Spreading{fluid.Even, fluid.Pooled} {
		result, err := fluid.Ideal(fluid.Config{Topology: tree, Workload: workload,
			SlowLinks: []fluid.SlowLink{{Rate: 0.5}}, Spreading: spreading})
		if err != nil {
			return engine.Output{}, err
		}
		longest, _ := result.MaxFCT()
		ideal[i] = float64(longest) / microseconds
	}
	figure := scene.plot(from(0, 560))
	for i := range figure.Panels {
		rates, queues := &figure.Panels[i][0], &figure.Panels[i][1]
		rates.Series[0].Name += ", half rate"
		queues.Series[0].Name += ", half rate"
		rates.References = append(rates.References, plot.ReferenceLine{At: 200},
			plot.ReferenceLine{Vertical: true, At: ideal[1], Label: "ideal"})
	}
	oblivious, adaptive := scene.of("ops").maxFCT(), scene.of("reps").maxFCT()
	return engine.Output{
		Tables: scene.tables(),
		Plot:   figure,
		Notes:  notes(facts{"even": ideal[0], "pooled": ideal[1], "replicas": uplinkRuns}, "fig04"),
		Findings: []claims.Finding{
			claims.Sized("N040", oblivious, withBounds(oblivious, "%.0f")+" us",
				fmt.Sprintf("evenly spread fluids take %.0f us", ideal[0])),
			claims.Sized("N041", adaptive, withBounds(adaptive, "%.0f")+" us",
				fmt.Sprintf("fluids spread as suits best take %.0f us", ideal[1])),
			fig04Slow(scene.of("reps"), scene.of("ops")),
			fig04Stable(scene.of("reps"), scene.of("ops")),
		},
	}, nil
}

// fig04Slow grades that REPS uses the slow uplink less than the others, and OPS equally often.
func fig04Slow(recycled, sprayed netRuns) claims.Finding {
	of := func(runs netRuns) mc.Estimate {
		return runs.mean(kept(shareOfUplink(0)), "", "packets of the slow uplink over the mean of all")
	}
	less, equal := of(recycled), of(sprayed)
	return claims.InParts("N103", []claims.Part{claims.Met("N103", "REPS", less), claims.Met("N103", "OPS", equal)},
		fmt.Sprintf("the slow uplink carries %s of the mean under REPS, %s under OPS", withBounds(less, "%.2f"), withBounds(equal, "%.2f")),
		"in proportion to its rate it would be 0.57")
}

// unsteadyQueue names the mean over the uplinks of the standard deviation of a queue over time, in packets.
const unsteadyQueue = "unsteady queue"

// keepSteadiness keeps a run with its uplinks and how unsteady their queues are.
func keepSteadiness(r experiment.Replica) (netRun, error) {
	k, err := keepUplinks(keepWhole)(r)
	if err == nil {
		k.Numbers[unsteadyQueue] = newUplinkTrace(r.Samples).unsteady(settled, float64(k.Least)/microseconds)
	}
	return k, err
}

// unsteady returns the mean over the uplinks of the standard deviation of a queue in the samples of a time, in us.
func (t *uplinkTrace) unsteady(from, to float64) float64 {
	first, last := t.sampleAt(from), t.sampleAt(to)
	return mean(lists.Map(t.Queues, func(queues []int32) float64 { return deviation(queues[first:last]) }))
}

// deviation returns the standard deviation of whole numbers. Sums are of whole numbers too, so that every machine
// computes the same.
func deviation(list []int32) float64 {
	sum, squares, n := int64(0), int64(0), int64(len(list))
	for _, x := range list {
		sum, squares = sum+int64(x), squares+int64(x)*int64(x)
	}
	return math.Sqrt(float64(n*squares-sum*sum)) / float64(n)
}

// fig04Stable grades that queues are more stable under REPS.
func fig04Stable(recycled, sprayed netRuns) claims.Finding {
	steadier := func(key, name string) (less, more mc.Estimate, part claims.Part) {
		less, more = recycled.mean(kept(key), "packets", name), sprayed.mean(kept(key), "packets", name)
		return less, more, claims.Part{Name: name, Condition: claims.ClearlyBelow(less, more)}
	}
	less, more, varies := steadier(unsteadyQueue, "standard deviation of a queue over time")
	shorter, longer, reaches := steadier(laterQueue, "longest queue from 250 us on")
	slow := func(runs netRuns) mc.Estimate { // only the first run has kept all samples
		return runs[:1].mean(func(r netRun) float64 {
			t := r.Uplinks
			return deviation(t.Queues[0][t.sampleAt(settled):t.sampleAt(float64(r.Least)/microseconds)])
		}, "packets", "standard deviation of the slow uplink's queue over time")
	}
	few, many := slow(recycled), slow(sprayed)
	return claims.InParts("N116", []claims.Part{varies, reaches}, fmt.Sprintf(
		"a queue's standard deviation over time is %s packets under REPS, %s under OPS", withBounds(less, "%.1f"), withBounds(more, "%.1f")),
		fmt.Sprintf("from 250 us on the longest queue has %s and %s packets; the slow uplink's deviates by %.1f and %.1f in the first run, "+
			"the others of OPS are nearly empty", withBounds(shorter, "%.0f"), withBounds(longer, "%.0f"), few.Value, many.Value)).With(few, many)
}
