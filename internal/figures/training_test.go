package figures

import (
	"math"
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/schedule"
)

// stepsOf returns runs whose steps take some times, in microseconds.
func stepsOf(times ...fattree.Picoseconds) (runs netRuns) {
	for _, us := range times {
		runs = append(runs, netRun{complete: true, steps: []schedule.StepResult{{Time: us * microseconds}}})
	}
	return runs
}

// TestTrainingStatements: T1 is the excess of a step with flaps over the healthy one, and T2 six times that of a step in
// which a cable fails, over a minute; in percent.
func TestTrainingStatements(t *testing.T) {
	c, err := newTraining(Settings{Scale: Quick})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.points {
		times := map[int]netRuns{stepHealthy: stepsOf(1000, 1010), stepSlow: stepsOf(1, 1), stepBroken: stepsOf(501_000, 506_000), stepFlapping: stepsOf(1005, 1015)}
		p.runs = results[string, netRuns]{"mrc": times[p.x]}
	}
	list := trainingStatements(&c)
	if len(list) != 4 {
		t.Fatalf("%d statements, want 2 of each model", len(list))
	}
	for i, s := range list {
		want, id := 100*(1010./1005-1), "T1"
		if i%2 == 1 {
			want, id = 100*6*(503_500-1005)/60e6, "T2"
		}
		grade := "agrees"
		if i%2 == 1 {
			grade = "disagrees"
		}
		if s.id != id || math.Abs(s.here.Value-want) > 1e-9 || s.grade() != grade {
			t.Errorf("%s: %v, %s, want %v, %s", s.id, s.here, s.grade(), want, grade)
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
