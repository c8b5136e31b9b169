package mctest

import (
	"os"
	"strings"
	"testing"

	"repslab/mc"
)

// recorder notes failures instead of failing.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Logf(string, ...any)            {}
func (r *recorder) Errorf(format string, _ ...any) { r.errors = append(r.errors, format) }
func (r *recorder) Name() string                   { return "TestSomething" }

func TestAgree(t *testing.T) {
	for _, c := range []struct {
		name  string
		value float64
		agree bool
	}{{"inside", 10.39, true}, {"outside", 10.41, false}, {"below", 9.59, false}} {
		t.Setenv("REPSLAB_RESEED", "")
		r := &recorder{TB: t}
		Agree(r, "x", mc.Estimate{Value: c.value, StdErr: 0.06}, 10, 0.08, 0)
		if agreed := len(r.errors) == 0; agreed != c.agree {
			t.Errorf("%s: agreed = %v", c.name, agreed)
		}
	}
}

func TestSeed(t *testing.T) {
	t.Setenv("REPSLAB_RESEED", "")
	r := &recorder{TB: t}
	if got := Seed(r, 5); got != 5 {
		t.Errorf("Seed = %d, want the fixed one", got)
	}
	t.Setenv("REPSLAB_RESEED", "7")
	a, b := Seed(r, 5), Seed(r, 6)
	if a == b || a == 5 || Seed(r, 5) != a || Z(r) != ReseededZ {
		t.Errorf("reseeded to %d and %d, bound %v", a, b, Z(r))
	}
	if !strings.HasPrefix(r.Name(), "Test") {
		t.Error("the recorder lost its name")
	}
}

func TestReference(t *testing.T) {
	path := t.TempDir() + "/numbers.csv"
	if err := os.WriteFile(path, []byte("n,law,mean\n4,\"binomial(n,p)\",1.5\n8,poisson,-2e3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := Reference(t, path)
	if len(rows) != 2 || rows[0]["law"] != "binomial(n,p)" || rows[1].Number(t, "mean") != -2000 || rows[1].Number(t, "n") != 8 {
		t.Errorf("rows %v", rows)
	}
}

func TestSameForAnyWorkers(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(workers int) (any, error)
		same bool
	}{
		{"same", func(int) (any, error) { return 7, nil }, true},
		{"differs", func(workers int) (any, error) { return workers / 3, nil }, false},
	} {
		r := &recorder{TB: t}
		SameForAnyWorkers(r, c.name, c.run)
		if same := len(r.errors) == 0; same != c.same {
			t.Errorf("%s: errors %v", c.name, r.errors)
		}
	}
}
