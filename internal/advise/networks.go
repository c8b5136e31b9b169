package advise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"repslab/fattree/experiment"
	"repslab/faults"
	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/mc"
)

// network is a network in which balancers and changes are compared.
type network struct {
	name  string    // in tables
	words string    // in sentences
	set   []setting // what differs from the NIC's healthy network
	from  int       // the source of reps as given
	row   int       // its row there, from 1
	runs  int       // replicas
	away  bool      // one step away from the NIC's, where gains do not count
}

// own returns the NIC's networks: healthy, with cables that fail in the middle of a message, and with the same cables
// down for 50 us of each 200. Without a failed cable it is the healthy network alone.
func (a *Advice) own() ([]*network, error) {
	in := a.Input
	list := []*network{{name: healthy, words: "while healthy"}}
	a.cables = int(math.Round(in.Failed / 100 * float64(in.ToRs*in.Uplinks)))
	if a.cables == 0 {
		return list, nil
	}
	at := max(1, int(math.Round(float64(a.packets*in.MTU)*8/float64(in.LinkGbps)/2000)))
	failure := fmt.Sprintf("cables=%d,dir=both,at=%d", a.cables, at)
	list = append(list,
		&network{name: failed, words: "with failed cables", set: []setting{{"failure", failure}}},
		&network{name: flapping, words: "with flapping cables", set: []setting{{"failure", failure + ",flap=200:50"}}})
	points, err := in.settings(cases.BalancerREPS).with(list[1].set...).points()
	for run := range uint64(in.Replicas) { // a placement that cuts off ToRs would stop the last runs
		if err == nil {
			_, err = points[0].SpecOf(in.Seed, run)
		}
		if fault, is := errors.AsType[*faults.FieldError](err); is {
			return nil, console.Usagef("--failed: %v%% of %d cables %s, in run %d", in.Failed, in.ToRs*in.Uplinks, fault.Problem, run+1)
		}
	}
	return list, err
}

// away returns networks one step away from the NIC's, in which a change must not cost: a ToR with twice as many hosts,
// an incast, another number of ToRs, three tiers, four planes, a ring, and long and short messages. As large a share of
// the cables fails as of the NIC's.
func (a *Advice) away() (list []*network) {
	in, failure := a.Input, setting{"failure", cases.NoFailure}
	if len(a.networks) > 1 {
		failure.value = strings.Replace(a.networks[1].set[0].value, fmt.Sprintf("cables=%d,", a.cables), fmt.Sprintf("cables=%v%%,", in.Failed), 1)
	}
	step := func(name, words string, set ...setting) {
		list = append(list, &network{name: name, words: words, set: set, runs: in.Replicas, away: true})
	}
	number := func(flag string, v int) setting { return setting{flag, fmt.Sprint(v)} }
	hosts, tors, over := in.ToRs*in.HostsPerToR, 2*in.ToRs, 2*a.base.Tree.Oversubscription()
	if hosts >= 256 {
		tors = max(4, in.ToRs/2)
	}
	name := fmt.Sprintf("%.3g:1", over)
	step(name, name+" oversubscribed", number("hosts-per-tor", 2*in.HostsPerToR), number("uplinks-per-tor", in.Uplinks),
		number("hosts", 2*in.HostsPerToR*max(4, in.ToRs/2)))
	degree := min(31, hosts-1)
	step(fmt.Sprintf("incast %d:1", degree), fmt.Sprintf("in an incast %d:1", degree), setting{"workload", "incast"}, number("degree", degree))
	name = fmt.Sprintf("%d ToRs", tors)
	step(name, "with "+name, number("hosts", tors*in.HostsPerToR), failure)
	k := 4
	for k < 16 && (k+2)*(k+2)*(k+2)/4 <= hosts {
		k += 2
	}
	name = "3 tiers"
	step(name, fmt.Sprintf("in 3 tiers with %d hosts", k*k*k/4), number("tiers", 3), number("hosts", k*k*k/4), setting{"hosts-per-tor", ""},
		setting{"uplinks-per-tor", ""}, setting{"fabric-gbps", ""}, failure)
	step("4 planes", "with 4 planes", number("planes", 4))
	long, short := setting{"message-bytes", fmt.Sprint(min(4*in.Message, 1<<26))}, setting{"message-bytes", fmt.Sprint(max(1, in.Message/8))}
	step("ring", "in an allreduce-ring", setting{"workload", "allreduce-ring"}, short, failure)
	step("long messages", "with messages of "+long.value+" bytes", long, failure)
	step("short messages", "with messages of "+short.value+" bytes", short)
	return list
}

