// Package advise says which balancer and which settings suit a NIC and its network. It runs the models to find
// out.
package advise

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree/balance"
	"repslab/fattree/transport"
	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/mc"
)

// Input describes a NIC and its network.
type Input struct {
	RTTUs       float64       `json:"rtt_us"`
	LinkGbps    int           `json:"link_gbps"`
	FabricGbps  int           `json:"fabric_gbps"`
	Uplinks     int           `json:"uplinks"`
	HostsPerToR int           `json:"hosts_per_tor"`
	ToRs        int           `json:"tors"`
	EVs         int           `json:"evs"`
	Rules       balance.Rules `json:"reps"`
	AckRatio    int           `json:"ack_ratio"`
	Variant     string        `json:"ack_variant"`
	RTOUs       float64       `json:"rto_us,omitempty"` // 0 is the default
	KMin        int           `json:"kmin,omitempty"`   // 0 is the default, like KMax
	KMax        int           `json:"kmax,omitempty"`
	Failed      float64       `json:"failed_percent"`
	MTU         int           `json:"mtu"`
	Message     int64         `json:"message_bytes"`
	Seed        uint64        `json:"seed"`
	Replicas    int           `json:"replicas"`
	Workers     int           `json:"-"`
}

// Advice is the page: the input, the numbers in order, and their sources.
type Advice struct {
	Input   Input    `json:"input"`
	Numbers []Number `json:"numbers"`
	Sources []Source `json:"sources"`
	Advice  []string `json:"advice"` // sentences, each with its numbers and source

	base     *cases.Fattree // the healthy network under reps
	networks []*network     // the NIC's: healthy, and with failed and flapping cables
	cables   int            // that fail
	changes  []*change
	best     *change  // recommended; nil if none is
	untried  []string // networks one step away that cannot be built
	steep    string   // how recycling breaks down under marks that rise too steeply; empty if it does not
	slotNs   float64  // duration of a packet on an uplink
	delay    int      // round trip in slots
	packets  int      // packets of a message
	stderr   io.Writer
}

