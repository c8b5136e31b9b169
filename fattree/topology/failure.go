package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/faults"
	"repslab/internal/times"
)

// Placement says which cables or switches fail.
type Placement uint8

// The placements.
const (
	Random Placement = iota // drawn among all cables, or all switches above the ToRs, of the network
	// Aligned chooses the same places everywhere: the first uplinks of every ToR; with Core the first uplinks of
	// every pod, one aggregation switch after the other; the first spines; or the first aggregation switches of
	// every pod. A number or percentage then applies to each ToR or pod.
	Aligned
	First // the first places of the whole network
	// spread chooses one place at each of evenly spaced ToRs (with Core: aggregation switches): first their first
	// places, then the next ones.
	spread
	AtToR // the first places at ToR number ToR
	Named // the links that Links names
)

// PlaneChoice says in which planes of a network something fails.
type PlaneChoice uint8

// The choices of planes.
const (
	EveryPlane PlaneChoice = iota // in all planes alike
	AnyPlane                      // random places are drawn from the places of all planes together
	FirstPlane                    // FirstPlane + k is plane k alone
)

// String returns the planes as [ParseFailures] reads them.
func (c PlaneChoice) String() string {
	if c >= FirstPlane {
		return strconv.Itoa(int(c - FirstPlane))
	}
	return [...]string{"all", "random"}[c]
}

// placements are the words for the placements in a specification, which cannot name the last one.
var placements = [...]string{"random", "aligned", "first", "spread", "tor:K", "named"}

// String returns the placement as [ParseFailures] reads it.
func (p Placement) String() string { return word(placements[:], int(p)) }

// word returns word i of a list, or the number i if there is none.
func word(words []string, i int) string {
	if i >= len(words) {
		return strconv.Itoa(i)
	}
	return words[i]
}

// Failure is one term of a specification of failures, before places are chosen; see [ParseFailures] and [Place].
type Failure struct {
	Kind    FailureKind
	Count   int     // cables or switches, at most fattree.MaxHosts; 0 if Percent is used, as for bit errors
	Percent float64 // of cables or switches, in (0, 100]; or of packets with a bit error, in (0, 100)
	Rate    float64 // for Degrade, in (0, 1); other links and switches fail if Rate and Loss are 0
	Loss    float64 // per cent of the data packets that the links or switches lose; in [0, 100)
	Links   string  // for NamedLinks: their names, such as tor0:spine0..7+tor5:spine2
	// For FlowPaths: the flows, and uplinks of the ToRs of their sources. Each is a number, or a range such as
	// 0..7.
	Flows, Paths string
	// For cables: the direction that fails, and whether they are the cables between aggregation switches and core
	// of 3 tiers.
	Direction Direction
	Core      bool

	Seed  int         // for random places: the same draw for all replicas; 0 draws from the source of [Place]
	ToR   int         // for AtToR
	Place Placement   // default Random; ignored for bit errors and losses, which are everywhere
	Plane PlaneChoice // default EveryPlane, which NICPorts cannot have; AnyPlane needs Random places

	Start, For fattree.Picoseconds // in [0, 1e15]; a For of 0 is permanent
	// Period and Down are for links that flap: they fail for the first Down of every Period from Start on; at most
	// 1e15.
	Period, Down fattree.Picoseconds
}

// ps is a time that an error shows.
type ps fattree.Picoseconds

// String returns the time with its unit.
func (t ps) String() string { return fmt.Sprintf("%d ps", int64(t)) }

