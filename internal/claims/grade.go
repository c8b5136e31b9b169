package claims

// Kind classifies the statement of a claim.
type Kind string

// The kinds. Findings grade results and arithmetic; the headline counts results, and arithmetic separately.
const (
	Result       Kind = "result"
	Arithmetic   Kind = "arithmetic"      // computed from the paper's own constants: it tests no behaviour
	Setting      Kind = "setting"         // a definition or a set-up
	TextArtifact Kind = "text ≠ artifact" // the paper's text and the authors' code have different settings
	Cited        Kind = "cited, not modelled"
	Ungraded     Kind = "not yet graded" // the rule says what a grade requires
)

// graded reports whether findings grade claims of the kind.
func (k Kind) graded() bool { return k == Result || k == Arithmetic }

// Grade is the verdict on a claim.
type Grade string

// The grades. For a claim of a kind that is not graded, the grade is the kind.
const (
	Reproduced   Grade = "reproduced"
	Direction    Grade = "direction holds" // "no effect" is excluded; the size is another
	FarSmaller   Grade = "far smaller"     // like Direction, with less than a third of the claimed gain
	FarLarger    Grade = "far larger"      // like Direction, with more than three times the claimed gain
	InPart       Grade = "holds in part"   // in one reading, scenario or size, not in another
	Contradicted Grade = "contradicted"    // the interval excludes the claimed direction or the predicate
	Undecided    Grade = "undecided"       // too few or too small runs
	NotMade      Grade = "not yet made"    // no figure in the folder decides it yet
)

// ofResults returns the grades that a finding gives to a result.
func ofResults() []Grade {
	return []Grade{Reproduced, Direction, FarSmaller, FarLarger, InPart, Contradicted, Undecided}
}

// Grades returns all grades in their usual order.
func Grades() []Grade {
	return append(ofResults(), Grade(TextArtifact), Grade(Setting), Grade(Cited), Grade(Ungraded), NotMade)
}

// Meaning returns the rule of a grade in one sentence, without a full stop. It panics for an
// unknown grade.
func (g Grade) Meaning() string {
	meaning, known := map[Grade]string{
		Reproduced: "a number: it lies, within its rounding, in the 95 % prediction interval of one run, and the mean of all " +
			"runs, known to a quarter of the claimed gain (or value), is at most a quarter of it away; a statement in words: " +
			"the estimates show it, p < 0.025",
		Direction: "the claimed ordering or sign holds and \"no effect\" is excluded; the size is another",
		FarSmaller: "the claimed sign holds, but the 95 % interval of the gain is below a third of the claimed gain; " +
			"a gain is the distance from \"no effect\": that of 100× is 99, that of 25 % is 25 %, as that of 1.25× " +
			"is 0.25",
		FarLarger:    "as far smaller, with an interval above three times the claimed gain",
		InPart:       "true in one reading, scenario or size, and false in another; the reason names them",
		Contradicted: "the 95 % interval excludes the claimed direction, or the statement is false, p < 0.025",
		Undecided:    "too few or too small runs to say; of a number, the mean is not known to a quarter of the claimed gain",
		Grade(TextArtifact): "the paper's text and the authors' code have different settings; both are shown, " +
			"no result is judged",
		Grade(Setting):  "a definition or a set-up: checked, but not counted as a result",
		Grade(Cited):    "taken from other work, or about something that is not modelled",
		Grade(Ungraded): "no figure has runs that decide it; the rule says which it needs",
		NotMade:         "the figure that decides it is not in the folder",
	}[g]
	if !known {
		panic("claims: no grade is called " + string(g))
	}
	return meaning
}

// Agreement reports whether the authors' own simulator, scripts or data support a claim.
type Agreement string

// The agreements, with the same rules as the grades: of a number over seeds computed by them, see
// [Number.grade].
const (
	Agrees      Agreement = "agrees"
	OtherSize   Agreement = "size"        // the direction holds, the size is another
	Contradicts Agreement = "contradicts" // the direction or the predicate does not hold
	Mixed       Agreement = "mixed"       // one reading or scenario agrees, another contradicts
	TooFew      Agreement = "undecided"   // too few seeds, or too far apart
	NoWitness   Agreement = "none"        // nothing by the authors shows it
)
