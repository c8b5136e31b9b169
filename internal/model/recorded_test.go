package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/recorded"
	"repslab/internal/table"
	"repslab/mc"
)

// drawnFlags draws combinations of the values that the effects of a model have, few at a time.
func drawnFlags(seed uint64, list []effect, most int) Texts {
	rng, given := rand.New(rand.NewPCG(seed, 31)), Texts{}
	for range 1 + rng.IntN(most) {
		one := list[rng.IntN(len(list))]
		for assignment := range strings.FieldsSeq(one.with) {
			flag, value, _ := strings.Cut(assignment, "=")
			given[KeyOf(flag)] = value
		}
		given[KeyOf(one.flag)] = one.text
	}
	return given
}

// cellsText returns cells as a text, numbers with nine digits.
func cellsText(cells []any) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		switch v := c.(type) {
		case nil:
			texts[i] = "-"
		case float64:
			texts[i] = strconv.FormatFloat(v, 'g', 9, 64)
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, " ")
}

// TestRecordedPoints: combinations of flags have the defaults, columns, horizons and warnings that they had before,
// or are refused with the same words.
func TestRecordedPoints(t *testing.T) {
	list := slices.DeleteFunc(fattreeEffects(), func(e effect) bool {
		files := []string{"sizes", "topology", "flows", "schedule", "placement", "steps"}
		return slices.Contains(files, e.flag) || strings.Contains(e.with, "load") || e.flag == "load"
	})
	var lines []string
	for seed := range uint64(200) {
		given, p := drawnFlags(seed, list, 6), new(Fattree)
		if strings.Contains(given["workload"], "search") {
			given["duration_us"] = "20"
		}
		s := FattreeSpace(p)
		g, err := s.grid(FattreeName, Selection{Parameters: given})
		if err != nil {
			lines = append(lines, fmt.Sprintf("%d %.200q", seed, err.Error()))
			continue
		}
		lines = append(lines, fmt.Sprintf("%d %s %q", seed, cellsText(g.Points[0].Parameters), append(g.Warnings, p.warnings()...)))
	}
	recorded.Check(t, "points.txt", lines)
}

// TestRecordedRows: two replicas of small networks have the row, flows, events, counts and trace that they had before.
func TestRecordedRows(t *testing.T) {
	const small = "hosts=8 message-bytes=60000 evs=64 "
	var lines []string
	for i, flags := range []string{
		small + "workload=tornado",
		small + "workload=incast degree=4 inside=on queue=20 horizon-us=40",
		small + "workload=tornado failure=cables=1,at=2,for=20,place=first freezing=at=3 freeze-us=4 rto-us=10",
		small + "workload=tornado planes=2 background-every=2 burst=on=2,off=3",
		small + "profile=uet workload=alltoall degree=2 groups=late:start>1,source=1..3",
		"hosts=8 profile=mrc lb=mrc workload=tornado message-bytes=60000 planes=2 mrc-probe-us=3 mrc-skip=time=4",
		"hosts=4 workload=websearch duration-us=15 load=0.9 horizon-us=60",
	} {
		points := pointsOf(t, flags)
		p := &points[0].Fattree
		s := p.Setup()
		s.Groups, s.Inside = p.flowGroups(), p.insideText() == "on"
		tally, _, err := s.NewExperiment().Run(t.Context(), mc.Plan{Seed: 3, Replicas: 2})
		if err != nil {
			t.Fatal(err)
		}
		results := p.results(tally.Summary())
		for _, row := range results.Rows {
			lines = append(lines, fmt.Sprintf("%d row %s", i, cellsText(row)))
		}
		lines = append(lines, fmt.Sprintf("%d %v %q", i, results.Work, results.Warnings))
		writers := []ExtraWriter{(*Fattree).WriteFlows, (&Trace{Every: 1.5}).Write}
		if p.Profile != profileMRC {
			writers = append(writers, (&Events{Time: "1..2.5", Flows: "0,1"}).Write, (&Events{Flows: "0..2"}).WriteCounts)
		}
		for _, write := range writers {
			var text bytes.Buffer
			to := ExtraOutput{To: &text, Format: table.CSV, Warn: func(warning string) { text.WriteString(warning + "\n") }}
			plan := mc.Plan{Seed: 3, Replicas: 1, Workers: 1, Progress: func(mc.Progress) {}}
			if err := write.All(t.Context(), to, points, plan); err != nil {
				t.Fatalf("%s: %v", flags, err)
			}
			for number, line := range strings.Split(text.String(), "\n") {
				if number < 12 || number%9 == 0 {
					lines = append(lines, fmt.Sprintf("%d %s", i, line))
				}
			}
		}
	}
	recorded.Check(t, "rows.txt", lines)
}

// TestRecordedProcesses: one small point of every process has the row that it had before.
func TestRecordedProcesses(t *testing.T) {
	var lines []string
	for _, c := range []struct {
		model Model
		texts Texts
	}{
		{ballsbinsModel(), Texts{"bins": "8", "rounds": "40", "every": "30"}},
		{ballsbinsModel(), Texts{"bins": "8", "rounds": "40", "lambda": "0.5", "exceeds": "3"}},
		{recycledModel(), Texts{"bins": "8", "threshold": "3,6", "max_rounds": "200"}},
		{recycledModel(), Texts{"bins": "1,6", "clocking": "per-flow", "window": "12", "delay": "3", "max_rounds": "60"}},
		{recycledModel(), Texts{"bins": "8", "threshold": "0", "start": "random", "balls": "20", "horizon": "50", "closed": "on"}},
		{recycledModel(), Texts{"bins": "8", "clocking": "ack", "window": "9", "delay": "2", "threshold": "2", "max_rounds": "60"}},
		{recycledModel(), Texts{"bins": "8", "clocking": "round-robin", "max_rounds": "60"}},
		{coalescingModel(), Texts{"bins": "8", "ack_ratio": "1,3", "rounds": "30"}},
		{evsModel(), Texts{"flows": "3", "evs": "64", "method": "exact,hash,crc32"}},
		{allocateModel(), Texts{"bins": "8", "histogram": "on"}},
	} {
		g, err := c.model.Grid(Selection{Parameters: c.texts})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range g.Points {
			tally := mc.Tally(nil)
			if !p.Exact {
				if tally, _, err = p.Experiment.Run(t.Context(), mc.Plan{Seed: 3, Replicas: 4}); err != nil {
					t.Fatal(err)
				}
			}
			r, err := p.Fold(t.Context(), tally, 4)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("%s %s: %v %q", c.model.Name, cellsText(p.Parameters), r.Work, r.Warnings))
			for _, row := range r.Rows {
				lines = append(lines, cellsText(row))
			}
		}
	}
	recorded.Check(t, "processes.txt", lines)
}
