package claims

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repslab/faults"
	"repslab/internal/lists"
	"repslab/internal/values"
	"repslab/mc"
)

var (
	//go:embed claims.csv
	claimsCSV string
	//go:embed mrc.csv
	mrcCSV string
	//go:embed own.csv
	ownCSV string
	//go:embed witness.csv
	witnessCSV string
	//go:embed decided.csv
	decidedCSV string
	//go:embed superseded.csv
	supersededCSV string
)

// Claim is a quantitative statement of the paper, a statement about MRC or one of our own, and the condition under
// which it counts as reproduced.
type Claim struct {
	ID       string // N001, N002, ... for the paper; M1, M2, ... for MRC; R1, R2, ... for our own
	Section  string // for MRC who says so: its "authors", or "summaries" of them; for our own "repslab"
	Line     string // line of the paper's LaTeX source
	Quote    string // the paper's sentence; for MRC in our words
	Plain    string // the claim in words for readers who know neither the paper nor the field
	Scenario string
	Metric   string
	Claimed  string // claimed value as in the paper
	Kind     Kind
	Number   *Number // the claimed number; nil for a predicate or a bound
	// CountedWith lists the claims that contain this one, so that nothing is counted twice. This claim's grade
	// follows from their grades.
	CountedWith []string
	Comment     string
	Figure      string // the figure that decides the claim
	Rule        string // the rule of the grade, with its bounds
	Bounds      []Bound
	Point       string    // the point of the figure that decides, if it is one of several; by its label
	RuleDate    string    // day of the rule's last change
	Known       string    // whether its result was known then: "yes", "in part", "no", or empty if it has no grade
	Earlier     []Earlier // former rules, the oldest first
	Witness     []Reading
	DecidedBy   string    // "simulation", or "theory", "inputs" or "construction" where runs decide nothing: decided.csv says why
	Main        int       // index of the reading of the claimed quantity, or -1
	Says        Agreement // whether the authors' simulator, scripts or data support it
}

// bySimulation is the DecidedBy of most claims.
const bySimulation = "simulation"

// Counts reports whether the claim is one of the results in the headline's first count.
func (c Claim) Counts() bool { return c.Kind == Result && len(c.CountedWith) == 0 }

// Earlier is a former rule of a claim, the day from which it held, and the grade that it gives the recorded
// runs: "reproduced" or "differs" before there were grades.
type Earlier struct{ Date, Rule, Grade string }

// Reading holds one quantity of a claim, from the authors' simulator, scripts or data.
type Reading struct {
	Quantity, Unit    string
	Value, Least, Top string // mean, smallest and largest over seeds; may be empty
	Seeds             string
	Setting           string
	Basis             string // such as "artifact-script"
	Note              string
}

// String returns the value with its range over seeds.
func (r Reading) String() string {
	if r.Value == "" {
		return "none: " + r.Note
	}
	text := strings.TrimSpace(r.Value + " " + r.Unit)
	if r.Least != "" {
		text += " [" + r.Least + ", " + r.Top + "]"
	}
	if r.Seeds != "" {
		text += ", " + r.Seeds + " seed"
		if r.Seeds != "1" {
			text += "s"
		}
	}
	return text
}

// estimate returns the mean of a reading over seeds. Mean, smallest and largest of three seeds give all of
// them; of more seeds, those between are taken as equal, the least scatter possible. Without a range all
// seeds have the value. Fewer than three seeds give no interval.
func (r Reading) estimate() mc.Estimate {
	n, value, least, top := number(r.Seeds), number(r.Value), number(r.Least), number(r.Top)
	switch {
	case n < mc.Fewest:
		return mc.Estimate{Value: value, Lo: math.Inf(-1), Hi: math.Inf(1), N: uint64(n)}
	case r.Least == "":
		return Exact(value)
	}
	const unit = 1e6 // moments are of whole numbers
	var m mc.Moments
	for range int(n) - 2 {
		m.Add(int64(math.Round(unit * (n*value - least - top) / (n - 2))))
	}
	m.Add(int64(math.Round(unit * least)))
	m.Add(int64(math.Round(unit * top)))
	return m.Mean(mc.DefaultConfidence).Per(unit)
}

