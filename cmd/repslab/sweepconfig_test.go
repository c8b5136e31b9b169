package main

import (
	"bytes"
	"reflect"
	"testing"
)

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
	available := models()
	f.Fuzz(func(t *testing.T, data []byte) {
		asked, err := parseRequest(data)
		if err != nil {
			return
		}
		c, points, _, err := asked.config(available)
		if err != nil {
			return
		}
		var printed bytes.Buffer
		if err := printConfig(&printed, c); err != nil {
			t.Fatal(err)
		}
		again, err := parseRequest(printed.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", printed.Bytes(), err)
		}
		d, same, _, err := again.config(available)
		if err != nil {
			t.Fatalf("%s: %v", printed.Bytes(), err)
		}
		if !reflect.DeepEqual(c, d) || len(points) != len(same) {
			t.Errorf("%+v, %d points, is printed as %s and read as %+v, %d points", c, len(points), printed.Bytes(), d, len(same))
		}
	})
}
