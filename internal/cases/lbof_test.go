package cases

import (
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/param"
)

// resultOf runs replica 0 of a point.
func resultOf(t *testing.T, flags string) *fattree.Result {
	t.Helper()
	return replicaOf(t, pointOf(t, "hosts=16 message-bytes=400kB window=20 kmin=3 kmax=9 "+flags), 0)
}

// replicaOf runs a replica of a point, with seed 1.
func replicaOf(t *testing.T, p *Fattree, replica uint64) *fattree.Result {
	t.Helper()
	runner, err := p.Setup().NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.Run(t.Context(), 1, replica)
	if err != nil {
		t.Fatal(err)
	}
	return r.Result
}

// TestLbOfFlows: groups have the balancers that --lb-of names, the first that holds. A balancer that all flows have is
// --lb, whatever --lb is; background traffic is a group with ECMP.
func TestLbOfFlows(t *testing.T) {
	for flags, same := range map[string]string{
		"lb=reps lb-of=every=5:ecmp":                               "lb=reps background-every=5",
		"lb=round-robin lb-of=every=2:ecmp":                        "lb=round-robin background-every=2",
		"lb=reps lb-of=source=0..7:reps":                           "lb=reps",
		"lb=reps lb-of=none":                                       "lb=reps",
		"lb=ecmp lb-of=source<16:ops":                              "lb=ops",
		"lb=ecmp lb-of=source<8:ops;source=0..15:reps":             "lb=reps lb-of=source<8:ops",
		"lb=ecmp lb-of=source<8:ops;destination=0..15:reps":        "lb=ops lb-of=source>=8:reps",
		"lb=reps groups=a:source<8 lb-of=a:ops":                    "lb=reps lb-of=source<8:ops",
		"lb=ecmp lb-of=source<16:reps freezing=off ring=2":         "lb=reps freezing=off ring=2",
		"lb=ecmp lb-of=source<16:ops background-every=5":           "lb=ops",
		"lb=ecmp lb-of=bytes>=100kB:mixed evs=256":                 "lb=mixed",
		"lb=ops lb-of=flow<16:reps reps=artifact ack-ratio=2":      "lb=reps reps=artifact ack-ratio=2",
		"lb=ops lb-of=tor=0..3:reps ack-ratio=2 ack-variant=reuse": "lb=reps ack-ratio=2 ack-variant=reuse",
		"lb=ops lb-of=tor=0..3:reps-exclude exclude-us=60":         "lb=reps-exclude exclude-us=60",
	} {
		if got, want := resultOf(t, flags), resultOf(t, same); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another result than %s", flags, same)
		}
	}
	half, reps, ops := resultOf(t, "lb=reps lb-of=source<8:ops"), resultOf(t, "lb=reps"), resultOf(t, "lb=ops")
	if reflect.DeepEqual(half.Flows, reps.Flows) || reflect.DeepEqual(half.Flows, ops.Flows) || half.Recycled == 0 || half.Recycled >= reps.Recycled {
		t.Errorf("half a fleet recycles %d EVs, a whole one %d", half.Recycled, reps.Recycled)
	}
}

// TestLbOfRows: each group has a row, and so have the flows in none; a name has one row.
func TestLbOfRows(t *testing.T) {
	const mix = "hosts=16 workload=permutation:bytes=3kB,name=p;tornado:bytes=9kB "
	for flags, want := range map[string]map[any]float64{
		"hosts=16 message-bytes=5kB lb-of=source=0..3:ops;every=2:ecmp groups=g:flow<2": {"all": 16, "source=0..3": 4, "every=2": 8, "others": -1, "g": 2},
		"hosts=16 message-bytes=5kB groups=a:source<6;b:source=1 lb-of=a:ops":           {"all": 16, "a": 6, "others": 10, "b": 1},
		mix + "lb-of=p:ops":                 {"all": 32, "p": 16, "tornado": 16, "others": 16},
		mix + "groups=s:p,source<3":         {"all": 32, "p": 16, "tornado": 16, "s": 3},
		mix + "lb-of=bytes>5kB,flow>20:ops": {"all": 32, "p": 16, "tornado": 16, "bytes>5kB, flow>20": 11, "others": 21},
	} {
		rows := rowsOf(t, pointOf(t, flags), 1)
		for group, flows := range want {
			if got := rows[group]["flows"]; flows >= 0 && got != flows || got == nil {
				t.Errorf("%s: %v has %v flows, want %v", flags, group, got, flows)
			}
		}
		if len(rows) != len(want) {
			t.Errorf("%s: %d rows, want %d", flags, len(rows), len(want))
		}
	}
}

// TestLbOfRefusals: what is not modelled is refused, and the error says what.
func TestLbOfRefusals(t *testing.T) {
	list := "lists"
	for flags, want := range map[string]string{
		"lb-of=source=0": "must be GROUP: BALANCER", "lb-of=source=0:xyz": "must be one of", "lb-of=source=0:ops;source=0:ecmp": "must be another group",
		"lb-of=start<3:ops": "known before the run, without start", "lb-of=crosses-failure:ops": "known before the run", "lb-of=:ops": "wrong condition",
		"lb-of=source=-1:ops": "-1 must be an integer in [0, ", "lb-of=tor=1kB:ops": `"1kB" must be an integer`, "lb-of=bytes<-1:ops": `"-1" must be a size`,
		"lb-of=every=0:ops": "every=N", "lb-of=every<3:ops": "every=N", "lb-of=every=2,3:ops": "every=N",
		"groups=a:start<3 lb-of=a:ops": "known before the run", "lb-of=p:ops": `"p" must be a condition, or the name`, "groups=x:p": `--groups: "p" must be`,
		"groups=others:source=1 lb-of=source=0:ops": "--groups: others must have another name", "workload=tornado:name=p;incast groups=p:source=1": "--groups: p must have another name",
		"lb-of=source=16:ops": "must be in [0, 15]", "lb-of=source=0:adaptive-roce": "must be a balancer of hosts", "lb-of=source=0:host-adaptive": "must be a balancer of hosts",
		"lb-of=source=0:mrc": "must have all flows", "lb=mrc lb-of=source=0:ops": "must have all flows", "lb=oracle lb-of=source=0:ops": "oracle must have all flows",
		"lb-of=source=0:oracle": "oracle must have all flows", "profile=mrc lb=ops lb-of=source=0:reps": "--lb-of: source=0: reps must come without --profile mrc",
		"cc=nscc lb-of=source=0:mptcp-subflows": "--cc: nscc must be dctcp or none", "profile=uet lb-of=source=0:reps-exclude": "reps-exclude must come without --profile uet",
		"lb=ecmp lb-of=source=0:ops ring=4": "--ring: 4 has no effect here", "flows=" + list + " lb-of=bytes<2000:ops": "flows 0 and 1, messages of one connection",
	} {
		given := param.Texts{"hosts": "16"}
		for assignment := range strings.FieldsSeq(flags) {
			flag, value, _ := strings.Cut(assignment, "=")
			given[param.KeyOf(flag)] = value
		}
		text := "Nodes 4\nConnections 2\n0->1 id 1 start 0 size 1000 msg\n0->1 id 1 start 5 size 3000 msg\n"
		_, err := fattreeModel().Grid(param.Selection{Parameters: given, Inputs: inputOf(t, list, text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", flags, err, want)
		}
	}
}
