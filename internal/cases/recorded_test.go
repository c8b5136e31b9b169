package cases

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/internal/recordtest"
	"repslab/mc"
)

// cellText returns a cell as a text, a number with nine digits.
func cellText(c any) string {
	if v, is := c.(float64); is {
		return strconv.FormatFloat(v, 'g', 9, 64)
	}
	return fmt.Sprint(c)
}

// recordedFlags are the values from which TestRecordedPoints draws; values of flags added later need not
// be here.
const recordedFlags = `hosts=64 tiers=3 oversubscription=4 hosts-per-tor=16 uplinks-per-tor=4 radix=8 planes=2 profile=uet profile=mrc lb=mrc lb=reps-planes
	lb=ops lb=mixed lb=oracle lb=reps-exclude lb=path-round-robin lb=mptcp-subflows reps=fifo reps=artifact cc=nscc cc=nscc-uet cc=eqds cc=none workload=tornado
	workload=incast workload=allreduce-ring workload=alltoall workload=one-tor degree=4 message-bytes=3kB background-every=5 inherit=on burst=on=20,off=30.5
	failure=cables=1,place=first,at=20,for=30 failure=degrade=1:0.25,place=first failure=switches=1,place=first failure=loss=1% evs=64 evs=256 ev-routing=exact
	ack-routing=exact ack-ratio=3 ack-ratio=60 ack-bytes=64000 ack-variant=carry ack-variant=reuse slips=both trimming=off trimming=sleek freezing=off freezing=at=30
	freeze-us=20 freeze-exit=probe freeze-cache=free ring=5 idle-us=60 exclude-us=60 path-start=source mrc-active=20 mrc-backup=-1 mrc-min-active=20 mrc-replies=5 mrc-probe-us=20
	mrc-skip=time=20 mrc-order=drawn mrc-timer=connection mrc-resend=first queue=70 last-hop-queue=70 mark-last-hop=off kmin=7 kmax=70 kmax=26 pmax=0.25 window=70
	rto-us=70.5 target-us=5.5 horizon-us=5000.5 link-gbps=100 fabric-gbps=100 core-gbps=100 latency-ns=700 latency-ns=1 mtu=1500 mtu=9000 inside=on`

// TestRecordedPoints: combinations of flags give the defaults, columns, horizons and warnings that they
// gave before, or are refused with the same words. Columns that differ from those of the default point
// are recorded.
func TestRecordedPoints(t *testing.T) {
	all := strings.Fields(recordedFlags)
	keys := frame.Keys(fattreeModel().Keys)
	usual, err := fattreeModel().Grid(param.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for seed := range uint64(200) {
		rng, given := rand.New(rand.NewPCG(seed, 31)), param.Texts{}
		for range 1 + rng.IntN(4) {
			flag, value, _ := strings.Cut(all[rng.IntN(len(all))], "=")
			given[param.KeyOf(flag)] = value
		}
		line, p := fmt.Sprint(seed), new(Fattree)
		for _, key := range slices.Sorted(maps.Keys(given)) {
			line += " " + key + "=" + given[key]
		}
		g, err := FattreeSpace(p).Grid(FattreeName, param.Selection{Parameters: given})
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: %.60q", line, err.Error()))
			continue
		}
		line += ":"
		for i, value := range g.Points[0].Parameters {
			if value != usual.Points[0].Parameters[i] {
				line += fmt.Sprintf(" %s=%s", keys[i], cellText(value))
			}
		}
		for _, warning := range append(g.Warnings, p.warnings()...) {
			line += fmt.Sprintf(" %.90q", warning)
		}
		lines = append(lines, line)
	}
	recordtest.Check(t, "points.txt", lines)
}

