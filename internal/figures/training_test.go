package figures

import (
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/schedule"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
)

// stepsOf returns runs whose steps take some times, in microseconds.
func stepsOf(times ...fattree.Picoseconds) (runs netRuns) {
	for _, us := range times {
		runs = append(runs, netRun{Step: schedule.StepResult{Time: us * microseconds}})
	}
	return runs
}

// TestTrainingFindings: M6 is not decided, however little a step with a flap takes longer; the measured times stand
// there.
func TestTrainingFindings(t *testing.T) {
	c, err := newTraining(t.Context(), 32)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.points {
		time := map[int]fattree.Picoseconds{stepHealthy: 1000, stepSlow: 1, stepBroken: 2000, stepFlapping: 1000}[p.x]
		p.runs = engine.Results[string, netRuns]{"mrc": stepsOf(time, time, time)}
	}
	f := trainingFindings(&c)[0]
	want := "one step takes longer by 0 (identical in 3 of 3 runs) % where a cable flaps (dense), 0 (identical in 3 of 3 runs) % " +
		"where a cable flaps (experts), 100 (identical in 3 of 3 runs) % where a cable fails in its middle (dense), " +
		"100 (identical in 3 of 3 runs) % where a cable fails in its middle (experts)"
	if f.Claim != "M6" || f.Grade != claims.Undecided || f.Measured != want || len(f.Basis) != 4 {
		t.Errorf("%+v, want %q", f, want)
	}
}

// TestTrainedSteps: each rank has a host of its own, another one in each replica; the step with experts has more
// messages and the same calcs.
func TestTrainedSteps(t *testing.T) {
	const hosts = 32
	var flows [2]int
	for i, model := range []string{dense, experts} {
		step, err := trainedStep(model, hosts)
		if err != nil {
			t.Fatal(err)
		}
		if path := schedule.Ideal(step); step.Ranks != hosts || path < 500*microseconds || path > 600*microseconds {
			t.Errorf("%s: %d ranks, calcs take %d ps", model, step.Ranks, path)
		}
		used, first := map[fattree.Host]bool{}, map[fattree.Host]bool{}
		for seed := range uint64(4) {
			w, err := randomPlaces(step, hosts)(rand.NewPCG(seed, 1))
			if err != nil {
				t.Fatal(err)
			}
			flows[i], first[w.Flows[0].Source] = len(w.Flows), true
			for _, f := range w.Flows {
				used[f.Source] = true
			}
		}
		if len(used) != hosts || len(first) < 2 {
			t.Errorf("%s: messages of %d hosts, the first of %d", model, len(used), len(first))
		}
	}
	if flows[1] < 2*flows[0] {
		t.Errorf("%d messages, with experts %d", flows[0], flows[1])
	}
}
