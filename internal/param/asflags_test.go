package param

import (
	"errors"
	"fmt"
	"testing"

	"repslab/faults"
	"repslab/internal/console"
)

// TestAsFlags: every fault that an error joins is reported under its flag, also a
// field of an entry of a list and an argument with the name of a field; other errors keep
// their text.
func TestAsFlags(t *testing.T) {
	bins := faults.New("p", "Bins", 0, "must be positive")
	flags := func(field string) (string, bool) {
		return Space{parameters: []Parameter{{Flag: "bins"}, {Flag: "flows"}, {Flag: "ring", fields: []string{"BufferSize"}}}}.FieldFlag(field)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{bins, "--bins (0) must be positive"},
		{faults.New("p", "bins", 0, "must be positive"), "--bins (0) must be positive"},
		{faults.New("p", "Balls", 0, "must be positive"), "p: Balls (0) must be positive"},
		{faults.New("p", "Flows[3].Bytes", 0, "must be positive"), "--flows: flow 3: bytes (0) must be positive"},
		{faults.New("p", "Balls[3].Bytes", 0, "must be positive"), "p: Balls[3].Bytes (0) must be positive"},
		{faults.New("reps", "BufferSize", 40, "must be in [1, 32]"), "--ring (40) must be in [1, 32]"},
		{faults.New("p", "Bins", faults.Text("-83200 ps"), "must be in [0 ps, 1000000 ps] or 1e5 ps2"), "--bins (-0.0832 us) must be in [0 us, 1 us] or 1e5 ps2"},
		{faults.New("p", "Bins", faults.Text("9223372036854775808 ps"), "must be less"), "--bins (9223372036854775808 ps) must be less"},
		{faults.New("p", "Flows[3].Start", faults.Text("5 ps"), "must be less"), "--flows: flow 3: start (5 ps) must be less"}, // a file has its own unit
		{errors.Join(bins, errors.Join(errors.New("other"), bins)), "--bins (0) must be positive; other; --bins (0) must be positive"},
		{fmt.Errorf("replica 3: %w", errors.New("other")), "replica 3: other"},
	} {
		err := AsFlags(c.err, flags)
		var usage *console.UsageError
		if err == nil || err.Error() != c.want || !errors.As(err, &usage) {
			t.Errorf("%q becomes %v, want the usage error %q", c.err, err, c.want)
		}
	}
	if err := AsFlags(nil, flags); err != nil {
		t.Errorf("no error becomes %v", err)
	}
}
