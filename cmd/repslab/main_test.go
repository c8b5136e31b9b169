package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// outcome is what a command line gave.
type outcome struct {
	code           int
	stdout, stderr string
}

// repslab runs a command line in this process.
func repslab(t *testing.T, args ...string) outcome {
	t.Helper()
	return repslabUntil(context.Background(), args...)
}

func repslabUntil(ctx context.Context, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// TestUsageErrors: bad input ends with code 2 and one line on the standard error
// that names the flag, the value and what is allowed; nothing is printed on the
// standard output and nothing written.
func TestUsageErrors(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want []string
	}{
		{"serve --addr 0.0.0.0:0", []string{"--addr", `"0.0.0.0:0"`, "loopback", "--allow-remote"}},
		{"serve --addr :8080", []string{"--addr", `":8080"`, "loopback", "--allow-remote"}},
		{"serve --addr 8080", []string{"--addr", `"8080"`, "HOST:PORT"}},
		{"serve --addr 127.0.0.1:99999 --allow-remote", []string{"--addr", `"127.0.0.1:99999"`, "HOST:PORT"}},
		{"serve --export=", []string{"--export", `""`, "folder"}},
		{"serve --export site --addr 127.0.0.1:0", []string{"--export", "--addr", "exclude"}},
		{"serve now", []string{`"now"`, "no argument"}},
		{"recycled --bins 0", []string{"--bins", "0", "[1, 1048576]"}},
		{"recycled --bins 16..", []string{"--bins", `"16.."`, "a range needs two ends"}},
		{"recycled --bins", []string{"--bins", "output ports"}},
		{"recycled --quiet=maybe", []string{"--quiet", `"maybe"`, "true or false"}},
		{"recycled --threshold=", []string{"--threshold", `""`}},
		{"recycled --precision=", []string{"--precision", `""`}},
		{"recycled -o none/rows.csv", []string{"-o", `"none/rows.csv"`, "directory that exists"}},
		{"help nosuch", []string{`"nosuch"`, "ballsbins"}},
		{"recycled --threshold foo(n)", []string{"--threshold", "foo", "ln, log2 or sqrt"}},
		{"recycled --threshold n-40", []string{"--threshold", "n-40", "[1, 1073741824]"}},
		{"recycled --bins 1048576 --colors-per-bin 1000", []string{"--colors-per-bin", "1000", "[1, 64]"}},
		{"recycled --bins 1048576 --delay 1000 --clocking per-flow", []string{"--delay", "1000", "[0, 63]"}},
		{"recycled --clocking fast", []string{"--clocking", `"fast"`, "self-clocked, round-robin, per-flow"}},
		{"recycled --lambda 0", []string{"--lambda", "0", "(0, 1]"}},
		{"recycled --max-rounds 0", []string{"--max-rounds", "0", "[1, 2147483647]"}},
		{"recycled --replicas 0", []string{"--replicas", "0", "[1, 268435456]"}},
		{"recycled --replicas 1,2", []string{"--replicas", `"1,2"`, "one"}},
		{"recycled --precision 2", []string{"--precision", "2", "(0, 1)"}},
		{"recycled --seed -1", []string{"--seed", `"-1"`, "[0, 18446744073709551615]"}},
		{"recycled --workers x", []string{"--workers", `"x"`, "[0, 4096]"}},
		{"recycled --format yaml", []string{"--format", `"yaml"`, "table"}},
		{"recycled --speed 3", []string{"--speed", "--bins", "--threshold"}},
		{"recycled 16", []string{"recycled", `"16"`, "no argument"}},
		{"recycled -o .", []string{"-o", `"."`, "directory"}},
		{"ballsbins --lambda 1.5", []string{"--lambda", "1.5", "(0, 1]"}},
		{"ballsbins --lambda NaN", []string{"--lambda", `"NaN"`, "(0, 1]"}},
		{"ballsbins --bins 1..2000000", []string{"--bins", `"1..2000000"`, "1000000"}},
		{"ballsbins --bins 1..2000 --rounds 1..2000", []string{"1000000", "combinations"}},
		{"ballsbins --rounds 2000000000 --every 1", []string{"--every", "100000"}},
		{"ballsbins --every 0", []string{"--every", "0", "[1, 2147483647]"}},
		{"ballsbins --policy best", []string{"--policy", `"best"`, "uniform, two-choice, round-robin, static"}},
		{"ballsbins --variant weighted --lambda 1e-12", []string{"--lambda", "1e-12"}},
		{"evs --flows 0", []string{"--flows", "0", "[1, 65536]"}},
		{"evs --evs 16777217", []string{"--evs", "16777217", "[1, 16777216]"}},
		{"evs --evs 16777216 --flows 300", []string{"--evs (16777216)", "[1, 3579139]", "flows=300", "method=exact"}},
		{"evs --evs 4194304 --uplinks 8", []string{"--evs (4194304)", "[1, 2097152]", "uplinks=8"}},
		{"evs --evs 65537 --method hash", []string{"--evs (65537)", "[1, 65536]", "method=hash"}},
		{"evs --evs 16,131072 --method multinomial,crc32", []string{"--evs (131072)", "[1, 65536]", "method=crc32"}},
		{"evs --uplinks 4097", []string{"--uplinks", "4097", "[1, 4096]"}},
		{"evs --method sha", []string{"--method", `"sha"`, "exact, multinomial, hash, crc32"}},
		{"coalescing --bins 0", []string{"--bins", "0", "[1, 1048576]"}},
		{"coalescing --ack-ratio 0", []string{"--ack-ratio", "0", "[1, 65536]"}},
		{"coalescing --ack-ratio 1000 --bins 1048576 --ack-variant carry", []string{"--ack-ratio", "1000", "[1, 128]"}},
		{"coalescing --ack-variant some", []string{"--ack-variant", `"some"`, "standard, carry, reuse, every-rth-round"}},
		{"coalescing --clocking fast", []string{"--clocking", `"fast"`, "self-clocked, round-robin, per-flow"}},
		{"coalescing --clocking self-clocked", []string{"--clocking", "self-clocked", "[round-robin per-flow] under standard"}},
		{"coalescing --clocking per-flow --ack-variant every-rth-round", []string{"--clocking", "per-flow", "[self-clocked] under every-rth-round"}},
		{"coalescing --threshold n-40", []string{"--threshold", "n-40", "[1, 1073741824]"}},
		{"coalescing --bins 1048576 --colors-per-bin 1000", []string{"--colors-per-bin", "1000", "[1, 64]"}},
		{"coalescing --rounds 0", []string{"--rounds", "0", "[1, 2147483647]"}},
		{"coalescing --max-rounds 5", []string{"--max-rounds", "--ack-ratio", "--rounds"}},
		{"reproduce fig99", []string{`"fig99"`, "tab01, fig02, fig03"}},
		{"reproduce --quick --full", []string{"--quick", "--full"}},
		{"reproduce --style fancy", []string{"--style", `"fancy"`, "acm", "slides"}},
		{"reproduce --out file", []string{"--out", `"file"`, "directory"}},
		{"reproduce --out file/x", []string{"--out", `"file/x"`, "directory"}},
		{"reproduce --seed 1e3", []string{"--seed", `"1e3"`}},
		{"prove --step Z9", []string{"--step", `("Z9")`, "T1", "S9"}},
		{"prove --explain C", []string{"--explain", `("C")`, "C16"}},
		{"prove --step E1 --explain E1", []string{"--step", "--explain", "exclude"}},
		{"prove --bins 15", []string{"--bins", "15", "[16, 1048576]"}},
		{"prove --bins=", []string{"--bins"}},
		{"prove --format yaml", []string{"--format", `"yaml"`, "markdown"}},
		{"prove -o none/proof.md", []string{"-o", `"none/proof.md"`}},
		{"prove --seed 2", []string{"--seed", "--bins", "--explain"}},
		{"simulate", []string{`"simulate"`, "ballsbins", "coalescing", "evs", "recycled", "reproduce"}},
		{"--verbose", []string{"--verbose"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			o := repslab(t, strings.Fields(c.args)...)
			if o.code != exitUsage || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, "repslab: error: ") {
				t.Errorf("code %d, stdout %q, stderr %q; want code 2 and one line of error", o.code, o.stdout, o.stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(o.stderr, want) {
					t.Errorf("stderr %q, want it to contain %q", o.stderr, want)
				}
			}
		})
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("files were written: %v, error %v", entries, err)
	}
}

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
	want := strings.Fields(`bins threshold threshold_expression colors_per_bin clocking lambda ring delay window max_rounds
		converged certified rounds_mean rounds_se rounds_p50 rounds_p95 rounds_max rounds_per_nlnn rounds_per_n
		max_load_mean max_load_max max_load_per_lnn random_throw_fraction duplicate_color_fraction seed replicas`)
	if !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
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
		if r["converged"] != 100.0 || r["certified"] != 0.0 || r["duplicate_color_fraction"] != nil || r["replicas"] != 100.0 {
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
	want := strings.Fields(`flows evs uplinks method imbalance_mean imbalance_se
		imbalance_p025 imbalance_p05 imbalance_p50 imbalance_p95 imbalance_p975 seed replicas`)
	if !slices.Equal(keys, want) || len(rows) != 4 {
		t.Fatalf("%d rows with keys %v, want 4 with %v", len(rows), keys, want)
	}
	for i, want := range []struct{ flows, mean, median float64 }{{1, 0.79800379, 0.75}, {32, 0.13160354, 0.12890625}} {
		r, sampled := rows[2*i], rows[2*i+1]
		if r["method"] != "exact" || r["flows"] != want.flows || math.Abs(r["imbalance_mean"].(float64)-want.mean) > 1e-8 ||
			r["imbalance_p50"] != want.median || r["imbalance_se"] != nil || r["replicas"] != 0.0 {
			t.Errorf("exact row %v, want %+v", r, want)
		}
		if sampled["method"] != "multinomial" || sampled["imbalance_se"] == nil || sampled["replicas"] != 50.0 {
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
		max_load_mean max_load_se max_load_p95 peak_load_mean over_threshold_fraction ops_max_load_mean seed replicas`)
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

// TestMissingStatisticsAreNull: what does not exist is null, with a warning and
// code 0.
func TestMissingStatisticsAreNull(t *testing.T) {
	o := repslab(t, "recycled", "--clocking", "round-robin,per-flow", "--bins", "32", "--replicas", "5", "--max-rounds", "2000", "--format", "json")
	rows, _ := rowsOf(t, o.stdout)
	if o.code != exitDone || len(rows) != 2 {
		t.Fatalf("code %d, stdout %q", o.code, o.stdout)
	}
	if r := rows[0]; r["converged"] != 0.0 || r["rounds_mean"] != nil || r["duplicate_color_fraction"] != 1.0 {
		t.Errorf("round-robin: %v", r)
	}
	if r := rows[1]; r["converged"] != nil || r["certified"] != nil || r["rounds_mean"] != nil || r["duplicate_color_fraction"] != nil || r["random_throw_fraction"] == nil {
		t.Errorf("per-flow: %v", r)
	}
	if !strings.Contains(o.stderr, "repslab: warning: bins=32 threshold=14 clocking=round-robin: none of 5 runs converged") ||
		!strings.Contains(o.stderr, "clocking=per-flow lambda=1: absorbing states are not looked for") {
		t.Errorf("stderr %q", o.stderr)
	}
	o = repslab(t, "ballsbins", "--policy", "two-choice", "--rounds", "5", "--replicas", "2", "--format", "csv")
	if o.code != exitDone || !strings.Contains(o.stderr, "mean_field_max_load is null") || !strings.Contains(o.stdout, ",,1,2\n") {
		t.Errorf("code %d, stdout %q, stderr %q", o.code, o.stdout, o.stderr)
	}
}

// TestSameBytesForAnyWorkers covers all commands, with and without a stopping
// rule, in all formats.
func TestSameBytesForAnyWorkers(t *testing.T) {
	for _, args := range [][]string{
		{"ballsbins", "--bins", "32", "--lambda", "0.99", "--rounds", "100", "--every", "30", "--replicas", "300"},
		{"ballsbins", "--bins", "4,8", "--variant", "weighted", "--rounds", "50", "--precision", "0.02"},
		{"evs", "--flows", "2", "--evs", "16,100", "--method", "exact,multinomial,hash,crc32", "--replicas", "300"},
		{"recycled", "--bins", "8..32:x2", "--replicas", "500"},
		{"recycled", "--clocking", "per-flow", "--bins", "8", "--max-rounds", "500", "--precision", "0.01"},
		{"coalescing", "--bins", "8", "--ack-ratio", "1,2", "--ack-variant", "carry,every-rth-round", "--rounds", "20,50", "--replicas", "300"},
		{"coalescing", "--bins", "8", "--clocking", "per-flow", "--rounds", "50", "--precision", "0.01"},
	} {
		for _, format := range []string{"table", "csv", "json", "markdown", "latex"} {
			one := repslab(t, append(args, "--format", format, "--workers", "1")...)
			two := repslab(t, append(args, "--format", format, "--workers", "2")...)
			if one.code != exitDone || one.stdout == "" || one != two {
				t.Errorf("%v --format %s: one worker %+v, two workers %+v", args, format, one, two)
			}
		}
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
	for _, command := range []string{"ballsbins --bins 8", "recycled --bins 8", "coalescing --bins 8", "evs --evs 64"} {
		o := repslab(t, append(strings.Fields(command), "--replicas", "10", "--format", "json", "--timing")...)
		rows, keys := rowsOf(t, o.stdout)
		if !slices.Equal(keys[len(keys)-2:], []string{"wall_s", "ns_per_ball"}) || rows[0]["ns_per_ball"].(float64) <= 0 {
			t.Errorf("%s --timing: %v", command, rows)
		}
	}
}

func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	args := []string{"ballsbins", "--bins", "4,8", "--rounds", "10", "--replicas", "10", "--format", "csv"}
	plain := repslab(t, args...)
	o := repslab(t, append(args, "-o", path)...)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if o.code != exitDone || o.stdout != "" || string(data) != plain.stdout {
		t.Errorf("code %d, stdout %q, file %q; want the file to hold %q", o.code, o.stdout, data, plain.stdout)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the directory holds %v", entries)
	}
}

// interrupting is a writer that interrupts the program at the first row.
type interrupting struct {
	bytes.Buffer
	interrupt func()
}

func (w *interrupting) Write(p []byte) (int, error) {
	w.interrupt()
	return w.Buffer.Write(p)
}

// TestInterruption: rows that are finished are written, the code is 130.
func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stdout := &interrupting{interrupt: cancel}
	var stderr bytes.Buffer
	code := run(ctx, []string{"recycled", "--bins", "16,1024,2048", "--replicas", "1000000", "--max-rounds", "10", "--format", "json"}, stdout, &stderr)
	rows, _ := rowsOf(t, stdout.String())
	if code != exitInterrupted || len(rows) != 1 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("code %d, %d rows, stderr %q; want 130 and one row", code, len(rows), stderr.String())
	}

	// The same into a file: the first point is finished before the second, which
	// never ends by itself, is interrupted.
	path := filepath.Join(t.TempDir(), "rows.json")
	ctx, cancel = context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	o := repslabUntil(ctx, "recycled", "--bins", "16,1048576", "--lambda", "0.5", "--max-rounds", "20000", "--replicas", "1", "--format", "json", "-o", path)
	if data, err := os.ReadFile(path); o.code != exitInterrupted || err != nil || strings.Count(string(data), "\n") != 1 {
		t.Errorf("code %d, file %q, error %v; want 130 and one row", o.code, data, err)
	}

	path = filepath.Join(t.TempDir(), "none.json")
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	o = repslabUntil(ctx, "recycled", "--bins", "16", "-o", path, "--format", "json")
	if _, err := os.Stat(path); o.code != exitInterrupted || !os.IsNotExist(err) {
		t.Errorf("code %d, error %v; want 130 and no file, since no row was finished", o.code, err)
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range []string{"", "help", "--help", "help recycled", "recycled --help", "reproduce --help"} {
		if o := repslab(t, strings.Fields(args)...); o.code != exitDone || !strings.Contains(o.stdout, "repslab") || o.stderr != "" {
			t.Errorf("%q: code %d, stdout %q, stderr %q", args, o.code, o.stdout, o.stderr)
		}
	}
	if o := repslab(t, "version"); o.code != exitDone || !strings.HasPrefix(o.stdout, "repslab "+version) || strings.Count(o.stdout, "\n") != 1 {
		t.Errorf("version: %+v", o)
	}
}

// TestExamplesRun runs every example of the help texts with few replicas.
func TestExamplesRun(t *testing.T) {
	inputs := map[string]string{}
	for name, from := range map[string]string{"permutation.cm": "perm_n128_s8388608.cm", "tree.topo": "fat_tree_128_1os_2t_400g.topo"} {
		path, err := filepath.Abs("../../fattree/traffic/testdata/" + from)
		if err != nil {
			t.Fatal(err)
		}
		inputs[name] = path
	}
	for _, cmd := range newRoot(models(), nil, nil).Commands() {
		for line := range strings.Lines(cmd.Example) {
			args := strings.Fields(strings.ReplaceAll(line, "'", ""))[1:]
			t.Chdir(t.TempDir())
			switch cmd.Name() {
			case "reproduce":
				args = []string{"reproduce", "tab01", "--quiet"}
			case "prove":
				if len(args) == 1 {
					args = append(args, "--step", "L1")
				}
			case "fattree":
				for name, path := range inputs {
					copyFile(t, path, name)
				}
				args = append(args, "--replicas", "2")
			case "merge", "show", "export", "plot", "compare":
				args = withFiles(t, args)
			case "serve": // the others serve until they are interrupted
				if !slices.Contains(args, "--export") {
					continue
				}
			case "man", "version":
				args = replaceHome(args, t.TempDir())
				if args[0] == "completion" { // redirected
					args = args[:2]
				}
			case "sweep":
				if strings.Contains(line, "slurm") { // TestSlurm runs these
					continue
				}
				args = replace(args, "--replicas", "2", "--max-replicas", "64")
			default:
				args = append(args, "--replicas", "2")
			}
			if o := repslab(t, args...); o.code != exitDone {
				t.Errorf("%v: code %d, stderr %q", args, o.code, o.stderr)
			}
		}
	}
}

// replaceHome replaces the home folder.
func replaceHome(args []string, home string) []string {
	for i, a := range args {
		args[i] = strings.Replace(a, "~", home, 1)
	}
	return args
}

// replace replaces the values of flags that are given.
func replace(args []string, values ...string) []string {
	for i := 0; i < len(values); i += 2 {
		if k := slices.Index(args, values[i]); k >= 0 {
			args[k+1] = values[i+1]
		}
	}
	return args
}

// withFiles makes the result files that an example reads and expands its patterns.
func withFiles(t *testing.T, args []string) []string {
	t.Helper()
	small := func(args ...string) {
		t.Helper()
		if o := repslab(t, append([]string{"sweep", "recycled", "--bins", "8,16", "--replicas", "8"}, args...)...); o.code != exitDone {
			t.Fatalf("%v: %+v", args, o)
		}
	}
	var expanded []string
	output := slices.Index(args, "-o") + 1
	for i, arg := range args {
		switch {
		case i == output && output > 0 || !strings.Contains(arg, ".jsonl"):
		case strings.Contains(arg, "*-of-8"):
			for k := range 8 {
				small("-o", "r.jsonl", "--shard", fmt.Sprintf("%d/8", k+1))
			}
			found, err := filepath.Glob(arg)
			if err != nil || len(found) != 8 {
				t.Fatalf("%v, error %v", found, err)
			}
			expanded = append(expanded, found...)
			continue
		case arg == "loose.jsonl":
			small("-o", arg, "--threshold", "8*ln(n)")
		default:
			small("-o", arg)
		}
		expanded = append(expanded, arg)
	}
	return expanded
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

// TestSignals runs the real program and interrupts it while it works.
func TestSignals(t *testing.T) {
	if os.Getenv("REPSLAB_TEST_MAIN") != "" {
		os.Args = append(os.Args[:1], strings.Fields(os.Getenv("REPSLAB_TEST_MAIN"))...)
		main()
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSignals$")
	cmd.Env = append(os.Environ(), "REPSLAB_TEST_MAIN=recycled --bins 16,1048576 --clocking round-robin --replicas 2 --format json")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(stdout)
	if line, err := reader.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"bins":16,`) {
		t.Errorf("first row %q, error %v", line, err)
	}
	time.Sleep(200 * time.Millisecond) // into the second point, of a million bins
	start := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(reader); len(rest) > 0 {
		t.Errorf("after the interruption it printed %q", rest)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want code 130", err)
	}
	if took := time.Since(start); took > 3*time.Minute {
		t.Errorf("the interruption took %v", took)
	}
}
