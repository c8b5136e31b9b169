package main

import (
	"strings"
	"testing"
)

// TestNamesInAnyCase: names in capitals, also of a profile, which has other presets, select the
// points of the proper names, and rows have these.
func TestNamesInAnyCase(t *testing.T) {
	for model, lines := range map[string][2]string{
		"fattree": {
			"profile=UET workload=Tornado failure=Cables=1,PLACE=random|NONE freezing=OFF,AT=20 lb=REPS cc=Nscc_UET",
			"profile=uet workload=tornado failure=cables=1,place=random|none freezing=off,at=20 lb=reps cc=nscc-uet",
		},
		"recycled": {"clocking=Self_Clocked start=All-In-One threshold=4*log(n)", "clocking=self-clocked start=all-in-one threshold=4*ln(n)"},
		"allocate": {"rule=Two-Choice weights=UNIT,Given:1:2 sampling=Half:0.5 start=EMPTY", "rule=two-choice weights=unit,given:1:2 sampling=half:0.5 start=empty"},
	} {
		var printed [2]string
		for i, line := range lines {
			args := []string{"sweep", model, "--print-config"}
			for assignment := range strings.FieldsSeq(line) {
				args = append(args, "--"+assignment)
			}
			o := repslab(t, args...)
			if o.code != exitDone {
				t.Fatalf("%v: %+v", args, o)
			}
			printed[i] = o.stdout
		}
		if printed[0] != printed[1] {
			t.Errorf("%s in capitals selects\n%s\nwant\n%s", model, printed[0], printed[1])
		}
	}
}
