package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// rowsOf parses JSON lines and returns them with the keys in order.
func rowsOf(t *testing.T, text string) (rows []map[string]any, keys []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		rows = append(rows, row)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		if delim, ok := token.(json.Delim); ok {
			if delim == '}' {
				return rows, keys
			}
			depth++
			continue
		}
		keys = append(keys, token.(string))
		if _, err := decoder.Token(); err != nil { // the value
			t.Fatal(err)
		}
	}
}

func TestRecycledRows(t *testing.T) {
	o := repslab(t, "recycled", "--bins", "16,64", "--threshold", "4*ln(n),20", "--replicas", "100", "--format", "json")
	if o.code != exitDone || o.stderr != "" {
		t.Fatalf("code %d, stderr %q", o.code, o.stderr)
	}
	rows, keys := rowsOf(t, o.stdout)
	checkKeys(t, "testdata/recycledkeys.txt", keys)
	if len(rows) != 4 {
		t.Fatalf("%d rows, want 4", len(rows))
	}
	for i, want := range []struct {
		bins, threshold, colors float64
		expression              string
	}{{16, 12, 7, "4*ln(n)"}, {16, 20, 7, "20"}, {64, 17, 10, "4*ln(n)"}, {64, 20, 10, "20"}} {
		r := rows[i]
		if r["bins"] != want.bins || r["threshold"] != want.threshold || r["threshold_expression"] != want.expression || r["colors_per_bin"] != want.colors {
			t.Errorf("row %d: %v, want %+v", i, r, want)
		}
		if r["converged"] != 100.0 || r["converged_share"] != 1.0 || r["certified"] != 0.0 || r["duplicate_color_fraction"] != nil || r["replicas"] != 100.0 {
			t.Errorf("row %d: %v", i, r)
		}
	}
}

// TestEVSRows: an exact row has neither a standard error nor replicas.
func TestEVSRows(t *testing.T) {
	o := repslab(t, "evs", "--flows", "1,32", "--evs", "256", "--method", "exact,multinomial", "--replicas", "50", "--format", "json")
	if o.code != exitDone || o.stderr != "" {
		t.Fatalf("code %d, stderr %q", o.code, o.stderr)
	}
	rows, keys := rowsOf(t, o.stdout)
	want := strings.Fields(`flows evs uplinks method cover tolerance loss false_alarm miss imbalance_mean imbalance_se
		imbalance_p025 imbalance_p025_lo imbalance_p025_hi imbalance_p05 imbalance_p05_lo imbalance_p05_hi
		imbalance_p50 imbalance_p50_lo imbalance_p50_hi imbalance_p95 imbalance_p95_lo imbalance_p95_hi
		imbalance_p975 imbalance_p975_lo imbalance_p975_hi cover_evs covered_probability tolerance_evs tolerance_p95_evs
		probes suspect_at_most seed replicas`)
	if !slices.Equal(keys, want) || len(rows) != 4 {
		t.Fatalf("%d rows with keys %v, want 4 with %v", len(rows), keys, want)
	}
	for i, want := range []struct{ flows, mean, median float64 }{{1, 0.79800379, 0.75}, {32, 0.13160354, 0.12890625}} {
		r, sampled := rows[2*i], rows[2*i+1]
		if r["method"] != "exact" || r["flows"] != want.flows || math.Abs(r["imbalance_mean"].(float64)-want.mean) > 1e-8 ||
			r["imbalance_p50"] != want.median || r["imbalance_p50_lo"] != nil || r["imbalance_p50_hi"] != nil || r["imbalance_se"] != nil || r["replicas"] != 0.0 {
			t.Errorf("exact row %v, want %+v", r, want)
		}
		if sampled["method"] != "multinomial" || sampled["imbalance_se"] == nil || sampled["imbalance_p50_lo"] == nil || sampled["replicas"] != 50.0 {
			t.Errorf("sampled row %v", sampled)
		}
	}
}

