package topology

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repslab/fattree"
)

// FailureKind is a kind of failure.
type FailureKind string

// The kinds of failures; [FailureKinds] describes them.
const (
	Cables       FailureKind = "cables"
	Switches     FailureKind = "switches"
	Degrade      FailureKind = "degrade"
	namedLinks   FailureKind = "links"
	Transceivers FailureKind = "transceivers" // each of perTransceiver cables
	NICPorts     FailureKind = "ports"        // ports of the network cards of [Planes]
	CableErrors  FailureKind = "ber-cable"
	SwitchErrors FailureKind = "ber-switch"
	PacketLoss   FailureKind = "loss"
	FlowPaths    FailureKind = "flow" // each flow loses data packets on some uplinks of its source's ToR
)

// perTransceiver is the number of cables of a transceiver.
const perTransceiver = 4

// KindInfo describes a kind of failure. The parser, help, completion and the columns of rows all read it, so that
// each kind is described only once.
type KindInfo struct {
	Kind    FailureKind
	value   string // grammar of the value, such as N|P%
	Example string // an example of a failure
	Summary string // one line
	Source  string // keys of docs/references.md
	counted string // the places that rows count, cables or switches; empty if rows count none

	read    func(*Failure, string) error // reads the value
	options []string                     // names of the options that the kind may have
}

// FailureKinds lists the kinds of failures.
func FailureKinds() []KindInfo {
	const amount, percent, failures = "N|P%", "P%", "Bonato26 sec. 4.3"
	times, partly := []string{"at", "for", "flap"}, []string{"rate", "loss"}
	placed := append([]string{"place", "seed", "plane"}, times...)
	layered := append([]string{"loss", "layer", "dir"}, placed...)
	directed := slices.Concat(partly, []string{"dir"}, placed)
	count, share := (*Failure).parseAmount, (*Failure).parsePercent
	return []KindInfo{
		{Cables, amount, "cables=1", "failed links between switches, upwards unless dir is given", failures, "cables", count, slices.Concat(partly[:1], layered)},
		{Switches, amount, "switches=1", "failed switches above the ToRs, which take packets and lose them", failures, "switches", count, slices.Concat(partly, placed)},
		{Degrade, "N:R|P%:R", "degrade=1:0.5", "links between switches at the fraction R of their rate, in (0, 1)", "Bonato26 sec. 4.2",
			"cables", (*Failure).parseSlow, layered},
		{namedLinks, "NAMES", "links=tor0:spine0..7+tor5:spine2", "failed links between the switches that are named: tor and spine in " +
			"2 tiers, in 3 tiers tor, agg (numbered pod by pod) and core; the lower one first; a range stands for all links between its switches and the others",
			"Bonato26 sec. 4.2", "cables", (*Failure).parseLinks, slices.Concat(partly, []string{"dir", "plane"}, times)},
		{Transceivers, amount, "transceivers=1", "failed groups of four neighbouring uplinks of a ToR, both ways", "MRC26", "cables", count, directed},
		{NICPorts, amount, "ports=1", "failed links of network cards to ToRs, both ways, with --planes; never a host's last one", "MRC26",
			"cables", count, directed},
		{CableErrors, percent, "ber-cable=1%", "bit errors on every link: the receiver discards the packet", failures, "", share, times},
		{SwitchErrors, percent, "ber-switch=1%", "bit errors in every switch", failures, "", share, times},
		{PacketLoss, percent, "loss=0.1%", "each data packet is lost with this probability, however long its path", "MRC26", "", share, times},
		{FlowPaths, "F", "flow=0,paths=3", "data packets of these flows, such as 0..3, are lost on some uplinks of their sources' ToRs, which paths must name; " +
			"ACKs, other flows and packets within a ToR pass; not with --planes", "no other source", "",
			func(f *Failure, text string) (err error) { f.Flows = text; _, err = span(text); return err }, append([]string{"paths", "loss"}, times...)},
	}
}

// kinds is what [FailureKinds] returns, made once: placing failures looks up kinds many times.
var kinds struct {
	once sync.Once
	list []KindInfo
}

