package figures

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/mc"
)

// checked is a quantity of a claim, computed from the rows of a CSV.
type checked struct {
	name   string
	ratio  bool
	values []float64
	mean   mc.Moments
	pairs  mc.PairedMoments
	exact  float64
}

// estimates returns what the runs give: the mean, by each kind of quantity, or the ratio as it is and in percent.
func (c *checked) estimates() []mc.Estimate {
	switch {
	case c.ratio:
		e := c.pairs.RatioOfFew(mc.DefaultConfidence)
		return []mc.Estimate{e, e.Percent(), e.Per(0.01)}
	case c.values == nil:
		return []mc.Estimate{{Value: c.exact, Lo: c.exact, Hi: c.exact}}
	}
	var all []mc.Estimate
	e := c.mean.Mean(mc.DefaultConfidence).Per(million)
	for _, s := range []mc.Support{positive(0), counted(1), positive(uplinkSample / float64(microseconds)), shareOf(100, 0), atLeast(1)} {
		if s.Least <= e.Value && e.Value <= s.Most {
			all = append(all, e.OfFew(s))
		}
	}
	return all
}

// readClaimRuns returns the quantities of each claim of a figure's folder.
func readClaimRuns(t *testing.T, dir, id string) map[string][]*checked {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, id, id+"-claims.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(cell string) float64 {
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		return x
	}
	all := map[string][]*checked{}
	for _, row := range rows[1:] {
		claim, name, run, value, over := row[0], row[1], row[3], number(row[4]), row[5]
		i := slices.IndexFunc(all[claim], func(c *checked) bool { return c.name == name })
		if i < 0 {
			i = len(all[claim])
			all[claim] = append(all[claim], &checked{name: name})
		}
		switch c := all[claim][i]; {
		case run == "":
			c.exact = value
		case over == "":
			c.values = append(c.values, value)
			c.mean.Add(millionths(value))
		default:
			c.ratio = true
			c.values = append(c.values, value)
			c.pairs.Add(millionths(value), millionths(number(over)))
		}
	}
	return all
}

// A number with its interval, and any number, in words.
var (
	inWords   = regexp.MustCompile(`(-?[0-9.]*[0-9]) \[(-?[0-9.]+), (-?[0-9.]+)\]`)
	anyNumber = regexp.MustCompile(`-?\b[0-9][0-9,]*(\.[0-9]+)?\b`)
)

// rounds reports whether a number is written as the given text.
func rounds(x float64, text string) bool {
	text = strings.ReplaceAll(text, ",", "")
	written, err := strconv.ParseFloat(text, 64)
	_, decimals, _ := strings.Cut(text, ".")
	return err == nil && math.Abs(x-written) <= 0.5001*math.Pow(10, -float64(len(decimals)))
}

