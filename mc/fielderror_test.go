package mc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestFieldError: a message names the package, the field, the value and the constraint;
// strings are quoted, long values cut, and a caller may use a name of its own for the field.
func TestFieldError(t *testing.T) {
	type name string
	for _, c := range []struct {
		value any
		want  string
	}{
		{0, "0"}, {1.5, "1.5"}, {"x y", `"x y"`}, {name("x"), `"x"`}, {nil, "<nil>"}, {[]int{1, 2}, "[1 2]"},
		{strings.Repeat("x", 60), `"` + strings.Repeat("x", 60) + `"`}, {name(strings.Repeat("é", 61)), `"` + strings.Repeat("é", 60) + `..."`}, {"\xff", `"\xff"`},
		{make([]int, 40), "[" + strings.Repeat("0 ", 29) + "0..."},
	} {
		e := &FieldError{"ballsbins", "Bins", c.value, "must be in [1, 4]"}
		if got, want := e.Error(), "ballsbins: Bins ("+c.want+") must be in [1, 4]"; got != want {
			t.Errorf("Error() = %q, want %q", got, want)
		}
		if got, want := e.About("--bins"), "--bins ("+c.want+") must be in [1, 4]"; got != want {
			t.Errorf("About() = %q, want %q", got, want)
		}
	}
}

// TestFaults: all faults are reported, in order and each as a FieldError, and none is nil.
func TestFaults(t *testing.T) {
	faults := Faults{Package: "p"}
	faults.Check(true, "A", 1, "must be %d", 1)
	faults.Add(nil)
	if err := faults.Err(); err != nil {
		t.Fatalf("error %v without a fault", err)
	}
	faults.Refuse("B", 2, "must be at most %d", 1)
	faults.Add(fmt.Errorf("wrapped: %w", &FieldError{"q", "C", 3, "must be even"}))
	faults.Refuse("D", "d", "must be shorter")
	err := faults.Err()
	if got, want := err.Error(), "p: B (2) must be at most 1\nwrapped: q: C (3) must be even\np: D (\"d\") must be shorter"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%T is not joined", err)
	}
	for i, want := range []string{"B", "C", "D"} {
		var e *FieldError
		if !errors.As(joined.Unwrap()[i], &e) || e.Field != want {
			t.Errorf("fault %d: %v, want that of %s", i, joined.Unwrap()[i], want)
		}
	}
}

// TestFaultsOfRanges: the ends of a range are allowed. Values beyond them, and values that are not among
// the choices, are refused.
func TestFaultsOfRanges(t *testing.T) {
	f := Faults{Package: "p"}
	for value := range 5 {
		f.In("N", value, 1, 3)
	}
	for _, choice := range []string{"a", "b", "c"} {
		OneOf(&f, "Choice", choice, []string{"a", "c"})
	}
	want := "p: N (0) must be in [1, 3]\np: N (4) must be in [1, 3]\np: Choice (\"b\") must be one of [a c]"
	if err := f.Err(); err == nil || err.Error() != want {
		t.Errorf("faults %v, want %v", err, want)
	}
	if n := testing.AllocsPerRun(10, func() { f.In("N", 300, 1, 1000) }); n != 0 {
		t.Errorf("a value in its range takes %v allocations", n)
	}
}

// TestRoundsEvery: the last round is observed once, whether or not it is a multiple.
func TestRoundsEvery(t *testing.T) {
	for _, c := range []struct {
		every, last int
		want        []int
	}{
		{0, 10, []int{10}}, {5, 10, []int{5, 10}}, {4, 10, []int{4, 8, 10}}, {50, 3, []int{3}}, {1, 1, []int{1}},
		{MaxRounds, MaxRounds, []int{MaxRounds}},
	} {
		if got := RoundsEvery(c.every, c.last); !slices.Equal(got, c.want) {
			t.Errorf("RoundsEvery(%d, %d) = %v, want %v", c.every, c.last, got, c.want)
		}
	}
}

// TestRoundsEveryPanics: a run has a last round.
func TestRoundsEveryPanics(t *testing.T) {
	mustPanic(t, "mc: RoundsEvery: last (0) must be at least 1", func() { RoundsEvery(1, 0) })
	mustPanic(t, "mc: RoundsEvery: last (-5) must be at least 1", func() { RoundsEvery(1, -5) })
}

// TestCheckRounds: as many rounds as documented are accepted and no more, and they ascend
// from 1 to MaxRounds.
func TestCheckRounds(t *testing.T) {
	most := RoundsEvery(1, MaxObservations)
	for _, c := range []struct {
		rounds []int
		want   string // "" none
	}{
		{nil, ""}, {[]int{1}, ""}, {[]int{1, 7, MaxRounds}, ""}, {most, ""},
		{append(most, MaxRounds), "R (100002) must list at most 100001 rounds"},
		{[]int{0}, "R (0) must be in [1, 2147483647]"},
		{[]int{-1}, "R (-1) must be in [1, 2147483647]"},
		{[]int{3, 3}, "R (3) must be in [4, 2147483647], since rounds ascend"},
		{[]int{5, 3}, "R (3) must be in [6, 2147483647]"},
	} {
		faults := Faults{Package: "p"}
		faults.CheckRounds("R", c.rounds)
		if err := faults.Err(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d rounds: error %v, want %q", len(c.rounds), err, c.want)
		}
	}
}