// info returns the description of a kind, and false if there is no such kind.
func (k FailureKind) info() (KindInfo, bool) {
	kinds.once.Do(func() { kinds.list = FailureKinds() })
	i := slices.IndexFunc(kinds.list, func(info KindInfo) bool { return info.Kind == k })
	if i < 0 {
		return KindInfo{}, false
	}
	return kinds.list[i], true
}

// takes reports whether failures of a kind may have an option.
func (k FailureKind) takes(option string) bool {
	info, _ := k.info()
	return slices.Contains(info.options, option)
}

// Column returns the column of rows that counts the places of a failure, such as failed_cables; empty if there is
// none.
func (f Failure) Column() string {
	info, _ := f.Kind.info()
	switch {
	case info.counted == "":
		return ""
	case f.Rate > 0:
		return "slow_" + info.counted
	case f.Loss > 0:
		return "lossy_" + info.counted
	case f.isForGood():
		return "failed_" + info.counted
	}
	return "flapping_" + info.counted
}

// kindNames returns the names of the kinds.
func kindNames() (names []string) {
	for _, info := range FailureKinds() {
		names = append(names, string(info.Kind))
	}
	return names
}

// option is an option of a failure. In a specification it follows a comma.
type option struct {
	name, value, summary string
	read                 func(*Failure, string) error
	text                 func(Failure) string // the value as [Failure.String] writes it; empty if it is the default
}

// options lists the options of failures, in the order in which [Failure.String] writes them.
func options() []option {
	time := func(name, summary string, least fattree.Picoseconds, field func(*Failure) *fattree.Picoseconds) option {
		return option{name, "TIME", summary, func(f *Failure, text string) (err error) {
			*field(f), err = parseTime(text, least)
			return err
		}, func(f Failure) string { return microseconds(*field(&f)) }}
	}
	return []option{
		{"paths", "K", "the uplinks, such as 3 or 0..7: ports of the ToR, with --ev-routing exact the EV modulo their number",
			func(f *Failure, text string) (err error) { f.Paths = text; _, err = span(text); return err }, func(f Failure) string { return f.Paths }},
		{"rate", "R", "links, or all those that a switch sends by, do not fail but have this fraction of their rate, in (0, 1]; 1 changes nothing; with at and for " +
			"a link is slow for a time", (*Failure).parseRate, func(f Failure) string { return rateText(f.Rate) }},
		{"loss", "L%", "they do not fail but lose each data packet with this probability, counted as corrupted; headers pass, and 0% changes nothing; together " +
			"with rate they are also slow; a flow loses this part of its packets on the paths, counted as lost", (*Failure).parseLoss, func(f Failure) string { return rateText(f.Loss) + "%" }},
		{"dir", choice(directions[:]), "the direction of links that fails: towards the core, towards the hosts or both; by default up, of transceivers and ports both",
			(*Failure).parseDirection, func(f Failure) string { return f.Direction.String() }},
		{"layer", "core", "only links to the core of 3 tiers", (*Failure).parseLayer, func(f Failure) string { return map[bool]string{true: "core"}[f.Core] }},
		{"place", choice(placements[:Named]), "random places are drawn by each replica among those of the whole network: cables=1 is one cable; aligned: N or P% of the " +
			"uplinks of every ToR, or of the switches of every pod: a cable of every ToR; first: the first ones of the network; spread: the first uplinks of evenly " +
			"spaced ToRs; tor:K: the first uplinks of ToR K alone", (*Failure).parsePlace, func(f Failure) string { return strings.Replace(f.Place.String(), "K", strconv.Itoa(f.ToR), 1) }},
		{"seed", "S", "random places are drawn once, from the seed S, for all replicas and combinations", (*Failure).parseSeed, func(f Failure) string { return strconv.Itoa(f.Seed) }},
		{"plane", "all|random|K", "with --planes every plane fails alike (all); random places are drawn among those of all planes, the default of ports; " +
			"K is that plane alone, from 0 on", (*Failure).parsePlane, func(f Failure) string { return f.Plane.String() }},
		time("at", "the time at which it begins; by default 0", 0, func(f *Failure) *fattree.Picoseconds { return &f.Start }),
		time("for", "how long it lasts; by default for good", 1, func(f *Failure) *fattree.Picoseconds { return &f.For }),
		{"flap", "PERIOD:DOWN", "it fails for the first DOWN of every PERIOD, two times", (*Failure).parseFlap, func(f Failure) string { return microseconds(f.Period) + ":" + microseconds(f.Down) }},
	}
}

