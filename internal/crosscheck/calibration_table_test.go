package crosscheck

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/mctest"
)

var update = flag.Bool("update", false, "rewrite the tables of the calibration")

// The tables of the calibration, and the page that has a paragraph about all of their rows between two lines.
const (
	calibrationTable = "docs/generated/calibration.csv"
	publishedTable   = "docs/generated/published.csv"
	calibrationPage  = "docs/calibration.md"
	paragraphBegin   = "<!-- written by TestCalibrationTable -->\n"
	paragraphEnd     = "<!-- end -->\n"
)

// calibrationColumns and publishedColumns are the heads of the tables, which docs/calibration.md explains.
var (
	calibrationColumns = strings.Split("scenario,setup,balancer,statistic,runs,htsim,htsim_sd,repslab,repslab_se,difference_percent,"+
		"bound_percent,three_se_percent,known_least_percent,known_most_percent,verdict", ",")
	publishedColumns = strings.Split("run,setup,balancer,published,repslab,repslab_se,one_run_from,one_run_to,difference_percent,"+
		"known_least_percent,known_most_percent,verdict,outside_replicas_percent", ",")
)

// orderMargin is how much larger than another balancer's a statistic must be in the
// reference for the model to be held to the order of the two.
const orderMargin = 0.15

// TestCalibrationTable compares all scenarios with the reference: their replicas, or
// outsideReplicas of a balancer with a statistic outside its bound. Two balancers that
// differ by more than orderMargin in the reference must have the same order here, and the
// tables must show these results.
func TestCalibrationTable(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1: runs the model 1,400 times")
	}
	list := scenarios(t)
	runs := make([][]observed, len(list))
	published := publishedRuns(t)
	tails := make([]sample, len(published))
	t.Run("runs", func(t *testing.T) {
		for i, r := range published {
			t.Run("published "+r.id, func(t *testing.T) {
				t.Parallel()
				if tails[i] = r.measure(t, publishedReplicas); !r.inside(tails[i].Estimate) && r.again > publishedReplicas {
					tails[i] = r.measure(t, r.again)
				}
				r.check(t, tails[i])
			})
		}
		for i, s := range list {
			runs[i] = make([]observed, len(s.systems))
			for j, sys := range s.systems {
				t.Run(s.row(sys.lb), func(t *testing.T) {
					t.Parallel()
					replicas := s.replicas
					if _, marked := s.outside[sys.lb]; marked {
						replicas = outsideReplicas
					}
					runs[i][j] = s.measure(t, sys.lb, replicas)
					s.check(t, sys, runs[i][j])
				})
			}
		}
	})
	for i, s := range list {
		for statistic, c := range s.ratios(t, runs[i]) {
			if fault := c.fault(s.known(opsOverREPS, statistic)); fault != "" {
				t.Errorf("%s, %s of %s, %s: %s", s.id, statistic, opsOverREPS, fault, c)
			}
		}
	}
	rows, publishedRows := [][]string{calibrationColumns}, [][]string{publishedColumns}
	pairs, swapped := 0, []string(nil)
	for i, s := range list {
		rows = append(rows, s.rows(t, runs[i])...)
		n, wrong := s.order(t, runs[i])
		pairs, swapped = pairs+n, append(swapped, wrong...)
	}
	for _, pair := range swapped {
		t.Errorf("order: %s", pair)
	}
	for i, r := range published {
		publishedRows = append(publishedRows, r.cells(tails[i]))
	}
	together := stand(published, tails)
	together.check(t)
	order := fmt.Sprintf("%d pairs of balancers differ by more than %g %% in a statistic of htsim; %d of them have the other order here. ",
		pairs, 100*orderMargin, len(swapped))
	compareDocument(t, calibrationTable, csvText(t, rows))
	compareDocument(t, publishedTable, csvText(t, publishedRows))
	page, err := os.ReadFile(calibrationPage)
	before, rest, begins := strings.Cut(string(must(t, page, err)), paragraphBegin)
	_, after, ends := strings.Cut(rest, paragraphEnd)
	if !begins || !ends {
		t.Fatalf("%s has no lines %q and %q", calibrationPage, paragraphBegin, paragraphEnd)
	}
	compareDocument(t, calibrationPage, before+paragraphBegin+order+together.text()+"\n"+paragraphEnd+after)
}