// Number is a result with its interval, or a note on why there is none.
type Number struct {
	Section    string   `json:"section"`
	Quantity   string   `json:"quantity"` // quantity with its unit
	Balancer   string   `json:"balancer,omitempty"`
	Change     string   `json:"change,omitempty"`  // the changed flag with its value
	Network    string   `json:"network,omitempty"` // one of networks, if Change is set
	Value      *float64 `json:"value"`
	Lo         *float64 `json:"lo,omitempty"`
	Hi         *float64 `json:"hi,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	Note       string   `json:"note,omitempty"`
	Source     int      `json:"source"`                // number of the source, from 1
	Key        string   `json:"key,omitempty"`         // column of the source
	Row        int      `json:"row,omitempty"`         // row of the source, from 1
	Over       int      `json:"over_row,omitempty"`    // for a ratio: the row to divide by
	OverSource int      `json:"over_source,omitempty"` // and its source; 0 is the first
}

// Source is a command that prints the numbers, and the range in which its model is valid.
type Source struct {
	Command string `json:"command,omitempty"`
	Valid   string `json:"valid"`
	short   string // the command on the page, if it is like another
}

// leastGain is the smallest relative difference that advice depends on.
const leastGain = 0.02

// balancers returns the compared balancers by their names for --lb and for recycled's --rule.
func balancers() []string { return []string{cases.BalancerREPS, "ops", "mixed"} }

// Quantities that the advice depends on.
const (
	ratioToREPS = "slowest flow, ratio to reps"
	lostPackets = "lost packets"
)

// Advise runs the models of a NIC and its network, and draws conclusions. Sizes that are 0 follow from the others.
// Progress goes to stderr if it is a terminal. An error about the input names its flag.
func (f Input) Advise(ctx context.Context, stderr io.Writer) (*Advice, error) {
	f.HostsPerToR, f.FabricGbps = cmp.Or(f.HostsPerToR, f.Uplinks), cmp.Or(f.FabricGbps, f.LinkGbps)
	f.ToRs = cmp.Or(f.ToRs, max(4, 128/f.HostsPerToR))
	a := &Advice{Input: f, stderr: stderr}
	if err := a.prepare(); err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context) error{a.network, a.recommend, a.oneSwitch, a.theory} {
		if err := part(ctx); err != nil {
			return nil, err
		}
	}
	a.hash()
	a.memory()
	a.conclude()
	return a, nil
}

// String returns the command line that prints the page.
func (f Input) String() string {
	shared := lists.Where(f.settings(), func(s setting) bool {
		return slices.Contains([]string{"evs", "ack-ratio", "ack-variant", "reps", "rto-us", "kmin", "kmax"}, s.flag)
	})
	return fmt.Sprintf("repslab advise --rtt-us %v --link-gbps %d --fabric-gbps %d --uplinks %d --hosts-per-tor %d --tors %d %v "+
		"--failed %v%% --mtu %d --message-bytes %d --replicas %d --seed %d", f.RTTUs, f.LinkGbps, f.FabricGbps, f.Uplinks, f.HostsPerToR,
		f.ToRs, shared, f.Failed, f.MTU, f.Message, f.Replicas, f.Seed)
}

// plan returns the plan of all estimates.
func (a *Advice) plan() mc.Plan {
	return mc.Plan{Seed: a.Input.Seed, Workers: a.Input.Workers, Replicas: uint64(a.Input.Replicas)}
}

// source adds a command as the source of the numbers that follow.
func (a *Advice) source(command, valid string) {
	a.Sources = append(a.Sources, Source{Command: a.replicated(command, a.Input.Replicas), Valid: valid})
}

// replicated returns a command with replicas and seed.
func (a *Advice) replicated(command string, replicas int) string {
	return fmt.Sprintf("repslab %s --replicas %d --seed %d", command, replicas, a.Input.Seed)
}

// add adds a number. Its source is the last one, unless it names another.
func (a *Advice) add(n Number) {
	n.Source = cmp.Or(n.Source, len(a.Sources))
	a.Numbers = append(a.Numbers, n)
}

// estimated returns the number with an estimate of a quantity in [0, most]. Too few runs, or runs that are all alike,
// have no interval. If some runs have no value, a ratio becomes a bound from the other runs, and any other quantity
// becomes the count of these runs.
func (n Number) estimated(e mc.Estimate, runs int, most float64) Number {
	switch {
	case e.N == uint64(runs):
		if n.Kind, n.Value = "estimate", &e.Value; !math.IsInf(e.Hi-e.Lo, 0) {
			n.Lo, n.Hi = new(max(0, e.Lo)), new(min(most, e.Hi))
		}
	case n.Over > 0 && !math.IsInf(e.Lo, 0):
		n.Kind, n.Lo = "lower bound", &e.Lo
	case n.Over > 0 && !math.IsInf(e.Hi, 0):
		n.Kind, n.Hi = "upper bound", &e.Hi
	default:
		n.Note = fmt.Sprintf("%d of %d runs", e.N, runs)
	}
	return n
}

// estimate adds an estimate of a quantity in [0, most].
func (a *Advice) estimate(n Number, e mc.Estimate, most float64) {
	a.add(n.estimated(e, a.Input.Replicas, most))
}

// value adds a number that is not an estimate, or a note if the model does not cover it.
func (a *Advice) value(n Number, kind string, v float64, err error) {
	if n.Kind, n.Value = kind, &v; err != nil {
		n.Kind, n.Value, n.Note = "", nil, "not covered"
	}
	a.add(n)
}

// excess returns 1 or -1 if the interval of a ratio lies above or below 1, otherwise 0. large says that the ratio,
// or its bound, differs from 1 by at least leastGain.
func (n Number) excess() (sign int, large bool) {
	away := func(x float64) bool { return math.Abs(x-1) >= leastGain }
	switch {
	case n.Hi != nil && *n.Hi < 1:
		return -1, away(*cmp.Or(n.Value, n.Hi))
	case n.Lo != nil && *n.Lo > 1:
		return 1, away(*cmp.Or(n.Value, n.Lo))
	}
	return 0, n.Lo == nil || n.Hi == nil || *n.Lo < 1-leastGain || *n.Hi > 1+leastGain
}

// Page returns the advice as a page of text. width is for its sentences; tables have their usual width.
func (a *Advice) Page(width int) string {
	var page strings.Builder
	page.WriteString(console.Wrap(a.opening(), width) + "\n" + a.table() + "\n")
	for i, source := range a.Sources {
		fmt.Fprintln(&page, console.Wrap(fmt.Sprintf("  [%d]  %s", i+1, cmp.Or(source.short, source.Command, source.Valid)), width))
		if source.Command != "" && source.Valid != "" {
			fmt.Fprintln(&page, console.Wrap("       "+source.Valid, width))
		}
	}
	page.WriteString("\nAdvice\n")
	for _, sentence := range a.Advice {
		fmt.Fprintln(&page, console.Wrap("  "+sentence, width))
	}
	return page.String()
}

// opening returns the page's command line, and the network in words.
func (a *Advice) opening() string {
	in, spec := a.Input, a.base.Spec
	return fmt.Sprintf("%v\n\nA packet lasts %.4g ns on an uplink, the round trip %d packets, a message %d. "+
		"The network has %d ToRs with %s and %d uplinks of %d Gb/s each, so a message in %d stays in its ToR; queues hold %d packets and mark from %d (Kmin) to %d; "+
		"windows grow to %d; the time-out is %.4g us. Numbers are exact, bounds, or means of %d runs (est.) with 95 %% intervals; "+
		"the intervals of ratios are paired, run by run.", in, a.slotNs, a.delay, a.packets, in.ToRs,
		console.Count(in.HostsPerToR, "host"), in.Uplinks, in.FabricGbps, in.ToRs, spec.Queue, spec.KMin, spec.KMax, transport.LongestWindow(a.base.Plan), float64(a.base.Options.RTO)/1e6, in.Replicas)
}

// table returns the numbers, with a line for each quantity, change or network.
func (a *Advice) table() string {
	var table strings.Builder
	section := ""
	for row, rest := firstRow(a.Numbers); len(row) > 0; row, rest = firstRow(rest) {
		first := row[0]
		columns := first.columns()
		if section != first.Section {
			section = first.Section
			head := fmt.Sprintf("%s [%d]", section, first.Source)
			if first.Change != "" {
				head = section
			}
			if first.column() != "" {
				head = fmt.Sprintf("%-29s", head)
				for _, title := range columns {
					head += fmt.Sprintf("%15s", title)
				}
			}
			table.WriteString("\n" + head + "\n")
		}
		cells, kind := make([]string, max(3, len(columns))), ""
		for _, n := range row {
			cells[max(0, slices.Index(columns, n.column()))] = n.String()
			if n.Value != nil { // a bound without a value is stated in its cell
				kind, _, _ = strings.Cut(strings.Replace(n.Kind, "estimate", "est.", 1), " ")
			}
		}
		label := first.label()
		if len(label) > 27 {
			table.WriteString("  " + label + "\n")
			label = ""
		}
		line := fmt.Sprintf("  %-27s %14s %14s %14s %s", label, cells[0], cells[1], cells[2], kind)
		table.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return table.String()
}

// columns returns the titles of the number's section.
func (n Number) columns() []string {
	switch n.Section {
	case sectionAway:
		return []string{ratioToREPS[len("slowest flow, "):]}
	case sectionChanges, sectionLost, sectionJoined:
		return []string{healthy, failed, flapping}
	}
	return balancers()
}

// column returns the column of the page for the number.
func (n Number) column() string {
	switch n.Section {
	case sectionAway:
		return n.columns()[0]
	case sectionChanges, sectionLost, sectionJoined:
		return n.Network
	}
	return n.Balancer
}

// label returns the first words of the number's line.
func (n Number) label() string {
	switch {
	case n.Change == "":
		return n.Quantity
	case n.Section == sectionAway:
		return fmt.Sprintf("%s [%d]", n.Network, n.Source)
	case n.Section == sectionJoined && n.Quantity == lostPackets:
		return n.Quantity
	}
	return fmt.Sprintf("%s [%d]", n.Change, n.Source)
}

// firstRow splits numbers into the numbers of the page's first line and the rest.
func firstRow(numbers []Number) (row, rest []Number) {
	line := func(n Number) string { return n.Section + n.label() }
	i := 0
	for i < len(numbers) && line(numbers[i]) == line(numbers[0]) {
		i++
	}
	return numbers[:i], numbers[i:]
}

// String returns the number as a cell of the page: the mean and half the interval's width. An interval that is
// asymmetric by more than a hundredth of its half is shown by its ends.
func (n Number) String() string {
	switch {
	case n.Note != "":
		return n.Note
	case n.Value == nil && n.Lo != nil:
		return "over " + threeDigits(*n.Lo)
	case n.Value == nil:
		return "under " + threeDigits(*n.Hi)
	case n.Lo == nil || *n.Lo == *n.Hi:
		return strconv.FormatFloat(*n.Value, 'g', max(4, len(fmt.Sprintf("%.0f", *n.Value))), 64)
	}
	half, digits := (*n.Hi-*n.Lo)/2, 0
	if math.Abs(*n.Lo+half-*n.Value) > half/100 {
		digits = min(2, max(0, 3-len(fmt.Sprintf("%.0f", *n.Hi))))
		return fmt.Sprintf("%.*f to %.*f", digits, *n.Lo, digits, *n.Hi)
	}
	for scaled := half; scaled < 9.95 && (len(fmt.Sprintf("%.*f", digits, *n.Value)) < 5 || scaled < 0.5 && digits < 4); scaled *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f ±%.*f", digits, *n.Value, digits, half)
}

// threeDigits writes a number with three digits, or with those before the point.
func threeDigits(v float64) string {
	return fmt.Sprintf("%.*g", max(3, len(fmt.Sprintf("%.0f", v))), v)
}
