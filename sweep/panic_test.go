package sweep

import (
	"bytes"
	"context"
	"testing"
	"time"

	"repslab/mc"
)

// fragile is a tally whose statistic panics while it has fewer observations than it needs.
type fragile struct {
	dice
	needs mc.Count
}

func (f *fragile) StoppingStatistic() mc.Estimate {
	if f.replicas < f.needs {
		panic("too few")
	}
	return f.dice.StoppingStatistic()
}

// fragilePoint throws a die into a fragile tally.
func fragilePoint(faces uint64, needs mc.Count) Point {
	p := dicePoint(faces)
	e := p.Experiment
	p.Experiment = mc.Experiment[mc.Tally]{
		NewTally: func() mc.Tally { return &fragile{needs: needs} },
		NewWorker: func(seed uint64) mc.Worker[mc.Tally] {
			run := e.NewWorker(seed)
			return func(ctx context.Context, block mc.Block) (mc.Tally, error) {
				tally, err := run(ctx, block)
				return &fragile{*tally.(*dice), needs}, err
			}
		},
	}
	p.Fold = func(_ context.Context, tally mc.Tally, _ uint64) (Results, error) {
		return Results{Rows: [][]any{{tally.(*fragile).faces.Mean(mc.DefaultConfidence).Value}}}, nil
	}
	return p
}

// pointsSweep is a sweep of points.
func pointsSweep(t *testing.T, c Config, points ...Point) *Sweep {
	t.Helper()
	c.Model = "dice"
	s, err := New(testProgram, c, diceColumns, points)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPanicsFailTheirPoint: a panic of NewTally, of Parts of its tally or, under a stopping
// rule, of StoppingStatistic fails the point, also when its blocks are resumed or merged;
// the other points have their rows.
func TestPanicsFailTheirPoint(t *testing.T) {
	none, panics := dicePoint(3), dicePoint(4)
	none.Experiment.NewTally = func() mc.Tally { return (*dice)(nil) }
	panics.Experiment.NewTally = func() mc.Tally { panic("no tally") }
	rule := Config{Seed: 1, Replicas: 1000, Precision: 0.05, Block: 100}
	for name, c := range map[string]struct {
		sweep *Sweep
		want  string // error of the point
	}{
		"NewTally":          {pointsSweep(t, usual, dicePoint(6), panics, dicePoint(20)), "NewTally: panic: no tally"},
		"Parts":             {pointsSweep(t, usual, dicePoint(6), none, dicePoint(20)), "NewTally: panic: mc: Experiment: the tally that NewTally returns must not be nil"},
		"StoppingStatistic": {pointsSweep(t, rule, dicePoint(6), fragilePoint(4, 1001), dicePoint(20)), "StoppingStatistic: panic: too few"},
	} {
		path := inDir(t, "r")
		for _, resume := range []bool{false, true} {
			failed, err := c.sweep.Run(context.Background(), path, Options{Workers: 2, Resume: resume})
			if data := contents(t, path); failed != 1 || err != nil || bytes.Count(data, []byte(`/rows"`)) != 2 || !bytes.Contains(data, []byte(`"error":"`+c.want)) {
				t.Errorf("%s, resumed %v: %d points failed, error %v, want the error %s in\n%s", name, resume, failed, err, c.want, data)
			}
		}
		m, err := c.sweep.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{})
		if err != nil || m.Points != 2 || m.Failed != 1 {
			t.Errorf("%s: merged %+v, error %v", name, m, err)
		}
	}
}

// TestMergePanics: when blocks are merged, a panic of NewTally fails their point.
func TestMergePanics(t *testing.T) {
	dir := t.TempDir()
	paths := []string{dir + "/1", dir + "/2"}
	for i, path := range paths {
		mustRun(t, diceSweep(t, usual, Shard{i + 1, 2}, 6, 20), path, Options{})
	}
	whole := diceSweep(t, usual, Shard{}, 6, 20)
	whole.Points[1].Experiment.NewTally = func() mc.Tally { panic("no tally") }
	m, err := whole.Merge(context.Background(), paths, dir+"/r", MergeOptions{})
	if data := contents(t, dir+"/r"); err != nil || m.Points != 1 || m.Failed != 1 || !bytes.Contains(data, []byte(`"error":"NewTally: panic: no tally"`)) {
		t.Errorf("merged %+v, error %v\n%s", m, err, data)
	}
}

// TestProgressSurvivesPanics: without a stopping rule the file does not need the stopping statistic.
// Progress does not ask a point without replicas for it (such as the second of two points that run at
// once), and reports a panic once.
func TestProgressSurvivesPanics(t *testing.T) {
	one := Config{Seed: 1, Replicas: 1}
	mustRun(t, pointsSweep(t, one, fragilePoint(6, 1), fragilePoint(20, 1)), inDir(t, "r"), Options{Workers: 2})

	var said []string
	var seen Progress
	s := pointsSweep(t, usual, fragilePoint(6, 100), dicePoint(20))
	r := newRunner(newIndex(s, nil), nil, Options{Warn: func(w string) { said = append(said, w) }, Progress: func(p Progress) { seen = p }})
	for point := range s.Points {
		a := &activePoint{point: point, replicas: 10}
		if err := s.newTallies(a); err != nil {
			t.Fatal(err)
		}
		tally, err := s.Points[point].Experiment.NewWorker(1)(context.Background(), s.block(0))
		if err != nil {
			t.Fatal(err)
		}
		mc.MergeTally(a.tally, tally)
		r.current = a
		for range 2 {
			r.reported = time.Time{}
			r.report()
		}
	}
	if want := "faces=6: its interval is unknown: StoppingStatistic: panic: too few"; len(said) != 1 || said[0] != want || seen.Point != "faces=20" {
		t.Errorf("warnings %q and progress %+v, want the one warning %q and the point faces=20", said, seen, want)
	}
}