// csvText returns rows as a CSV file.
func csvText(t *testing.T, rows [][]string) string {
	t.Helper()
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// compareDocument compares a file with text, or replaces it.
func compareDocument(t *testing.T, name, text string) {
	t.Helper()
	document, err := os.ReadFile(name)
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(must(t, document, err)) != text {
		t.Errorf("%s differs from the model's results: REPSLAB_LONG=1 go test ./internal/crosscheck -run TestCalibrationTable -update", name)
	}
}

// arguments returns the set-up without the arguments that most scenarios have.
func (s scenario) arguments() string {
	return strings.NewReplacer(" -linkspeed 400000", "", " -end 20000", "").Replace(s.setup)
}

// referenceRuns returns the number of the reference's runs under a balancer.
func (s scenario) referenceRuns(t *testing.T, lb string) (n uint64) {
	t.Helper()
	for _, moments := range s.reference(t, lb) {
		n = max(n, moments.N())
	}
	return n
}

// rows returns the rows of a scenario, one for each balancer and statistic.
func (s scenario) rows(t *testing.T, runs []observed) (rows [][]string) {
	t.Helper()
	for j, sys := range s.systems {
		theirs, n := s.reference(t, sys.lb), s.referenceRuns(t, sys.lb)
		for _, stat := range statistics {
			if bound, judged := sys.bounds[stat.key]; judged {
				c := compare(runs[j][stat.key], theirs[stat.key], bound)
				row := []string{s.id, s.arguments(), sys.lb, stat.name, fmt.Sprint(n)}
				rows = append(rows, slices.Concat(row, c.theirCells(), c.ourCells(), c.verdict(s.known(sys.lb, stat.key))))
			}
		}
	}
	ratios := s.ratios(t, runs)
	for _, stat := range statistics {
		if c, made := ratios[stat.name]; made {
			row := []string{s.id, s.arguments(), opsOverREPS, stat.name, fmt.Sprint(c.theirs.N)}
			rows = append(rows, slices.Concat(row, c.theirCells(), c.ourCells(), c.verdict(s.known(opsOverREPS, stat.key))))
		}
	}
	return rows
}

// TestCalibrationDocument checks that the tables have every scenario and every published run, with the
// reference's values from testdata.
func TestCalibrationDocument(t *testing.T) {
	listed := map[string]bool{}
	for _, r := range mctest.Reference(t, publishedTable) {
		listed[strings.Join([]string{r["run"], r["setup"], r["balancer"], r["published"]}, "|")] = true
	}
	for _, r := range publishedRuns(t) {
		if row := strings.Join(r.cells(sampleOf([]int64{1, 2}))[:4], "|"); !listed[row] {
			t.Errorf("%s does not list %s", publishedTable, row)
		}
	}
	for _, r := range mctest.Reference(t, calibrationTable) {
		listed[strings.Join([]string{r["scenario"], r["setup"], r["balancer"], r["statistic"], r["runs"], r["htsim"], r["htsim_sd"]}, "|")] = true
	}
	for _, s := range scenarios(t) {
		reference := make([]observed, len(s.systems))
		for j, sys := range s.systems {
			reference[j] = s.reference(t, sys.lb)
		}
		for _, row := range s.rows(t, reference) {
			if row := strings.Join(row[:7], "|"); !listed[row] {
				t.Errorf("%s does not list %s", calibrationTable, row)
			}
		}
	}
}

// theirCells returns the reference's mean and, if there is more than one run, its standard deviation.
func (c comparison) theirCells() []string {
	deviation := ""
	if c.theirs.N > 1 {
		deviation = fmt.Sprintf("%.*f", c.places, c.theirs.StdErr*math.Sqrt(float64(c.theirs.N)))
	}
	return []string{fmt.Sprintf("%.*f", c.places, c.theirs.Value), deviation}
}

// ourCells returns the model's mean and its standard error.
func (c comparison) ourCells() []string {
	return []string{fmt.Sprintf("%.*f", c.places, c.ours.Value), fmt.Sprintf("%.*f", c.places, c.ours.StdErr)}
}

// verdict returns the difference in per cent, its bound, 3 standard errors if they are more, the ends of the
// known deviation and whether the difference is inside the bound; what there is not is empty.
func (c comparison) verdict(known *deviation) []string {
	cells := []string{fmt.Sprintf("%.2f", 100*c.relative()), "", "", "", "", ""}
	if c.bound == 0 {
		return cells
	}
	cells[1] = strconv.FormatFloat(math.Round(1e4*c.bound)/100, 'g', -1, 64)
	if part := c.allowed / c.theirs.Value; part > c.bound {
		cells[2] = fmt.Sprintf("%.1f", 100*part)
	}
	if known != nil {
		cells[3], cells[4] = fmt.Sprintf("%g", 100*known.least), fmt.Sprintf("%g", 100*known.most)
	}
	switch {
	case math.Abs(c.ours.Value-c.theirs.Value) <= c.bound*c.theirs.Value:
		cells[5] = "inside"
	case c.inside():
		cells[5] = "inside by 3 se"
	default:
		cells[5] = "outside"
	}
	return cells
}

// order counts the pairs of balancers that differ clearly in a statistic of the reference,
// and returns those that have the other order here.
func (s scenario) order(t *testing.T, runs []observed) (pairs int, swapped []string) {
	t.Helper()
	for _, stat := range statistics {
		for i, low := range s.systems {
			for j, high := range s.systems {
				if _, judged := low.bounds[stat.key]; !judged {
					continue
				}
				below := compare(runs[i][stat.key], s.reference(t, low.lb)[stat.key], 0)
				above := compare(runs[j][stat.key], s.reference(t, high.lb)[stat.key], 0)
				if above.theirs.Value <= (1+orderMargin)*below.theirs.Value {
					continue
				}
				pairs++
				if above.ours.Value <= below.ours.Value {
					swapped = append(swapped, fmt.Sprintf("%s, %s: %s %s, but %s %s", s.id, stat.name, low.lb, below, high.lb, above))
				}
			}
		}
	}
	return pairs, swapped
}
