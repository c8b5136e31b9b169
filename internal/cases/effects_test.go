package cases

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/sweep"
)

// effect is what a value of a parameter makes of a field of the library's configuration, in the field's unit.
type effect struct {
	flag, text   string
	with         string // other flags of the combination, such as "lb=reps cc=nscc"
	field        string // path of the field from the point, such as Config.Bins
	before, want string // the field without the flag, refused if the flag must be given, and with it
	allowed      string // end of the error for a number that is out of range; empty for other parameters
	cell         string // text of the first column; empty for the value as it was given, none without a column
}

// effects are the effects of the parameters of a model. At least one is known for every parameter.
type effects struct {
	model  param.Model
	open   func() (s param.Space, made func() any) // made returns what holds the fields, after a grid was made
	inputs []sweep.Input
	list   []effect
}

// check fails for an effect that a parameter does not have, and for a parameter without effects.
func (e effects) check(t *testing.T) {
	t.Helper()
	var known []string
	for _, one := range e.list {
		known = append(known, one.flag)
		with := param.Texts{}
		for assignment := range strings.FieldsSeq(one.with) {
			flag, value, _ := strings.Cut(assignment, "=")
			with[param.KeyOf(flag)] = value
		}
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s %s --%s %s: %s", e.model.Name, one.with, one.flag, one.text, fmt.Sprintf(format, args...))
		}
		before, _, err := e.make(with, one.field, one.flag)
		if one.before == "refused" && err != nil && strings.HasPrefix(err.Error(), "--"+one.flag+" (0) must be given") {
			before, err = one.before, nil
		}
		if err != nil {
			fail("without it: %v", err)
			continue
		}
		with[param.KeyOf(one.flag)] = one.text
		after, cell, err := e.make(with, one.field, one.flag)
		if err != nil {
			fail("%v", err)
			continue
		}
		want := one.cell
		if want == "" {
			want = one.text
		}
		if before != one.before || after != one.want || before == after || cell != want {
			fail("%s is %s and becomes %s, want %s and %s; the column shows %s, want %s",
				one.field, before, after, one.before, one.want, cell, want)
		}
		e.checkRange(t, one)
	}
	for _, q := range e.model.Parameters {
		if !slices.Contains(known, q.Flag) {
			t.Errorf("%s --%s: add the field that it sets, in the field's unit", e.model.Name, q.Flag)
		}
	}
}

// make returns the text of a field and of a parameter's first column, of the first point of a combination.
func (e effects) make(given param.Texts, field, flag string) (value, shown string, err error) {
	shown = "none"
	s, made := e.open()
	var all any
	point := s.Point
	s.Point = func() sweep.Point {
		all = made()
		return point()
	}
	g, err := s.Grid(e.model.Name, param.Selection{Parameters: given, Inputs: e.inputs})
	if err != nil {
		return "", "", err
	}
	if value, err = fieldText(all, field); err != nil {
		return "", "", err
	}
	at := slices.IndexFunc(e.model.Parameters, func(q param.Parameter) bool { return q.Flag == flag })
	if columns := e.model.Parameters[at].Columns; len(columns) > 0 {
		i := slices.Index(frame.Keys(e.model.Keys), columns[0].Key)
		shown = fmt.Sprint(g.Points[0].Parameters[i])
	}
	return value, shown, nil
}

// fieldText returns the text of a field: set or nil for a function, none for a field that another type has.
func fieldText(of any, path string) (string, error) {
	v := reflect.ValueOf(of)
	for name := range strings.SplitSeq(path, ".") {
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return "", fmt.Errorf("%v has no field %s", v.Kind(), path)
		}
		if !v.FieldByName(name).IsValid() {
			return "none", nil // of another type of configuration
		}
		v = v.FieldByName(name)
	}
	if v.Kind() == reflect.Func {
		return map[bool]string{true: "nil", false: "set"}[v.IsNil()], nil
	}
	return fmt.Sprint(v), nil
}

// checkRange compares the range of a number with the error for a number below it.
func (e effects) checkRange(t *testing.T, one effect) {
	t.Helper()
	at := slices.IndexFunc(e.model.Parameters, func(q param.Parameter) bool { return q.Flag == one.flag })
	if at < 0 {
		t.Errorf("%s has no --%s", e.model.Name, one.flag)
		return
	}
	const tooSmall = "-99999999999999"
	_, err := e.model.Parameters[at].Read(&param.InputFiles{}, tooSmall)
	number := err != nil && strings.HasPrefix(err.Error(), tooSmall+" must be ")
	if number != (one.allowed != "") || number && !strings.HasSuffix(err.Error(), " in "+one.allowed) {
		t.Errorf("%s --%s: error %v, want %s", e.model.Name, one.flag, err, one.allowed)
	}
}

