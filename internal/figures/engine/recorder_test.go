package engine

import (
	"context"
	"strings"
	"testing"

	"repslab/internal/runbook"
	"repslab/mc"
)

// TestRecorder: runs are made once and then taken from the book, results are the same, and a run that is made again
// must be as recorded: a number that was changed is found and named.
func TestRecorder(t *testing.T) {
	type setting struct{ circuits int }
	type result struct {
		Network []int64
		Random  float64
	}
	made := 0
	trial := func(replicas uint64) Trials[setting, result] {
		var list Trials[setting, result]
		list.Add(setting{circuits: 3}, replicas, func() (ReplicaRunner[result], error) {
			return func(_ context.Context, seed, replica uint64) (result, error) {
				made++
				return result{Network: []int64{int64(10*seed + replica)}, Random: 0.25}, nil
			}, nil
		})
		return list
	}
	book := new(runbook.Book)
	run := func(replicas uint64, again func(runbook.Run) bool) (Outcome, []result) {
		r := &Recorder{Book: book, Again: again}
		runs, err := trial(replicas).Run(t.Context(), Settings{Seed: 5, Recorder: r, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r.Outcome(), runs.At(setting{circuits: 3})
	}
	if o, runs := run(2, nil); o.Made != 2 || made != 2 || runs[1].Network[0] != 51 {
		t.Errorf("first: %+v, %v", o, runs)
	}
	if o, runs := run(3, nil); o.Made != 1 || o.Recalled != 2 || made != 3 || len(runs) != 3 || runs[1].Network[0] != 51 || runs[2].Random != 0.25 {
		t.Errorf("one more: %+v, %v", o, runs)
	}
	all := func(runbook.Run) bool { return true }
	if o, _ := run(3, all); o.Compared != 3 || o.Made != 0 || made != 6 || len(o.Differing) != 0 {
		t.Errorf("again: %+v", o)
	}
	changed := book.Runs()[1]
	if err := book.Put(changed, []byte(`{"Network":[52],"Random":0.25}`)); err != nil {
		t.Fatal(err)
	}
	o, runs := run(3, all)
	if len(o.Differing) != 1 || o.Differing[0].String() != `run 1, seed 5, of {"circuits":3}: Network[0]: recorded 52, computed 51` || runs[1].Network[0] != 52 {
		t.Errorf("with a changed number: %+v, %v", o, runs)
	}
	if o, _ := run(3, func(of runbook.Run) bool { return of.Run == 0 }); len(o.Differing) != 0 || o.Compared != 1 {
		t.Errorf("a run that is not drawn is compared: %+v", o)
	}
}

// TestRecordedEstimations: an estimate is recorded with its number of replicas, and two of the same key in a figure by
// their order.
func TestRecordedEstimations(t *testing.T) {
	book, calls := new(runbook.Book), 0
	r := &Recorder{Book: book}
	estimate := func(replicas uint64, value float64) float64 {
		var list Estimations[string, mc.Estimate]
		list.Add("key", replicas, func(context.Context, mc.Plan) (mc.Estimate, error) {
			calls++
			return mc.Estimate{Value: value, Lo: 1, Hi: 9}, nil
		})
		got, err := list.Run(t.Context(), Settings{Seed: 1, Recorder: r})
		if err != nil {
			t.Fatal(err)
		}
		return got.At("key").Value
	}
	if a, b := estimate(100, 3), estimate(100, 4); a != 3 || b != 4 {
		t.Errorf("two experiments of one key have %v and %v", a, b)
	}
	r = &Recorder{Book: book} // of the same figure, once more
	if a, b, c := estimate(100, 5), estimate(100, 5), estimate(200, 6); a != 3 || b != 4 || c != 6 || calls != 3 {
		t.Errorf("recorded %v and %v, with other replicas %v, %d calls", a, b, c, calls)
	}
	var keys []string
	for _, of := range book.Runs() {
		keys = append(keys, of.Key)
	}
	if got := strings.Join(keys, " "); got != `"key" ["key",2] ["key",3]` {
		t.Errorf("keys %s", got)
	}
}
