package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"repslab/fattree"
	"repslab/internal/claims"
	"repslab/internal/lists"
)

// The work of a budget: a packet-hop and a simulated millisecond take as long as some random words, of which
// two cores of a quiet machine draw wordsPerSecond.
const (
	wordsPerHop    = 120
	wordsPerSecond = 2.5e9
	hopsPerMs      = 120_000 // in which senders mostly wait for time-outs: 10 for each slot
)

// alwaysMade is the work of the figures that have no choice of runs, in packet-hops: theory, and
// networks of a few hosts or messages.
const alwaysMade = 390e6

// Minute is the budget of a quick run.
const Minute = time.Minute

// Of a budget at most one part in edgeShare goes to more runs of one claim.
const edgeShare = 8

// Figures that decide no claim take withoutClaims packet-hops in quick runs. They get one part in edgeShare of a
// budget too: where that is less, two runs of each point.
const (
	withoutClaims = 600e6
	twoRuns       = 2
)

// mostRuns returns the number of runs of a point that a figure may make in trials.
func (s Settings) mostRuns() uint64 {
	if s.Plan != nil && hopsIn(s.Plan.Budget) < edgeShare*withoutClaims && !s.decides() {
		return twoRuns
	}
	return math.MaxUint64
}

// decides reports whether the figure decides a claim.
func (s Settings) decides() bool {
	return slices.ContainsFunc(claims.Claims(), func(c claims.Claim) bool { return c.Figure == s.figure })
}

// hopsIn returns the packet-hops of a time.
func hopsIn(budget time.Duration) int64 {
	return int64(budget.Seconds() * wordsPerSecond / wordsPerHop)
}

// placedRun identifies the replicas of a load balancer at a place of a figure.
type placedRun struct{ figure, place, balancer string }

// need is the work of replicas, in packet-hops: of the first ones, and of all that --full makes.
type need struct{ first, all int64 }

// Plan is a part of the full figures that fits a budget of work: the runs that its claims name. It
// depends on nothing but the budget and the seed.
type Plan struct {
	Budget time.Duration
	needs  map[string]map[placedRun]need // by claim
	runs   map[placedRun]bool
	left   int64            // of the budget, packet-hops
	more   map[string]int64 // packet-hops that the claims take that are left out
}

// NewPlan chooses claims for a budget of two cores' time: those of the paper's abstract, one of every
// figure that would be empty, and then those that take the least work. A run that several claims of a
// figure name counts once. It builds the networks of all claims, which takes a second.
func NewPlan(budget time.Duration, seed uint64) (*Plan, error) {
	p := &Plan{Budget: budget, needs: map[string]map[placedRun]need{}, runs: map[placedRun]bool{},
		left: hopsIn(budget) - alwaysMade, more: map[string]int64{}}
	var empty []string
	for _, f := range All() {
		list := comparisonsOf(f.ID)
		shown := list == nil
		for _, c := range list {
			for _, at := range c.points {
				shown = shown || at.always
				if err := p.measure(f.ID, c.schemesAt(at), at, seed); err != nil {
					return nil, err
				}
			}
		}
		if !shown {
			empty = append(empty, f.ID)
		}
	}
	p.choose(empty)
	return p, nil
}

