package main

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/internal/param"
	"repslab/sweep"
)

// parametersOf returns the parameters of a point's row by key, but the text of an expression: a row has its value too.
func parametersOf(m param.Model, p sweep.Point) map[string]any {
	row := map[string]any{}
	for i, c := range m.Keys {
		if c.Key != "threshold_expression" {
			row[c.Key] = p.Parameters[i]
		}
	}
	return row
}

// linesWithOddValues returns lines of parameters of each model: its reference runs, and others with values that are
// fractions or depend on each other.
func linesWithOddValues() map[string][]string {
	lines := referenceRuns()
	lines["fattree"] = append(lines["fattree"], "hosts=64 hosts-per-tor=8 uplinks-per-tor=6 fabric-gbps=100,300 lb=ops,reps",
		"radix=12 oversubscription=0.5,2 lb=reps freezing=on,off,at=5", "hosts=54 tiers=3 planes=2 profile=mrc lb=mrc,reps-planes mrc-backup=-1,3 mrc-active=4 mrc-min-active=2 mrc-replies=3 mrc-probe-us=7",
		"hosts=16 profile=uet rto-us=63.804 ack-bytes=16384 failure=cables=1,at=2.5|switches=1|loss=0.1%|none", "topology=odd.topo window=9 kmin=3 kmax=8 pmax=0.125 horizon-us=1234.5",
		"topology=odd.topo profile=uet", "hosts=16 message-bytes=100kB cc=nscc,nscc-uet target-us=3", "hosts=16 latency-ns=700.25 link-gbps=25.5 fabric-gbps=12.75 mtu=1500 lb=mrc profile=mrc",
		"hosts=16 profile=mrc last-hop-queue=30 mrc-order=drawn mrc-timer=connection mrc-resend=first",
		"hosts=16 failure=links=tor0:spine0..2+tor3:spine1,dir=both,rate=0.25,at=3|links=tor1:spine0,for=5,flap=4:1;cables=1",
		"hosts=16 failure=degrade=2:0.5,place=spread|cables=3,place=tor:2,at=100,for=100",
		"hosts=16 failure=cables=1;switches=1,seed=3|none failure-seed=7",
		"hosts=16 failure=flow=0..3,paths=0..1,at=2.5,flap=9:1;cables=1|flow=0,paths=3",
		"hosts=16 burst=on=2.5,off=100", "hosts=16 header-bytes=1,300 mtu=1500",
		"hosts=16 failure=cables=1 reroute-us=never,0,20.5",
		"hosts=16 slips=requests,turns,both trimming=off",
		"hosts=16 tiers=3 ev-routing=exact,hash ack-routing=exact,hash mark-last-hop=on,off evs=4",
		"hosts=16 workload=allreduce-ring lb=reps share-state=on,off explore-every=0,7 last-hop-trims=lost,good",
		"hosts=16 lb=klb,klb-always,hklb active-evs=3,8",
		"hosts=16 lb=reps,reps-exclude ring=40 exclude-us=300 idle-us=0,60",
		"hosts=16 lb=path-round-robin,oracle path-start=source evs=4 ev-routing=exact",
		"hosts=16 inside=on,off", "hosts=16 groups=a:source=0..3,7,bytes<100kB;b:crosses-failure|c:flow>=2",
		"hosts=16 lb-of=source=0..3,7,bytes<100kB:ops;every=2:ecmp|none|flow=1:reps",
		"hosts=16 workload=permutation:bytes=8kB,hosts=70%;incast:degree=3,every=5,for=20us,hosts=0..3,7,name=in;websearch:arrivals=poisson load=0.1 duration-us=500 lb-of=in:ops",
	)
	lines["leafspine"] = append(lines["leafspine"], "ports=6 rule=static packets=33 from=7 spread=5 traffic=alltoall")
	lines["evs"] = append(lines["evs"], "evs=16 uplinks=4 cover=0.9 tolerance=0.25 loss=0.5,1 false-alarm=0.05 miss=0.001")
	lines["recycled"] = append(lines["recycled"], "bins=8 clocking=per-flow evs=12 rule=klb,klb-always,hklb active-evs=3,8")
	lines["allocate"] = append(lines["allocate"], "bins=8 balls=60 rule=one-plus-beta beta=0.4", "bins=8 balls=60 rule=d-choice choices=4", "bins=8 balls=60 information=g-bounded width=2",
		"bins=8 balls=60 rule=two-thinning threshold=5")
	return lines
}

