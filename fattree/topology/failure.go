package topology

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/mc"
)

// FailureKind is a kind of failure.
type FailureKind string

// The kinds of failures.
const (
	Cables       FailureKind = "cables"     // failed cables between switches
	Switches     FailureKind = "switches"   // failed switches above the ToRs
	Degrade      FailureKind = "degrade"    // cables at a fraction of their rate
	CableErrors  FailureKind = "ber-cable"  // bit errors on every cable
	SwitchErrors FailureKind = "ber-switch" // bit errors in every switch
)

// Placement says which cables or switches fail.
type Placement uint8

// The placements.
const (
	Random Placement = iota // drawn among all cables, or all switches above the ToRs, of the network
	// Aligned places are the same everywhere: the first uplinks of every ToR, or with Core those of
	// every pod, one aggregation switch after the other; the first spines, or the first aggregation
	// switches of every pod. A number, or percentage, is of one ToR or pod.
	Aligned
	First // the first ones of the whole network
)

// placements are the words for the placements.
var placements = [...]string{"random", "aligned", "first"}

// String returns the word of [ParseFailures].
func (p Placement) String() string { return word(placements[:], int(p)) }

// word returns a word of a list, or the number of one that it does not have.
func word(words []string, i int) string {
	if i >= len(words) {
		return strconv.Itoa(i)
	}
	return words[i]
}

// Failure is one term of a specification of failures, before its places are chosen; see
// [ParseFailures] and [Place].
type Failure struct {
	Kind    FailureKind
	Count   int     // cables or switches, at most fattree.MaxHosts; 0 where Percent counts, as for bit errors
	Percent float64 // of cables or switches, in (0, 100]; or of packets with a bit error, in (0, 100)
	Rate    float64 // of Degrade, in (0, 1); 0 for all other kinds
	// Of cables: the direction that fails, and whether they are those between aggregation switches and
	// the core of 3 tiers.
	Direction Direction
	Core      bool

	Place Placement // default Random; without a meaning for bit errors, which are everywhere

	Start, For fattree.Picoseconds // in [0, 1e15]; For 0 is for good
}

// ps is a time in an error.
type ps fattree.Picoseconds

// String returns the time with its unit.
func (t ps) String() string { return fmt.Sprintf("%d ps", int64(t)) }

// validate reports the first fault of entry i of a list of failures. Terms that
// [ParseFailures] accepts have none.
func (f Failure) validate(i int) error {
	wrong := func(field string, value any, constraint string, args ...any) error {
		return mc.NewFieldError("topology", fmt.Sprintf("failures[%d].%s", i, field), value, constraint, args...)
	}
	bits := f.isBits()
	const latest = fattree.Picoseconds(1e6 * mostMicroseconds)
	switch {
	case !bits && f.Kind != Cables && f.Kind != Switches && f.Kind != Degrade:
		return wrong("Kind", f.Kind, "must be one of %v", []FailureKind{Cables, Switches, Degrade, CableErrors, SwitchErrors})
	case bits && f.Count != 0:
		return wrong("Count", f.Count, "must be 0: bit errors have a Percent")
	case f.Count < 0 || f.Count > fattree.MaxHosts:
		return wrong("Count", f.Count, "must be in [0, %d]", fattree.MaxHosts)
	case bits && !(f.Percent > 0 && f.Percent < 100):
		return wrong("Percent", f.Percent, "must be in (0, 100)")
	case f.Count == 0 && !(f.Percent > 0 && f.Percent <= 100):
		return wrong("Percent", f.Percent, "must be in (0, 100] without a Count")
	case f.Kind == Degrade && !(f.Rate > 0 && f.Rate < 1):
		return wrong("Rate", f.Rate, "must be in (0, 1)")
	case f.Kind != Degrade && f.Rate != 0:
		return wrong("Rate", f.Rate, "must be 0 unless cables are degraded")
	case f.Direction > Both || f.Direction != Up && !f.cuts():
		return wrong("Direction", f.Direction, "must be Up, Down or Both, and Up unless cables fail or are degraded")
	case f.Core && !f.cuts():
		return wrong("Core", f.Core, "must be false unless cables fail or are degraded")
	case f.Place > First || f.Place != Random && bits:
		return wrong("Place", f.Place, "must be Random, Aligned or First, and Random of bit errors")
	case f.Start < 0 || f.Start > latest:
		return wrong("Start", ps(f.Start), "must be in [0, %v]", ps(latest))
	case f.For < 0 || f.For > latest:
		return wrong("For", ps(f.For), "must be in [0, %v]", ps(latest))
	}
	return nil
}