// validate reports the first fault of f, entry i of a list of failures. Terms that [ParseFailures] accepts have no
// faults.
func (f Failure) validate(i int) error {
	wrong := func(field string, value any, constraint string, args ...any) error {
		return faults.New("topology", fmt.Sprintf("failures[%d].%s", i, field), value, constraint, args...)
	}
	_, known := f.Kind.info()
	bits, named, flows := f.isBits(), f.Kind == namedLinks, f.Kind == FlowPaths
	again, err := parseFailure(f.String())
	const latest = fattree.Picoseconds(1e6 * mostMicroseconds)
	switch {
	case !known:
		return wrong("Kind", f.Kind, "must be one of %v", kindNames())
	case flows && (err != nil || f != again) || !flows && f.Flows+f.Paths != "":
		return wrong("Flows", f.Flows, "must be of FlowPaths, which must have Paths, and only a Loss and times besides: numbers or ranges such as 0..7")
	case bits && f.Count != 0:
		return wrong("Count", f.Count, "must be 0: bit errors have a Percent")
	case named != (f.Links != "") || named && (f.Count != 0 || f.Percent != 0 || new(Failure).parseLinks(f.Links) != nil):
		return wrong("Links", f.Links, "must be names of links, such as tor0:spine0..7, without a Count or Percent; empty but for NamedLinks")
	case f.Count < 0 || f.Count > fattree.MaxHosts:
		return wrong("Count", f.Count, "must be in [0, %d]", fattree.MaxHosts)
	case bits && !(f.Percent > 0 && f.Percent < 100):
		return wrong("Percent", f.Percent, "must be in (0, 100)")
	case !named && !flows && f.Count == 0 && !(f.Percent > 0 && f.Percent <= 100):
		return wrong("Percent", f.Percent, "must be in (0, 100] without a Count")
	case !(f.Rate >= 0 && f.Rate < 1) || f.Kind == Degrade && f.Rate == 0 || f.Kind != Degrade && f.Rate > 0 && !f.Kind.takes("rate"):
		return wrong("Rate", f.Rate, "must be in [0, 1), above 0 of Degrade, and 0 of bit errors and FlowPaths")
	case !(f.Loss >= 0 && f.Loss < 100) || f.Loss > 0 && !f.Kind.takes("loss"):
		return wrong("Loss", f.Loss, "must be in [0, 100), and 0 of bit errors")
	case f.Direction > Both || f.Direction != Up && !f.Kind.takes("dir"):
		return wrong("Direction", f.Direction, "must be Up, Down or Both, and Up unless cables fail or are degraded")
	case f.Core && !f.Kind.takes("layer"):
		return wrong("Core", f.Core, "must be false unless cables fail or are degraded")
	case f.Place > Named || (f.Place == Named) != named || f.Place != Random && bits || f.Place.atToRs() && f.Kind == Switches:
		return wrong("Place", f.Place, "must be Random, Aligned, First, Spread or AtToR, the last two not of Switches; Random of bit errors, and Named of NamedLinks alone")
	case f.Seed < 0 || f.Seed > 0 && (f.Place != Random || bits):
		return wrong("Seed", f.Seed, "must not be negative, and 0 unless places are Random")
	case f.ToR < 0 || f.ToR > fattree.MaxHosts || f.ToR > 0 && f.Place != AtToR:
		return wrong("ToR", f.ToR, "must be in [0, %d], and 0 unless Place is AtToR", fattree.MaxHosts)
	case f.Plane >= FirstPlane+MaxPlanes || f.Plane != EveryPlane && bits || f.Plane == EveryPlane && f.Kind == NICPorts:
		return wrong("Plane", f.Plane, "must be EveryPlane, but not of NICPorts; or, not of bit errors, AnyPlane or FirstPlane + k, k below %d", MaxPlanes)
	case f.Plane == AnyPlane && f.Place != Random:
		return wrong("Plane", f.Plane, "must be EveryPlane or FirstPlane + k unless Place is Random")
	case f.Start < 0 || f.Start > latest:
		return wrong("Start", ps(f.Start), "must be in [0, %v]", ps(latest))
	case f.For < 0 || f.For > latest:
		return wrong("For", ps(f.For), "must be in [0, %v]", ps(latest))
	case f.Period != 0 || f.Down != 0:
		if !(0 < f.Down && f.Down < f.Period && f.Period <= latest) {
			return wrong("Down", ps(f.Down), "must be above 0 and below Period (%v), which is at most %v", ps(f.Period), ps(latest))
		}
	}
	return nil
}

// isBits reports whether bits fail, or packets get lost, everywhere.
func (f Failure) isBits() bool {
	return f.Kind == CableErrors || f.Kind == SwitchErrors || f.Kind == PacketLoss
}

// atToRs reports whether places are chosen by their ToRs.
func (p Placement) atToRs() bool { return p == spread || p == AtToR }

