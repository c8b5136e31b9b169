package cases

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/values"
)

// allFlows names the row of all flows, and otherFlows the row of those in no group of --lb-of. No group may have the
// first name, and no part of the traffic either of them.
const allFlows, otherFlows = "all", "others"

// groupGrammar describes the grammar of --groups to users.
const groupGrammar = `or 'tor0: source=0..7; hit: crosses-failure': NAME: CONDITION, ..., joined by semicolons; the row of all flows, named all, is followed by one for each group; ` +
	`conditions are source, destination, flow, tor (of the source), bytes, start (us) with =, <, <=, > or >= and numbers such as =0..31,40 ` +
	`or <100kB, every=N (flows 0, N, 2N, ...), the name of a part of --workload, background, and crosses-failure; all conditions of a group must hold, with commas or and between them; ` +
	`crosses-failure: a cable that packets or ACKs of the flow can take fails, is slow or lossy at some time between its start and end, ` +
	`so one above a ToR of its hosts, unless both have the same, and between pods one above an aggregation switch of theirs; ` +
	`a cable that flaps counts from its first to its last failure, bit errors and losses everywhere do not; several values are separated by |`

// Quantities that conditions treat specially: the first two are known after a run alone.
const (
	startQuantity   = "start"
	crossesQuantity = "crosses-failure"
	everyQuantity   = "every"
	partQuantity    = "part"
)

