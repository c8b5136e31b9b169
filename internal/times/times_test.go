package times

import (
	"strings"
	"testing"
)

// TestRead: times have a unit or are in us, and lie in the range.
func TestRead(t *testing.T) {
	for text, want := range map[string]int64{
		"20": 20e6, "20us": 20e6, "0.5us": 500e3, "500ns": 500e3, "1.5ms": 1500e6, "0.002s": 2000e6, "1e2": 100e6, "0.0000004": 0, "0.0000006": 1, "0": 0, "2000": 2000e6,
	} {
		if got, err := Read(text, 0, 2000); err != nil || got != want {
			t.Errorf("%s: %d ps, error %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "us", "-1", "2001", "3ms", "1 us", "1h", "NaN", "Inf", "1us2", "1ps"} {
		if got, err := Read(text, 0, 2000); err == nil || !strings.Contains(err.Error(), "must be a time in [0, 2000] us, such as") {
			t.Errorf("%q: %d, error %v", text, got, err)
		}
	}
	if _, err := Read("0.9", 1, 2); err == nil {
		t.Error("0.9 us are in [1, 2]")
	}
}
