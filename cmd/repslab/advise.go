package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/fattree/balance"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/reps"
)

// adviseFlags describe a NIC and its network.
type adviseFlags struct {
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
	RTOUs       float64       `json:"rto_us,omitempty"` // 0 for the default
	Failed      float64       `json:"failed_percent"`
	MTU         int           `json:"mtu"`
	Message     int64         `json:"message_bytes"`
	Seed        uint64        `json:"seed"`
	Replicas    int           `json:"replicas"`
	workers     int
}

// advice is the page: the input, its numbers in order, and their sources.
type advice struct {
	Input   adviseFlags    `json:"input"`
	Numbers []adviceNumber `json:"numbers"`
	Sources []adviceSource `json:"sources"`
	Advice  []string       `json:"advice"` // sentences, each with its numbers and their source

	base    *fattreePoint // the healthy network under reps
	changes []adviceChange
	slotNs  float64 // of a packet on an uplink
	delay   int     // slots of the RTT
	packets int     // of a message
	stderr  io.Writer
}

// adviceNumber is a result with its interval, or a note on why there is none.
type adviceNumber struct {
	Section  string   `json:"section"`
	Quantity string   `json:"quantity"` // with its unit
	Balancer string   `json:"balancer,omitempty"`
	Change   string   `json:"change,omitempty"`  // of a flag
	Network  string   `json:"network,omitempty"` // of adviseNetworks, with a change
	Value    *float64 `json:"value"`
	Lo       *float64 `json:"lo,omitempty"`
	Hi       *float64 `json:"hi,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Note     string   `json:"note,omitempty"`
	Source   int      `json:"source"`             // from 1
	Key      string   `json:"key,omitempty"`      // of the source's column
	Row      int      `json:"row,omitempty"`      // of the source, from 1
	Over     int      `json:"over_row,omitempty"` // of the first source, of a ratio
}

// adviceSource is a command that prints the numbers, and the range in which its model holds.
type adviceSource struct {
	Command string `json:"command,omitempty"`
	Valid   string `json:"valid"`
}

// adviceChange is another value of one flag, tried with reps.
type adviceChange struct {
	flag    string // with its value
	in      adviseFlags
	source  int
	numbers []adviceNumber
	differs map[int][]string // what is smaller (-1), larger (1), or unclear (0), in words
	slower  bool             // in a network
}

// leastGain is the smallest difference, as a share, that advice depends on.
const leastGain = 0.02

// adviseBalancers are the compared balancers, by the names of --lb and of recycled's --rule.
func adviseBalancers() []string { return []string{lbREPS, "ops", "mixed"} }

// Quantities that advice depends on.
const (
	ratioToREPS = "slowest flow, ratio to reps"
	lostPackets = "lost packets"
)

// newAdvise returns the command that advises on a NIC.
func newAdvise() *cobra.Command {
	cmd := newCommand("advise")
	var f adviseFlags
	var format, output string
	var force bool
	flags := cmd.Flags()
	f.add(flags)
	addName(flags, &format, "format", "text", "text or json", []string{"text", "json"})
	addOutput(flags, &output, &force)
	seldom(flags, "force")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkOutput("-o", output, force); err != nil {
			return err
		}
		f.HostsPerToR, f.FabricGbps = cmp.Or(f.HostsPerToR, f.Uplinks), cmp.Or(f.FabricGbps, f.LinkGbps)
		f.ToRs = cmp.Or(f.ToRs, max(4, 128/f.HostsPerToR))
		a := advice{Input: f, stderr: cmd.ErrOrStderr()}
		for _, part := range []func(context.Context) error{a.prepare, a.network, a.oneSwitch, a.theory, a.hash, a.memory} {
			if err := part(cmd.Context()); err != nil {
				return err
			}
		}
		a.conclude()
		width := usualWidth
		if output == "" {
			width = helpWidth(cmd.OutOrStdout())
		}
		data := []byte(a.page(width))
		if format == "json" {
			var err error
			if data, err = json.MarshalIndent(a, "", "  "); err != nil {
				return err
			}
			data = append(data, '\n')
		}
		return writeOutput(cmd.OutOrStdout(), output, force, data)
	}
	return cmd
}

// add adds the flags of the NIC, the network and the runs.
func (f *adviseFlags) add(flags *pflag.FlagSet) {
	number := func(to *int, name, preset, help string, least, most int) {
		addValue(flags, to, name, preset, help, intsIn(least, most))
	}
	addValue(flags, &f.RTTUs, "rtt-us", "8", "round-trip time without queues, us", func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0, Max: 10_000, MinOpen: true})
	})
	number(&f.LinkGbps, "link-gbps", "400", "rate of the links of hosts", 1, 100_000)
	number(&f.FabricGbps, "fabric-gbps", "", "rate of the uplinks", 1, 100_000)
	byDefault(flags, "fabric-gbps", "--link-gbps")
	number(&f.Uplinks, "uplinks", "32", "uplinks of a ToR", 2, 256)
	number(&f.HostsPerToR, "hosts-per-tor", "", "hosts of a ToR", 1, 256)
	byDefault(flags, "hosts-per-tor", "as many as uplinks")
	number(&f.ToRs, "tors", "", "ToRs of the network", 4, 256)
	byDefault(flags, "tors", "enough for 128 hosts, at least 4")
	addValue(flags, &f.EVs, "evs", strconv.Itoa(reps.UltraEthernetEVSSize),
		"entropy values of a connection, a power of two: 2^b for b bits of the hashed header", powersOfTwo)
	addName(flags, &f.Rules, "reps", string(balance.UltraEthernet), "rules of reps: ultraethernet or paper\nultraethernet as in uet-htsim, paper as in libreps and vectors",
		[]balance.Rules{balance.UltraEthernet, balance.Paper})
	number(&f.AckRatio, "ack-ratio", "1", "packets per ACK\nthe paper has 1; uet-htsim acknowledges every 16 KiB, 4 packets of the usual size", 1, 64)
	addName(flags, &f.Variant, "ack-variant", ackStandard, "EVs of a coalesced ACK: standard, carry or reuse\n"+
		"standard: that of the last packet; carry: of all; reuse: that of the last, which --reps paper sends on as many packets", []string{ackStandard, ackCarry, ackReuse})
	addValue(flags, &f.RTOUs, "rto-us", "", "retransmission time-out, us", microseconds(10_000_000))
	byDefault(flags, "rto-us", "15 us and six full queues")
	addKind(flags, &f.Failed, "failed", "percent", "1%", "share of the cables above ToRs that fail during a message; 0 for none",
		func(text string) ([]float64, error) {
			number := strings.TrimSuffix(text, "%")
			if strings.Contains(number, "%") {
				return nil, fmt.Errorf("%.60q must be one percentage, such as 1%%", text)
			}
			return values.Floats(number, values.FloatRange{Min: 0, Max: 50})
		})
	number(&f.MTU, "mtu", "4150", "bytes of a full packet, including 64 of header", 65, 1<<20)
	addValue(flags, &f.Message, "message-bytes", "4MiB", "size of a message", func(text string) ([]int64, error) {
		return values.Sizes(text, values.SizeRange{Min: 1, Max: 1 << 26})
	})
	annotate(flags, groupKey, []string{"Parameters"}, "rtt-us", "link-gbps", "fabric-gbps", "uplinks", "hosts-per-tor", "tors", "evs", "reps",
		"ack-ratio", "ack-variant", "rto-us", "failed", "mtu", "message-bytes")
	number(&f.Replicas, "replicas", "8", "independent runs of every estimate", 2, mc.MaxReplicas)
	addSeed(flags, &f.Seed, "the same seed prints the same bytes")
	addWorkers(flags, &f.workers, "concurrent runs")
	annotate(flags, groupKey, []string{"Estimation"}, "replicas", "seed", "workers")
}

// powersOfTwo reads numbers of entropy values.
func powersOfTwo(text string) ([]int, error) {
	list, err := values.Ints(text, values.IntRange{Min: 1, Max: balance.MaxEVS})
	for _, v := range list {
		if v&(v-1) != 0 {
			return nil, fmt.Errorf("%d must be a power of two: b bits have 2^b values", v)
		}
	}
	return list, err
}

// String returns the command line that prints the page.
func (f adviseFlags) String() string {
	return fmt.Sprintf("repslab advise --rtt-us %v --link-gbps %d --fabric-gbps %d --uplinks %d --hosts-per-tor %d --tors %d%s "+
		"--failed %v%% --mtu %d --message-bytes %d --replicas %d --seed %d", f.RTTUs, f.LinkGbps, f.FabricGbps, f.Uplinks, f.HostsPerToR,
		f.ToRs, f.senders(), f.Failed, f.MTU, f.Message, f.Replicas, f.Seed)
}

// senders returns the flags of senders, which are the same here and in fattree.
func (f adviseFlags) senders() string {
	text := fmt.Sprintf(" --evs %d --ack-ratio %d", f.EVs, f.AckRatio)
	if f.Variant != ackStandard {
		text += " --ack-variant " + f.Variant
	}
	if f.Rules != balance.UltraEthernet {
		text += " --reps " + string(f.Rules)
	}
	if f.RTOUs > 0 {
		text += " --rto-us " + strconv.FormatFloat(f.RTOUs, 'f', -1, 64)
	}
	return text
}

// plan returns the plan of all estimates.
func (a *advice) plan() mc.Plan {
	return mc.Plan{Seed: a.Input.Seed, Workers: a.Input.workers, Replicas: uint64(a.Input.Replicas)}
}

// source adds a command as the source of the next numbers.
func (a *advice) source(command, valid string) {
	command = fmt.Sprintf("repslab %s --replicas %d --seed %d", command, a.Input.Replicas, a.Input.Seed)
	a.Sources = append(a.Sources, adviceSource{command, valid})
}

// add adds a number of the last source, unless it has another one.
func (a *advice) add(n adviceNumber) {
	n.Source = cmp.Or(n.Source, len(a.Sources))
	a.Numbers = append(a.Numbers, n)
}

// estimated returns the number with an estimate of a quantity in [0, most]. If some runs have no value it has
// the bound that the others leave, of a ratio, or else their number.
func (n adviceNumber) estimated(e mc.Estimate, runs int, most float64) adviceNumber {
	switch {
	case e.N == uint64(runs):
		n.Kind, n.Value, n.Lo, n.Hi = "estimate", &e.Value, new(max(0, e.Lo)), new(min(most, e.Hi))
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
func (a *advice) estimate(n adviceNumber, e mc.Estimate, most float64) {
	a.add(n.estimated(e, a.Input.Replicas, most))
}

// value adds a number that is no estimate, or a note if its model does not have it.
func (a *advice) value(n adviceNumber, kind string, v float64, err error) {
	if n.Kind, n.Value = kind, &v; err != nil {
		n.Kind, n.Value, n.Note = "", nil, "not covered"
	}
	a.add(n)
}

// excess returns -1 or 1 if the interval of a ratio excludes 1 from above or below, else 0. It is large if the ratio
// is at least leastGain away from 1, or a bound is.
func (n adviceNumber) excess() (sign int, large bool) {
	away := func(x float64) bool { return math.Abs(x-1) >= leastGain }
	switch {
	case n.Hi != nil && *n.Hi < 1:
		return -1, away(*cmp.Or(n.Value, n.Hi))
	case n.Lo != nil && *n.Lo > 1:
		return 1, away(*cmp.Or(n.Value, n.Lo))
	}
	return 0, n.Lo == nil || n.Hi == nil || *n.Lo < 1-leastGain || *n.Hi > 1+leastGain
}

// conclude says in words which balancer the runs prefer, and which changes gain.
func (a *advice) conclude() {
	say := func(source int, format string, args ...any) {
		a.Advice = append(a.Advice, fmt.Sprintf(format, args...)+fmt.Sprintf(" [%d].", source))
	}
	for _, n := range a.Numbers {
		if n.Over == 0 || n.Change != "" {
			continue
		}
		words, other := n.String()+" times as long", n.Balancer
		switch sign, large := n.excess(); {
		case sign > 0 && large:
			say(n.Source, "%s: prefer reps; %s takes %s", n.Section, other, words)
		case sign < 0 && large:
			say(n.Source, "%s: prefer %s; it takes %s as reps", n.Section, other, words)
		case sign > 0:
			say(n.Source, "%s: reps is ahead by less than 2 %%; %s takes %s", n.Section, other, words)
		case sign < 0:
			say(n.Source, "%s: %s is ahead by less than 2 %%; it takes %s as reps", n.Section, other, words)
		case !large:
			say(n.Source, "%s: %s is as fast as reps within 2 %%; it takes %s", n.Section, other, words)
		case n.Note == "":
			say(n.Source, "%s: %d runs do not tell reps from %s, which takes %s", n.Section, a.Input.Replicas, other, words)
		}
	}
	var vain []string
	for _, c := range a.changes {
		gains, costs := strings.Join(c.differs[-1], ", "), strings.Join(c.differs[1], ", ")
		switch {
		case c.slower:
			say(c.source, "Not %s for reps: %s", c.flag, costs)
		case gains == "":
			vain = append(vain, c.flag)
		case costs != "":
			say(c.source, "Change reps by %s: %s; but %s", c.flag, gains, costs)
		default:
			say(c.source, "Change reps by %s: %s", c.flag, gains)
		}
	}
	if vain != nil {
		a.Advice = append(a.Advice, "No gain of 2 % or more for reps by "+strings.Join(vain, ", ")+".")
	}
}

// page writes the advice as a page of text with a width for its sentences; tables have the usual one.
func (a *advice) page(width int) string {
	var page strings.Builder
	page.WriteString(wrap(a.opening(), width) + "\n" + a.table() + "\n")
	for i, source := range a.Sources {
		fmt.Fprintln(&page, wrap(fmt.Sprintf("  [%d]  %s", i+1, cmp.Or(source.Command, source.Valid)), width))
		if source.Command != "" && source.Valid != "" {
			fmt.Fprintln(&page, wrap("       "+source.Valid, width))
		}
	}
	page.WriteString("\nAdvice\n")
	for _, sentence := range a.Advice {
		fmt.Fprintln(&page, wrap("  "+sentence, width))
	}
	return page.String()
}

// opening returns the command line of the page and the network in words.
func (a *advice) opening() string {
	in, spec := a.Input, a.base.spec
	return fmt.Sprintf("%v\n\nA packet lasts %.4g ns on an uplink, the round trip %d packets, a message %d. "+
		"The network has %d ToRs with %s and %d uplinks of %d Gb/s each, so a message in %d stays in its ToR; queues hold %d packets and mark from %d (Kmin) to %d; "+
		"windows grow to %d; the time-out is %.4g us. Numbers are exact, bounds, or means of %d runs (est.) with 95 %% intervals; "+
		"the intervals of ratios are paired, run by run.", in, a.slotNs, a.delay, a.packets, in.ToRs,
		count(in.HostsPerToR, "host"), in.Uplinks, in.FabricGbps, in.ToRs, spec.Queue, spec.KMin, spec.KMax, spec.LongestWindow(), float64(spec.RTO)/1e6, in.Replicas)
}

// table returns the numbers, a line for each quantity or change.
func (a *advice) table() string {
	var table strings.Builder
	section := ""
	for row, rest := firstRow(a.Numbers); len(row) > 0; row, rest = firstRow(rest) {
		first, columns := row[0], adviseBalancers()
		label, head := first.Quantity, fmt.Sprintf("%s [%d]", first.Section, first.Source)
		if first.Change != "" {
			columns = adviseNetworks()
			label, head = fmt.Sprintf("%s [%d]", first.Change, first.Source), first.Section+", ratio to reps"
		}
		if section != first.Section {
			section = first.Section
			if first.column() != "" {
				titles := fmt.Sprintf("%29s%15s%15s%15s", "", columns[0], columns[1], columns[2])
				head += titles[len(head):]
			}
			table.WriteString("\n" + head + "\n")
		}
		cells, kind := make([]string, len(columns)), ""
		for _, n := range row {
			cells[max(0, slices.Index(columns, n.column()))] = n.String()
			if n.Value != nil { // a bound without one says so in its cell
				kind, _, _ = strings.Cut(strings.Replace(n.Kind, "estimate", "est.", 1), " ")
			}
		}
		line := fmt.Sprintf("  %-27s %14s %14s %14s %s", label, cells[0], cells[1], cells[2], kind)
		table.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return table.String()
}

// adviseNetworks are the columns of changes: ratios in two networks, and the packets lost in the second.
func adviseNetworks() []string { return []string{"healthy", "failed", lostPackets} }

// column returns the column of the page in which the number stands.
func (n adviceNumber) column() string {
	switch {
	case n.Change == "":
		return n.Balancer
	case n.Quantity == lostPackets:
		return lostPackets
	}
	return n.Network
}

// firstRow divides numbers into the numbers of the page's first line and the others.
func firstRow(numbers []adviceNumber) (row, rest []adviceNumber) {
	line := func(n adviceNumber) string { return n.Section + cmp.Or(n.Change, n.Quantity) }
	i := 0
	for i < len(numbers) && line(numbers[i]) == line(numbers[0]) {
		i++
	}
	return numbers[:i], numbers[i:]
}

// String returns the number as a cell of the page: the mean and half of its interval, or the ends of
// an interval that is not symmetric by more than a hundredth of that half.
func (n adviceNumber) String() string {
	switch {
	case n.Note != "":
		return n.Note
	case n.Value == nil && n.Lo != nil:
		return fmt.Sprintf("over %.3g", *n.Lo)
	case n.Value == nil:
		return fmt.Sprintf("under %.3g", *n.Hi)
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
