package crosscheck

import (
	"context"
	"reflect"

	"repslab/ballsbins"
	"repslab/ballsbins/allocation"
	"repslab/coalescing"
	"repslab/evsimbalance"
	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/faults"
	"repslab/mc"
	"repslab/mrc"
	"repslab/recycled"
	"repslab/reps"
	"repslab/sweep"
)

// tossTally is a tally of one mean.
type tossTally struct{ heads mc.Moments }

func (t *tossTally) Parts() []mc.NamedPart          { return []mc.NamedPart{{Name: "heads", Part: &t.heads}} }
func (t *tossTally) StoppingStatistic() mc.Estimate { return t.heads.Mean(mc.DefaultConfidence) }

func newTossTally() *tossTally { return new(tossTally) }

var toss = mc.Repeat(newTossTally, func(t *tossTally, seed, replica uint64) {
	random := mc.NewStream(seed, mc.Algorithm, replica).Rand()
	t.heads.Add(int64(random.Below(2)))
})

func tossPoint(heads int) sweep.Point {
	return sweep.Estimated("toss", []any{heads}, toss, func(_ context.Context, t *tossTally, _ uint64) (sweep.Results, error) {
		return sweep.Results{Rows: [][]any{{t.heads.Mean(mc.DefaultConfidence).Value}}}, nil
	})
}

// examples are valid values, from which arguments are drawn.
var examples = []any{newTossTally,
	ballsbins.Config{Bins: 8, Rounds: []int{5, 10}}, ballsbins.Config{Bins: 4, Policy: "round-robin"},
	allocation.Config{Bins: 8, Balls: []int{20}}, allocation.Config{Bins: 4, Rule: allocation.Token, Information: allocation.Batched},
	allocation.Config{Bins: 4, Rule: allocation.Quantile, Balls: []int{7}},

	recycled.Config{Bins: 8}, recycled.Config{Bins: 4, Clocking: recycled.PerFlow, Horizon: 20}, recycled.Config{Bins: 4, Clocking: recycled.RoundRobin},
	recycled.Config{Bins: 4, Closed: true, Start: recycled.Random}, recycled.Config{Bins: 4, Clocking: recycled.PerFlow, EVS: 8, Horizon: 20},
	recycled.Config{Bins: 4, Clocking: recycled.Ack, Delay: 3, Window: 6, Ramp: 2, Horizon: 20},
	coalescing.Config{Bins: 8, Ratio: 2, Rounds: []int{10}}, coalescing.Config{Bins: 4, Clocking: recycled.PerFlow, Rounds: []int{10}},
	evsimbalance.Config{EVS: 64, Uplinks: 4}, evsimbalance.Config{EVS: 16, Uplinks: 4, Flows: 2, Method: evsimbalance.Hash},
	mrc.Config{Planes: 2}, reps.Config{BufferSize: 4, EVSSize: 16}, reps.FIFOConfig{EVSSize: 16},
	mc.Plan{Replicas: 3}, mc.Plan{Replicas: 5, Workers: 2}, toss, tossPoint(1), tossPoint(2),
	sweep.Config{Model: "toss", Replicas: 4}, sweep.Columns{Parameters: []string{"n"}, Results: []string{"heads"}},
	fattree.Spec{Topology: topology.FatTree{Hosts: 8}, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 5, 9000, 0), fattree.NewFlow(3, 4, 100, 0)}}},
	topology.FatTree{Hosts: 8}, topology.FatTree{Hosts: 16, Tiers: 3},
	fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 5, 9000, 0), fattree.NewFlow(3, 4, 100, 0)}},
	fattree.NewFlow(0, 5, 9000, 0), traffic.Message{Bytes: 5000}, schedule.Job{},
	experiment.OneSwitch{Bins: 4, Rounds: 10},
}

// instances has instances of the generic exports.
var instances = map[string][]any{
	"faults.OneOf": {faults.OneOf[int]},
	"fattree.Mean": {fattree.Mean[fattree.Picoseconds]}, "fattree.NearestRank": {fattree.NearestRank[fattree.Picoseconds]},
	"fattree/experiment.AllComplete": {experiment.AllComplete[experiment.Kept]},
	"fattree/experiment.OverOf":      {experiment.OverOf[experiment.Kept]}, "fattree/experiment.TimeOf": {experiment.TimeOf[experiment.Kept]},
	"mc.EachReplica": {mc.EachReplica[*tossTally]}, "mc.EachRun": {mc.EachRun[*ballsbins.Process, *tossTally]},
	"mc.Experiment": {reflect.TypeFor[mc.Experiment[*tossTally]]()},
	"mc.Pair":       {reflect.TypeFor[mc.Pair[*tossTally, *tossTally]]()}, "mc.Paired": {mc.Paired[*tossTally, *tossTally]},
	"mc.MeanOf": {mc.MeanOf[int]}, "mc.RatioOf": {mc.RatioOf[int]}, "mc.Repeat": {mc.Repeat[*tossTally]},
	"mc.Run": {mc.Run[int]}, "mc.Simulate": {mc.Simulate[*tossTally, int]}, "mc.Worker": {},
	"sweep.Estimated": {sweep.Estimated[*tossTally]},
}