func TestCoalescingRows(t *testing.T) {
	o := repslab(t, "coalescing", "--bins", "16,32", "--ack-ratio", "1,4", "--ack-variant", "standard,every-rth-round", "--threshold", "3*ln(n)", "--rounds", "200", "--replicas", "200", "--format", "json")
	if o.code != exitDone || o.stderr != "" {
		t.Fatalf("code %d, stderr %q", o.code, o.stderr)
	}
	rows, keys := rowsOf(t, o.stdout)
	want := strings.Fields(`bins ack_ratio ack_variant clocking threshold colors_per_bin rounds
		max_load_mean max_load_se max_load_p95 max_load_p95_lo max_load_p95_hi peak_load_mean peak_load_se
		over_threshold_fraction over_threshold_fraction_se over_threshold_fraction_lo over_threshold_fraction_hi
		ops_max_load_mean ops_max_load_se seed replicas`)
	if !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
	if len(rows) != 8 {
		t.Fatalf("%d rows, want 8", len(rows))
	}
	oblivious := map[any]any{}
	for bins, args := range map[float64]string{16: "16", 32: "32"} {
		o := repslab(t, "ballsbins", "--bins", args, "--rounds", "200", "--replicas", "200", "--format", "json")
		rows, _ := rowsOf(t, o.stdout)
		oblivious[bins] = rows[0]["max_load_mean"]
	}
	for i, r := range rows {
		want := []any{16.0, 1.0, "standard", "round-robin", 9.0, 7.0}
		if i >= 4 {
			want[0], want[4], want[5] = 32.0, 11.0, 9.0
		}
		if i%4 >= 2 {
			want[1] = 4.0
		}
		if i%2 == 1 {
			want[2], want[3] = "every-rth-round", "self-clocked"
		}
		for j, key := range keys[:6] {
			if r[key] != want[j] {
				t.Errorf("row %d: %s is %v, want %v", i, key, r[key], want[j])
			}
		}
		if r["ops_max_load_mean"] != oblivious[want[0]] || r["peak_load_mean"].(float64) < r["max_load_mean"].(float64) || r["max_load_mean"].(float64) > oblivious[want[0]].(float64) {
			t.Errorf("row %d: %v, oblivious %v", i, r, oblivious[want[0]])
		}
	}
}

