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

// allFlows names the row of all flows. No group may have this name.
const allFlows = "all"

// groupGrammar describes the grammar of --groups to users.
const groupGrammar = `or 'tor0: source=0..7; hit: crosses-failure': NAME: CONDITION, ..., joined by semicolons; the row of all flows, named all, is followed by one for each group; ` +
	`conditions are source, destination, flow, tor (of the source), bytes, start (us) with =, <, <=, > or >= and numbers such as =0..31,40 ` +
	`or <100kB, background, and crosses-failure; all conditions of a group must hold, with commas or and between them; ` +
	`crosses-failure: a cable that packets or ACKs of the flow can take fails, is slow or lossy at some time between its start and end, ` +
	`so one above a ToR of its hosts, unless both have the same, and between pods one above an aggregation switch of theirs; ` +
	`a cable that flaps counts from its first to its last failure, bit errors and losses everywhere do not; several values are separated by |`

// What is known of a flow only after the run: its start, and whether it can take a failed cable.
const startQuantity, crossesFailure = "start", "crosses-failure"

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
	return strings.Join(lists.Map(g, func(one flowGroup) string {
		return one.name + ": " + strings.Join(lists.Map(one.conditions, func(c condition) string { return c.text }), ", ")
	}), "; ")
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
	if g.name = strings.TrimSpace(name); !regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]*$`).MatchString(g.name) || g.name == allFlows {
		return g, fmt.Errorf("must be NAME: CONDITION, as in tor0: source=0..31, with a name of letters, digits, _, . and -, that begins without - and is not %s", allFlows)
	}
	const comma = "\x1f" // a comma between numbers
	rest = regexp.MustCompile(`,\s*([0-9])`).ReplaceAllString(rest, comma+"$1")
	for text := range strings.SplitSeq(strings.ReplaceAll(rest, " and ", ","), ",") {
		c := condition{text: strings.ReplaceAll(strings.Join(strings.Fields(text), ""), comma, ",")}
		if err := c.parse(); err != nil {
			return g, fmt.Errorf("has a wrong condition, %.40q: %w", c.text, err)
		}
		g.conditions = append(g.conditions, c)
	}
	return g, nil
}

// parse reads the text of a condition.
func (c *condition) parse() (err error) {
	parts := regexp.MustCompile(`^(source|destination|flow|tor|bytes|start)(=|<=|<|>=|>)(.+)$`).FindStringSubmatch(c.text)
	switch {
	case c.text == "background", c.text == crossesFailure:
		c.quantity, c.numbers = c.text, []int64{1}
		return nil
	case parts == nil:
		return errors.New("must be background, crosses-failure, or source, destination, flow, tor, bytes or start with =, <, <=, > or >= and numbers")
	}
	c.quantity, c.operator = parts[1], parts[2]
	if c.numbers, err = values.Sizes(parts[3], values.SizeRange{Min: 0, Max: 1 << 40}); err == nil && c.operator != "=" && len(c.numbers) > 1 {
		err = fmt.Errorf("must have one number behind %s", c.operator)
	}
	slices.Sort(c.numbers)
	return err
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

// checkGroups returns an error for hosts or ToRs that the network does not have.
func (p *Fattree) checkGroups() error {
	ends := map[string]int{"source": p.hosts(), "destination": p.hosts(), "tor": p.Tree.ToRs()}
	for _, g := range p.groups {
		for _, c := range g.conditions {
			if end, limited := ends[c.quantity]; limited && c.operator == "=" && slices.Max(c.numbers) >= int64(end) {
				return param.Usagef("--groups: %s of %s must be in [0, %d]", c.text, g.name, end-1)
			}
		}
	}
	return nil
}

// flowGroups returns the groups for a setup.
func (p *Fattree) flowGroups() []experiment.Group {
	return lists.Map(p.groups, func(g flowGroup) experiment.Group {
		return experiment.Group{Name: g.name, Of: func(r experiment.Replica) []bool {
			in, hit, workload := make([]bool, len(r.Result.Flows)), p.crossesFailure(r), r.Network.Spec().Workload
			for flow := range in {
				in[flow] = g.has(func(key string) int64 { return p.quantity(key, &workload, r.Result, flow, hit) })
			}
			return in
		}}
	})
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

// has reports whether a flow with some quantities belongs to the group.
func (g flowGroup) has(quantity func(key string) int64) bool {
	return !slices.ContainsFunc(g.conditions, func(c condition) bool { return !c.holds(quantity(c.quantity)) })
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
	g, err := parseGroup("flows:" + text)
	if err != nil {
		return nil, param.Usagef("--%s: %.60q must be numbers of flows, such as 0,512..520, or conditions of --groups, but %w", flag, text, err)
	}
	for _, c := range g.conditions {
		if c.quantity == startQuantity || c.quantity == crossesFailure {
			return nil, param.Usagef("--%s: %.60q must not have %s, which is known only after the run", flag, text, c.quantity)
		}
	}
	for flow := range flows {
		if g.has(func(key string) int64 { return p.quantity(key, workload, nil, flow, nil) }) {
			list = append(list, flow)
		}
	}
	if list == nil {
		return nil, param.Usagef("--%s: %.60q must hold for a flow, but holds for none of the %d", flag, text, flows)
	}
	return list, nil
}

// quantity returns a quantity of a flow of a run, times in picoseconds. A condition without numbers is a quantity that
// is 1 if the condition holds.
func (p *Fattree) quantity(key string, workload *fattree.Workload, result *fattree.Result, flow int, hit func(flow int) bool) int64 {
	switch f := workload.Flows[flow]; key {
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
		return int64(result.Flows[flow].Start)
	}
	if key == "background" && workload.Background(flow) || key != "background" && hit(flow) {
		return 1
	}
	return 0
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
