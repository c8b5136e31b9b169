package figures

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/frame"
	results "repslab/internal/metric"
)

// rangeOf returns the least and the largest value of a column of numbers, by its key.
func rangeOf(key string) (least, most float64) {
	switch {
	case key == "z", key == "exponent", key == "increment_exponent": // a difference in standard errors; queues can fall
		return math.Inf(-1), math.Inf(1)
	case strings.HasPrefix(key, "over_ideal"), key == "over_authors_ideal":
		return 1, math.Inf(1)
	case strings.HasSuffix(key, "_fraction"), strings.HasSuffix(key, "share"), strings.HasSuffix(key, "cdf"),
		key == "network_wait":
		return 0, 1
	case strings.HasSuffix(key, "_percent"):
		return 0, 100
	}
	return 0, math.Inf(1)
}

// faultsOfCSV returns what the numbers of a figure's table, header first, cannot be: below 0 or below the ideal;
// shares above 1; ends of intervals likewise, or that do not contain the value; intervals without a width that
// are not exact; intervals of fewer than three runs; and columns beside an estimate that print, compare and plot
// would not find.
func faultsOfCSV(table [][]string) (faults []string) {
	header := table[0]
	estimates, valueOf := frame.Estimates(header), map[string]string{}
	for key, beside := range estimates {
		valueOf[beside.Se], valueOf[beside.Lo], valueOf[beside.Hi] = key, key, key
		if want := frame.BesideOf(key); beside.Lo != "" && (beside.Lo != want.Lo || beside.Hi != want.Hi) {
			faults = append(faults, fmt.Sprintf("%s has %v beside it, want %v", key, beside, want))
		}
	}
	for _, key := range header {
		if strings.HasSuffix(key, "_se") || strings.HasSuffix(key, "_lo") || strings.HasSuffix(key, "_hi") {
			if valueOf[key] == "" {
				faults = append(faults, key+" stands beside no value")
			}
		}
	}
	for number, row := range table[1:] {
		at := func(key string) float64 {
			if i := slices.Index(header, key); i >= 0 {
				if x, err := strconv.ParseFloat(row[i], 64); err == nil {
					return x
				}
			}
			return math.NaN()
		}
		runs := at("replicas")
		for _, key := range header {
			value, isLow := key, false // the column with the same range
			beside := estimates[valueOf[key]]
			if isLow = key == beside.Lo; isLow {
				value = valueOf[key]
			}
			fault := func(format string, args ...any) {
				faults = append(faults, fmt.Sprintf("row %d, %s: ", number+1, key)+fmt.Sprintf(format, args...))
			}
			least, most := rangeOf(value)
			lo, hi := at(key), at(key)
			if isLow {
				hi = at(beside.Hi)
			}
			if key != beside.Hi && (lo < least || hi > most) { // an upper end is checked with the lower one
				fault("[%v, %v] is not in [%v, %v]", lo, hi, least, most)
			}
			switch x := at(value); {
			case !isLow || value == "authors_value" || math.IsNaN(x) || math.IsNaN(lo+hi): // a bound, or no interval
			case !(lo <= x && x <= hi) || lo == hi && runs > 0:
				fault("[%v, %v] is no interval of %v", lo, hi, x)
			case runs > 0 && runs < 3:
				fault("an interval of %v runs", runs)
			}
		}
	}
	return faults
}