// choice joins alternatives for the grammar.
func choice(words []string) string { return strings.Join(words, "|") }

// FailureGrammar describes the grammar of [ParseFailures] to users, in lines: a table of kinds, a table of
// options, and how failures are joined.
func FailureGrammar() string {
	var b strings.Builder
	line := func(name, value, summary string) { fmt.Fprintf(&b, "  %-26s  %s\n", name+"="+value, summary) }
	b.WriteString("Kinds; N is a number, 0 none, and P% a percentage, of the whole network unless place says other:\n")
	for _, k := range FailureKinds() {
		line(string(k.Kind), k.value, fmt.Sprintf("%s (options: %s)", k.Summary, strings.Join(k.options, ", ")))
	}
	b.WriteString("Options, each after a comma; TIME is in us, or has a unit, as 20us, 500ns and 1ms:\n")
	for _, o := range options() {
		line(o.name, o.value, o.summary)
	}
	return b.String()
}

// parseDirection reads the option dir.
func (f *Failure) parseDirection(text string) (err error) {
	f.Direction, err = oneOf[Direction]("dir", text, directions[:])
	return err
}

// parsePlace reads the option place.
func (f *Failure) parsePlace(text string) (err error) {
	known := placements[:Named]
	if f.Kind == Switches {
		known = placements[:spread]
	} else if number, is := strings.CutPrefix(text, "tor:"); is {
		f.Place = AtToR
		if f.ToR, err = strconv.Atoi(number); err != nil || f.ToR < 0 || f.ToR > fattree.MaxHosts {
			err = fmt.Errorf("place (%.20q) must have a number in [0, %d]", text, fattree.MaxHosts)
		}
		return err
	}
	f.Place, err = oneOf[Placement]("place", text, known)
	return err
}

// oneOf returns the index of a word.
func oneOf[T ~uint8](option, text string, words []string) (T, error) {
	i := slices.Index(words, text)
	if i < 0 {
		return 0, fmt.Errorf("%s (%.20q) must be %s", option, text, either(words))
	}
	return T(i), nil
}

// either joins words for a sentence: a, b or c.
func either(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// parseLayer reads the option layer.
func (f *Failure) parseLayer(text string) error {
	if f.Core = text == "core"; !f.Core {
		return fmt.Errorf("layer (%.20q) must be core", text)
	}
	return nil
}

// parsePlane reads the option plane.
func (f *Failure) parsePlane(text string) error {
	number, err := strconv.Atoi(text)
	switch {
	case text == "all" && f.Kind != NICPorts:
		f.Plane = EveryPlane
	case text == "random":
		f.Plane = AnyPlane
	case err == nil && number >= 0 && number < MaxPlanes:
		f.Plane = FirstPlane + PlaneChoice(number)
	case f.Kind == NICPorts:
		return fmt.Errorf("plane (%.20q) of ports must be random or a number in [0, %d]", text, MaxPlanes-1)
	default:
		return fmt.Errorf("plane (%.20q) must be all, random or a number in [0, %d]", text, MaxPlanes-1)
	}
	return nil
}

// parseFlap reads the option flap.
func (f *Failure) parseFlap(text string) (err error) {
	period, down, _ := strings.Cut(text, ":")
	if f.Period, err = parseTime(period, 1); err == nil {
		f.Down, err = parseTime(down, 1)
	}
	if err != nil || f.Down >= f.Period {
		return fmt.Errorf("flap (%.30q) must be PERIOD:DOWN, two times such as 100us:20us, DOWN below PERIOD", text)
	}
	return nil
}