// TestAllocateRows: a row for each observation, null for parameters that a rule does not use, and
// histograms on request.
func TestAllocateRows(t *testing.T) {
	o := repslab(t, strings.Fields("allocate --bins 8 --rule one-choice,d-choice --choices 3 --balls 80 --every 40 --histogram on --replicas 50 --format json --quiet")...)
	if o.code != exitDone {
		t.Fatalf("%+v", o)
	}
	rows, keys := rowsOf(t, o.stdout)
	want := strings.Fields(`bins balls every rule choices beta delta eta offset threshold information batch width sigma ties weights sampling speeds
		start histogram observed_balls gap_mean gap_se gap_p95 gap_p95_lo gap_p95_hi max_gap_mean max_gap_se under_mean under_se max_load_mean max_load_se
		gap_law load_histogram seed replicas`)
	if !slices.Equal(keys, want) || len(rows) != 4 {
		t.Fatalf("%d rows with keys %v, want 4 with %v", len(rows), keys, want)
	}
	for i, r := range rows {
		if r["observed_balls"] != []any{40.0, 80.0}[i%2] || r["beta"] != nil || r["batch"] != nil || math.Abs(r["max_load_mean"].(float64)-r["gap_mean"].(float64)-5*float64(1+i%2)) > 1e-9 {
			t.Errorf("row %d: %v", i, r)
		}
		if want := []any{nil, nil, 3.0, 3.0}[i]; r["choices"] != want {
			t.Errorf("row %d: choices %v, want %v", i, r["choices"], want)
		}
		mean, sum := 0.0, 0.0
		for bar := range strings.FieldsSeq(r["gap_law"].(string)) {
			var value, share float64
			if _, err := fmt.Sscanf(bar, "%g:%g", &value, &share); err != nil {
				t.Fatal(err)
			}
			mean, sum = mean+value*share, sum+share
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(mean-r["gap_mean"].(float64)) > 1e-9 {
			t.Errorf("row %d: the law of the gap %v has sum %v and mean %v", i, r["gap_law"], sum, mean)
		}
	}
	if rows[1]["gap_mean"].(float64) <= rows[3]["gap_mean"].(float64) {
		t.Errorf("three choices do not help: %v, %v", rows[1], rows[3])
	}
}

// TestLeafspineRows: a row for each observation; the longest queue is its exact value where there is one and never
// above its bound, and the mean uplink is its exact mean. 6.1 standard errors: a false alarm in 10^9.
func TestLeafspineRows(t *testing.T) {
	o := repslab(t, strings.Fields("leafspine --ports 8 --rule random,destination-rotation,static --traffic alternating --packets 70 --from 20 --replicas 50 --format json --quiet")...)
	if o.code != exitDone {
		t.Fatalf("%+v", o)
	}
	rows, keys := rowsOf(t, o.stdout)
	want := strings.Fields(`ports rule traffic spread packets from observed_packets max_queue_mean max_queue_se max_queue_p95 max_queue_p95_lo
		max_queue_p95_hi max_queue_exact max_queue_bound exponent exponent_lo exponent_hi uplink_queue_mean uplink_queue_se uplink_queue_exact decides
		knows seed replicas`)
	if !slices.Equal(keys, want) || len(rows) != 9 {
		t.Fatalf("%d rows with keys %v, want 9 with %v", len(rows), keys, want)
	}
	for i, r := range rows {
		rule, observed := i/3, []any{20.0, 40.0, 70.0}[i%3]
		if r["observed_packets"] != observed || (r["exponent"] == nil) != (i%3 == 0) || r["decides"] != "host" ||
			r["knows"] != []any{"nothing", "a count for each destination", "its number"}[rule] {
			t.Errorf("row %d: %v", i, r)
		}
		if exact, bound := []any{nil, 7.0, 2.0}[rule], []any{nil, 21.0, nil}[rule]; r["max_queue_exact"] != exact || r["max_queue_bound"] != bound ||
			exact != nil && r["max_queue_mean"] != exact {
			t.Errorf("row %d: %v", i, r)
		}
		if rule > 0 {
			if r["uplink_queue_exact"] != nil || r["exponent"] != nil && r["exponent"] != 0.0 {
				t.Errorf("row %d: %v", i, r)
			}
		} else if z := (r["uplink_queue_mean"].(float64) - r["uplink_queue_exact"].(float64)) / r["uplink_queue_se"].(float64); !(math.Abs(z) < 6.1) {
			t.Errorf("row %d: %v standard errors between the mean uplink and its law: %v", i, z, r)
		}
	}
}

// TestMissingStatisticsAreNull: what does not exist is null, with a warning and
// code 0.
func TestMissingStatisticsAreNull(t *testing.T) {
	o := repslab(t, "recycled", "--clocking", "round-robin,per-flow", "--bins", "32", "--replicas", "5", "--max-rounds", "2000", "--format", "json")
	rows, _ := rowsOf(t, o.stdout)
	if o.code != exitDone || len(rows) != 2 {
		t.Fatalf("code %d, stdout %q", o.code, o.stdout)
	}
	if r := rows[0]; r["converged"] != 0.0 || r["converged_share"] != 0.0 || r["converged_share_lo"] != 0.0 || r["converged_share_hi"].(float64) < 0.3 || r["rounds_mean"] != nil || r["duplicate_color_fraction"] != 1.0 {
		t.Errorf("round-robin: %v", r)
	}
	if r := rows[1]; r["converged"] != nil || r["converged_share"] != nil || r["certified"] != nil || r["rounds_mean"] != nil || r["duplicate_color_fraction"] != nil || r["random_throw_fraction"] == nil {
		t.Errorf("per-flow: %v", r)
	}
	if !strings.Contains(o.stderr, "repslab: warning: bins=32 threshold=14 clocking=round-robin: none of 5 runs converged") ||
		!strings.Contains(o.stderr, "clocking=per-flow lambda=1: absorbing states are not looked for") {
		t.Errorf("stderr %q", o.stderr)
	}
	o = repslab(t, "ballsbins", "--rule", "two-choice", "--rounds", "5", "--replicas", "2", "--format", "csv")
	if o.code != exitDone || !strings.Contains(o.stderr, "mean_field_max_load is null") || !strings.Contains(o.stdout, ",,1,2\n") {
		t.Errorf("code %d, stdout %q, stderr %q", o.code, o.stdout, o.stderr)
	}
}

func TestPrecisionDecidesTheReplicas(t *testing.T) {
	o := repslab(t, "recycled", "--bins", "16", "--precision", "0.05", "--format", "json")
	rows, _ := rowsOf(t, o.stdout)
	n := rows[0]["replicas"].(float64)
	half := 1.97 * rows[0]["rounds_se"].(float64)
	if n < 64 || n > 5000 || half > 0.0505*rows[0]["rounds_mean"].(float64) {
		t.Errorf("%v replicas, row %v", n, rows[0])
	}
	o = repslab(t, "recycled", "--bins", "16", "--precision", "0.0001", "--replicas", "128", "--format", "json")
	if rows, _ := rowsOf(t, o.stdout); rows[0]["replicas"] != 128.0 {
		t.Errorf("row %v, want the cap of 128 replicas", rows[0])
	}
}

func TestTimingIsOnRequestOnly(t *testing.T) {
	for _, command := range []string{"ballsbins --bins 8", "recycled --bins 8", "coalescing --bins 8", "evs --evs 64", "allocate --bins 8"} {
		o := repslab(t, append(strings.Fields(command), "--replicas", "10", "--format", "json", "--timing")...)
		rows, keys := rowsOf(t, o.stdout)
		if !slices.Equal(keys[len(keys)-2:], []string{"wall_s", "ns_per_ball"}) || rows[0]["ns_per_ball"].(float64) <= 0 {
			t.Errorf("%s --timing: %v", command, rows)
		}
	}
}

// TestDerivedColumns checks the columns that are computed from others, and the
// warnings that go with partly missing statistics.
func TestDerivedColumns(t *testing.T) {
	o := repslab(t, "recycled", "--bins", "16", "--replicas", "50", "--format", "json")
	rows, _ := rowsOf(t, o.stdout)
	r, nLogN := rows[0], 16*math.Log(16)
	for key, want := range map[string]float64{
		"rounds_per_nlnn":  r["rounds_mean"].(float64) / nLogN,
		"rounds_per_n":     r["rounds_mean"].(float64) / 16,
		"max_load_per_lnn": r["max_load_mean"].(float64) / math.Log(16),
	} {
		if got := r[key].(float64); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s = %v, want %v", key, got, want)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"recycled --bins 5 --threshold 10 --colors-per-bin 4 --clocking round-robin --replicas 100", "of 100 runs converged: rounds_* are over these alone"},
		{"recycled --bins 1 --replicas 3", "ln n is 0 for bins=1"},
		{"recycled --bins 16 --replicas 1", "rounds_se is null"},
		{"recycled --bins 8 --clocking per-flow --delay 1000 --window 1 --max-rounds 100 --replicas 2", "random_throw_fraction is null"},
		{"recycled --bins 16 --precision 0.00001 --replicas 100", "the precision of 1e-05 was not reached with 100 replicas"},
		{"ballsbins --bins 4 --rounds 9 --precision 0.00001 --replicas 100", "the precision of 1e-05 was not reached with 100 replicas"},
	} {
		if o := repslab(t, strings.Fields(c.args)...); o.code != exitDone || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: code %d, stderr %q, want %q", c.args, o.code, o.stderr, c.want)
		}
	}
}
