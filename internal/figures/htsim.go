package figures

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

//go:embed testdata/htsim_freezing.csv
var htsimFreezingCSV string

// htsimFreezing returns the maximum FCT, us, that the authors' simulator gave for an
// 8 MiB permutation of 1,024 hosts under REPS, with a part of the cables dead, in
// per cent, and freezing mode of the given length, us.
func htsimFreezing(deadPercent, freezeUs int) (int, error) {
	lines, err := csv.NewReader(strings.NewReader(htsimFreezingCSV)).ReadAll()
	if err != nil {
		return 0, err
	}
	column := map[string]int{}
	for i, key := range lines[0] {
		column[key] = i
	}
	for _, line := range lines[1:] {
		if line[column["dead_percent"]] == strconv.Itoa(deadPercent) && line[column["freeze_us"]] == strconv.Itoa(freezeUs) {
			return strconv.Atoi(line[column["max_fct_us"]])
		}
	}
	return 0, fmt.Errorf("the reference has no run with %d %% of the cables dead and %d us of freezing", deadPercent, freezeUs)
}

// withComma writes a number below a million as the notes do: 8,921.
func withComma(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
