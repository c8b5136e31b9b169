package claims

// Kind classifies the statement of a claim.
type Kind string

// The kinds. Only results are graded by their findings and counted in the headline.
const (
	Result       Kind = "result"
	Setting      Kind = "setting"         // a definition or a set-up
	TextArtifact Kind = "text ≠ artifact" // the paper's text and the authors' code have different settings
	Cited        Kind = "cited, not modelled"
)

// Grade is the verdict on a claim.
type Grade string

// The grades. A claim that is no result has its kind as its grade.
const (
	Reproduced   Grade = "reproduced"
	Direction    Grade = "direction holds" // "no effect" is excluded; the size is another, or one run cannot tell it
	FarSmaller   Grade = "far smaller"     // as Direction, with less than a third of the claimed gain
	InPart       Grade = "holds in part"   // in one reading, scenario or size, not in another
	Contradicted Grade = "contradicted"    // the interval excludes the claimed direction or the predicate
	Undecided    Grade = "undecided"       // too few or too small runs
	NotMade      Grade = "not yet made"    // no figure in the folder decides it
)

// ofResults returns the grades that a finding gives to a result.
func ofResults() []Grade {
	return []Grade{Reproduced, Direction, FarSmaller, InPart, Contradicted, Undecided}
}

// Grades returns all grades, in the order in which they are listed.
func Grades() []Grade {
	return append(ofResults(), Grade(TextArtifact), Grade(Setting), Grade(Cited), NotMade)
}

// Meaning returns the rule of a grade in one sentence, without a full stop. It panics for an
// unknown grade.
func (g Grade) Meaning() string {
	meaning, known := map[Grade]string{
		Reproduced: "a number: it lies, within its rounding, in the 95 % prediction interval of one run (\"about\" a " +
			"number, within a quarter, in the interval of the mean), whose half-width is at most a quarter of the " +
			"claimed gain (or value); a statement in words: the estimates show it, p < 0.025",
		Direction: "the claimed ordering or sign holds and \"no effect\" is excluded; the size is another, " +
			"or one run cannot tell it",
		FarSmaller: "the claimed sign holds, but the 95 % interval of the gain is below a third of the claimed gain; " +
			"a gain is the distance from \"no effect\": that of 100× is 99, that of 25 % is 25 %, as that of 1.25× " +
			"is 0.25",
		InPart:       "true in one reading, scenario or size, and false in another; the reason names them",
		Contradicted: "the 95 % interval excludes the claimed direction, or the statement is false, p < 0.025",
		Undecided:    "too few or too small runs to say",
		Grade(TextArtifact): "the paper's text and the authors' code have different settings; both are shown, " +
			"no result is judged",
		Grade(Setting): "a definition or a set-up: checked, but not counted as a result",
		Grade(Cited):   "taken from other work, or about something that is not modelled",
		NotMade:        "the figure that decides it is not in the folder",
	}[g]
	if !known {
		panic("claims: no grade is called " + string(g))
	}
	return meaning
}

// Agreement reports whether the authors' own simulator, scripts or data support a claim.
type Agreement string

// The agreements, by the same rules as the grades.
const (
	Agrees      Agreement = "agrees"
	OtherSize   Agreement = "size"        // the direction holds, the size is another
	Contradicts Agreement = "contradicts" // the direction or the predicate does not hold
	Mixed       Agreement = "mixed"       // one reading or scenario agrees, another contradicts
	NoWitness   Agreement = "none"        // nothing of theirs shows it
)
