package crosscheck

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/generated/calibration.md")

// calibrationDocument holds the tables between two lines of its text.
const (
	calibrationDocument = "docs/generated/calibration.md"
	tablesBegin         = "<!-- tables: written by TestCalibrationTable -->\n"
	tablesEnd           = "<!-- end of tables -->\n"
)

// orderMargin is how much larger than another balancer's a statistic must be in the
// reference for the model to be held to the order of the two.
const orderMargin = 0.15

// TestCalibrationTable compares all scenarios with the reference: their replicas, or
// outsideReplicas of a balancer with a statistic outside its bound. Two balancers that
// differ by more than orderMargin in the reference must have the same order here, and the
// tables of docs/generated/calibration.md must show these results.
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
	var text strings.Builder
	pairs, swapped := 0, []string(nil)
	for i, s := range list {
		if i == 0 || !slices.Equal(s.judged(), list[i-1].judged()) {
			text.WriteString(tableHead(s.judged()))
		}
		s.writeRows(t, &text, runs[i])
		n, wrong := s.order(t, runs[i])
		pairs, swapped = pairs+n, append(swapped, wrong...)
	}
	fmt.Fprintf(&text, "\nOrder: %d pairs of balancers differ by more than %g %% in a statistic of htsim; %d of them have the other order here.\n",
		pairs, 100*orderMargin, len(swapped))
	for _, pair := range swapped {
		t.Errorf("order: %s", pair)
		fmt.Fprintf(&text, "\n- %s", pair)
	}
	text.WriteString(publishedTable(published, tails))
	together := stand(published, tails)
	together.check(t)
	text.WriteString(together.text())
	compareDocument(t, text.String())
}