// cuts reports whether cables fail or are degraded.
func (f Failure) cuts() bool { return f.Kind == Cables || f.Kind == Degrade }

// isBits reports whether bits fail, everywhere.
func (f Failure) isBits() bool { return f.Kind == CableErrors || f.Kind == SwitchErrors }

// IsDrawn reports whether [Place] draws the places.
func (f Failure) IsDrawn() bool { return f.Place == Random && !f.isBits() }

// FailureGrammar describes the grammar of [ParseFailures] to users.
const FailureGrammar = `cables=N or cables=P%, switches=N or P%, degrade=N:RATE or P%:RATE (RATE in (0, 1)), ber-cable=P%, ber-switch=P%; ` +
	`options after a comma: dir=up|down|both and layer=core (of cables), place=random|aligned|first (not for bit errors), at=US, for=US; ` +
	`several joined by ";". N or P% is of the whole network, in random places that each replica draws, so cables=1 is one cable; ` +
	`with place=first the first ones; with place=aligned of the uplinks of every ToR, or the switches of every pod: ` +
	`cables=1,place=aligned is a cable of every ToR`

// ParseFailures reads a specification of failures such as
//
//	cables=1;switches=8%,at=100,for=50;degrade=2:0.5,dir=both,place=aligned
//
// with terms separated by semicolons and times in microseconds. Numbers, and percentages,
// are of all cables between switches, with layer=core of those to the core, or of all switches
// above the ToRs: cables=1 is one cable of the network, in a random place. With place=aligned
// they are of the uplinks of every ToR, with layer=core of the links between every pod and the
// core, or of the switches above the ToRs in every pod. An empty text is no failure. The error
// is a *mc.FieldError about the term, with the rule that it breaks. O(length).
func ParseFailures(text string) ([]Failure, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var list []Failure
	for term := range strings.SplitSeq(text, ";") {
		term = strings.TrimSpace(term)
		f, err := parseFailure(term)
		if err != nil {
			return nil, mc.NewFieldError("topology", "failures", term, "must be a valid failure: %v", err)
		}
		list = append(list, f)
	}
	return list, nil
}

// parseFailure reads one term.
func parseFailure(term string) (f Failure, err error) {
	words := strings.Split(term, ",")
	kind, value, ok := strings.Cut(strings.TrimSpace(words[0]), "=")
	if !ok {
		return f, fmt.Errorf("it has no =, as in cables=1")
	}
	f.Kind = FailureKind(strings.TrimSpace(kind))
	if err := f.parseValue(strings.TrimSpace(value)); err != nil {
		return f, err
	}
	seen := map[string]bool{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(word), "=")
		if seen[name] {
			return f, fmt.Errorf("%.20q is given twice", name)
		}
		seen[name] = true
		if err := f.parseOption(name, value); err != nil {
			return f, err
		}
	}
	return f, nil
}

// parseValue reads how much fails.
func (f *Failure) parseValue(text string) (err error) {
	switch f.Kind {
	case Cables, Switches:
		return f.parseAmount(text)
	case Degrade:
		amount, rate, ok := strings.Cut(text, ":")
		if f.Rate, err = strconv.ParseFloat(rate, 64); !ok || err != nil || !(f.Rate > 0 && f.Rate < 1) {
			return fmt.Errorf("%.20q must be an amount, a colon and a rate in (0, 1)", text)
		}
		return f.parseAmount(amount)
	case CableErrors, SwitchErrors:
		if err = f.parseAmount(text); err == nil && (f.Count > 0 || f.Percent >= 100) {
			err = fmt.Errorf("%.20q must be a percentage below 100%%", text)
		}
		return err
	}
	return fmt.Errorf("%.20q must be cables, switches, degrade, ber-cable or ber-switch", string(f.Kind))
}