// TestRowsAreFlags: the flag of a parameter takes the value that a row prints under its key. The values of the flags
// that made the row give it again, and so does each other one beside them, or in the place of those that exclude it:
// but a part of a tree's shape says less than the shape, and a length of queues is the base of thresholds too. A run
// without balls of its own or a level has 0 for them, which is no value.
func TestRowsAreFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	madeInputs(t)
	writeText(t, "odd.topo", "4 1 3\n0\n0 1 25.5Gbps 0.70025us 0\n0 2 25.5Gbps 0.70025us 0\n0 3 25.5Gbps 0.70025us 0\n")
	lines := linesWithOddValues()
	for _, m := range cases.All() {
		tried := map[string]bool{}
		for _, line := range lines[m.Name] {
			whole := param.Texts{}
			for assignment := range strings.FieldsSeq(line) {
				flag, value, _ := strings.Cut(assignment, "=")
				whole[param.KeyOf(flag)] = value
			}
			g, err := m.Grid(param.Selection{Parameters: whole})
			if err != nil {
				t.Fatalf("%s %s: %v", m.Name, line, err)
			}
			for _, p := range []sweep.Point{g.Points[0], g.Points[len(g.Points)-1]} {
				tryRow(t, m, p, whole, tried)
			}
		}
		for _, q := range m.Parameters {
			if len(q.Columns) > 0 && !tried[param.KeyOf(q.Flag)] {
				t.Errorf("%s: no row gives --%s: add a line with it to linesWithOddValues", m.Name, q.Flag)
			}
		}
	}
}

// tryRow gives the values of a point's row back to the flags: to the flags of the line that made the row, and to
// each other flag beside them. tried notes the keys that a flag took.
func tryRow(t *testing.T, m param.Model, p sweep.Point, line param.Texts, tried map[string]bool) {
	t.Helper()
	places := map[string][]string{"oversubscription": {"uplinks_per_tor"}, "ack_ratio": {"ack_bytes"}}
	parts := []string{"uplinks_per_tor", "hosts_per_tor", "radix", "queue"}
	row, given, cells := parametersOf(m, p), param.Texts{}, param.Texts{}
	for _, q := range m.Parameters {
		key := param.KeyOf(q.Flag)
		if len(q.Columns) == 0 {
			maps.Copy(given, param.Texts{key: line[key]})
		} else if cell := row[q.Columns[0].Key]; cell != nil && !(cell == 0 && slices.Contains([]string{"balls", "level"}, key)) {
			cells[key] = fmt.Sprint(cell)
			if _, is := line[key]; is {
				given[key] = cells[key]
			}
		}
	}
	maps.DeleteFunc(given, func(_, text string) bool { return text == "" })
	if err := givesRow(m, row, given); err != nil {
		t.Errorf("%s %s: its own flags: %v", m.Name, given, err)
	}
	for key, text := range cells {
		one := maps.Clone(given)
		for _, other := range places[key] {
			delete(one, other)
		}
		one[key] = text
		err := givesRow(m, row, one)
		if tried[key] = tried[key] || err == nil; err != nil && !slices.Contains(parts, key) {
			t.Errorf("%s %v: --%s of the row: %v", m.Name, given, param.FlagOf(key), err)
		}
		if err != nil && strings.HasPrefix(err.Error(), fmt.Sprintf("--%s: %q ", param.FlagOf(key), text)) {
			t.Errorf("%s %v: --%s refuses its row: %v", m.Name, given, param.FlagOf(key), err)
		}
	}
}

// givesRow returns an error unless flags give the parameters of a row. A flag without effect is left out, with its
// column: some other combination of the row's run uses it.
func givesRow(m param.Model, row map[string]any, given param.Texts) error {
	unused := regexp.MustCompile(`^--([a-z-]+): .* has no effect here`)
	given, row = maps.Clone(given), maps.Clone(row)
	g, err := m.Grid(param.Selection{Parameters: given})
	for err != nil && unused.MatchString(err.Error()) {
		key := param.KeyOf(unused.FindStringSubmatch(err.Error())[1])
		delete(given, key)
		delete(row, key)
		g, err = m.Grid(param.Selection{Parameters: given})
	}
	if err != nil {
		return err
	}
	again := parametersOf(m, g.Points[0])
	for key, cell := range row {
		if again[key] != cell {
			err = errors.Join(err, fmt.Errorf("%s is %v, not %v", key, again[key], cell))
		}
	}
	return err
}
