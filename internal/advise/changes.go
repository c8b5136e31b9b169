package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree/experiment"
	"repslab/internal/cases"
	"repslab/internal/lists"
	"repslab/mc"
)

// Headings of the numbers of changes.
const (
	sectionChanges = "Changes of reps"
	sectionLost    = "Losses under changes of reps"
	sectionJoined  = "Changes joined"
	sectionAway    = "One step away"
)

// Names of the NIC's networks.
const healthy, failed, flapping = "healthy", "failed", "flapping"

// change is what is changed of REPS or of its network.
type change struct {
	set     settings
	source  int
	numbers []Number
	gains   []string // where it gains leastGain or more, in words
	costs   []string // where it costs that much, or is not shown not to
	losses  []string // where it loses more packets
	refuted *network // the first network of costs
	score   float64  // sum of the logarithms of its ratios in the NIC's networks: what it gains there
}

// flags returns the flags of the change with their values.
func (c *change) flags() string { return c.set.String() }

// contains reports whether the change has all settings of another.
func (c *change) contains(other *change) bool {
	return !slices.ContainsFunc(other.set, func(s setting) bool { return !slices.Contains(c.set, s) })
}

// balancer returns the balancer under the change.
func (c *change) balancer() string {
	for _, s := range c.set {
		if s.flag == "lb" {
			return s.value
		}
	}
	return cases.BalancerREPS
}

// harmless reports whether the number's interval shows that a ratio is below 1 + leastGain.
func (n Number) harmless() bool { return n.Hi != nil && *n.Hi < 1+leastGain }

// judge records the change's ratio of slowest flows in a network: a gain of leastGain or more, or a cost, if the
// interval does not exclude one. row is the network's row in the change's source.
func (c *change) judge(n *network, row int, ratio mc.Estimate, runs int, most float64) {
	times := Number{Section: sectionChanges, Quantity: ratioToREPS, Key: "max_fct_us", Balancer: c.balancer(), Change: c.flags(),
		Network: n.name, Source: c.source, Row: row, Over: n.row, OverSource: n.from}.estimated(ratio, runs, most)
	c.numbers = append(c.numbers, times)
	words := times.String() + " times as long " + n.words
	if times.Note != "" {
		words = times.Note + " finish " + n.words
	}
	if times.Value != nil && !n.away {
		c.score += math.Log(*times.Value)
	}
	switch sign, large := times.excess(); {
	case sign < 0 && large && !n.away:
		c.gains = append(c.gains, words)
	case !times.harmless():
		c.costs = append(c.costs, words)
		c.refuted = cmp.Or(c.refuted, n)
	}
}

// judgeLost records the packets that are lost in a network. With cables that stay down they are a gain or a loss, if
// the interval of their difference excludes none.
func (c *change) judgeLost(n *network, row int, before, lost mc.Estimate, runs int) {
	number := Number{Section: sectionLost, Quantity: lostPackets, Key: "lost", Balancer: c.balancer(), Change: c.flags(), Network: n.name, Source: c.source, Row: row}
	after := number.estimated(lost, runs, math.Inf(1))
	c.numbers = append(c.numbers, after)
	difference := lost.Welch(before)
	if n.name == flapping || math.Abs(lost.Value-before.Value) < leastGain*before.Value || difference.Lo <= 0 && difference.Hi >= 0 {
		return
	}
	words := fmt.Sprintf("%v packets lost %s, not %v", after, n.words, number.estimated(before, runs, math.Inf(1)))
	if lost.Value < before.Value {
		c.gains = append(c.gains, words)
	} else {
		c.losses = append(c.losses, words)
	}
}

