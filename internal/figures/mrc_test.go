package figures

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/lists"
	"repslab/mc"
)

// checkTable holds the rows of a document between a line that names a table and the line that ends it against others,
// or with -update writes these.
func checkTable(t *testing.T, document, name, rows string) {
	t.Helper()
	begin, end := "<!-- "+name+": written by "+t.Name()+" -->\n", "<!-- end of table -->\n"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s: no place for a table after %q", document, begin)
	}
	want := before + begin + rows + end + after
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is not what reproduce finds: go test ./internal/figures -run %s -update", document, t.Name())
	}
}

// mrcRows writes the statements about MRC as the table of docs/generated/mrc.md.
func mrcRows(found []claims.Finding) string {
	var s strings.Builder
	s.WriteString("\n| | published | here | grade | why |\n|---|---|---|---|---|\n")
	for _, f := range found {
		c := claims.Find(f.Claim)
		fmt.Fprintf(&s, "| %s | %s: %s | %s | %s | %s |\n", c.ID, c.Metric, c.Claimed, f.Measured, f.Grade, f.Why)
	}
	return s.String() + "\n"
}

// TestInPercent: a ratio of 9 us to 10 us is 90 %, and the times behind it stay in microseconds.
func TestInPercent(t *testing.T) {
	basis := mc.Basis{Quantity: "whole over dead port", Unit: "us", Values: []float64{9, 9}, Over: []float64{10, 10}}
	got := inPercent(mc.Estimate{Value: 0.9, Lo: 0.8, Hi: 1, Basis: basis})
	if got.Value != 90 || got.Lo != 80 || got.Hi != 100 || got.Basis.Values[0] != 9 || got.Basis.Over[0] != 10 {
		t.Errorf("%v %% of times %v, %v, want 90 of 9, 10", got.Value, got.Basis.Values, got.Basis.Over)
	}
}

// TestMRCStatements: the tables of both documents are from the recorded runs, and the findings are the statements in
// order. The seed is fixed: no false alarms.
func TestMRCStatements(t *testing.T) {
	out, err := mrc(context.Background(), fromRecord(t, "mrc"))
	if err != nil {
		t.Fatal(err)
	}
	c := newMRC()
	if err := c.run(context.Background(), fromRecord(t, "mrc")); err != nil {
		t.Fatal(err)
	}
	checkTable(t, "../../docs/generated/mrc.md", "table", mrcRows(out.Findings))
	checkTable(t, "../../docs/mrc.md", "map", mapRows(&c))
	ids := lists.Map(slices.DeleteFunc(slices.Clone(claims.MRC()), func(c claims.Claim) bool { return c.Figure != "mrc" }),
		func(c claims.Claim) string { return c.ID })
	if found := lists.Map(out.Findings, func(f claims.Finding) string { return f.Claim }); !slices.Equal(found, ids) {
		t.Errorf("findings about %q, want %q", found, ids)
	}
}

// mapRows writes the table of docs/mrc.md that says by how much others take longer than MRC.
func mapRows(c *comparison) string {
	var s strings.Builder
	s.WriteString("\n| network | planes | REPS for each plane | mixed | OPS |\n|---|---|---|---|---|\n")
	for _, at := range []struct {
		network, planes, group string
		x                      int
	}{
		{"healthy", "8", healthy, 0}, {"", "4", mrcFour, 0}, {"", "1", mrcOne, 0},
		{"a silent spine", "8", mrcFailures, 2}, {"", "4", mrcFour, 3}, {"", "1", mrcOne, 1},
		{"1 % of the cables dead", "8", mrcFailures, 3},
	} {
		fmt.Fprintf(&s, "| %s | %s |", at.network, at.planes)
		mrc := c.at(at.group, at.x, "mrc")
		for _, key := range []string{"reps-planes", "mixed", "ops"} {
			other := c.at(at.group, at.x, key)
			fmt.Fprintf(&s, " %s; %s |", longer(other.ratio(mrc, netRun.meanFCT)), longer(other.ratio(mrc, netRun.maxFCT)))
		}
		s.WriteByte('\n')
	}
	return s.String() + "\n"
}

// longer writes a ratio of times in percent above 1, with its interval.
func longer(ratio mc.Estimate) string {
	p := ratio.Percent()
	digits := 1
	if math.Abs(p.Value) >= 10 {
		digits = 0
	}
	bound := func(x float64) string { return strings.Replace(fmt.Sprintf("%.*f", digits, x), "-", "−", 1) }
	return strings.Replace(fmt.Sprintf("%+.*f", digits, p.Value), "-", "−", 1) + fmt.Sprintf(" [%s, %s]", bound(p.Lo), bound(p.Hi))
}