func TestFaultsOfCSV(t *testing.T) {
	rows := func(lines ...string) (cells [][]string) {
		for _, line := range lines {
			cells = append(cells, strings.Split(line, ","))
		}
		return cells
	}
	const header = "time_us,time_us_se,time_us_lo,time_us_hi,lost_share,lost_share_lo,lost_share_hi,over_ideal,replicas"
	for line, want := range map[string]int{
		"31,2,20,45,0.5,0.1,0.9,1.2,3":    0, // all right
		"31,,,,0.5,,,1.2,2":               0, // no interval of two runs
		",,31,,,,,,5":                     0, // a bound
		"31,0,31,31,0.5,0.5,0.5,1.2,0":    0, // exact
		"31,2,-3,66,0.5,0.1,0.9,1.2,3":    1, // a negative time
		"31,2,20,45,0.5,0.1,1.1,1.2,3":    1, // a share above 1
		"31,2,20,45,1.5,,,1.2,3":          1,
		"31,0,31,31,0.5,0.1,0.9,1.2,3":    1, // no scatter
		"31,2,32,45,0.5,0.1,0.9,1.2,3":    1, // not in its interval
		"31,2,20,45,0.5,0.1,0.9,0.9,3":    1, // below the ideal
		"31,2,20,45,0.5,0.1,0.9,1.2,2":    2, // two intervals of two runs
		"31,2,20,45,0.5,-0.1,0.9,0.7,5.0": 2,
	} {
		if faults := faultsOfCSV(rows(header, line)); len(faults) != want {
			t.Errorf("%s: faults %q, want %d", line, faults, want)
		}
	}
	for header, want := range map[string]int{
		"speedup_over_ops,speedup_over_ops_lo,speedup_over_ops_hi": 0,
		"speedup_over_ops,speedup_lo,speedup_hi":                   2,
		"max_load_mean,max_load_se,max_load_lo,max_load_hi":        0,
		"max_load_mean,max_load_mean_lo,max_load_mean_hi":          1,
		"time_us,time_us_lo":                                       1,
	} {
		if faults := faultsOfCSV(rows(header)); len(faults) != want {
			t.Errorf("%s: faults %q, want %d", header, faults, want)
		}
	}
}

// checkCSVs checks all CSVs of the figures below a folder.
func checkCSVs(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.csv"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no CSV below %s: %v", dir, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		table, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		faults := faultsOfCSV(table)
		for _, fault := range faults[:min(len(faults), 3)] {
			t.Errorf("%s: %s; %d faults", filepath.Base(name), fault, len(faults))
		}
	}
}

// unexplainedCSVs is the number of CSVs of figures without a group in metrics.csv. A new CSV needs a group.
const unexplainedCSVs = 96

// checkExplained checks that each CSV below a folder has the columns of its group in metrics.csv, and its ends of
// intervals, and no others.
func checkExplained(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	unexplained := 0
	for _, path := range names {
		file := filepath.Base(path)
		if strings.HasSuffix(file, "-claims.csv") {
			file = "ID-claims.csv"
		}
		i := slices.IndexFunc(results.Groups(), func(g results.Group) bool { return g.Model == results.Figures && g.File == file })
		if i < 0 {
			unexplained++
			continue
		}
		for _, fault := range unlikeGroup(headerOf(t, path), results.Groups()[i]) {
			t.Errorf("%s: %s: see internal/metric/metrics.csv", filepath.Base(path), fault)
		}
	}
	if unexplained != unexplainedCSVs {
		t.Errorf("%d CSVs of %d have no group in internal/metric/metrics.csv, want %d", unexplained, len(names), unexplainedCSVs)
	}
}

// headerOf returns the keys of a CSV.
func headerOf(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.Split(line, ",")
}

// unlikeGroup returns the keys of a header that a group does not explain, and keys of the group that it lacks. The keys
// of all models need no explanation of their own.
func unlikeGroup(header []string, g results.Group) (faults []string) {
	all := results.Groups()[0]
	for _, key := range header {
		_, _, known := g.Find(key)
		if _, _, common := all.Find(key); !known && !common {
			faults = append(faults, key+" is not explained")
		}
	}
	for _, m := range g.Metrics {
		for _, key := range strings.Fields(m.Keys) {
			if !slices.Contains(header, key) {
				faults = append(faults, key+" is explained, but is no column")
			}
		}
	}
	return faults
}

func TestUnlikeGroup(t *testing.T) {
	g := results.Group{Metrics: []results.Metric{{Keys: "exponent"}, {Keys: "class bound"}}}
	for header, want := range map[string]int{
		"exponent,exponent_lo,class,bound,seed,replicas": 0,
		"exponent,class,bound,misfit":                    1,
		"exponent,class,bound,misfit_lo":                 1,
		"exponent,class":                                 1,
		"misfit":                                         4,
	} {
		if faults := unlikeGroup(strings.Split(header, ","), g); len(faults) != want {
			t.Errorf("%s: %q, want %d", header, faults, want)
		}
	}
}