// recommend tries the changes that gain in the NIC's networks, and cost in none of them, one step away; it joins
// those that cost nowhere as long as this gains, and keeps what is left.
func (a *Advice) recommend(ctx context.Context) error {
	var candidates []*change
	for _, c := range a.changes {
		if c.gains != nil && c.costs == nil {
			candidates = append(candidates, c)
		}
	}
	if candidates == nil {
		return nil
	}
	away := lists.Where(a.away(), a.possible)
	if err := a.tryAway(ctx, away, candidates...); err != nil {
		return err
	}
	candidates = lists.Where(candidates, func(c *change) bool { return c.costs == nil })
	slices.SortStableFunc(candidates, func(x, y *change) int { return cmp.Compare(x.score, y.score) })
	for _, c := range candidates {
		if a.best == nil {
			a.best = c
			continue
		}
		joined := &change{set: a.best.set.with(c.set...)}
		if slices.ContainsFunc(c.set, func(s setting) bool { return a.best.set.has(s.flag) }) || !a.goesWith(joined, &network{}) {
			continue
		}
		for i, n := range a.networks {
			runs, err := a.compare(ctx, n, []*change{joined})
			if err != nil {
				return err
			}
			a.judgeAt(i, runs, joined)
		}
		if joined.costs != nil || joined.score > a.best.score-leastGain {
			continue
		}
		if err := a.tryAway(ctx, away, joined); err != nil {
			return err
		}
		if joined.costs == nil {
			a.best = joined
		}
	}
	a.tell(away)
	return nil
}

// goesWith reports whether a network can have the change.
func (a *Advice) goesWith(c *change, n *network) bool {
	_, err := a.Input.settings(cases.BalancerREPS).with(c.set...).with(n.set...).points()
	return err == nil
}

// possible reports whether a network one step away can be built in all runs that may be needed, and remembers it if
// not: it may have too few cables for those that fail.
func (a *Advice) possible(n *network) bool {
	points, err := a.Input.settings(cases.BalancerREPS).with(n.set...).points()
	for run := range uint64(4 * a.Input.Replicas) {
		if err == nil {
			_, err = points[0].SpecOf(a.Input.Seed, run)
		}
	}
	if err != nil {
		a.untried = append(a.untried, n.name)
	}
	return err == nil
}

// tryAway judges changes in networks one step away. Where few runs leave in doubt whether one costs, four times as many
// decide. A change that a network cannot have is as good as a cost.
func (a *Advice) tryAway(ctx context.Context, away []*network, changes ...*change) error {
	for _, n := range away {
		fits := lists.Where(slices.Clone(changes), func(c *change) bool {
			fits := a.goesWith(c, n)
			if !fits {
				c.costs = append(c.costs, "impossible "+n.words)
			}
			return fits
		})
		if len(fits) == 0 {
			continue
		}
		c, err := a.compare(ctx, n, fits)
		if err == nil && n.runs == a.Input.Replicas && inDoubt(c, len(fits)) {
			n.runs *= 4
			c, err = a.compare(ctx, n, fits)
		}
		if err != nil {
			return err
		}
		for j, changed := range fits {
			changed.judge(n, 1, c.Ratio(1+j), n.runs, math.Inf(1))
		}
	}
	return nil
}

// inDoubt reports whether some change may cost leastGain or gain something.
func inDoubt(c *experiment.Comparison, changes int) bool {
	for i := range changes {
		if r := c.Ratio(1 + i); r.Lo <= 1 && r.Hi >= 1+leastGain {
			return true
		}
	}
	return false
}

// judgeAt judges changes in the i-th of the NIC's networks, which follow REPS as given in a comparison.
func (a *Advice) judgeAt(i int, c *experiment.Comparison, changes ...*change) {
	n, runs := a.networks[i], a.Input.Replicas
	for j, changed := range changes {
		changed.judge(n, i+1, c.Ratio(1+j), runs, a.longestRatio())
		if i > 0 {
			changed.judgeLost(n, i+1, c.Summary(0).Of("lost"), c.Summary(1+j).Of("lost"), runs)
		}
	}
}

// changed adds the command of a change in a network as a source; short is what the page says.
func (a *Advice) changed(c *change, short string, replicas int, network ...setting) {
	command := a.Input.settings(cases.BalancerREPS).with(c.set...).with(network...).command()
	if replicas != a.Input.Replicas {
		short += fmt.Sprintf(", %d replicas", replicas)
	}
	a.Sources = append(a.Sources, Source{Command: a.replicated(command, replicas), short: short})
}

