package figures

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestHtsimFreezing: the note of fig09 cites the four runs of the reference.
func TestHtsimFreezing(t *testing.T) {
	file, err := os.Open("testdata/htsim_freezing.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]string{} // by the share of failed cables and the length of freezing mode
	column := func(line []string, key string) string { return line[slices.Index(lines[0], key)] }
	for _, line := range lines[1:] {
		us := column(line, "max_fct_us")
		if len(us) > 3 {
			us = us[:len(us)-3] + "," + us[len(us)-3:]
		}
		times[column(line, "dead_percent")+" "+column(line, "freeze_us")] = us
	}
	want := "with half of the links failed " + times["50 10000"] + " us frozen for 10 ms and " + times["50 100"] +
		" us for 100 us at a time; with 10 % failed " + times["10 10000"] + " and " + times["10 100"] + " us."
	if !strings.Contains(authorsFreezing, want) || len(times) != 4 {
		t.Errorf("the note says %q, want %q in it", authorsFreezing, want)
	}
}
