package figures

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/frame"
)

// The table of docs/findings.md stands between two lines of its text.
const (
	findingsDocument = "../../docs/findings.md"
	findingsBegin    = "<!-- table: written by TestFindings -->\n"
	findingsEnd      = "<!-- end of table -->\n"
)

// findingsRows writes the figure's table as the table of docs/findings.md.
func findingsRows(rows frame.Table) string {
	var s strings.Builder
	s.WriteString("\n| finding | quantity | meant | coded | authors' |\n|---|---|---|---|---|\n")
	for _, row := range rows.Rows {
		number := func(key string) string {
			switch x := cellOf(rows, row, key).(float64); {
			case math.Abs(x) >= 100:
				return fmt.Sprintf("%.0f", x)
			default:
				return fmt.Sprintf("%.3g", x)
			}
		}
		value := func(prefix string) string {
			text := number(prefix + "_value")
			if !math.IsNaN(cellOf(rows, row, prefix+"_value_lo").(float64)) {
				text += " [" + number(prefix+"_value_lo") + ", " + number(prefix+"_value_hi") + "]"
			}
			return strings.Replace(text, "NaN", "none", 1)
		}
		fmt.Fprintf(&s, "| %v | %v | %v: %s | %v: %s | %s |\n", cellOf(rows, row, "section"), cellOf(rows, row, "quantity"),
			cellOf(rows, row, "meant"), value("meant"), cellOf(rows, row, "coded"), value("coded"), value("authors"))
	}
	return s.String() + "\n"
}

// findingsEffects says whether the code makes a quantity larger or smaller by more than the
// intervals.
func findingsEffects() map[string]int {
	return map[string]int{
		"Requests: maximum FCT, OPS / REPS; 32 hosts, permutation, one of 4 spines failed":                -1,
		"Turns: retransmissions, REPS; all-to-all of 32 hosts, 4 flows each":                              1,
		"Packets per ACK: maximum FCT, REPS, µs; 128 hosts, permutation":                                  1,
		"Reused memory: maximum FCT, adaptive RoCE, µs; 128 hosts, tornado, a tenth of the flows by ECMP": 1,
		"Mask: end, BitMap, µs; butterfly of 32 hosts":                                                    1,
		"Packets per ACK: the same, one of 8 uplinks of every ToR failed":                                 -1,
		"Bit errors: retransmissions, REPS; 32 hosts, permutation, 1 % in switches":                       1,
		"Length of failures: maximum FCT, OPS / REPS; as for requests, which leak":                        1,
		"Leaving freezing mode: maximum FCT / ideal, REPS; 64 hosts (authors' 1,024), permutation, half of the " +
			"uplinks failed, frozen for 100 µs at a time": 1,
		"Frozen ring: step, REPS, µs; ring all-reduce of 64 MiB, 16 ranks on 64 hosts, connections inherited, a cable fails for good": 1,
		"Frozen ring: the step, 4 packets per ACK":                                                                          1,
		"Frozen ring: the step, 4 packets per ACK, the cable recovers after 500 µs":                                         1,
		"Frozen ring: the permutation, 4 packets per ACK":                                                                   1,
		"Idle connections: maximum FCT of later messages, REPS, µs; 64 hosts, permutation, a message of 1 MiB every 200 µs": 1,
		"Idle connections: the same, frozen for 100 µs at a time":                                                           1,
		"Idle connections: the same, but the links fail during the first message and recover in the pause":                  1,
		"Idle connections: mean FCT; 128 KiB, the links fail in the first pause, frozen for 100 µs at a time":               -1,
		"Theorem: share of runs that converge; 16 ports, smallest parameters":                                               1,
	}
}

// TestFindings: the table of docs/findings.md is the table of the figure, every finding has a
// section, and effects are the effects of which the page speaks. The seed is fixed: no false alarms.
func TestFindings(t *testing.T) {
	out, err := findings(context.Background(), fromRecord(t, "findings"))
	if err != nil {
		t.Fatal(err)
	}
	rows := out.Tables[0]
	text, err := os.ReadFile(findingsDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), findingsBegin)
	_, after, ended := strings.Cut(rest, findingsEnd)
	if !begun || !ended {
		t.Fatal("docs/findings.md: no place for the table")
	}
	document := before + findingsBegin + findingsRows(rows) + findingsEnd + after
	if *update {
		if err := os.WriteFile(findingsDocument, []byte(document), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if document != string(text) {
		t.Error("docs/findings.md is not what `reproduce findings` finds: go test ./internal/figures -run Findings -update")
	}
	var sections []string
	for _, row := range rows.Rows {
		section := cellOf(rows, row, "section").(string)
		sections = append(sections, section)
		if !strings.Contains(document, "\n## "+section) {
			t.Errorf("docs/findings.md: no section %q", section)
		}
		end := func(key string) float64 { return cellOf(rows, row, key).(float64) }
		effect := 0
		switch {
		case end("coded_value_lo") > end("meant_value_hi"):
			effect = 1
		case end("coded_value_hi") < end("meant_value_lo"):
			effect = -1
		}
		quantity := cellOf(rows, row, "quantity").(string)
		if want := findingsEffects()[section+": "+quantity]; effect != want {
			t.Errorf("%s, %s: effect %d of the code, want %d", section, quantity, effect, want)
		}
	}
	if n := len(slices.Compact(sections)); n < 12 {
		t.Errorf("%d findings", n)
	}
}

// TestAuthorsRunsOfFindings: the authors' values come from their runs.
func TestAuthorsRunsOfFindings(t *testing.T) {
	file, err := os.Open("../crosscheck/testdata/htsim_runs.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	check := func(r claims.Reading) {
		column := slices.Index(lines[0], r.Quantity)
		if column < 0 {
			return // of a claim
		}
		found++
		var values []float64
		for _, line := range lines[1:] {
			if rest, ok := strings.CutPrefix(line[0], r.Setting); ok && (rest == "" || strings.HasPrefix(rest, "_s")) {
				values = append(values, authorsNumber(line[column]))
			}
		}
		slices.Sort(values)
		want := []string{fmt.Sprintf("%.4g", mean(values)), "", "", fmt.Sprint(len(values))}
		if len(values) > 1 {
			want[1], want[2] = fmt.Sprintf("%.4g", values[0]), fmt.Sprintf("%.4g", values[len(values)-1])
		} else if len(values) == 1 {
			want[0] = fmt.Sprintf("%.0f", values[0])
		}
		if got := []string{r.Value, r.Least, r.Top, r.Seeds}; !slices.Equal(got, want) {
			t.Errorf("%s, %s: %q, want %q", r.Setting, r.Quantity, got, want)
		}
	}
	for _, d := range slices.Concat(hostSlips(1), balancerSlips(), ackSlips(), failureSlips(), recyclingSlips(), idleSlips()) {
		for _, q := range d.effects {
			check(q.authors)
		}
	}
	if found != 8 {
		t.Errorf("%d values of htsim_runs.csv, want 8", found)
	}
}