// comparisonsOf returns the comparisons of a figure whose runs a plan selects, not yet run; nil if the figure
// is always made as a whole.
func comparisonsOf(figure string) []*comparison {
	list := func(of ...comparison) []*comparison {
		return lists.Map(of, func(c comparison) *comparison { return &c })
	}
	if make, has := map[string]func() []*comparison{
		"fig03": func() []*comparison { return list(newFig03()) },
		"fig05": func() []*comparison { return list(newFig05()) },
		"fig06": func() []*comparison { return list(newFig06()) },
		"fig08": func() []*comparison { return list(newFig08()) },
		"fig09": func() []*comparison {
			f := newFig09()
			return list(f.paper.comparison, f.thawing.comparison, f.all.comparison)
		},
		"fig11":      func() []*comparison { return list(newFig11().comparison) },
		"fig12":      func() []*comparison { return list(newFig12().comparison) },
		"fig13":      func() []*comparison { return list(newFig13().comparison) },
		"fig16":      func() []*comparison { return list(newFig16()) },
		"fig21":      func() []*comparison { return list(newFig21()) },
		"fig22":      func() []*comparison { return list(newFig22()) },
		"fig23":      func() []*comparison { return list(newFig23(), newBlackhole()) },
		"conclusion": func() []*comparison { return list(newConclusion()) },
	}[figure]; has {
		return make()
	}
	return nil
}

// measure notes the work that claims of a figure name at a point.
func (p *Plan) measure(figure string, schemes []scheme, at *comparedPoint, seed uint64) error {
	work := int64(0)
	for _, claim := range claims.Claims() {
		for _, of := range schemes {
			if claim.Figure != figure || !claim.Needs.Include(at.place, of.key) {
				continue
			}
			if work == 0 {
				network, err := at.network(seed, 0)
				if err != nil {
					return err
				}
				work = packetHops(network) + int64(at.ms)*hopsPerMs
			}
			if p.needs[claim.ID] == nil {
				p.needs[claim.ID] = map[placedRun]need{}
			}
			p.needs[claim.ID][placedRun{figure, at.place, of.key}] =
				need{work * int64(min(fewest, at.replicas)), work * int64(at.replicas)}
		}
	}
	return nil
}

// packetHops returns the packet-hops of a fat tree's flows if no packet is lost, up to the horizon.
func packetHops(n *fattree.Network) (sum int64) {
	spec := n.Spec()
	tree := treeOf(spec)
	for _, flow := range spec.Workload.Flows {
		hops := int64(2*tree.Tiers - 1)
		from, to := int(flow.Source)/tree.HostsPerToR, int(flow.Destination)/tree.HostsPerToR
		switch {
		case from == to:
			hops = 1
		case tree.Tiers == 3 && from/tree.ToRsPerPod == to/tree.ToRsPerPod:
			hops = 3
		}
		most := int64(n.HostGbps() * float64(spec.Horizon-flow.Start) / 8000) // bytes of a whole link
		sum += hops * (min(flow.Bytes, most)/int64(spec.PayloadBytes()) + 1)
	}
	return sum
}

// choose chooses claims while the budget lasts, and at least one of each empty figure.
func (p *Plan) choose(empty []string) {
	for _, id := range claims.Headline() {
		p.take(id)
	}
	for _, figure := range empty {
		if slices.ContainsFunc(claims.Headline(), func(id string) bool { return claims.Find(id).Figure == figure }) {
			continue
		}
		p.take(p.cheapest(func(c claims.Claim) bool { return c.Figure == figure }))
	}
	for {
		id := p.cheapest(func(claims.Claim) bool { return true })
		if id == "" || p.cost(id) > p.left {
			break
		}
		p.take(id)
	}
	for id := range p.needs {
		if cost := p.cost(id); cost > 0 {
			p.more[id] = cost
		}
	}
}

// cheapest returns the claim with the least work among those not chosen that satisfy a condition, the
// first one of several; empty if there is none.
func (p *Plan) cheapest(of func(claims.Claim) bool) (id string) {
	for _, c := range claims.Claims() {
		if cost := p.cost(c.ID); cost > 0 && of(c) && (id == "" || cost < p.cost(id)) {
			id = c.ID
		}
	}
	return id
}

// cost returns the work of those runs of a claim that are not chosen.
func (p *Plan) cost(claim string) (sum int64) {
	for run, work := range p.needs[claim] {
		if !p.runs[run] {
			sum += work.first
		}
	}
	return sum
}

