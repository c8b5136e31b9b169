package model

import (
	"strings"
	"testing"
)

// TestConditions: every operator of --groups compares as written, also behind the microsecond in which a flow starts.
func TestConditions(t *testing.T) {
	for text, held := range map[string]map[int64]bool{
		"bytes<2000":    {1999: true, 2000: false, 2001: false},
		"bytes<=2000":   {1999: true, 2000: true, 2001: false},
		"bytes > 2 kB":  {1999: false, 2000: false, 2001: true},
		"bytes>=2000":   {1999: false, 2000: true, 2001: true},
		"bytes=2000,5":  {1999: false, 2000: true, 5: true},
		"start<10":      {9_999_999: true, 10_000_000: false},
		"start<=10":     {10_000_000: true, 10_000_001: false},
		"start>10":      {10_000_000: false, 10_000_001: true},
		"start>=10":     {9_999_999: false, 10_000_000: true},
		"start=10..11":  {9_999_999: false, 10_000_000: true, 11_999_999: true, 12_000_000: false},
		"source <= 3":   {3: true, 4: false},
		"destination>3": {3: false, 4: true},
	} {
		list, err := groupSpecs("g: " + text)
		if err != nil {
			t.Fatal(err)
		}
		for value, want := range held {
			if got := list[0][0].conditions[0].holds(value); got != want {
				t.Errorf("%s holds for %d: %v", text, value, got)
			}
		}
		again, err := groupSpecs(list[0].String())
		if err != nil || again[0].String() != list[0].String() {
			t.Errorf("%s is written as %s: %v", text, list[0], err)
		}
	}
	for text, want := range map[string]string{
		"g: bytes=<2000": "bytes=<2000", "g: bytes<=1,2": "must have one number behind <=", "g: bytes>1..3": "must have one number behind >",
		"g: bytes!2": "with =, <, <=, > or >= and numbers", "-2: bytes<1": "must be NAME: CONDITION",
	} {
		if _, err := groupSpecs(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
