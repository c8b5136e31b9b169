package proofs

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestStatementsAsComputed: verdicts and numbers that were once wrong or missing.
func TestStatementsAsComputed(t *testing.T) {
	results, err := audited()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		step    string
		verdict Verdict
		says    string // somewhere in its explanation
		not     string // nowhere
	}{
		{"T1", NotJustified, "rests on C7", ""},
		{"T1r", False, "not proved for every n", "rises to 1"},
		{"S13", Open, "of 400 runs converged", ""},
		{"A9", False, "n = 4096: exact E[T1] = 1.6437 n", "1.63 n"},
		{"A10", HoldsOnSmallerDomain, "loads [6 1]: M = 7 > n τ = 6", ""},
		{"A11", HoldsOnSmallerDomain, "drift of Y -2/3 if compared before removal, 0 after it", ""},
		{"E8", NotJustified, "only from n = 1785 on", ""},
		{"E12", NotJustified, "n² would not up to n = 36", ""},
		{"E13", NotJustified, "P[T > 10 E[T]] = P[T > 32000] = 0.099969", ""},
		{"E14", HoldsOnSmallerDomain, "n = 20, τ = 4 ln 20 = 11.9829, one bin with 12 balls, the others with 1: drift -0.0162 > -1/32", ""},
		{"S12", Holds, "K <= n/2 is not given at 2813 of 2984 n in 16..2999", ""},
	} {
		at := slices.IndexFunc(results, func(r Result) bool { return r.ID == c.step })
		if at < 0 {
			t.Errorf("there is no step %s", c.step)
			continue
		}
		r := results[at]
		text := Explain(r)
		if r.Verdict != c.verdict || !strings.Contains(text, c.says) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s is %q, want %q; must say %q and not %q:\n%s", c.step, r.Verdict, c.verdict, c.says, c.not, text)
		}
	}
}

// repairMutation is a change of constants of the repairs that their argument does
// not allow.
type repairMutation struct {
	step   string // that must notice
	change map[string]float64
}

// repairMutations change every constant of the repairs and of the stronger theorem.
var repairMutations = []repairMutation{
	{"S4", map[string]float64{"Absorption": 0.60}},
	{"S9", map[string]float64{"Absorption": 0.60}},
	{"S2", map[string]float64{"HoleShare": 1.05}},
	{"S5", map[string]float64{"TailRate": 2}},
	{"S5", map[string]float64{"TailRate": 0.251}},
	{"S5", map[string]float64{"TailRounds": 1.9}},
	{"S9", map[string]float64{"TailRounds": 1.9}},
	{"S9", map[string]float64{"Failure": 1, "FailurePower": 3}},
	{"S9", map[string]float64{"Failure": 1, "FailurePower": 2}},
	{"S9", map[string]float64{"FailurePower": 2}},
	{"S9", map[string]float64{"Failure": 0.9}},
	{"B6", map[string]float64{"FreshLoad": 6}},
	{"E12", map[string]float64{"LoadFactor": 0.8}},
	{"E12", map[string]float64{"LoadFactor": 3.2}},
	{"E12", map[string]float64{"UnionPower": 2}},
	{"E12", map[string]float64{"MaxLoadRate": 1.27}},
	{"S11", map[string]float64{"LoadFactor": 3.2}},
	{"S11", map[string]float64{"UnionPower": 2}},
	{"S11", map[string]float64{"LoadFailure": 2}},
	{"S6", map[string]float64{"NeverShift": 0.98}},
	{"S7", map[string]float64{"EventualSlack": 0.95}},
	{"S8", map[string]float64{"PhaseOneFactor": 1.99}},
	{"S10", map[string]float64{"PoissonDistance": 0.63}},
	{"S10", map[string]float64{"PoissonFrom": 350}},
	{"S10", map[string]float64{"Lemma1Rate": 1.27}},
	{"S12", map[string]float64{"RealAbsorption": 0.45}},
	{"S12", map[string]float64{"RealRate": 1.25}},
	{"S12", map[string]float64{"RealUnion": 2.25}},
	{"S12", map[string]float64{"RealLoadFactor": 4.4}},
	{"S12", map[string]float64{"LoadFailure": 2}},
	{"C16", map[string]float64{"NearBins": 0.7}},
	{"E3", map[string]float64{"ManyDrift": 0.25}},
}

// TestMutatedRepairsAreRefuted: with a constant that its argument does not give, a
// step that holds no longer does, and of one that does not hold the repair is
// refuted or the verdict another.
func TestMutatedRepairsAreRefuted(t *testing.T) {
	a, err := fewBins()
	if err != nil {
		t.Fatal(err)
	}
	unchanged := map[string]Result{}
	for _, m := range repairMutations {
		s, err := Find(m.step)
		if err != nil {
			t.Fatal(err)
		}
		before, ok := unchanged[m.step]
		if !ok {
			before = a.Check(s)
			unchanged[m.step] = before
		}
		if !before.Follows() {
			t.Errorf("%s does not follow without a change: %q, %q", m.step, before.Verdict, before.Refuted)
		}
		for name, value := range m.change {
			reflect.ValueOf(&a.Constants).Elem().FieldByName(name).SetFloat(value)
		}
		after := a.Check(s)
		a.Constants = PaperConstants()
		if after.Verdict == before.Verdict && (before.Verdict == Holds || len(after.Refuted) == 0) {
			t.Errorf("%s: %v is not noticed: %q", m.step, m.change, after.Verdict)
		}
	}
}

// TestEveryConstantIsMutated: each field of [Constants] is changed by one of the
// tests that require a change to be noticed.
func TestEveryConstantIsMutated(t *testing.T) {
	tight := mutations()
	for i := range reflect.TypeFor[Constants]().NumField() {
		name := reflect.TypeFor[Constants]().Field(i).Name
		changed := slices.ContainsFunc(repairMutations, func(m repairMutation) bool { return m.change[name] != 0 })
		if _, ok := tight[name]; !ok && !changed {
			t.Errorf("no test changes %s", name)
		}
	}
}

// TestDependenciesLimitVerdicts: a step is judged no better than what it rests on,
// and no step rests on itself.
func TestDependenciesLimitVerdicts(t *testing.T) {
	a, err := sharing([]int{16, 20})
	if err != nil {
		t.Fatal(err)
	}
	holds := func(*Audit) Finding { return Finding{Verdict: Holds} }
	for _, c := range []struct {
		rests []string
		want  Verdict
	}{
		{nil, Holds}, {[]string{"A3"}, Holds}, {[]string{"E1"}, Holds}, // misprinted: what is meant holds
		{[]string{"A3", "C13"}, NotJustified}, {[]string{"E3"}, NotJustified}, {[]string{"C7"}, NotJustified}, {[]string{"S13"}, NotJustified},
		{[]string{"C20"}, NotJustified}, // by C13, on which it rests
	} {
		r := a.Check(Step{ID: "test of " + strings.Join(c.rests, " "), Rests: c.rests, Check: holds})
		if r.Verdict != c.want {
			t.Errorf("a step that rests on %v is %q, want %q", c.rests, r.Verdict, c.want)
		}
	}
	steps := map[string]Step{}
	for _, s := range Steps() {
		steps[s.ID] = s
	}
	var visit func(id string, above []string)
	visit = func(id string, above []string) {
		s, ok := steps[id]
		if !ok || slices.Contains(above, id) {
			t.Fatalf("%s, on which %v rest, does not exist or rests on itself", id, above)
		}
		for _, under := range s.Rests {
			visit(under, append(slices.Clone(above), id))
		}
	}
	for id := range steps {
		visit(id, nil)
	}
}