// compare runs a network under REPS and under REPS with each change, in the same draws.
func (a *Advice) compare(ctx context.Context, n *network, changes []*change) (*experiment.Comparison, error) {
	setups := []experiment.Setup{}
	for _, c := range append([]*change{{}}, changes...) {
		points, err := a.Input.settings(cases.BalancerREPS).with(c.set...).with(n.set...).points()
		if err != nil {
			return nil, err
		}
		setups = append(setups, points[0].Setup())
	}
	line, plan := console.NewProgress(a.stderr, false), a.plan()
	plan.Replicas = uint64(n.runs)
	plan.Progress = func(p mc.Progress) { line.Draw(n.words, float64(p.Done), float64(p.Total)) }
	c, _, err := experiment.Compare(setups...).Run(ctx, plan)
	line.Clear()
	return c, err
}

// network runs the NIC's networks under the balancers and under reps with each change.
func (a *Advice) network(ctx context.Context) (err error) {
	in := a.Input
	if a.networks, err = a.own(); err != nil {
		return err
	}
	failures, together := a.failures(), balancers() // in the first command
	if in.EVs > mostOfMixed {
		together = together[:2]
	}
	a.source(in.settings(together...).with(failures).command(), fmt.Sprintf("Two tiers, oversubscription %.3g, a message a host, an "+
		"ACK for %s, NSCC, trimming; nothing reroutes but the balancer.", a.base.Tree.Oversubscription(), console.Count(in.AckRatio, "packet")))
	var all []*change
	for _, lb := range balancers()[1:] {
		all = append(all, &change{set: in.instead(lb)})
	}
	if len(together) == 2 {
		a.changed(all[1], "as [1], "+all[1].flags(), in.Replicas, failures)
	}
	for _, c := range a.changes {
		a.changed(c, "as [1], "+c.flags(), in.Replicas, failures)
		c.source = len(a.Sources)
		all = append(all, c)
	}
	for i, n := range a.networks {
		n.row, n.from, n.runs = 1+i*len(together), 1, in.Replicas
		c, err := a.compare(ctx, n, all)
		if err != nil {
			return err
		}
		a.balancerNumbers(i, len(together), c)
		a.judgeAt(i, c, all...)
	}
	if a.cables == 0 {
		a.add(Number{Section: a.sectionOf(1), Quantity: "slowest flow, us", Note: "--failed is less than one cable", Source: 1})
	}
	for _, section := range []string{sectionChanges, sectionLost} {
		for _, c := range a.changes {
			a.Numbers = append(a.Numbers, lists.Where(c.numbers, func(n Number) bool { return n.Section == section })...)
		}
	}
	return nil
}

// failures returns the flag with the failures of all of the NIC's networks.
func (a *Advice) failures() setting {
	list := lists.Map(a.networks, func(n *network) string { return append(n.set, setting{"failure", cases.NoFailure})[0].value })
	return setting{"failure", strings.Join(list, "|")}
}

// sectionOf returns the heading of the i-th network's numbers.
func (a *Advice) sectionOf(i int) string {
	if i == 0 {
		return "Network"
	}
	return fmt.Sprintf("%d of %d cables %s", a.cables, a.Input.ToRs*a.Input.Uplinks, []string{failed, flapping}[i-1])
}

// longestRatio returns a bound of ratios of slowest flows in the NIC's networks.
func (a *Advice) longestRatio() float64 {
	return float64(a.base.Spec.Horizon) / 1e6 / (float64(a.packets*a.Input.MTU) * 8 / float64(a.Input.LinkGbps) / 1000)
}

// balancerNumbers adds the numbers of the balancers in the i-th network. The first command runs so many of them
// together; mixed may have the second.
func (a *Advice) balancerNumbers(i, together int, c *experiment.Comparison) {
	quantities, longest := 2, float64(a.base.Spec.Horizon)/1e6
	if i > 0 {
		quantities = 4
	}
	row := func(n *Number, j int) {
		if n.Balancer, n.Source, n.Row = balancers()[j], 1, 1+i*together+j; j >= together {
			n.Source, n.Row = 2, 1+i
		}
	}
	for _, q := range []struct {
		name, key string
		most      float64
	}{
		{"slowest flow, us", "max_fct_us", longest},
		{"maximum queue, packets", "max_queue_packets", float64(a.base.Spec.Queue)},
		{"reroute time, us", "reroute_us", longest},
		{lostPackets, "lost", math.Inf(1)},
	}[:quantities] {
		number := Number{Section: a.sectionOf(i), Quantity: q.name, Key: q.key}
		for j := range balancers() {
			row(&number, j)
			a.estimate(number, c.Summary(j).Of(q.key), q.most)
		}
		for j := range balancers() {
			if q.key == "max_fct_us" && j > 0 {
				row(&number, j)
				number.Quantity, number.Over = ratioToREPS, 1+i*together
				a.estimate(number, c.Ratio(j), a.longestRatio())
			}
		}
	}
}
