package crosscheck

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/calibration.md")

// calibrationDocument holds the tables between two lines of its text.
const (
	calibrationDocument = "docs/calibration.md"
	tablesBegin         = "<!-- tables: written by TestCalibrationTable -->\n"
	tablesEnd           = "<!-- end of tables -->\n"
)

// orderMargin is the part of the lower one by which two balancers must differ in
// the reference for their order to be asked for.
const orderMargin = 0.15

// TestCalibrationTable: so is the model in all scenarios, with 10 replicas, or
// outsideReplicas of a balancer with a statistic that is outside its bound; two
// balancers that differ by more than orderMargin in the reference have the same
// order here; and the tables of docs/calibration.md say just that.
func TestCalibrationTable(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1: runs the model 1,400 times")
	}
	list := scenarios(t)
	runs := make([][]observed, len(list))
	t.Run("runs", func(t *testing.T) {
		for i, s := range list {
			runs[i] = make([]observed, len(s.systems))
			for j, sys := range s.systems {
				t.Run(s.row(sys.lb), func(t *testing.T) {
					t.Parallel()
					replicas := uint64(10)
					if _, marked := s.outside[sys.lb]; marked {
						replicas = outsideReplicas
					}
					runs[i][j] = s.measure(t, sys.lb, replicas)
					s.check(t, sys, runs[i][j])
				})
			}
		}
	})
	var text strings.Builder
	pairs, swapped := 0, []string(nil)
	for i, s := range list {
		s.writeTable(t, &text, runs[i])
		n, wrong := s.order(t, runs[i])
		pairs, swapped = pairs+n, append(swapped, wrong...)
	}
	fmt.Fprintf(&text, "\n## Order\n\n%d pairs of a scenario, a statistic and two balancers differ by more than %g %% in htsim; %d of them have the other order here.\n", pairs, 100*orderMargin, len(swapped))
	for _, pair := range swapped {
		t.Errorf("order: %s", pair)
		fmt.Fprintf(&text, "\n- %s", pair)
	}
	compareDocument(t, text.String())
}

// compareDocument compares the tables of the document with text, or replaces
// them.
func compareDocument(t *testing.T, text string) {
	t.Helper()
	document, err := os.ReadFile(calibrationDocument)
	before, rest, begins := strings.Cut(string(must(t, document, err)), tablesBegin)
	tables, after, ends := strings.Cut(rest, tablesEnd)
	if !begins || !ends {
		t.Fatalf("%s has no lines %q and %q", calibrationDocument, tablesBegin, tablesEnd)
	}
	if *update {
		if err := os.WriteFile(calibrationDocument, []byte(before+tablesBegin+text+tablesEnd+after), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if tables != text {
		t.Errorf("%s is not what the model gives: REPSLAB_LONG=1 go test -run TestCalibrationTable -update ./internal/crosscheck", calibrationDocument)
	}
}

// writeTable writes the comparisons of a scenario.
func (s scenario) writeTable(t *testing.T, text *strings.Builder, runs []observed) {
	t.Helper()
	fmt.Fprintf(text, "\n### `%s`: %s\n\n", s.id, s.setup)
	text.WriteString("| balancer | statistic | htsim, mean ± sd | seeds | repslab, mean ± se | difference | bound | |\n|---|---|---|---|---|---|---|---|\n")
	for j, sys := range s.systems {
		for _, stat := range statistics {
			if bound, judged := sys.bounds[stat.key]; judged {
				c := compare(runs[j][stat.key], s.reference(t, sys.lb)[stat.key], bound)
				fmt.Fprintf(text, "%s %s | %+.2f %% | %s |\n", c.begin(sys.lb, stat.words), c.ourText(), 100*c.relative(), c.verdict(s.known(sys.lb, stat.key)))
			}
		}
	}
}

// begin returns the first columns of the table, those of the reference.
func (c comparison) begin(lb, statistic string) string {
	return fmt.Sprintf("| %s | %s | %s | %d |", lb, statistic, c.theirText(), c.theirs.N)
}

// TestCalibrationDocument: the document has every scenario, and says of the
// reference what testdata says.
func TestCalibrationDocument(t *testing.T) {
	document, err := os.ReadFile(calibrationDocument)
	_, text, _ := strings.Cut(string(must(t, document, err)), tablesBegin)
	for _, s := range scenarios(t) {
		_, rest, found := strings.Cut(text, fmt.Sprintf("### `%s`: %s\n", s.id, s.setup))
		table, _, _ := strings.Cut(rest, "\n#")
		for _, sys := range s.systems {
			for _, stat := range statistics {
				theirs := s.reference(t, sys.lb)[stat.key]
				if _, judged := sys.bounds[stat.key]; judged && !strings.Contains(table, compare(theirs, theirs, 0).begin(sys.lb, stat.words)) {
					t.Errorf("%s has no %s of %s (scenario there: %v)", calibrationDocument, stat.words, s.row(sys.lb), found)
				}
			}
		}
	}
}

// theirText returns the reference's mean, with its standard deviation if there is
// more than one run.
func (c comparison) theirText() string {
	text := fmt.Sprintf("%.2f", c.theirs.Value)
	if c.theirs.N > 1 {
		text += fmt.Sprintf(" ± %.2f", c.theirs.StdErr*math.Sqrt(float64(c.theirs.N)))
	}
	return text
}

// verdict returns the last two columns of the table, given the known deviation.
func (c comparison) verdict(known *deviation) string {
	if c.bound == 0 {
		return "order | "
	}
	bound := fmt.Sprintf("%g %%", 100*c.bound)
	if part := c.allowed / c.theirs.Value; part > c.bound {
		bound += fmt.Sprintf(", 3 se %.1f %%", 100*part)
	}
	if known != nil {
		bound += fmt.Sprintf(", kept in %+g to %+g %%", 100*known.least, 100*known.most)
	}
	switch difference := math.Abs(c.ours.Value - c.theirs.Value); {
	case difference <= c.bound*c.theirs.Value:
		return bound + " | inside"
	case c.inside():
		return bound + " | inside by 3 se"
	}
	return bound + " | outside"
}

// order returns in how many cases two balancers differ clearly in a statistic of
// the reference, and those in which they have another order here.
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
					swapped = append(swapped, fmt.Sprintf("`%s`, %s: %s %s, htsim %s, but %s %s, htsim %s", s.id, stat.words,
						low.lb, below.ourText(), below.theirText(), high.lb, above.ourText(), above.theirText()))
				}
			}
		}
	}
	return pairs, swapped
}

// ourText returns the model's mean with its standard error.
func (c comparison) ourText() string {
	return fmt.Sprintf("%.2f ± %.2f", c.ours.Value, c.ours.StdErr)
}