// TestRecordedRows: two replicas of small networks give the row that they gave before, and the first rows
// of their flows, events, counts of EVs and traces. A new column or quantity changes no line.
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
		s.Groups, s.Inside = p.flowGroups(), p.countsInside()
		tally, _, err := s.NewExperiment().Run(t.Context(), mc.Plan{Seed: 3, Replicas: 2})
		if err != nil {
			t.Fatal(err)
		}
		results := p.results(tally.Summary())
		lines = append(lines, fmt.Sprintf("%d: work %v, warnings %.200q", i, results.Work, results.Warnings))
		add := func(name string, number int, cells map[string]any) {
			for _, key := range slices.Sorted(maps.Keys(cells)) {
				if cells[key] != nil {
					lines = append(lines, fmt.Sprintf("%d %s %d: %s=%s", i, name, number, key, cellText(cells[key])))
				}
			}
		}
		for number, row := range results.Rows {
			cells := map[string]any{}
			for k, column := range fattreeModel().Results {
				cells[column.Key] = row[k]
			}
			add("row", number, cells)
		}
		for name, of := range map[string]struct {
			write ExtraWriter
			most  int
		}{
			"flows": {(*Fattree).WriteFlows, 3}, "trace": {(&Trace{Every: 3.2}).Write, 250},
			"events": {(&Events{Time: "1..9.5", Flows: "0,1"}).Write, 60}, "evs": {(&Events{Flows: "0..2"}).WriteCounts, 4},
		} {
			if p.Spec.Profile == fattree.MRC && name[0] == 'e' {
				continue
			}
			rows := extra(t, points, of.write, 3)
			for number, row := range rows[:min(of.most, len(rows))] {
				switch {
				case name == "trace" && row["value"] != 0.:
					lines = append(lines, fmt.Sprintf("%d trace at %s: %v %v=%s", i, cellText(row["time_us"]), row["quantity"], row["number"], cellText(row["value"])))
				case name != "trace" && (name != "events" || number%6 == 0):
					add(name, number, row)
				}
			}
		}
	}
	slices.Sort(lines)
	recordtest.Check(t, "rows.txt", lines)
}

// TestRecordedProcesses: small points of every process give the row that they gave before. A new column
// changes no line.
func TestRecordedProcesses(t *testing.T) {
	var lines []string
	for i, c := range []struct {
		model param.Model
		texts param.Texts
	}{
		{ballsbinsModel(), param.Texts{"bins": "8", "rounds": "40", "every": "30"}},
		{ballsbinsModel(), param.Texts{"bins": "8", "rounds": "40", "lambda": "0.5", "exceeds": "3"}},
		{recycledModel(), param.Texts{"bins": "8", "threshold": "3,6", "max_rounds": "200"}},
		{recycledModel(), param.Texts{"bins": "1,6", "clocking": "per-flow", "window": "12", "delay": "3", "max_rounds": "60"}},
		{recycledModel(), param.Texts{"bins": "8", "threshold": "0", "start": "random", "balls": "20", "horizon": "50", "closed": "on"}},
		{recycledModel(), param.Texts{"bins": "8", "clocking": "ack", "window": "9", "delay": "2", "threshold": "2", "max_rounds": "60"}},
		{recycledModel(), param.Texts{"bins": "8", "clocking": "round-robin", "max_rounds": "60"}},
		{coalescingModel(), param.Texts{"bins": "8", "ack_ratio": "1,3", "rounds": "30"}},
		{evsModel(), param.Texts{"flows": "3", "evs": "64", "method": "exact,hash,crc32"}},
		{allocateModel(), param.Texts{"bins": "8", "histogram": "on"}},
		{leafspineModel(), param.Texts{"ports": "8", "packets": "40", "from": "10", "spread": "0,5"}},
		{leafspineModel(), param.Texts{"ports": "8", "packets": "9", "traffic": "alternating", "rule": "random,static"}},
	} {
		g, err := c.model.Grid(param.Selection{Parameters: c.texts})
		if err != nil {
			t.Fatal(err)
		}
		for at, p := range g.Points {
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
			lines = append(lines, fmt.Sprintf("%d %s %d: work %v, warnings %q", i, c.model.Name, at, r.Work, r.Warnings))
			for number, row := range r.Rows {
				for k, value := range row {
					if value != nil {
						lines = append(lines, fmt.Sprintf("%d %s %d row %d: %s=%s", i, c.model.Name, at, number, c.model.Results[k].Key, cellText(value)))
					}
				}
			}
		}
	}
	recordtest.Check(t, "processes.txt", lines)
}
