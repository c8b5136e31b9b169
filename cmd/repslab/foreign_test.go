package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"repslab/mc"
	"repslab/sweep"
)

// writeForeign writes the result file of a model that no command has, as a program of a
// user's own does.
func writeForeign(t *testing.T, path string, seed uint64) {
	t.Helper()
	var points []sweep.Point
	for _, sides := range []int{6, 20} {
		throw := mc.Repeat(func() *sleepyTally { return new(sleepyTally) }, func(t *sleepyTally, seed, replica uint64) {
			random := mc.NewStream(seed, mc.Algorithm, replica).Rand()
			t.replicas.Add(int64(random.Below(uint64(sides))))
		})
		points = append(points, sweep.Estimated("dice", []any{"fair", sides}, throw, func(_ context.Context, t *sleepyTally, _ uint64) (sweep.Results, error) {
			e := t.StoppingStatistic()
			return sweep.Results{Rows: [][]any{{e.Value, e.StdErr, "ivory"}}}, nil
		}))
	}
	s, err := sweep.New(sweep.Program{Version: "7"}, sweep.Config{Model: "dice", Seed: seed, Replicas: 100},
		sweep.Columns{Parameters: []string{"kind", "sides"}, Results: []string{"face_mean", "face_se", "material"}}, points)
	if err != nil {
		t.Fatal(err)
	}
	if failed, err := s.Run(context.Background(), path, sweep.Options{}); failed != 0 || err != nil {
		t.Fatalf("%d points failed, error %v", failed, err)
	}
}

// TestForeignModel: the readers take a file whose model this program does not have, and say
// which program wrote it; what needs the model is an error that names it and those that there are.
func TestForeignModel(t *testing.T) {
	t.Chdir(t.TempDir())
	writeForeign(t, "a.jsonl", 1)
	writeForeign(t, "b.jsonl", 2)
	for _, c := range []struct {
		args string
		want []string
	}{
		{"show a.jsonl", []string{"face_mean", "fair     20 ", "  ivory "}},
		{"export a.jsonl", []string{"kind,sides,face_mean,face_se,material,seed,replicas\nfair,6,"}},
		{"plot a.jsonl --x sides --y face_mean --by kind -o p.svg", nil},
		{"compare a.jsonl b.jsonl", []string{"face_mean"}},
	} {
		o := repslab(t, strings.Fields(c.args)...)
		var told string
		for _, path := range []string{"a.jsonl", "b.jsonl"} {
			if strings.Contains(c.args, path) {
				told += "repslab: warning: " + path + ` was written by another program (version 7, revision unknown, streams 0): its model is "dice"` + "\n"
			}
		}
		if o.code != exitDone || o.stderr != told {
			t.Errorf("%s: %+v, want the warning %s", c.args, o, told)
		}
		for _, want := range c.want {
			if !strings.Contains(o.stdout, want) {
				t.Errorf("%s: no %q in\n%s", c.args, want, o.stdout)
			}
		}
	}
	if o := repslab(t, "compare", "a.jsonl", "b.jsonl", "--except", "color"); o.code != exitUsage || !strings.Contains(o.stderr, `"color" must be kind or sides`) {
		t.Errorf("%+v", o)
	}
	before := fileBytes(t, "a.jsonl")
	const only = ` can only be continued or merged by the program that wrote it: model "dice" must be one of ballsbins, recycled, coalescing, evs, allocate, leafspine, fattree`
	for args, want := range map[string]string{
		"sweep --config a.jsonl -o c.jsonl":                 "--config: a.jsonl" + only,
		"sweep --config a.jsonl --resume -o a.jsonl":        "--config: a.jsonl" + only,
		"merge a.jsonl -o c.jsonl":                          "a.jsonl" + only,
		"sweep recycled --bins 8 --resume -o a.jsonl":       "model is dice there and recycled here",
		"sweep --config a.jsonl --print-config -o /nowhere": "--config: a.jsonl" + only,
	} {
		if o := repslab(t, strings.Fields(args)...); o.code != exitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v, want the error %s", args, o, want)
		}
	}
	if !bytes.Equal(fileBytes(t, "a.jsonl"), before) {
		t.Error("a file of another program was changed")
	}
}
