package allocation

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

var update = flag.Bool("update", false, "rewrite the table of unconfirmed numbers in docs/findings.md")

// The table of unconfirmed numbers stands between two lines of docs/findings.md.
const (
	findingsDocument = "../../docs/findings.md"
	unconfirmedBegin = "<!-- table: written by TestUnconfirmed -->\n"
	unconfirmedEnd   = "<!-- end of table -->\n"
)

// publishedReplicas is the number of replicas of a row, unless its flags have another.
const publishedReplicas = 20

// reading is a definition of a published number.
type reading struct {
	of string        // measure of the reference
	by func(*Config) // changes the configuration of the row; nil leaves it
}

// unconfirmed is a published number that the definition in its text does not give.
type unconfirmed struct {
	row, number string // of the reference; in words
	text        reading
	other       *reading // reproduces the number; nil if none is known
	reason      string
}

// unconfirmedNumbers returns one or two rows of the reference for each cause.
func unconfirmedNumbers() []unconfirmed {
	firstBatch := func(c *Config) {
		c.Rule, c.Information, c.Batch, c.Ties = TwoChoice, Batched, c.Balls[0], IndexTies
	}
	return []unconfirmed{
		{"339", "two choices, b = 10 n, gap", reading{"gap", nil}, &reading{"maxgap", nil},
			"largest of all batches (`max_gap_mean`)"},
		{"357", "three choices, b = 20 n, largest gap", reading{"maxgap", func(c *Config) { c.Ties = RandomTies }},
			&reading{"maxgap", nil}, "ties by rank within a batch"},
		{"844", "one choice, m = n/10, gap rounded up (`max_load_mean`)", reading{"max", nil},
			&reading{"max", firstBatch}, "initial batch of `--rule two-choice`, ties by index"},
		{"412", "noise, σ = 2, gap", reading{"gap", func(c *Config) { c.Information = SigmaFormal }},
			&reading{"gap", nil}, "Gaussian noise instead of the formula"},
		{"374", "two choices, b = n/1000, gap", reading{"gap", nil}, nil, "one too high, perhaps rounded up"},
		{"534", "g-myopic, g = 16, gap", reading{"gap", nil}, nil, "unresolved"},
		{"941", "quantile 1/ln n, b = 6 n, largest gap", reading{"maxgap", nil}, nil,
			"unresolved; the code's rule gives less too"},
	}
}

// publication returns the key in docs/references.md of a row's source.
func publication(t *testing.T, row mctest.Row) string {
	for title, key := range map[string]string{"Choice of Noise": "Los22b", "Simplified and Generalized": "Los22c"} {
		if strings.Contains(row["source"], title) {
			return key
		}
	}
	t.Fatalf("row %s: no key for %s", row["id"], row["source"])
	return ""
}

// flags returns the flags of repslab allocate for a configuration, without defaults.
func flags(c Config, replicas uint64) (all []string) {
	preset := Config{}.WithDefaults()
	given, c := c, c.WithDefaults()
	add := func(shown bool, name string, value any) {
		if shown {
			all = append(all, fmt.Sprintf("--%s %v", name, value))
		}
	}
	add(c.Bins != preset.Bins, "bins", c.Bins)
	add(true, "balls", c.Balls[0])
	add(c.Rule != preset.Rule, "rule", c.Rule)
	add(c.Choices != preset.Choices, "choices", c.Choices)
	add(given.Delta != 0, "delta", c.Delta)
	add(c.Information != preset.Information, "information", c.Information)
	add(given.Batch != 0, "batch", c.Batch)
	add(given.Width != 0, "width", c.Width)
	add(given.Sigma != 0, "sigma", c.Sigma)
	add(c.Ties != preset.Ties, "ties", c.Ties)
	add(replicas != publishedReplicas, "replicas", replicas)
	return all
}

// measure returns the estimate of a reading, the flags of the command that gives it, and its
// standardised difference from the published number.
func (r reading) measure(t *testing.T, row mctest.Row) (e mc.Estimate, command []string, z float64) {
	cfg := (&point{process: row["process"], parameters: row["parameters"]}).config(t)
	if cfg.Rule == DChoice && cfg.Choices == 2 {
		cfg.Rule = TwoChoice
	}
	if r.by != nil {
		r.by(&cfg)
	}
	replicas := uint64(publishedReplicas)
	if cfg.Balls[0] < 10_000 {
		replicas *= 20 // to tell it from the published number
	}
	result, err := Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	read := maps.Clone(row)
	read["measure"] = r.of
	return measured(t, r.of, result.Observations[0], replicas), flags(cfg, replicas), zOf(t, read, result)
}

// cell returns an estimate with its interval, and flags.
func cell(e mc.Estimate, flags []string) string {
	text := fmt.Sprintf("%.2f", e)
	if len(flags) == 0 {
		return text
	}
	return text + ": `" + strings.Join(flags, " ") + "`"
}

// TestUnconfirmed: docs/findings.md lists numbers that are more than 3 standard errors from the
// definition of their text, and other readings, which are within 3. The seed is fixed: no false
// alarms. It needs REPSLAB_LONG=1.
func TestUnconfirmed(t *testing.T) {
	if !mctest.Long() && !*update {
		t.Skip("needs REPSLAB_LONG=1")
	}
	rows := map[string]mctest.Row{}
	for _, row := range mctest.Reference(t, "testdata/reference.csv") {
		rows[row["id"]] = row
	}
	var s strings.Builder
	s.WriteString("\n| publication | number | published | as defined | reproduced by | reason |\n")
	s.WriteString("|---|---|---|---|---|---|\n")
	for _, u := range unconfirmedNumbers() {
		row := rows[u.row]
		e, command, z := u.text.measure(t, row)
		text, other := cell(e, command), "none"
		t.Logf("%s: z = %.1f", u.number, z)
		if !(math.Abs(z) > 3) {
			t.Errorf("%s: the text gives the published number, z = %.2f", u.number, z)
		}
		if u.other != nil {
			e, changed, z := u.other.measure(t, row)
			same := func(flag string) bool { return slices.Contains(command, flag) }
			other = cell(e, slices.DeleteFunc(changed, same))
			t.Logf("%s, reproduced: z = %.1f", u.number, z)
			if !(math.Abs(z) < 3) {
				t.Errorf("%s: not reproduced, z = %.2f", u.number, z)
			}
		}
		fmt.Fprintf(&s, "| [%s] | %s | %.2f | %s | %s | %s |\n",
			publication(t, row), u.number, row.Number(t, "value"), text, other, u.reason)
	}
	document, err := os.ReadFile(findingsDocument)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(document), unconfirmedBegin)
	_, after, ended := strings.Cut(rest, unconfirmedEnd)
	if !begun || !ended {
		t.Fatal("docs/findings.md: no place for the table of unconfirmed numbers")
	}
	want := before + unconfirmedBegin + s.String() + "\n" + unconfirmedEnd + after
	if *update {
		if err := os.WriteFile(findingsDocument, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(document) {
		t.Error("docs/findings.md shows other numbers: go test ./ballsbins/allocation -run Unconfirmed -update")
	}
}