// processEffects are the effects of the parameters of the processes.
func processEffects() []effects {
	return []effects{
		{ballsbinsModel(), func() (param.Space, func() any) {
			p := new(BallsBins)
			return ballsbinsSpace(p), func() any { return *p }
		}, nil, ballsbinsEffects()},
		{coalescingModel(), func() (param.Space, func() any) {
			p := new(Coalescing)
			return coalescingSpace(p), func() any { return *p }
		}, nil, coalescingEffects()},
		{evsModel(), func() (param.Space, func() any) { p := new(EVs); return evsSpace(p), func() any { return *p } }, nil, evsEffects()},
		{allocateModel(), func() (param.Space, func() any) {
			p := new(Allocate)
			return allocateSpace(p), func() any { return *p }
		}, nil, allocateEffects()},
		{leafspineModel(), func() (param.Space, func() any) {
			p := new(Leafspine)
			return leafspineSpace(p), func() any { return *p }
		}, nil, leafspineEffects()},
		{recycledModel(), func() (param.Space, func() any) {
			p := new(Recycled)
			return recycledSpace(p), func() any { return *p }
		}, nil, recycledEffects()},
	}
}

// TestProcessesGetValues: every parameter of the processes sets the field of the library's configuration,
// and shows the value in its column.
func TestProcessesGetValues(t *testing.T) {
	for _, e := range processEffects() {
		e.check(t)
	}
}

// TestProcessesTakeFormulas: every number of the processes, but the number of bins, can be a formula of n, the number
// of bins. The formula sets the same field, and its value has the same range. A leaf-spine network has no bins.
func TestProcessesTakeFormulas(t *testing.T) {
	for _, e := range slices.DeleteFunc(processEffects(), func(e effects) bool { return e.model.Name == "leafspine" }) {
		for _, one := range e.list {
			if one.allowed == "" {
				continue
			}
			with := param.Texts{"bins": "64"}
			bins := one.flag == "bins" || one.flag == "uplinks"
			if e.model.Name == "evs" || bins {
				with = param.Texts{}
			}
			for assignment := range strings.FieldsSeq(one.with) {
				flag, value, _ := strings.Cut(assignment, "=")
				with[param.KeyOf(flag)] = value
			}
			key := param.KeyOf(one.flag)
			with[key] = one.text
			want, wantCell, err := e.make(with, one.field, one.flag)
			with[key] = "(" + one.text + ")*n/n"
			got, cell, failed := e.make(with, one.field, one.flag)
			if bins {
				if failed == nil || !strings.HasSuffix(failed.Error(), "must have no formula: n stands for the value of --"+one.flag) {
					t.Errorf("%s --%s of a formula: %v", e.model.Name, one.flag, failed)
				}
				continue
			}
			if err != nil || failed != nil || got != want || cell != wantCell {
				t.Errorf("%s --%s %s: %s, %s, %v, want %s, %s, %v", e.model.Name, one.flag, with[key], got, cell, failed, want, wantCell, err)
			}
			with[key] = "-99999999999999*n/n"
			_, _, failed = e.make(with, one.field, one.flag)
			if failed == nil || !strings.HasPrefix(failed.Error(), "--"+one.flag+": ") || !strings.HasSuffix(failed.Error(), " in "+one.allowed) {
				t.Errorf("%s --%s %s: error %v, want %s", e.model.Name, one.flag, with[key], failed, one.allowed)
			}
		}
	}
}

// ballsbinsEffects are the effects of the parameters of ballsbins.
func ballsbinsEffects() []effect {
	const twoChoice = "rule=two-choice"
	return []effect{
		{"bins", "40", "", "Config.Bins", "32", "40", "[1, 16777216]", ""},
		{"lambda", "0.75", "", "Config.Lambda", "1", "0.75", "(0, 1]", ""},
		{"rounds", "70", "", "Config.Rounds", "[1000]", "[70]", "[1, 2147483647]", ""},
		{"every", "300", "", "Config.Rounds", "[1000]", "[300 600 900 1000]", "[1, 2147483647]", ""},
		{"rule", "static", "", "Config.Policy", "uniform", "static", "", ""},
		{"choices", "3", twoChoice, "Config.Choices", "2", "3", "[1, 16]", ""},
		{"see", "before", twoChoice, "Config.SeeBefore", "false", "true", "", ""},
		{"variant", "weighted", "", "Config.Variant", "serve-then-arrive", "weighted", "", ""},
		{"start", "5:0:2", "", "Config.Start", "[]", "[5 0 2]", "", ""},
		{"exceeds", "20", "lambda=0.75", "exceeds", "0", "20", "[1, 1048576]", ""},
	}
}