// groupName matches the name of a group.
var groupName = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]*$`)

// flowGroups is a value of --groups.
type flowGroups []flowGroup

// flowGroup is a group of flows.
type flowGroup struct {
	name       string
	conditions []condition
}

// condition is a condition on a quantity of a flow.
type condition struct {
	text, quantity, operator string
	numbers                  []int64 // values that the quantity may have, sorted; the limit for other operators than =
}

// String returns the groups in the grammar of --groups.
func (g flowGroups) String() string {
	return strings.Join(lists.Map(g, func(one flowGroup) string { return one.name + ": " + one.text() }), "; ")
}

// text returns the conditions.
func (g flowGroup) text() string {
	return strings.Join(lists.Map(g.conditions, func(c condition) string { return c.text }), ", ")
}

// groupSpecs reads values of --groups, separated by |.
func groupSpecs(text string) ([]flowGroups, error) {
	return values.Each(text, "|", func(several string) (groups flowGroups, err error) {
		for term := range strings.SplitSeq(several, ";") {
			g, err := parseGroup(term)
			if err == nil && slices.ContainsFunc(groups, func(other flowGroup) bool { return other.name == g.name }) {
				err = errors.New("must have a name that no other group has")
			}
			if err != nil {
				return nil, fmt.Errorf("%.60q %w; fattree --help-all has the grammar", strings.TrimSpace(term), err)
			}
			groups = append(groups, g)
		}
		return groups, nil
	})
}

// parseGroup reads a group.
func parseGroup(term string) (g flowGroup, err error) {
	name, rest, _ := strings.Cut(term, ":")
	if g.name = strings.TrimSpace(name); !groupName.MatchString(g.name) || g.name == allFlows {
		return g, fmt.Errorf("must be NAME: CONDITION, as in tor0: source=0..31, with a name of letters, digits, _, . and -, that begins without - and is not %s", allFlows)
	}
	g.conditions, err = parseConditions(rest)
	return g, err
}

// parseConditions reads the conditions of a group.
func parseConditions(text string) (list []condition, err error) {
	const comma = "\x1f" // a comma between numbers
	text = numberComma.ReplaceAllString(text, comma+"$1")
	for text := range strings.SplitSeq(strings.ReplaceAll(text, " and ", ","), ",") {
		c := condition{text: strings.ReplaceAll(strings.Join(strings.Fields(text), ""), comma, ",")}
		if err := c.parse(); err != nil {
			return nil, fmt.Errorf("has a wrong condition, %.40q: %w", c.text, err)
		}
		list = append(list, c)
	}
	return list, nil
}

// parse reads the text of a condition.
func (c *condition) parse() (err error) {
	parts := regexp.MustCompile(`^(source|destination|flow|tor|bytes|start|every)(=|<=|<|>=|>)(.+)$`).FindStringSubmatch(c.text)
	switch {
	case c.text == "background", c.text == crossesQuantity:
		c.quantity, c.numbers = c.text, []int64{1}
		return nil
	case groupName.MatchString(c.text):
		c.quantity, c.numbers = partQuantity, []int64{1}
		return nil
	case parts == nil:
		return errors.New("must be background, crosses-failure, the name of a part of --workload, every=N, or source, destination, flow, tor, bytes or start with =, <, <=, > or >= and numbers")
	}
	c.quantity, c.operator = parts[1], parts[2]
	if c.numbers, err = c.readNumbers(parts[3]); err == nil && c.operator != "=" && len(c.numbers) > 1 {
		err = fmt.Errorf("must have one number behind %s", c.operator)
	}
	if err == nil && c.quantity == everyQuantity && (c.operator != "=" || len(c.numbers) > 1 || c.numbers[0] < 1) {
		err = errors.New("must be every=N with an N of at least 1")
	}
	slices.Sort(c.numbers)
	return err
}

// readNumbers reads the numbers of a condition: sizes of bytes, integers of all else.
func (c *condition) readNumbers(text string) ([]int64, error) {
	const most = 1 << 40
	if c.quantity == "bytes" {
		return values.Sizes(text, values.SizeRange{Max: most})
	}
	list, err := values.Ints(text, values.IntRange{Max: min(most, math.MaxInt)})
	return lists.Map(list, func(v int) int64 { return int64(v) }), err
}

// holds reports whether a value satisfies the condition. A start is in picoseconds, but its numbers are in us: it is
// equal to the us in which it lies.
func (c *condition) holds(value int64) bool {
	unit := int64(1)
	if c.quantity == startQuantity {
		unit = us
	}
	switch order := cmp.Compare(value, unit*c.numbers[0]); c.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	_, found := slices.BinarySearch(c.numbers, value/unit)
	return found
}

// checkGroupNames returns an error for a group with the name of another row.
func (p *Fattree) checkGroupNames() error {
	for _, g := range p.groups {
		if slices.ContainsFunc(p.parts, func(q part) bool { return q.Name == g.name }) {
			return param.Usagef("--groups: %s must have another name: a part of --workload has it", g.name)
		}
		if g.name == otherFlows && p.lbOf != nil {
			return param.Usagef("--groups: %s must have another name: the flows in no group of --lb-of have it", g.name)
		}
	}
	return nil
}

// checkGroups returns an error for hosts, ToRs or parts that the network does not have.
func (p *Fattree) checkGroups(flag string, groups []flowGroup) error {
	ends := map[string]int{"source": p.hosts(), "destination": p.hosts(), "tor": p.Tree.ToRs()}
	names := lists.Map(p.parts, func(q part) string { return q.Name })
	for _, g := range groups {
		for _, c := range g.conditions {
			if end, limited := ends[c.quantity]; limited && c.operator == "=" && slices.Max(c.numbers) >= int64(end) {
				what := c.text
				if g.name != "" {
					what += " of " + g.name
				}
				return param.Usagef("--%s: %s must be in [0, %d]", flag, what, end-1)
			}
			if c.quantity == partQuantity && !slices.Contains(names, c.text) {
				return param.Usagef("--%s: %q must be a condition, or the name of a part of --workload or of a group of --groups", flag, c.text)
			}
		}
	}
	return nil
}

// flowGroups returns the groups of the rows behind the row of all flows: the parts of a sum, groups with a balancer of
// their own, all flows without one, and the groups of --groups. Each name has one row.
func (p *Fattree) flowGroups() (list []experiment.Group) {
	add := func(g experiment.Group) {
		if !slices.ContainsFunc(list, func(other experiment.Group) bool { return other.Name == g.Name }) {
			list = append(list, g)
		}
	}
	for _, q := range p.parts {
		if len(p.parts) > 1 {
			add(experiment.OfPart(q.Name))
		}
	}
	named := lists.Map(p.groups, p.groupOf)
	for _, g := range p.lbOf {
		if at := slices.IndexFunc(named, func(n experiment.Group) bool { return n.Name == g.name }); at >= 0 {
			add(named[at])
		} else {
			add(p.groupOf(g.flowGroup))
		}
	}
	if p.lbOf != nil {
		add(experiment.Group{Name: otherFlows, Of: func(r experiment.Replica) []bool {
			w := r.Network.Spec().Workload
			in := make([]bool, len(w.Flows))
			for flow := range in {
				in[flow] = p.numberIn(p.lbOf, w, flow) == 0
			}
			return in
		}})
	}
	for _, g := range named {
		add(g)
	}
	return list
}

// groupOf returns a group for a setup.
func (p *Fattree) groupOf(g flowGroup) experiment.Group {
	return experiment.Group{Name: g.name, Of: func(r experiment.Replica) []bool {
		in, hit, w := make([]bool, len(r.Result.Flows)), p.crossesFailure(r), r.Network.Spec().Workload
		for flow := range in {
			in[flow] = p.holds(g, w, flow, r.Result.Flows[flow].Start, hit)
		}
		return in
	}}
}

// holds reports whether a flow of a workload, with its start in the run, is in a group. hit says whether it crosses a
// failure.
func (p *Fattree) holds(g flowGroup, w fattree.Workload, flow int, start fattree.Picoseconds, hit func(flow int) bool) bool {
	return !slices.ContainsFunc(g.conditions, func(c condition) bool { return !c.holds(p.quantity(c, w, flow, start, hit)) })
}

// groupCells returns for each flow of a run the names of its groups, joined by +; nil without --groups.
func (p *Fattree) groupCells(r experiment.Replica) (names []string) {
	for _, g := range p.flowGroups() {
		if names == nil {
			names = make([]string, len(r.Result.Flows))
		}
		for flow, in := range g.Of(r) {
			if in {
				names[flow] = strings.TrimPrefix(names[flow]+"+"+g.Name, "+")
			}
		}
	}
	return names
}

// flowsOf returns the flows of a workload that the text of a flag names: by numbers, or by conditions of --groups that
// hold before the run. Without a text it returns the first few.
func (p *Fattree) flowsOf(flag, text string, workload *fattree.Workload, few int) (list []int, err error) {
	flows := len(workload.Flows)
	if text == "" {
		for flow := range min(few, flows) {
			list = append(list, flow)
		}
		return list, nil
	}
	if flows == 0 { // a schedule without messages
		return nil, param.Usagef("--%s: %.40q must not be given, since the run has no flows", flag, text)
	}
	if strings.Trim(text[:1], "0123456789") == "" {
		if list, err = values.Ints(text, values.IntRange{Min: 0, Max: flows - 1}); err != nil {
			err = param.Usagef("--%s: %w", flag, err)
		}
		return list, err
	}
	var g flowGroup
	if g.conditions, err = parseConditions(text); err != nil {
		return nil, param.Usagef("--%s: %.60q must be numbers of flows, such as 0,512..520, or conditions of --groups, but %w", flag, text, err)
	}
	if slices.ContainsFunc(g.conditions, condition.followsRun) {
		return nil, param.Usagef("--%s: %.60q must be without start and crosses-failure, which are known only after the run", flag, text)
	}
	if err := p.checkGroups(flag, []flowGroup{g}); err != nil {
		return nil, err
	}
	for flow := range flows {
		if p.holds(g, *workload, flow, 0, nil) {
			list = append(list, flow)
		}
	}
	if list == nil {
		return nil, param.Usagef("--%s: %.60q must hold for a flow, but holds for none of the %d", flag, text, flows)
	}
	return list, nil
}

// followsRun reports whether the condition is known only after the run.
func (c condition) followsRun() bool {
	return c.quantity == startQuantity || c.quantity == crossesQuantity
}

// quantity returns the quantity of a condition for a flow, times in picoseconds. A condition without numbers is a
// quantity that is 1 if the condition holds.
func (p *Fattree) quantity(c condition, w fattree.Workload, flow int, start fattree.Picoseconds, hit func(flow int) bool) int64 {
	is := false
	switch f := w.Flows[flow]; c.quantity {
	case "source":
		return int64(f.Source)
	case "destination":
		return int64(f.Destination)
	case "flow":
		return int64(flow)
	case "tor":
		return int64(f.Source) / int64(p.Tree.HostsPerToR)
	case "bytes":
		return f.Bytes
	case startQuantity:
		return int64(start)
	case everyQuantity:
		if int64(flow)%c.numbers[0] == 0 {
			return c.numbers[0]
		}
		return -1
	case partQuantity:
		first, end := w.Part(c.text)
		is = first <= flow && flow < end
	case crossesQuantity:
		is = hit(flow)
	default:
		is = w.Background(flow)
	}
	return int64(param.Bit(is))
}

// crossesFailure returns whether a flow of a run can take a cable with a fault, as [groupGrammar] says.
func (p *Fattree) crossesFailure(r experiment.Replica) func(flow int) bool {
	faults := map[int][]fattree.Fault{} // by port
	for _, f := range r.Network.Spec().Faults {
		for _, port := range f.Ports {
			faults[port] = append(faults[port], f)
		}
	}
	if len(faults) == 0 {
		return func(int) bool { return false }
	}
	t, planes := p.Tree, p.allPlanes()
	above := map[[2]int][]fattree.Fault{} // by tier, and number of the ToR or pod
	for tier, cables := range []int{t.UplinksPerToR, t.AggsPerPod() * t.UplinksPerAgg}[:t.Tiers-1] {
		each := []int{t.UplinksPerToR, t.UplinksPerAgg}[tier]
		for i := range cables * []int{t.ToRs(), t.Pods()}[tier] {
			for plane := range p.planes {
				for _, port := range planes.Ports(topology.Part{Tier: tier, Switch: i / each, Uplink: i % each, Direction: topology.Both}, plane) {
					above[[2]int{tier, i / cables}] = append(above[[2]int{tier, i / cables}], faults[port]...)
				}
			}
		}
	}
	return func(flow int) bool {
		f := r.Result.Flows[flow]
		if f.End == fattree.Unfinished {
			f.End = math.MaxInt64
		}
		during := func(x fattree.Fault) bool { return x.Start < f.End && (x.End == 0 || f.Start < x.End) }
		source, destination := r.Network.Pair(int32(flow))
		for tier, hosts := range []int{t.HostsPerToR, t.HostsPerToR * t.ToRsPerPod}[:t.Tiers-1] {
			a, b := int(source)/hosts, int(destination)/hosts
			if a != b && (slices.ContainsFunc(above[[2]int{tier, a}], during) || slices.ContainsFunc(above[[2]int{tier, b}], during)) {
				return f.Start != fattree.Unfinished
			}
		}
		return false
	}
}
