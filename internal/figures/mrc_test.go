package figures

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/lists"
	"repslab/mc"
)

// The table of docs/mrc.md stands between two lines of its text.
const (
	mrcDocument = "../../docs/mrc.md"
	mrcBegin    = "<!-- table: written by TestMRCStatements -->\n"
	mrcEnd      = "<!-- end of table -->\n"
)

// mrcRows writes the statements about MRC as the table of docs/mrc.md.
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

// TestMRCStatements: the table of docs/mrc.md is the figure's, whose findings are the
// statements in order. The seed is fixed: no false alarms.
func TestMRCStatements(t *testing.T) {
	out, err := mrc(context.Background(), fromRecord(t, "mrc"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(mrcDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), mrcBegin)
	_, after, ended := strings.Cut(rest, mrcEnd)
	if !begun || !ended {
		t.Fatal("docs/mrc.md: no place for the table")
	}
	document := before + mrcBegin + mrcRows(out.Findings) + mrcEnd + after
	if *update {
		if err := os.WriteFile(mrcDocument, []byte(document), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if document != string(text) {
		t.Error("docs/mrc.md is not what `reproduce mrc` finds: go test ./internal/figures -run MRCStatements -update")
	}
	ids := lists.Map(slices.DeleteFunc(slices.Clone(claims.MRC()), func(c claims.Claim) bool { return c.Figure != "mrc" }),
		func(c claims.Claim) string { return c.ID })
	if found := lists.Map(out.Findings, func(f claims.Finding) string { return f.Claim }); !slices.Equal(found, ids) {
		t.Errorf("findings about %q, want %q", found, ids)
	}
}
