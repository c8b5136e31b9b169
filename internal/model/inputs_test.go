package model

import (
	"io"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/recycled"
)

// repeated is a reader of a text without an end.
type repeated string

func (r repeated) Read(p []byte) (n int, err error) {
	for n+len(r) <= len(p) {
		n += copy(p[n:], r)
	}
	return n, nil
}

// TestInputsWithoutEnd: loads and placements from a file that never ends are an error, in bounded memory. A byte-order
// mark is no part of the first number.
func TestInputsWithoutEnd(t *testing.T) {
	for text, want := range map[string]string{"0\n": "1048577 loads must be in [1, 1048576]", "\x00": "token too long", "7 x ": "load 2"} {
		if _, err := readLoads(repeated(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("loads %q: error %v, want %s", text, err, want)
		}
	}
	if hosts, err := readPlacement(io.LimitReader(repeated("0\n"), 1<<30)); err != nil || len(hosts) != fattree.MaxHosts+1 {
		t.Errorf("%d hosts, error %v", len(hosts), err)
	}
	if start, err := readLoads(strings.NewReader("\ufeff3 4\n")); err != nil || start != recycled.Given([]int{3, 4}) {
		t.Errorf("start %v, error %v", start, err)
	}
}
