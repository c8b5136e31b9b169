package figures

import (
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/schedule"
	"repslab/internal/claims"
)

// stepsOf returns runs whose steps take some times, in microseconds.
func stepsOf(times ...fattree.Picoseconds) (runs netRuns) {
	for _, us := range times {
		runs = append(runs, netRun{Step: schedule.StepResult{Time: us * microseconds}})
	}
	return runs
}

// TestTrainingFindings: flaps that lengthen a step by 0.5 % hold, by 5 % do not; a cable that fails may cost ten
// seconds of steps 1 %, not 5 %.
func TestTrainingFindings(t *testing.T) {
	c, err := newTraining(t.Context(), Settings{Scale: Quick})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		flapping, broken fattree.Picoseconds
		grades           [2]claims.Grade
	}{
		{1005, 90_000, [2]claims.Grade{claims.Reproduced, claims.Reproduced}},
		{1050, 501_000, [2]claims.Grade{claims.Contradicted, claims.Contradicted}},
	} {
		for _, p := range c.points {
			time := map[int]fattree.Picoseconds{stepHealthy: 1000, stepSlow: 2, stepBroken: of.broken, stepFlapping: of.flapping}[p.x]
			p.runs = results[string, netRuns]{"mrc": stepsOf(time-1, time, time+1)}
		}
		found := trainingFindings(&c)
		for i, f := range found {
			if id := []string{"M12", "M13"}[i]; f.Claim != id || f.Grade != of.grades[i] {
				t.Errorf("%s: %s (%s), want %s: %s", f.Claim, f.Grade, f.Measured, id, of.grades[i])
			}
		}
		if words := "a step takes longer by: dense 0.50 [0.50, 0.50] %, experts 0.50 [0.50, 0.50] %"; of.flapping == 1005 && found[0].Measured != words {
			t.Errorf("measured %q, want %q", found[0].Measured, words)
		}
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