// coalescingEffects are the effects of the parameters of coalescing.
func coalescingEffects() []effect {
	return []effect{
		{"bins", "40", "", "Config.Bins", "32", "40", "[1, 1048576]", ""},
		{"ack-ratio", "3", "", "Config.Ratio", "1", "3", "[1, 65536]", ""},
		{"ack-variant", "carry", "ack-ratio=2", "Config.Variant", "standard", "carry", "", ""},
		{"clocking", "per-flow", "", "Config.Clocking", "round-robin", "per-flow", "", ""},
		{"threshold", "9", "", "Config.Threshold", "14", "9", "", ""},
		{"threshold", "n/3", "", "Config.Threshold", "14", "11", "", "11"},
		{"colors-per-bin", "5", "", "Config.Colors", "9", "5", "", ""},
		{"rounds", "70", "", "Config.Rounds", "[1000]", "[70]", "[1, 2147483647]", ""},
	}
}

// evsEffects are the effects of the parameters of evs.
func evsEffects() []effect {
	return []effect{
		{"flows", "5", "", "Config.Flows", "1", "5", "[1, 65536]", ""},
		{"evs", "64", "", "Config.EVS", "65536", "64", "[1, 16777216]", ""},
		{"uplinks", "7", "", "Config.Uplinks", "32", "7", "[1, 4096]", ""},
		{"method", "crc32", "", "Config.Method", "exact", "crc32", "", ""},
		{"cover", "0.9", "", "cover", "0", "0.9", "[1e-09, 0.999999999]", ""},
		{"tolerance", "0.1", "", "tolerance", "0", "0.1", "[0.0001, 4096]", ""},
		{"loss", "0.5", "", "loss", "0", "0.5", "(0, 1]", ""},
		{"false-alarm", "0.05", "loss=0.5", "falseAlarm", "0.01", "0.05", "[1e-12, 0.5]", ""},
		{"miss", "0.05", "loss=0.5", "miss", "0.01", "0.05", "[1e-12, 0.5]", ""},
	}
}

// allocateEffects are the effects of the parameters of allocate.
func leafspineEffects() []effect {
	return []effect{
		{"ports", "8", "", "Config.Ports", "16", "8", "[4, 128]", ""},
		{"rule", "static", "", "Config.Rule", "random", "static", "", ""},
		{"traffic", "alltoall", "", "Config.Traffic", "permutation", "alltoall", "", ""},
		{"spread", "30", "", "Config.Spread", "0", "30", "[0, 1048576]", ""},
		{"packets", "70", "", "Config.Packets", "[1024]", "[70]", "[1, 1048576]", ""},
		{"from", "30", "packets=70", "Config.Packets", "[70]", "[30 60 70]", "[1, 1048576]", ""},
		{"from", "35", "packets=70", "Config.Packets", "[70]", "[35 70]", "[1, 1048576]", ""},
	}
}

