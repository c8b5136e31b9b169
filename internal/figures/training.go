package figures

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"repslab/fattree"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// The two models to train. A rank takes 8 us for the forward pass of a layer.
const (
	dense   = "dense"
	experts = "experts"

	trainedStages = 8
	trainedBytes  = 128 << 10 // bytes between two stages, and from a rank to all experts
	midStepUs     = 400
)

// The conditions of a step.
const stepHealthy, stepSlow, stepBroken, stepFlapping = 0, 1, 2, 3

// trainedStep returns the schedule of a step of a model, with one rank on each of some hosts. It scales a step
// with millions of times as many parameters and tokens down to gradients of 2 MB per rank.
func trainedStep(model string, hosts int) (*schedule.Schedule, error) {
	c := schedule.Training{
		DataParallel: int64(hosts / trainedStages), PipelineParallel: trainedStages, TensorParallel: 1, ExpertParallel: 1,
		Microbatches: 4, Buckets: 2, Parameters: trainedStages * 1_000_000, Layers: 2 * trainedStages, Hidden: 8, TopK: 1,
		GradientBytes: 2, ActivationBytes: 2, TFLOPS: 1000,
	}
	c.Tokens = trainedBytes / c.Hidden / c.ActivationBytes * c.Microbatches * c.DataParallel
	if model == experts {
		c.ExpertParallel = min(8, c.DataParallel)
	}
	return c.Schedule()
}

// newTraining returns the comparison of load balancers by the time of a step on a number of hosts, not yet run.
func newTraining(ctx context.Context, hosts int) (comparison, error) {
	c := comparison{schemes: lbs("ecmp", "ops", "mixed", "reps", "mrc")}
	for _, model := range []string{dense, experts} {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		step, err := trainedStep(model, hosts)
		if err != nil {
			return c, err
		}
		calcs := float64(schedule.Ideal(step)) / microseconds
		spec := fattree.Spec{Topology: topology.FatTree{Hosts: hosts}, Profile: fattree.MRC, Options: transport.Options{InheritConnections: true}}
		for x, set := range []struct{ label, failures string }{
			stepHealthy:  {"Healthy", ""},
			stepSlow:     {"Slow cables", fmt.Sprintf("degrade=%d:0.5", max(1, hosts/100))},
			stepBroken:   {"A cable fails", fmt.Sprintf("cables=1,dir=both,at=%d", midStepUs)},
			stepFlapping: {"A cable flaps", "cables=1,dir=both,flap=400:100"},
		} {
			c.points = append(c.points, &comparedPoint{
				group: trainedOn(model, hosts), x: x, label: set.label, place: set.label + ", " + trainedOn(model, hosts),
				workload: "training", hosts: hosts, evs: mrcEVs, control: ultraNSCC, metrics: []metric{byStep()},
				replicas: fewest, network: failing(spec, set.failures, randomPlaces(step, hosts)),
				cells: cells{{"hosts", hosts}, {"model", model}, {"setting", set.label}, {"failures", set.failures},
					{"calc_path_us", calcs}},
			})
		}
	}
	return c, nil
}

// randomPlaces plays a step with one rank on each host, at random places.
func randomPlaces(step *schedule.Schedule, hosts int) drawWorkload {
	return func(source rand.Source) (fattree.Workload, error) {
		places := lists.Map(rand.New(source).Perm(hosts), func(h int) fattree.Host { return fattree.Host(h) })
		return schedule.Job{Schedule: step, Steps: 1, Hosts: places}.Workload(), nil
	}
}

// trainedOn returns the group of points of a model on some hosts.
func trainedOn(model string, hosts int) string { return fmt.Sprintf("%s, %d hosts", model, hosts) }

// byStep returns the time of the step as a metric.
func byStep() metric { return metric{"step_us", "time of a step", netRun.stepTime} }

// stepTime returns the time of the step.
func (r netRun) stepTime() int64 { return int64(r.Step.Time) }

// trainingFindings shows what a flapping or failed cable costs one step, for both models on the fewest hosts. This
// does not decide M6: a job with several flaps a minute has thousands of steps between two of them.
func trainingFindings(c *comparison) []claims.Finding {
	var words []string
	var shown []mc.Estimate
	for _, set := range []struct {
		x    int
		name string
	}{{stepFlapping, "flaps"}, {stepBroken, "fails in its middle"}} {
		for _, model := range []string{dense, experts} {
			group := trainedOn(model, c.points[0].hosts)
			longer := listedAs(c.at(group, set.x, "mrc").ratio(c.at(group, stepHealthy, "mrc"), netRun.stepTime), "us",
				fmt.Sprintf("step with mrc, %s, over a healthy one, %s", c.points[set.x].label, model)).Percent()
			words = append(words, fmt.Sprintf("%s %% where a cable %s (%s)", withBounds(longer, "%.0f"), set.name, model))
			shown = append(shown, longer)
		}
	}
	return []claims.Finding{claims.LeftOut("M6", "one step takes longer by "+strings.Join(words, ", "),
		"not decided by this model: the steps after a flap are not simulated").With(shown...)}
}

// training compares load balancers by the time of a training step, and decides published statements about MRC and
// training.
func training(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c, err := newTraining(ctx, 128)
	if err == nil {
		err = c.run(ctx, s)
	}
	if err != nil {
		return engine.Output{}, err
	}
	main := c.rows("", "", func(p *comparedPoint, _ scheme, runs netRuns) cells {
		wait := inSupport(runs, func(r netRun) float64 { return r.Step.Waiting }, shareOf(1, 0))
		return cells{{"step_us", frame.WithEnds(runs.time(netRun.stepTime))}, {"network_wait", wait.Value},
			{"over_healthy", runs.shown(c.at(p.group, stepHealthy, "reps"), netRun.stepTime).Value},
			{"lost", runs.count(netRun.lost).Value}, {"finished_share", runs.finished()}}
	})
	var panels [][]plot.Panel
	for x := 0; x < len(c.points); x += stepFlapping + 1 {
		panel := plot.Panel{Title: fmt.Sprintf("(%c) %s", 'a'+rune(len(panels)), c.points[x].group), YLabel: "Step (us)", Y: onScale(plot.Log10)}
		panels = append(panels, []plot.Panel{wide(c.times(panel, c.points[x].group))})
	}
	return engine.Output{
		Tables:   []frame.Table{main},
		Plot:     stacked(panels...),
		Findings: trainingFindings(&c),
		Notes:    notes(facts{"replicas": c.points[0].replicas, "at": midStepUs, "experts": min(8, c.points[0].hosts/trainedStages), "hosts": c.points[0].hosts}, "training"),
	}, nil
}
