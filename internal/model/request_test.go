package model

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"repslab/sweep"
)

// TestPlanOfManyPoints: a point of a sweep takes at most 3 KB and 35 allocations to build
// (2.1 and 28 measured). With 5.3 KB and 57 a million points took over 10 s.
func TestPlanOfManyPoints(t *testing.T) {
	const points = 20_000
	r := Request{Model: "recycled", Selection: Selection{Parameters: Texts{"bins": fmt.Sprintf("1..%d", points)}}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := r.buildSweep(All(), sweep.Shard{})
	runtime.ReadMemStats(&after)
	if err != nil || len(s.Points) != points {
		t.Fatalf("%d points, error %v", len(s.Points), err)
	}
	if size, number := (after.TotalAlloc-before.TotalAlloc)/points, (after.Mallocs-before.Mallocs)/points; size > 3000 || number > 35 {
		t.Errorf("%d bytes and %d allocations a point", size, number)
	}
}

// FuzzConfig: a configuration is refused, or what --print-config makes of it is
// read as the same sweep.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		`{"model": "recycled", "parameters": {"bins": [16, "32..64:x2"], "threshold": "4*ln(n)"}, "replicas": 10}`,
		`{"model": "fattree", "parameters": {"lb": "ops,reps", "evs": 256}, "precision": 0.01, "max_replicas": 100}`,
		`{"model": "ballsbins", "parameters": {"bins": "8,16", "lambda": "0.9,0.95"}, "zip": ["bins", "lambda"], "seed": 3, "block": 5}`,
		`{"model": "evs", "parameters": {"evs": 1e309}}`,
		`{"model": "coalescing", "parameters": {"ack_ratio": -0}} {}`,
		`[[[[[[[[`,
	} {
		f.Add([]byte(text))
	}
	available := All()
	f.Fuzz(func(t *testing.T, data []byte) {
		asked, err := ParseRequest(data)
		if err != nil {
			return
		}
		s, err := asked.buildSweep(available, sweep.Shard{})
		if err != nil {
			return
		}
		printed, err := ConfigJSON(s.Header.Config)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseRequest(printed)
		if err != nil {
			t.Fatalf("%s: %v", printed, err)
		}
		same, err := again.buildSweep(available, sweep.Shard{})
		if err != nil {
			t.Fatalf("%s: %v", printed, err)
		}
		if !reflect.DeepEqual(s.Header, same.Header) {
			t.Errorf("%+v is printed as %s and read as %+v", s.Header, printed, same.Header)
		}
	})
}

// TestLongestConfiguration: a configuration file may have 2^20 bytes.
func TestLongestConfiguration(t *testing.T) {
	path := t.TempDir() + "/c.json"
	for size, taken := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		text := `{"model": "evs"}`
		writeFile(t, path, text+strings.Repeat(" ", size-len(text)))
		if _, err := ReadRequest(path); (err == nil) != taken {
			t.Errorf("%d bytes: error %v", size, err)
		}
	}
}