// AuthorsValue returns the reading of the claimed quantity, or why there is none. Statements that are not the
// paper's have no readings: it returns the empty text.
func (c Claim) AuthorsValue() string {
	switch {
	case len(c.Witness) == 0:
		return ""
	case c.Main >= 0:
		return c.Witness[c.Main].String()
	case c.Witness[0].Value == "":
		return c.Witness[0].String()
	}
	return "none of this quantity"
}

// records returns the lines of a table as maps by column.
func records(name, text string) []map[string]string {
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("claims: %s: %v", name, err))
	}
	return lists.Map(lines[1:], func(line []string) map[string]string {
		record := map[string]string{}
		for i, key := range lines[0] {
			record[key] = line[i]
		}
		return record
	})
}

// number returns a number of a table, or NaN for an empty cell.
func number(cell string) float64 {
	if cell == "" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		panic(fmt.Sprintf("claims: %v", err))
	}
	return x
}

// Claims returns all claims of the paper in order. The caller must not change them.
var Claims = sync.OnceValue(func() []Claim {
	witness := map[string][]Reading{}
	for _, f := range records("witness.csv", witnessCSV) {
		witness[f["claim"]] = append(witness[f["claim"]], Reading{f["quantity"], f["unit"], f["value"], f["lo"], f["hi"],
			f["seeds"], f["setting"], f["basis"], f["note"]})
	}
	return read("claims.csv", claimsCSV, witness)
})

// MRC returns the statements about MRC in order. No count of the paper's claims contains them. The caller must not
// change them.
var MRC = sync.OnceValue(func() []Claim { return read("mrc.csv", mrcCSV, nil) })

// Own returns the statements of our own in order, about figures that are not in the paper. No count of the paper's
// claims contains them. The caller must not change them.
var Own = sync.OnceValue(func() []Claim { return read("own.csv", ownCSV, nil) })

// Statements returns the claims of the paper, the statements about MRC and our own.
func Statements() []Claim { return slices.Concat(Claims(), MRC(), Own()) }

// read returns the claims of a table with their readings.
func read(name, text string, witness map[string][]Reading) []Claim {
	decided := map[string]string{}
	for _, f := range records("decided.csv", decidedCSV) {
		decided[f["claim"]] = f["decided_by"]
	}
	earlier := map[string][]Earlier{}
	for _, f := range records("superseded.csv", supersededCSV) {
		earlier[f["claim"]] = append(earlier[f["claim"]], Earlier{f["date"], f["rule"], f["grade"]})
	}
	return lists.Map(records(name, text), func(f map[string]string) Claim {
		list := bounds(f["conditions"])
		c := Claim{ID: f["id"], Section: f["section"], Line: f["line"], Quote: f["quote"], Plain: f["plain"], Scenario: f["scenario"],
			Metric: f["metric"], Claimed: f["claimed"], Kind: Kind(f["kind"]), CountedWith: strings.Fields(f["counted_with"]),
			Comment: f["comment"], Figure: f["figure"], Rule: prose(f["rule"], list), Bounds: list,
			Point: f["point"], RuleDate: f["rule_date"], Known: f["known"], Earlier: earlier[f["id"]], Witness: witness[f["id"]],
			DecidedBy: cmp.Or(decided[f["id"]], bySimulation),
			Main:      int(number(cmp.Or(f["main"], "0"))) - 1, Says: Agreement(f["says"])}
		if f["lo"] != "" {
			c.Number = &Number{number(f["lo"]), number(cmp.Or(f["hi"], "+Inf")), number(f["none"]), strings.HasPrefix(c.Claimed, "about")}
		}
		if n := c.Number; n != nil && c.Main >= 0 && c.Witness[c.Main].Seeds != "" {
			c.Says = n.agreement(c.Witness[c.Main].estimate())
		}
		return c
	})
}

// Find returns the claim with an id, from all tables. If there is none, it panics with a
// *[faults.FieldError], which figures turn into an error.
func Find(id string) Claim {
	all := Statements()
	if i := slices.IndexFunc(all, func(c Claim) bool { return c.ID == id }); i >= 0 {
		return all[i]
	}
	ids := lists.Map(all, func(c Claim) string { return c.ID })
	panic(faults.New("claims", "claim", id, "%s (a new one needs a line in a table of internal/claims)", values.MustBeOneOf(id, ids)))
}