// compareDocument compares the tables of the document with text, or replaces
// them.
func compareDocument(t *testing.T, text string) {
	t.Helper()
	before, tables, after := documentTables(t)
	if *update {
		if err := os.WriteFile(calibrationDocument, []byte(before+tablesBegin+text+tablesEnd+after), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if tables != text {
		t.Errorf("%s differs from the model's results: REPSLAB_LONG=1 go test ./internal/crosscheck -run TestCalibrationTable -update", calibrationDocument)
	}
}

// documentTables returns the tables of the document and the text around them.
func documentTables(t *testing.T) (before, tables, after string) {
	t.Helper()
	document, err := os.ReadFile(calibrationDocument)
	before, rest, begins := strings.Cut(string(must(t, document, err)), tablesBegin)
	tables, after, ends := strings.Cut(rest, tablesEnd)
	if !begins || !ends {
		t.Fatalf("%s has no lines %q and %q", calibrationDocument, tablesBegin, tablesEnd)
	}
	return before, tables, after
}

// judged returns the statistics of a scenario's systems, which all have the same, in words.
func (s scenario) judged() (words []string) {
	for _, stat := range statistics {
		if _, judged := s.systems[0].bounds[stat.key]; judged {
			words = append(words, stat.words)
		}
	}
	return words
}

// label names the scenario in its first row: id, set-up without the arguments that most have, the number of runs
// that the reference has of most balancers, and the numbers that differ from it.
func (s scenario) label(t *testing.T) string {
	t.Helper()
	most, few := uint64(0), ""
	for _, sys := range s.systems {
		most = max(most, s.referenceRuns(t, sys.lb))
	}
	for _, sys := range s.systems {
		if n := s.referenceRuns(t, sys.lb); n < most {
			few += fmt.Sprintf(", %s %d", sys.lb, n)
		}
	}
	return fmt.Sprintf("`%s`: %s; %d%s", s.id, strings.NewReplacer(" -linkspeed 400000", "", " -end 20000", "").Replace(s.setup), most, few)
}

// referenceRuns returns the number of the reference's runs under a balancer.
func (s scenario) referenceRuns(t *testing.T, lb string) (n uint64) {
	t.Helper()
	for _, moments := range s.reference(t, lb) {
		n = max(n, moments.N())
	}
	return n
}

// tableHead returns the head of a table of some statistics.
func tableHead(words []string) string {
	head, rule := "\n| scenario: set-up; runs of htsim | balancer |", "|---|---|"
	for _, w := range words {
		head += " " + w + ": htsim | repslab | difference (bound) |"
		rule += "---|---|---|"
	}
	return head + "\n" + rule + "\n"
}

// writeRows writes the comparisons of a scenario, a row for each balancer; the first has the
// label.
func (s scenario) writeRows(t *testing.T, text *strings.Builder, runs []observed) {
	t.Helper()
	label := s.label(t) + " "
	for j, sys := range s.systems {
		fmt.Fprintf(text, "| %s| %s |", label, sys.lb)
		label = ""
		theirs := s.reference(t, sys.lb)
		for _, stat := range statistics {
			if bound, judged := sys.bounds[stat.key]; judged {
				c := compare(runs[j][stat.key], theirs[stat.key], bound)
				fmt.Fprintf(text, " %s | %s | %s |", c.theirText(), c.ourText(), c.verdict(s.known(sys.lb, stat.key)))
			}
		}
		text.WriteString("\n")
	}
}

// rowKey names a comparison in the document: scenario, balancer and statistic in words.
type rowKey struct{ scenario, lb, statistic string }

// documentRows returns what the document says of htsim and of the model, by comparison.
func documentRows(t *testing.T) map[rowKey][2]string {
	t.Helper()
	_, tables, _ := documentTables(t)
	rows := map[rowKey][2]string{}
	var head []string
	var scenario string
	for line := range strings.Lines(tables) {
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |\n"), "| ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case strings.HasPrefix(line, "|---"):
		case len(cells) < 5:
			head = nil
		case head == nil:
			head = cells
		default:
			if cells[0] != "" {
				scenario, _, _ = strings.Cut(strings.TrimPrefix(cells[0], "`"), "`")
			}
			for i := 2; i < len(cells); i += 3 {
				statistic, _, _ := strings.Cut(head[i], ":")
				rows[rowKey{scenario, cells[1], statistic}] = [2]string(cells[i : i+2])
			}
		}
	}
	return rows
}

// TestCalibrationDocument checks that the document has every scenario, with the
// reference's values from testdata.
func TestCalibrationDocument(t *testing.T) {
	_, tables, _ := documentTables(t)
	for _, r := range publishedRuns(t) {
		if !strings.Contains(tables, "\n"+r.row()) {
			t.Errorf("%s does not list %s", calibrationDocument, r.row())
		}
	}
	rows := documentRows(t)
	for _, s := range scenarios(t) {
		if label := s.label(t); !strings.Contains(tables, "\n| "+label+" |") {
			t.Errorf("%s does not list %s", calibrationDocument, label)
		}
		for _, sys := range s.systems {
			reference := s.reference(t, sys.lb)
			for _, stat := range statistics {
				theirs := reference[stat.key]
				got := rows[rowKey{s.id, sys.lb, stat.words}][0]
				if _, judged := sys.bounds[stat.key]; judged && got != compare(theirs, theirs, 0).theirText() {
					t.Errorf("%s: %s of %s in htsim is %q, want %s", calibrationDocument, stat.words, s.row(sys.lb), got, compare(theirs, theirs, 0).theirText())
				}
			}
		}
	}
}

// theirText returns the reference's mean, with its standard deviation if there is more than
// one run.
func (c comparison) theirText() string {
	text := fmt.Sprintf("%.2f", c.theirs.Value)
	if c.theirs.N > 1 {
		text += fmt.Sprintf("±%.2f", c.theirs.StdErr*math.Sqrt(float64(c.theirs.N)))
	}
	return text
}

// ourText returns the model's mean with its standard error.
func (c comparison) ourText() string {
	return fmt.Sprintf("%.2f±%.2f", c.ours.Value, c.ours.StdErr)
}

// verdict returns the difference and its bound in per cent, given the known deviation.
func (c comparison) verdict(known *deviation) string {
	text := fmt.Sprintf("%+.2f", 100*c.relative())
	if c.bound == 0 {
		return text
	}
	text += fmt.Sprintf(" (%g", 100*c.bound)
	if part := c.allowed / c.theirs.Value; part > c.bound {
		text += fmt.Sprintf("; %.1f", 100*part)
	}
	text += ")"
	if known != nil {
		text += fmt.Sprintf(" [%+g, %+g]", 100*known.least, 100*known.most)
	}
	switch difference := math.Abs(c.ours.Value - c.theirs.Value); {
	case difference <= c.bound*c.theirs.Value:
		return text
	case c.inside():
		return text + " by 3 se"
	}
	return text + " **outside**"
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
					swapped = append(swapped, fmt.Sprintf("`%s`, %s: %s %s, htsim %s, but %s %s, htsim %s", s.id, stat.words,
						low.lb, below.ourText(), below.theirText(), high.lb, above.ourText(), above.theirText()))
				}
			}
		}
	}
	return pairs, swapped
}
