package reps

import (
	"errors"
	"testing"

	"repslab/faults"
)

// TestFieldErrors: every fault of a configuration is a faults.FieldError of its own, which a
// program may report under another name.
func TestFieldErrors(t *testing.T) {
	err := new(REPS).Init(Config{BufferSize: 40, Exit: 2})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%T is not joined", err)
	}
	want := []struct{ field, about string }{
		{"BufferSize", "--x (40) must be in [1, 32]"},
		{"Exit", "--x (2) must be ExitOnTimeout (0) or ExitOnProbe (1)"},
	}
	for i, err := range joined.Unwrap() {
		var e *faults.FieldError
		if !errors.As(err, &e) || i >= len(want) || e.Field != want[i].field || e.About("--x") != want[i].about {
			t.Errorf("fault %d: %v, want one of %v", i, err, want)
		}
	}
	var e *faults.FieldError
	if err := mustNew(t, Config{}).UnmarshalBinary(nil); !errors.As(err, &e) || e.Field != "length" {
		t.Errorf("error %v, want a faults.FieldError about the length", err)
	}
}
