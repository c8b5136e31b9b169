package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestFattreeWorkloads: every workload runs, all its flows finish, and the row
// holds the parameters that it looks at, defaults filled in, and no others.
func TestFattreeWorkloads(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cdf.txt", []byte("0 0\n8000 50\n9000 100\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  string
		flows float64 // 0: by the load
		keys  map[string]any
	}{
		{"--workload tornado --message-bytes 64KiB", 16, map[string]any{"message_bytes": 65536.0}},
		{"--workload incast --message-bytes 64KiB", 8, map[string]any{"message_bytes": 65536.0, "degree": 8.0}},
		{"--workload allreduce-ring --message-bytes 64KiB", 8 * 15, map[string]any{"message_bytes": 65536.0, "degree": 8.0}},
		{"--workload allreduce-ring --degree 2", 2 * 3, map[string]any{"message_bytes": 4e6, "degree": 2.0}},
		{"--workload allreduce-butterfly --hosts 2", 2, map[string]any{"message_bytes": 20e6}},
		{"--workload alltoall --message-bytes 64KiB", 16 * 15, map[string]any{"message_bytes": 65536.0, "degree": 8.0}},
		{"--workload websearch --duration-us 1", 0, map[string]any{"load": 0.6, "arrivals": "paced", "duration_us": 1.0}},
		{"--workload facebook --duration-us 50 --arrivals poisson --load 0.4", 0, map[string]any{"load": 0.4, "arrivals": "poisson", "duration_us": 50.0}},
		{"--sizes cdf.txt --duration-us 10 --load 1", 0, map[string]any{"sizes": "cdf.txt", "load": 1.0, "arrivals": "paced", "duration_us": 10.0}},
	} {
		o := repslab(t, strings.Fields("fattree --lb ops --replicas 1 --format json "+hosts16(c.args))...)
		rows, _ := rowsOf(t, o.stdout)
		// Short durations offer more than their load.
		if len(rows) != 1 || o.stderr != "" && (c.flows > 0 || !strings.Contains(o.stderr, "--load")) {
			t.Errorf("%s: %+v", c.args, o)
			continue
		}
		r := rows[0]
		if r["finished"] != r["flows"] || r["flows"].(float64) < 1 || c.flows > 0 && r["flows"] != c.flows {
			t.Errorf("%s: %v of %v flows finished, want %v", c.args, r["finished"], r["flows"], c.flows)
		}
		for _, key := range []string{"sizes", "load", "arrivals", "duration_us", "degree", "message_bytes"} {
			if r[key] != c.keys[key] {
				t.Errorf("%s: %s is %v, want %v", c.args, key, r[key], c.keys[key])
			}
		}
	}
}

// hosts16 adds a number of hosts to flags that have none.
func hosts16(args string) string {
	if strings.Contains(args, "--hosts") {
		return args
	}
	return "--hosts 16 " + args
}

// TestFattreeControls: a lone permutation of short messages ends at about the
// same time under every congestion control, as nothing congests it; but EQDS's
// pulls hold it back to 0.99 of the rate.
func TestFattreeControls(t *testing.T) {
	o := repslab(t, strings.Fields("fattree --hosts 16 --workload tornado --message-bytes 4MiB --replicas 1 --format json --cc dctcp,eqds,nscc,none")...)
	rows, _ := rowsOf(t, o.stdout)
	if len(rows) != 4 {
		t.Fatalf("%+v", o)
	}
	ends := map[string]float64{}
	for _, r := range rows {
		ends[fmt.Sprint(r["cc"])] = r["end_us"].(float64)
	}
	for cc, end := range ends {
		if ratio := end / ends["dctcp"]; math.Abs(ratio-1) > 0.05 {
			t.Errorf("%s ends after %g us, dctcp after %g us", cc, end, ends["dctcp"])
		}
	}
	if ends["eqds"] < 1027*0.083/0.99+8.337-1 {
		t.Errorf("eqds ends after %g us, before its pulls allow", ends["eqds"])
	}
}

// TestFattreeBackground: the pinned flows' times are told apart, and are the worse
// ones; without them there is nothing to tell.
func TestFattreeBackground(t *testing.T) {
	args := "fattree --hosts 64 --workload tornado --message-bytes 2MiB --lb ops --replicas 2 --format json"
	alone, _ := rowsOf(t, repslab(t, strings.Fields(args)...).stdout)
	mixed, _ := rowsOf(t, repslab(t, strings.Fields(args+" --background-every 4")...).stdout)
	if r := alone[0]; r["background_max_fct_us"] != nil || r["background_mean_fct_us"] != nil || r["background_every"] != nil {
		t.Errorf("no background, but %v", r)
	}
	r := mixed[0]
	background, main := r["background_mean_fct_us"].(float64), r["mean_fct_us"].(float64)
	if background < main || r["background_max_fct_us"].(float64) < background || r["background_every"] != 4.0 || r["finished"] != 64.0 {
		t.Errorf("mean of the background %g us, of the rest %g us: %v", background, main, r)
	}
	if main < alone[0]["mean_fct_us"].(float64) {
		t.Errorf("mean of the rest %g us, without background %v us", main, alone[0]["mean_fct_us"])
	}
}
