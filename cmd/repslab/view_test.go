package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/frame"
)

// viewed returns what a command prints, which must succeed.
func viewed(t *testing.T, line string) string {
	t.Helper()
	o := repslab(t, strings.Fields(line)...)
	if o.code != exitDone {
		t.Fatalf("repslab %s: %+v", line, o)
	}
	return o.stdout
}

// TestColumnsAndSort: the same choice of columns and order of rows in a model's own command, show and
// export; the rows of compare too.
func TestColumnsAndSort(t *testing.T) {
	t.Chdir(t.TempDir())
	const model = "evs --flows 4 --uplinks 4 --evs 16,8,32 --method exact,multinomial --replicas 20"
	mustSweep(t, "e.jsonl", append(strings.Fields("sweep "+model), "-o", "e.jsonl")...)
	for _, view := range []string{
		" --format csv --columns method,evs,imbalance_p50 --sort method,-evs",
		" --columns imbalance_mean,evs --sort -imbalance_se,evs",
		" --format json --sort -method",
	} {
		own, shown := viewed(t, model+view), viewed(t, "show e.jsonl"+view)
		if exported := viewed(t, "export e.jsonl"+view+map[bool]string{false: " --format table"}[strings.Contains(view, "--format")]); own != shown || shown != exported {
			t.Errorf("%s: the model prints\n%s\nshow\n%s\nexport\n%s", view, own, shown, exported)
		}
	}
	const want = "method,evs\nmultinomial,32\nmultinomial,16\nmultinomial,8\nexact,32\nexact,16\nexact,8\n"
	if got := viewed(t, "export e.jsonl --columns method,evs --sort -method,-evs"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// Exact rows have no standard error: they are last in either direction.
	for _, key := range []string{"imbalance_se", "-imbalance_se"} {
		got := strings.Fields(viewed(t, "export e.jsonl --columns method --sort "+key))
		if strings.Join(got[4:], " ") != "exact exact exact" {
			t.Errorf("--sort %s: %v", key, got)
		}
	}
	got := viewed(t, "compare e.jsonl e.jsonl --columns evs,b_vs_a --sort -evs")
	if want := " evs                   b_vs_a\n------------------------------\n  32  ~ (p=1.000 n=20 paired)\n  16  ~ (p=1.000 n=20 paired)\n   8  ~ (p=1.000 n=20 paired)\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUsageErrorsOfViews(t *testing.T) {
	checkRefused(t, "file", "", []refusal{
		{"evs --columns evs,nosuch", []string{"--columns", `"nosuch"`, "flows, evs, uplinks"}},
		{"evs --columns evs,evs", []string{"--columns", `"evs"`, "once"}},
		{"evs --sort nosuch -o x", []string{"--sort", `"nosuch"`, "flows, evs, uplinks"}},
		{"evs --interval pm --format csv", []string{"--interval", "csv"}},
		{"evs --interval sigma", []string{"--interval", `"sigma"`, "pm", "brackets"}},
		{"prove --columns step", []string{"--columns"}},
	})
}

// TestPaperTable: a LaTeX table has the parameters that vary and the estimates, a short caption and a label; a
// comment has the other parameters.
func TestPaperTable(t *testing.T) {
	const model = "ballsbins --bins 8,16 --rounds 50 --replicas 30 --format latex"
	got := viewed(t, model)
	for _, want := range []string{"% ballsbins; lambda = 1; rounds = 50;", "replicas = 30\n\\begin{table}", "\\caption{Estimates with 95 \\% intervals.}\n",
		`\label{tab:ballsbins}`,
		`\begin{tabular}{rrr}`, "\n8 & ", ` $\pm $ `, `\end{table}`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "exceeds") || strings.Contains(got, "bins =") {
		t.Errorf("a parameter without a value, or one that varies, is in the caption of\n%s", got)
	}
	chosen := viewed(t, model+" --columns lambda,bins,max_load_p95,max_load_mean --interval brackets")
	if !strings.Contains(chosen, `{rrrr}`) || strings.Contains(chosen, "lambda =") || !strings.Contains(chosen, "\n1 & 8 & ") ||
		!strings.Contains(chosen, " [") {
		t.Errorf("--columns:\n%s", chosen)
	}
}

// TestLong: a row for each result, with the interval that the point's row implies.
func TestLong(t *testing.T) {
	t.Chdir(t.TempDir())
	mustSweep(t, "b.jsonl", strings.Fields("sweep ballsbins --bins 8,16 --rounds 20 --replicas 30 -o b.jsonl")...)
	got := strings.Split(viewed(t, "export b.jsonl --long --columns bins,round,quantity,value,se,unit --sort quantity"), "\n")
	wide := strings.Split(strings.Split(viewed(t, "export b.jsonl --columns max_load_mean,max_load_se"), "\n")[1], ",")
	if want := "8,20,max_load_mean," + wide[0] + "," + wide[1] + ","; got[1] != want {
		t.Errorf("%q, want %q", got[1], want)
	}
	if len(got) != 2+2*5 { // head, end, and max_load_mean, max_load_p95, total_load_mean, total_load_exact and mean_field_max_load of 2 points
		t.Errorf("%d lines: %q", len(got), got)
	}
}

// TestInterruptedFiles: the end of an interrupted command names the files that are not written.
func TestInterruptedFiles(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	files := []*extraFile{{flag: "flows-out", path: "f.csv"}, {flag: "trace", path: "t.csv"}}
	cancel()
	err := unwritten(ctx, ctx.Err(), "r.csv", files)
	const want = "the rows are written to r.csv; --flows-out f.csv is not written; --trace t.csv is not written"
	if i, ok := err.(*console.Interruption); !ok || i.Written != want {
		t.Errorf("%v, want %s", err, want)
	}
	err = unwritten(ctx, console.Interrupted("no row was written", ctx.Err()), "r.csv", files[1:])
	if i := err.(*console.Interruption); i.Written != "no row was written; --trace t.csv is not written" {
		t.Errorf("%s", i.Written)
	}
}

// TestBriefTables: a table has the main columns of its model, the parameters that vary and the columns of --timing,
// and says how many it leaves out; --columns all and the other formats have all.
func TestBriefTables(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, m := range cases.All() {
		if known := frame.Keys(m.Columns()); len(m.Brief) < 4 {
			t.Errorf("%s has few main columns: %v", m.Name, m.Brief)
		} else if i := slices.IndexFunc(m.Brief, func(key string) bool { return !slices.Contains(known, key) }); i >= 0 {
			t.Errorf("%s has no column %s", m.Name, m.Brief[i])
		}
	}
	args := strings.Fields("recycled --bins 16,32 --threshold 2*n --max-rounds 900,1000 --replicas 2")
	mustSweep(t, "a.jsonl", append([]string{"sweep", "-o", "a.jsonl"}, args...)...)
	for _, command := range [][]string{args, append(args, "--timing"), {"show", "a.jsonl"}} {
		o := repslab(t, command...)
		lines := strings.Split(o.stdout, "\n")
		if last := lines[len(lines)-2]; !strings.HasSuffix(last, "more columns: --columns all") || len(lines) > 25 {
			t.Errorf("%v prints\n%s", command, o.stdout)
		}
		for key, want := range map[string]bool{
			"rounds_mean": true, "max_rounds": true, "wall_s": slices.Contains(command, "--timing"), "random_throw_fraction": false,
			"seed": false, "exceeds_probability": false, // without a value
		} {
			if strings.Contains(o.stdout, key) != want {
				t.Errorf("%v: has %s %t, want %t:\n%s", command, key, !want, want, o.stdout)
			}
		}
		all := repslab(t, append(command, "--columns", "all")...)
		json := repslab(t, append(command, "--format", "json")...)
		_, everything := rowsOf(t, json.stdout)
		for _, key := range everything {
			if !strings.Contains(all.stdout, key) {
				t.Errorf("%v --columns all has no %s", command, key)
			}
		}
		if strings.Contains(all.stdout+json.stdout, "--columns all") {
			t.Errorf("%v: all columns leave some out", command)
		}
	}
	if o := repslab(t, append(args, "--columns", "bins,all")...); o.code != exitUsage {
		t.Errorf("--columns bins,all: %+v", o)
	}
}

// TestTableNames: --legend renames values of the parameters that vary, in tables for people, also before the
// rows are computed; other values, and formats for programs, are errors.
func TestTableNames(t *testing.T) {
	t.Chdir(t.TempDir())
	const run = "fattree --hosts 8 --message-bytes 10kB --lb ops,reps --replicas 2 --failure none|cables=1,at=1 --columns lb,failure,flows"
	mustSweep(t, "r.jsonl", strings.Fields("sweep fattree --hosts 8 --message-bytes 10kB --lb ops,reps --replicas 2 --failure none|cables=1,at=1 -o r.jsonl")...)
	for _, command := range []string{run, "show r.jsonl --columns lb,failure,flows"} {
		for _, format := range []string{"table", "markdown", "latex"} {
			o := repslab(t, append(strings.Fields(command), "--format", format, "--legend", "reps=REPS,cables=1,at=1=one link, of all,none=-")...)
			for strings.HasPrefix(o.stdout, "%") { // what all rows share
				_, o.stdout, _ = strings.Cut(o.stdout, "\n")
			}
			if o.code != exitDone || strings.Count(o.stdout, "REPS") != 2 || strings.Count(o.stdout, "one link, of all") != 2 ||
				strings.Count(o.stdout, "ops") != 2 || strings.Contains(o.stdout, "none") {
				t.Errorf("%s: %+v", command, o)
			}
		}
	}
	for _, wrong := range []string{"--legend resp=REPS", "--legend REPS", "--legend 8=eight", "--legend reps=REPS --format csv", "--legend reps=REPS --format json"} {
		if o := repslab(t, append(strings.Fields(run), strings.Fields(wrong)...)...); o.code != exitUsage || !strings.Contains(o.stderr, "--legend: ") || o.stdout != "" {
			t.Errorf("%s: %+v", wrong, o)
		}
	}
	for _, one := range []string{"leafspine --packets 4 --replicas 2", "ballsbins --bins 8 --replicas 2"} {
		o := repslab(t, append(strings.Fields(one), "--legend", "x=y")...)
		if o.code != exitUsage || !strings.Contains(o.stderr, "--legend: must not be given: it names values of parameters that vary, but none varies") || o.stdout != "" {
			t.Errorf("%s: %+v", one, o)
		}
	}
	if err := os.Mkdir("tables", 0o777); err != nil {
		t.Fatal(err)
	}
	o := repslab(t, append(strings.Fields(run), "--format", "latex", "-o", "tables/a_b c.tex")...)
	if text := string(fileBytes(t, "tables/a_b c.tex")); o.code != exitDone || !strings.Contains(text, `\label{tab:a_b-c}`) {
		t.Errorf("%+v: %s", o, text)
	}
}