// take chooses the runs of a claim.
func (p *Plan) take(claim string) {
	p.left -= p.cost(claim)
	for run := range p.needs[claim] {
		p.runs[run] = true
	}
}

// extends reports whether a claim at the edge gets more runs: --full makes more, and they fit its share of
// the budget.
func (p *Plan) extends(claim string) bool {
	more := int64(0)
	for _, work := range p.needs[claim] {
		more += work.all - work.first
	}
	return more > 0 && more <= hopsIn(p.Budget)/edgeShare
}

// minutes returns the time of two cores that a claim takes that is left out.
func (p *Plan) minutes(claim string) float64 {
	return float64(p.more[claim]) / float64(hopsIn(time.Minute))
}

// selected leaves a comparison the runs of the plan, and its points that are always made.
func (s Settings) selected(c *comparison) {
	if s.Plan == nil || comparisonsOf(s.figure) == nil {
		return
	}
	c.points = slices.DeleteFunc(c.points, func(p *comparedPoint) bool {
		all := c.schemesAt(p)
		p.schemes = slices.DeleteFunc(slices.Clone(all), func(of scheme) bool {
			return !p.always && !s.Plan.runs[placedRun{s.figure, p.place, of.key}]
		})
		c.partial = c.partial || len(p.schemes) < len(all)
		p.full, p.replicas = p.replicas, min(fewest, p.replicas)
		return len(p.schemes) == 0
	})
}

// judgement judges a claim by the runs that it names.
type judgement struct {
	claim string
	by    func() claims.Finding
}

// judged judges the chosen claims. One that its first runs leave undecided gets as many as --full makes, if they
// fit its share of the budget, and is judged once more. Both looks are fixed beforehand, so a grade is wrong
// with at most twice the probability of one look [Armitage69].
func (s Settings) judged(ctx context.Context, list []judgement, of ...*comparison) (found []claims.Finding, err error) {
	for _, j := range list {
		if s.Plan != nil && s.Plan.more[j.claim] > 0 {
			found = append(found, claims.Unaffordable(j.claim, s.Plan.minutes(j.claim)))
			continue
		}
		f := j.by()
		if s.Plan != nil && f.Grade == claims.Undecided && s.Plan.extends(j.claim) {
			for _, c := range of {
				if err := c.extend(ctx, s, j.claim); err != nil {
					return nil, err
				}
			}
			f = j.by()
		}
		found = append(found, f)
	}
	return found, nil
}

// extend makes the other runs of --full at the points of a claim.
func (c *comparison) extend(ctx context.Context, s Settings, claim string) error {
	s.Progress = nil
	more := comparison{schemes: c.schemes}
	for _, p := range c.points {
		named := func(of scheme) bool {
			_, named := s.Plan.needs[claim][placedRun{s.figure, p.place, of.key}]
			return named
		}
		if slices.ContainsFunc(p.schemes, named) && p.full > p.replicas {
			p.made, p.replicas = p.replicas, p.full
			more.points = append(more.points, p)
		}
	}
	return more.make(ctx, s)
}

// leftOut returns a note about what a plan has left out of a figure, or nothing.
func (s Settings) leftOut(found []claims.Finding) []string {
	switch {
	case s.mostRuns() == twoRuns:
		return []string{"It decides no claim, so this budget leaves it two runs of each point; --for 5m makes as many as stand below."}
	case s.Plan == nil || comparisonsOf(s.figure) == nil:
		return nil
	}
	note := fmt.Sprintf("A part of the figure: the runs that its claims name, %d of each unless a claim needs more, in a budget of "+
		"%.3g minutes; --full makes all and as many as stand below.", fewest, s.Plan.Budget.Minutes())
	var out []string
	for _, f := range found {
		if f.Minutes > 0 {
			out = append(out, fmt.Sprintf("%s (%s)", f.Claim, f.Why))
		}
	}
	if out != nil {
		note += " Left out: " + strings.Join(out, ", ") + "."
	}
	return []string{note}
}
