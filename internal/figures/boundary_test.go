package figures

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/rows"
	"repslab/mc"
)

// roundTripPage writes the page docs/generated/round-trip.md. Its table has the rows with the usual ring and
// number of circuits.
func roundTripPage(t *testing.T, out engine.Output) string {
	t.Helper()
	var s strings.Builder
	s.WriteString("# What a round trip does to REPS\n\n" +
		"The numbers behind [Research](../research.md#the-round-trip), from `repslab reproduce boundary`. The model is the per-flow " +
		"process of package [`recycled`](../../recycled). The table has rings of 8 and 20 circuits; the figure's table has others too.\n\n")
	const setup = 3 // notes before those about the boundary
	fmt.Fprintf(&s, "## The boundary\n\n%s\n\n", strings.Join(out.Notes[setup:], "\n\n"))
	summary := out.Tables[1]
	usual := map[string]any{"ring": 8, "circuits": 20}
	isUsual := func(c frame.Column) bool { return usual[c.Key] != nil }
	w, err := rows.NewWriter(&s, rows.Markdown, slices.DeleteFunc(slices.Clone(summary.Columns), isUsual))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range summary.Rows {
		if cellOf(summary, row, "ring") != usual["ring"] || cellOf(summary, row, "circuits") != usual["circuits"] {
			continue
		}
		var cells []any
		for i, c := range summary.Columns {
			if !isUsual(c) {
				cells = append(cells, row[i])
			}
		}
		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&s, "\n%s\n", strings.Join(out.Notes[:setup], "\n\n"))
	return s.String()
}

// TestRoundTripPage: docs/generated/round-trip.md is what the figure finds, and its statements
// hold in the numbers.
func TestRoundTripPage(t *testing.T) {
	out, err := figure("boundary").Make(context.Background(), fromRecord(t, "boundary"))
	if err != nil {
		t.Fatal(err)
	}
	inspect(t, "boundary", out.Plot)
	const path = "../../docs/generated/round-trip.md"
	text := roundTripPage(t, out)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != text {
		t.Error("docs/generated/round-trip.md is not what `reproduce boundary` finds: " +
			"go test ./internal/figures -run RoundTripPage -update")
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
		t.Errorf("the page has a hole:\n%s", text)
	}
	rows := out.Tables[0]
	process := func(key string, where ...any) float64 {
		return valueAt(t, rows, key, append(where, "process", "per-flow", "bins", 128)...)
	}
	for _, c := range []struct {
		what        string
		less, great float64
	}{
		{"full rate: a delay that survives 10 circuits does not survive 40",
			process("boundary_hi", "open", "delay", "circuits", 40), process("boundary_lo", "open", "delay", "circuits", 10)},
		{"window: the length of the run does not matter, up to the resolution",
			process("boundary", "open", "window_excess", "circuits", 10) - 1,
			process("boundary", "open", "window_excess", "circuits", 40)},
		{"ring: 4 entries are not enough",
			process("boundary_hi", "threshold", 28, "ring", 4), process("boundary_lo", "threshold", 28, "delay", 70, "ring", 8)},
		{"ring: with 2 nothing survives", process("boundary", "threshold", 28, "ring", 2), 1},
	} {
		if c.less >= c.great {
			t.Errorf("%s: %v is not below %v", c.what, c.less, c.great)
		}
	}
	compared := 0
	for _, row := range rows.Rows {
		at := func(key string) any { return cellOf(rows, row, key) }
		if at("process") != "per-flow" || at("bins") != 128 || at("ring").(int) < 8 {
			continue
		}
		compared++
		if ratio := at("over_mean_field").(float64); math.Abs(ratio-1) > 0.05 {
			t.Errorf("%v: a boundary %.3f times that of the mean field, want 0.95 to 1.05", row, ratio)
		}
	}
	for _, ring := range []int{4, 8} { // a mean field that forgets how long a token's port is has 3.5 at 4
		of := []any{"threshold", 28, "delay", 70, "ring", ring}
		lo, hi := process("boundary_lo", of...), process("boundary_hi", of...)
		if limit := valueAt(t, rows, "boundary", append(of, "process", "mean-field")...); limit < lo || limit > hi {
			t.Errorf("ring %d: the boundary of the mean field is %v, that of the process %v to %v", ring, limit, lo, hi)
		}
	}
	if compared < 11 {
		t.Errorf("%d boundaries compared with the mean field", compared)
	}
}

// TestBoundarySearch: a search ends next to a change, and a range without one is no boundary.
func TestBoundarySearch(t *testing.T) {
	c := withWindow(14, 25, 8, 20).simulated(128)
	x, err := c.search(context.Background(), 1, 0)
	if err != nil || x != math.Trunc(x)+half {
		t.Fatalf("search = %v, %v, want a half-integer", x, err)
	}
	stream := mc.NewStream(1, mc.Algorithm, 0)
	below, errBelow := c.stays(context.Background(), int(x), stream)
	above, errAbove := c.stays(context.Background(), int(x)+1, stream)
	if !below || above || errBelow != nil || errAbove != nil {
		t.Errorf("survives at %v: %v, at %v: %v; want only the first", int(x), below, int(x)+1, above)
	}
	if x, err := withWindow(14, 1, 8, 5).simulated(16).search(context.Background(), 1, 0); !math.IsNaN(x) || err != nil {
		t.Errorf("search with a short delay = %v, %v, want NaN", x, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.search(cancelled, 1, 0); err == nil {
		t.Error("a cancelled search has no error")
	}
}