// numbersOf returns the numbers in each row of all tables of a figure.
func numbersOf(t *testing.T, dir string, r engine.Manifest) (rows [][]float64) {
	t.Helper()
	for _, name := range r.Tables {
		if !strings.HasSuffix(name, ".csv") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, r.ID, name))
		if err != nil {
			t.Fatal(err)
		}
		cells, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range cells {
			var row []float64
			for _, cell := range line {
				if x, err := strconv.ParseFloat(cell, 64); err == nil {
					row = append(row, x)
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// checkClaimRuns computes the numbers of the findings below a folder again from its CSVs: value and
// interval; every number with an interval in words, which for a theorem, with thousands of runs, must
// stand in a row of a table; and the other numbers in words of claims about runs.
func checkClaimRuns(t *testing.T, dir string) {
	t.Helper()
	manifests, err := engine.ReadManifests(dir, All())
	if err != nil {
		t.Fatal(err)
	}
	near := func(x *float64, y float64) bool {
		return x == nil && math.IsInf(y, 0) || x != nil && math.Abs(*x-y) <= 1e-5*max(1, math.Abs(y))
	}
	for _, r := range manifests {
		all, rows := readClaimRuns(t, dir, r.ID), numbersOf(t, dir, r)
		for _, f := range r.Findings {
			var estimates, ratios []mc.Estimate
			for _, c := range all[f.Claim] {
				estimates = append(estimates, c.estimates()...)
				if c.ratio { // "up to": the largest of the ratios listed first
					ratios = append(ratios, estimates[len(estimates)-3])
					e := mc.LargestOf(ratios)
					estimates = append(estimates, e, e.Percent())
				}
			}
			if f.Value != nil && !slices.ContainsFunc(estimates, func(e mc.Estimate) bool {
				return near(f.Value, e.Value) && near(f.Low, e.Lo) && near(f.High, e.Hi)
			}) {
				t.Errorf("%s: no runs of %s give %v [%v, %v]", r.ID, f.Claim, *f.Value, *f.Low, *f.High)
			}
			words := f.Measured + "; " + f.Why
			for _, match := range inWords.FindAllStringSubmatch(words, -1) {
				in := func(row []float64, i int) bool {
					return slices.ContainsFunc(row, func(x float64) bool { return rounds(x, match[i]) })
				}
				if !slices.ContainsFunc(estimates, func(e mc.Estimate) bool {
					return rounds(e.Value, match[1]) && rounds(e.Lo, match[2]) && rounds(e.Hi, match[3])
				}) && (all[f.Claim] != nil || !slices.ContainsFunc(rows, func(row []float64) bool {
					return in(row, 1) && in(row, 2) && in(row, 3)
				})) {
					t.Errorf("%s: no runs of %s give %s", r.ID, f.Claim, match[0])
				}
			}
			checkLoneNumbers(t, f, inWords.ReplaceAllString(words, ""), all[f.Claim], estimates)
		}
	}
}

// otherNumbers are those in the words of claims about runs that are not measured: of the set-up, of
// the paper or the authors, and the times of fluids, which the notes have.
var otherNumbers = map[string]string{
	"N001": "3", "N005": "128 1,024", "N006": "128 1,024", "N007": "8 128", "N008": "8", "N009": "101.5", "N030": "20 400", "N040": "1375",
	"N041": "791", "N055": "86.5 96.8", "N058": "256 200 2 128", "N059": "63", "N038": "8 5", "N071": "8,192", "N072": "8,192", "N073": "8,192 17.7",
	"N051": "35", "N080": "52.2 47.5 56.4 70", "N014": "500 1500", "M2": "16", "M4": "131 128 4", "M7": "25",
}

// checkLoneNumbers checks the numbers without interval in the words of a claim about runs: they are
// an estimate, an end of an interval, the number of some run, the number of runs that are above a
// bound, or given by the rule.
func checkLoneNumbers(t *testing.T, f claims.Finding, words string, all []*checked, estimates []mc.Estimate) {
	t.Helper()
	known := strings.Fields(otherNumbers[f.Claim])
	known = append(known, anyNumber.FindAllString(f.Rule, -1)...)
	var numbers []float64
	for _, e := range estimates {
		lo, hi := e.Predicted()
		numbers = append(numbers, e.Value, e.Lo, e.Hi, lo, hi, float64(e.N), 100-100/e.Value, 100/e.Value-100)
	}
	runs := false
	for _, c := range all {
		runs = runs || c.values != nil
		known = append(known, anyNumber.FindAllString(c.name, -1)...)
		numbers = append(numbers, c.values...)
		for i := range c.values {
			numbers = append(numbers, float64(i))
		}
	}
	for _, token := range anyNumber.FindAllString(words, -1) {
		given := slices.Contains(known, token)
		if runs && !given && !slices.ContainsFunc(numbers, func(x float64) bool { return rounds(x, token) }) {
			t.Errorf("%s: no runs give %s in %q", f.Claim, token, words)
		}
	}
}