// tell adds the numbers of the recommended change, one step away with two commands each, and the sources of what
// refutes others.
func (a *Advice) tell(away []*network) {
	base := func(n *network) {
		if n.from == 0 {
			a.changed(&change{}, "as [1] for reps, "+settings(n.set).String(), n.runs, n.set...)
			n.from, n.row = len(a.Sources), 1
		}
	}
	changed := func(c *change, n *network) int {
		a.changed(c, fmt.Sprintf("as [%d], %s", n.from, c.flags()), n.runs, n.set...)
		return len(a.Sources)
	}
	if a.best != nil && !slices.Contains(a.changes, a.best) { // of several changes
		a.changed(a.best, "as [1], "+a.best.flags(), a.Input.Replicas, a.failures())
		a.best.source = len(a.Sources)
		for _, section := range []string{sectionChanges, sectionLost} {
			for _, number := range a.best.numbers {
				if number.Section == section && slices.ContainsFunc(a.networks, func(n *network) bool { return n.name == number.Network }) {
					number.Section, number.Source = sectionJoined, a.best.source
					a.Numbers = append(a.Numbers, number)
				}
			}
		}
	}
	for _, c := range a.changes {
		if c.refuted != nil && slices.Contains(away, c.refuted) {
			base(c.refuted)
			c.source = changed(c, c.refuted)
		}
	}
	if a.best == nil {
		return
	}
	for _, n := range away {
		base(n)
		for _, number := range a.best.numbers {
			if number.Network == n.name && number.Section == sectionChanges {
				number.Section, number.Source, number.OverSource, number.Over = sectionAway, changed(a.best, n), n.from, n.row
				a.Numbers = append(a.Numbers, number)
			}
		}
	}
}

// conclude states the recommended change with where it was tried, how the balancers compare, and why other changes
// are not advised.
func (a *Advice) conclude() {
	say := func(source int, format string, args ...any) {
		a.Advice = append(a.Advice, fmt.Sprintf(format, args...)+fmt.Sprintf(" [%d].", source))
	}
	if a.steep != "" {
		a.Advice = append(a.Advice, "Warning: "+a.steep+" (docs/round-trip.md).")
	}
	var vain []string
	for _, c := range a.changes {
		if c.gains == nil {
			vain = append(vain, c.flags())
		}
	}
	if c := a.best; c != nil {
		tried := lists.Map(lists.Where(c.numbers, func(n Number) bool { return n.Quantity == ratioToREPS }), func(n Number) string { return n.Network })
		untried := ""
		if a.untried != nil {
			untried = "; impossible here: " + strings.Join(a.untried, ", ")
		}
		say(c.source, "Recommendation: reps with %s: %s; below %v times as long in every network tried (%s%s)",
			c.flags(), strings.Join(append(c.gains, c.losses...), ", "), 1+leastGain, strings.Join(tried, ", "), untried)
	} else {
		a.Advice = append(a.Advice, "Recommendation: reps as given. No change that was tried gains 2 % or more here and costs less than 2 % in every network tried.")
	}
	for _, n := range a.Numbers {
		if n.Over > 0 && n.Change == "" && n.Note == "" {
			say(n.Source, "%s: %s takes %s times as long as reps%s", n.Section, n.Balancer, n, n.remark(a.Input.Replicas))
		}
	}
	for _, c := range a.changes {
		switch {
		case c.gains == nil || a.best != nil && a.best.contains(c):
		case c.costs != nil:
			say(c.source, "Not %s: %s; but %s", c.flags(), strings.Join(c.gains, ", "), strings.Join(append(c.costs, c.losses...), ", "))
		default:
			say(c.source, "%s alone: %s; it adds less than 2 %% to the recommendation", c.flags(), strings.Join(append(c.gains, c.losses...), ", "))
		}
	}
	if vain != nil {
		a.Advice = append(a.Advice, "No gain of 2 % or more by "+strings.Join(vain, ", ")+".")
	}
}

// remark says how little a ratio differs from 1, or that the runs do not tell.
func (n Number) remark(runs int) string {
	switch sign, large := n.excess(); {
	case sign == 0 && large:
		return fmt.Sprintf("; %d runs do not tell which is faster", runs)
	case sign == 0:
		return ", the same within 2 %"
	case !large:
		return ", a difference below 2 %"
	}
	return ""
}