// parseAmount reads a number or a percentage.
func (f *Failure) parseAmount(text string) (err error) {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		f.Percent, err = strconv.ParseFloat(percent, 64)
		if err != nil || !(f.Percent > 0 && f.Percent <= 100) {
			return fmt.Errorf("%.20q must be a percentage in (0%%, 100%%]", text)
		}
		return nil
	}
	if f.Count, err = strconv.Atoi(text); err != nil || f.Count < 1 || f.Count > fattree.MaxHosts {
		return fmt.Errorf("%.20q must be a number in [1, %d] or a percentage", text, fattree.MaxHosts)
	}
	return nil
}

// parseOption reads what stands behind a comma.
func (f *Failure) parseOption(name, value string) (err error) {
	bits := f.isBits()
	switch {
	case name == "dir" && f.cuts() && slices.Contains(directions[:], value):
		f.Direction = Direction(slices.Index(directions[:], value))
	case name == "layer" && f.cuts() && value == "core":
		f.Core = true
	case name == "place" && !bits && slices.Contains(placements[:], value):
		f.Place = Placement(slices.Index(placements[:], value))
	case name == "at":
		f.Start, err = parseMicroseconds(value, 0)
	case name == "for":
		f.For, err = parseMicroseconds(value, 1)
	case name == "dir" && f.Kind == Switches:
		err = fmt.Errorf("a switch fails in all directions")
	case (name == "dir" || name == "place") && bits:
		err = fmt.Errorf("bit errors have no %s: they are everywhere", name)
	case name == "dir":
		err = fmt.Errorf("dir (%.20q) must be up, down or both", value)
	case name == "layer":
		err = fmt.Errorf("layer (%.20q) must be core, and of cables", value)
	case name == "place":
		err = fmt.Errorf("place (%.20q) must be random, aligned or first", value)
	default:
		err = fmt.Errorf("option %.20q must be dir, layer, place, at or for; a further failure follows a semicolon", name)
	}
	return err
}

// mostMicroseconds keeps times far from overflow.
const mostMicroseconds = 1e9

// parseMicroseconds reads a time of at least some picoseconds.
func parseMicroseconds(text string, least fattree.Picoseconds) (fattree.Picoseconds, error) {
	us, err := strconv.ParseFloat(text, 64)
	if ps := fattree.Picoseconds(math.Round(1e6 * us)); err == nil && us >= 0 && us <= mostMicroseconds && ps >= least {
		return ps, nil
	}
	return 0, fmt.Errorf("time %.20q must be microseconds in [%v, %v]", text, float64(least)/1e6, mostMicroseconds)
}

// String returns the failure in the grammar of [ParseFailures], which reads it
// back the same.
func (f Failure) String() string {
	var s strings.Builder
	s.WriteString(string(f.Kind) + "=")
	if f.Count > 0 {
		s.WriteString(strconv.Itoa(f.Count))
	} else {
		s.WriteString(strconv.FormatFloat(f.Percent, 'g', -1, 64) + "%")
	}
	if f.Kind == Degrade {
		s.WriteString(":" + strconv.FormatFloat(f.Rate, 'g', -1, 64))
	}
	if f.Direction != Up {
		s.WriteString(",dir=" + f.Direction.String())
	}
	if f.Core {
		s.WriteString(",layer=core")
	}
	if f.Place != Random {
		s.WriteString(",place=" + f.Place.String())
	}
	if f.Start > 0 {
		s.WriteString(",at=" + strconv.FormatFloat(float64(f.Start)/1e6, 'f', -1, 64))
	}
	if f.For > 0 {
		s.WriteString(",for=" + strconv.FormatFloat(float64(f.For)/1e6, 'f', -1, 64))
	}
	return s.String()
}

// FailuresString returns failures in the grammar of [ParseFailures].
func FailuresString(failures []Failure) string {
	texts := make([]string, len(failures))
	for i, f := range failures {
		texts[i] = f.String()
	}
	return strings.Join(texts, ";")
}
