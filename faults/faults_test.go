package faults

import (
	"errors"
	"fmt"
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
		{0, "0"}, {1.5, "1.5"}, {"x y", `"x y"`}, {name("x"), `"x"`}, {nil, "<nil>"}, {[]int{1, 2}, "[1 2]"}, {Text("x y"), "x y"}, {Text(strings.Repeat("x", 61)), strings.Repeat("x", 60) + "..."},
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
	bad := List{Package: "p"}
	bad.Check(true, "A", 1, "must be %d", 1)
	bad.Add(nil)
	if err := bad.Err(); err != nil {
		t.Fatalf("error %v without a fault", err)
	}
	bad.Refuse("B", 2, "must be at most %d", 1)
	bad.Add(fmt.Errorf("wrapped: %w", &FieldError{"q", "C", 3, "must be even"}))
	bad.Refuse("D", "d", "must be shorter")
	err := bad.Err()
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
	f := List{Package: "p"}
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