func allocateEffects() []effect {
	return []effect{
		{"bins", "40", "", "Config.Bins", "1000", "40", "[1, 16777216]", ""},
		{"balls", "700", "", "Config.Balls", "[100000]", "[700]", "[1, 2147483647]", ""},
		{"every", "300", "balls=700", "Config.Balls", "[700]", "[300 600 700]", "[1, 2147483647]", ""},
		{"rule", "memory", "", "Config.Rule", "two-choice", "memory", "", ""},
		{"choices", "3", "rule=d-choice", "Config.Choices", "2", "3", "[1, 1024]", ""},
		{"beta", "0.25", "rule=one-plus-beta", "Config.Beta", "0.5", "0.25", "[0, 1]", ""},
		{"delta", "0.25", "rule=quantile", "Config.Delta", "0.5", "0.25", "(0, 1]", ""},
		{"eta", "0.25", "rule=quantile", "Config.Eta", "1", "0.25", "(0, 1]", ""},
		{"eta", "0.75", "rule=token information=batched", "Config.Eta", "1", "0.75", "(0, 1]", ""},
		{"offset", "2.5", "rule=token information=batched", "Config.Offset", "0", "2.5", "[-1048576, 1048576]", ""},
		{"choices", "3", "rule=always-go-left", "Config.Choices", "2", "3", "[1, 1024]", ""},
		{"offset", "2.5", "rule=relative-threshold", "Config.Offset", "0", "2.5", "[-1048576, 1048576]", ""},
		{"threshold", "5", "rule=two-thinning", "Config.Threshold", "refused", "5", "[1, 2147483647]", ""},
		{"information", "g-myopic", "", "Config.Information", "current", "g-myopic", "", ""},
		{"batch", "30", "information=batched", "Config.Batch", "1000", "30", "[1, 2147483647]", ""},
		{"width", "3", "information=g-bounded", "Config.Width", "0", "3", "[0, 1048576]", ""},
		{"width", "3", "information=g-myopic", "Config.Width", "0", "3", "[0, 1048576]", ""},
		{"sigma", "1.5", "information=sigma-formal", "Config.Sigma", "0", "1.5", "[0, 65536]", ""},
		{"sigma", "1.5", "information=sigma-gaussian", "Config.Sigma", "0", "1.5", "[0, 65536]", ""},
		{"ties", "index", "information=batched", "Config.Ties", "random", "index", "", ""},
		{"weights", "exponential", "", "Config.Weights.Law", "unit", "exponential", "", ""},
		{"sampling", "half:0.5", "", "Config.Sampling", "uniform", "half:0.5", "", ""},
		{"speeds", "1:4", "", "Config.Speeds", "[]", "[1 4]", "", ""},
		{"start", "5:0:2", "", "Config.Start", "[]", "[5 0 2]", "", ""},
		{"histogram", "on", "", "Config.Histogram", "false", "true", "", ""},
	}
}

// recycledEffects are the effects of the parameters of recycled.
func recycledEffects() []effect {
	const flows, evs, closed = "clocking=per-flow", "clocking=per-flow evs=64", "start=random closed=on threshold=0"
	return []effect{
		{"bins", "40", "", "Config.Bins", "32", "40", "[1, 1048576]", ""},
		{"threshold", "9", "", "Config.Threshold", "14", "9", "", ""},
		{"threshold", "n/3", "", "Config.Threshold", "14", "11", "", "11"},
		{"threshold", "0", "", "Config.Oblivious", "false", "true", "", ""},
		{"ramp", "5", "", "Config.Ramp", "0", "5", "[0, 1073741824]", ""},
		{"pmax", "0.25", "ramp=5", "Config.PMax", "1", "0.25", "(0, 1]", ""},
		{"colors-per-bin", "5", "clocking=round-robin", "Config.Colors", "9", "5", "", ""},
		{"clocking", "per-flow", "", "Config.Clocking", "self-clocked", "per-flow", "", ""},
		{"start", "random", "", "Config.Start", "empty", "random", "", ""},
		{"balls", "70", "start=random", "Config.Balls", "32", "70", "[1, 67108864]", ""},
		{"closed", "on", "", "Config.Closed", "false", "true", "", ""},
		{"closed", "off", "start=random", "Config.Closed", "true", "false", "", ""},
		{"level", "9", closed, "Config.Level", "7", "9", "[1, 1073741824]", ""},
		{"choices", "3", "", "Config.Choices", "1", "3", "[1, 16]", ""},
		{"lambda", "0.75", "", "Config.Lambda", "1", "0.75", "(0, 1]", ""},
		{"ring", "5", flows, "Config.Ring", "8", "5", "[1, 65535]", ""},
		{"delay", "5", flows, "Config.Delay", "0", "5", "[0, 1048576]", ""},
		{"delay", "5", "clocking=ack window=9", "Config.Delay", "0", "5", "[0, 1048576]", ""},
		{"window", "9", flows, "Config.Window", "0", "9", "[0, 1073741824]", ""},
		{"evs", "64", flows, "Config.EVS", "0", "64", "[0, 67108864]", ""},
		{"active-evs", "5", evs + " rule=klb", "Config.Active", "8", "5", "[1, 128]", ""},
		{"rule", "mrc", evs, "Config.Rule", "reps", "mrc", "", ""},
		{"ack-ratio", "3", evs, "Config.Ratio", "1", "3", "[1, 65536]", ""},
		{"max-rounds", "70", "", "Config.MaxRounds", "11091", "70", "[1, 2147483647]", ""},
		{"horizon", "70", "", "Config.Horizon", "0", "70", "[0, 2147483647]", ""},
		{"exceeds", "20", "clocking=per-flow lambda=0.75", "exceeds", "0", "20", "[1, 1048576]", ""},
	}
}