// isForGood reports whether the failure is permanent.
func (f Failure) isForGood() bool { return f.For == 0 && f.Period == 0 }

// Fails reports whether links of the failure fail for some time, so that routing can avoid them
// ([fattree.Spec].Reroutes): they do not if they are slow or lossy, or lose the packets of some flows alone. O(1).
func (f Failure) Fails() bool { return f.cuts() && !f.isBits() && f.Kind != FlowPaths }

// cuts reports whether links fail: they do not if they are slow or lossy.
func (f Failure) cuts() bool { return f.Rate == 0 && f.Loss == 0 }

// usual returns the direction and planes of a kind if the specification names none. Ports and transceivers fail in
// both directions. The ports of a host must not fail in every plane, or the host would have none.
func (k FailureKind) usual() (Direction, PlaneChoice) {
	switch k {
	case NICPorts:
		return Both, AnyPlane
	case Transceivers:
		return Both, EveryPlane
	}
	return Up, EveryPlane
}

// IsRandom reports whether the places are random.
func (f Failure) IsRandom() bool { return f.Place == Random && f.Kind.takes("place") }

// IsDrawn reports whether [Place] draws the places from its source.
func (f Failure) IsDrawn() bool { return f.IsRandom() && f.Seed == 0 }

// ParseFailures reads a specification of failures such as
//
//	cables=1;switches=8%,at=100,for=50;degrade=2:0.5,dir=both,place=aligned
//
// with terms separated by semicolons; [FailureGrammar] describes a term. An empty text has no failures, and a term
// that changes nothing, such as cables=0, cables=1,rate=1 or loss=0%, is ignored. The error is a
// *faults.FieldError about the term, with the rule that it breaks. O(length).
func ParseFailures(text string) ([]Failure, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var list []Failure
	for term := range strings.SplitSeq(text, ";") {
		term = strings.TrimSpace(term)
		f, err := parseFailure(term)
		if err != nil {
			return nil, faults.New("topology", "failures", term, "must be a valid failure: %v", err)
		}
		if f.Rate < 1 && (f.Count > 0 || f.Percent > 0 || f.Links+f.Flows != "") {
			list = append(list, f)
		}
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
	info, known := f.Kind.info()
	if !known {
		return f, fmt.Errorf("%.20q must be %s", kind, either(kindNames()))
	}
	f.Direction, f.Plane = f.Kind.usual()
	if err := info.read(&f, strings.TrimSpace(value)); err != nil {
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
	switch {
	case f.Loss > 0 && f.Rate == 1:
		f.Rate = 0
	case f.Loss == 0 && f.Rate == 0 && seen["loss"]:
		f.Rate = 1
	}
	if f.Flows != "" && f.Paths == "" {
		return f, fmt.Errorf("it has no paths, as in %s", info.Example)
	}
	if f.Plane == AnyPlane && f.Place != Random {
		return f, fmt.Errorf("a plane such as plane=0 must be given: plane=random goes with random places, not %v ones", f.Place)
	}
	if f.Seed > 0 && f.Place != Random {
		return f, fmt.Errorf("seed must come with random places, not %v ones", f.Place)
	}
	return f, nil
}

// parseSeed reads the option seed.
func (f *Failure) parseSeed(text string) (err error) {
	if f.Seed, err = strconv.Atoi(text); err != nil || f.Seed < 1 {
		err = fmt.Errorf("seed (%.20q) must be an integer of at least 1", text)
	}
	return err
}

// parseRate reads the option rate. With a rate of 1 links are healthy.
func (f *Failure) parseRate(text string) (err error) {
	if f.Rate, err = strconv.ParseFloat(text, 64); err != nil || !(f.Rate > 0 && f.Rate <= 1) {
		return fmt.Errorf("rate (%.20q) must be a fraction in (0, 1]", text)
	}
	return nil
}

// parseLoss reads the option loss. Without a loss links are healthy, unless they are slow.
func (f *Failure) parseLoss(text string) (err error) {
	percent, ok := strings.CutSuffix(text, "%")
	if f.Loss, err = strconv.ParseFloat(percent, 64); err != nil || !ok || !(f.Loss >= 0 && f.Loss < 100) {
		return fmt.Errorf("loss (%.20q) must be a percentage in [0%%, 100%%), such as 0.01%%", text)
	}
	return nil
}

// span reads a number or a range of numbers. It returns the first number and the one after the last.
func span(text string) (s [2]int, err error) {
	first, last, several := strings.Cut(text, "..")
	if !several {
		last = first
	}
	s[0], err = strconv.Atoi(first)
	end, errLast := strconv.Atoi(last)
	if s[1] = end + 1; err != nil || errLast != nil || s[0] < 0 || end < s[0] || end >= fattree.MaxFlows {
		return s, fmt.Errorf("%.20q must be a number or a range such as 0..7, below %d", text, fattree.MaxFlows)
	}
	return s, nil
}

// rateText writes a rate.
func rateText(rate float64) string { return strconv.FormatFloat(rate, 'g', -1, 64) }

// parseSlow reads an amount and a rate, separated by a colon.
func (f *Failure) parseSlow(text string) error {
	amount, rate, _ := strings.Cut(text, ":")
	if f.parseRate(rate) != nil {
		return fmt.Errorf("%.20q must be an amount, a colon and a rate in (0, 1]", text)
	}
	return f.parseAmount(amount)
}

// parsePercent reads a share of packets.
func (f *Failure) parsePercent(text string) error {
	err := f.parseAmount(text)
	if err == nil && (f.Count > 0 || f.Percent >= 100) {
		err = fmt.Errorf("%.20q must be a percentage below 100%%", text)
	}
	return err
}

// parseAmount reads a number or a percentage.
func (f *Failure) parseAmount(text string) (err error) {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		f.Percent, err = strconv.ParseFloat(percent, 64)
		if err != nil || !(f.Percent >= 0 && f.Percent <= 100) {
			return fmt.Errorf("%.20q must be a percentage in [0%%, 100%%]", text)
		}
		return nil
	}
	if f.Count, err = strconv.Atoi(text); err != nil || f.Count < 0 || f.Count > fattree.MaxHosts {
		return fmt.Errorf("%.20q must be a number in [0, %d] or a percentage", text, fattree.MaxHosts)
	}
	return nil
}

// parseOption reads an option, which follows a comma.
func (f *Failure) parseOption(name, value string) error {
	info, _ := f.Kind.info()
	list := options()
	i := slices.IndexFunc(list, func(o option) bool { return o.name == name })
	if i < 0 || !f.Kind.takes(name) {
		return fmt.Errorf("option %.20q of %s must be %s; a semicolon joins failures", name, f.Kind, either(info.options))
	}
	return list[i].read(f, value)
}

// mostMicroseconds keeps times far below overflow.
const mostMicroseconds = 1e9

// parseTime reads a time of at least the given number of picoseconds.
func parseTime(text string, least fattree.Picoseconds) (fattree.Picoseconds, error) {
	ps, err := times.Read(text, float64(least)/1e6, mostMicroseconds)
	return fattree.Picoseconds(ps), err
}

// String returns the failure in the grammar of [ParseFailures], which reads back an equal failure.
func (f Failure) String() string {
	var s strings.Builder
	s.WriteString(string(f.Kind) + "=")
	switch {
	case f.Links+f.Flows != "":
		s.WriteString(f.Links + f.Flows)
	case f.Count > 0:
		s.WriteString(strconv.Itoa(f.Count))
	default:
		s.WriteString(rateText(f.Percent) + "%")
	}
	if f.Kind == Degrade {
		s.WriteString(":" + rateText(f.Rate))
	}
	usual := Failure{Kind: f.Kind}
	usual.Direction, usual.Plane = f.Kind.usual()
	for _, o := range options() {
		if text := o.text(f); text != o.text(usual) && f.Kind.takes(o.name) {
			s.WriteString("," + o.name + "=" + text)
		}
	}
	return s.String()
}

// microseconds writes a time.
func microseconds(t fattree.Picoseconds) string {
	return strconv.FormatFloat(float64(t)/1e6, 'f', -1, 64)
}

// FailuresString returns failures in the grammar of [ParseFailures].
func FailuresString(failures []Failure) string {
	texts := make([]string, len(failures))
	for i, f := range failures {
		texts[i] = f.String()
	}
	return strings.Join(texts, ";")
}
