package propertytest

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// record is a test that remembers why it ended.
type record struct {
	testing.TB
	name, fault string
}

func (r *record) Helper()      {}
func (r *record) Name() string { return r.name }
func (r *record) Fatalf(format string, arguments ...any) {
	r.fault = fmt.Sprintf(format, arguments...)
	runtime.Goexit()
}

// check returns what Check says of a property; nothing if it holds.
func check(name string, property func(t *T)) string {
	r := &record{name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Check(r, property)
	}()
	<-done
	return r.fault
}

// TestFaultsAreFoundAndMadeSmaller: a property that does not hold fails with the smallest
// case, however it fails.
func TestFaultsAreFoundAndMadeSmaller(t *testing.T) {
	for _, c := range []struct {
		name     string
		property func(t *T)
		want     []string
	}{
		{"number", func(t *T) {
			if v := Int(t, "v", 0, 1<<40); v >= 1000 {
				t.Fatalf("%d is large", v)
			}
		}, []string{"1000 is large", "\tv: 1000"}},
		{"sum", func(t *T) {
			sum := int64(0)
			for _, v := range Ints[int64](t, "v", 0, 50, -100, 100) {
				if sum += v; sum > 120 {
					t.Fatal(fmt.Errorf("sum %d", sum))
				}
			}
		}, []string{"sum 121", "length of v: "}},
		{"panic", func(t *T) {
			if OneOf(t, "word", "a", "b", "c") == "b" {
				panic("never b")
			}
		}, []string{"panic: never b", "propertytest_test.go", "\tword: b"}},
		{"skipped", func(t *T) {
			if Uniform(t, "v", 0, 9) > 2 {
				t.Skip()
			}
		}, []string{"cases were skipped, at most half may be"}},
	} {
		got := check(c.name, c.property)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %q", c.name, want, got)
			}
		}
	}
	if fault := check("holds", func(t *T) { OneOf(t, "v", 1, 2, 3) }); fault != "" {
		t.Errorf("a property that holds fails: %s", fault)
	}
}

// TestRanges: draws lie in their range, and reach both of its ends, also where it is all of
// its type.
func TestRanges(t *testing.T) {
	for _, r := range [][2]int64{{0, 0}, {-3, 3}, {0, 400}, {math.MinInt64, math.MaxInt64}, {-1 << 60, 1 << 60}} {
		var drawn []int64
		Check(t, func(t *T) {
			for _, v := range Ints(t, "v", 20, 20, r[0], r[1]) {
				if v < r[0] || v > r[1] {
					t.Fatalf("%d is not in %v", v, r)
				}
				drawn = append(drawn, v)
			}
		})
		if slices.Min(drawn) != r[0] || slices.Max(drawn) != r[1] {
			t.Errorf("of %v only [%d, %d] is drawn", r, slices.Min(drawn), slices.Max(drawn))
		}
	}
}

// TestCasesAreFixed: a test has the same cases in every run, two tests have others, and
// REPSLAB_RESEED gives others.
func TestCasesAreFixed(t *testing.T) {
	cases := func(name, reseed string) (drawn []uint64) {
		t.Setenv("REPSLAB_RESEED", reseed)
		if fault := check(name, func(t *T) { drawn = append(drawn, Int[uint64](t, "v", 0, math.MaxUint64)) }); fault != "" {
			t.Fatal(fault)
		}
		return drawn
	}
	first := cases("a", "")
	if len(first) != 300 || !slices.Equal(first, cases("a", "")) {
		t.Errorf("%d cases, which differ from run to run", len(first))
	}
	if slices.Equal(first, cases("b", "")) || slices.Equal(first, cases("a", "1")) {
		t.Error("two tests or two values of REPSLAB_RESEED have the same cases")
	}
}
