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
)

// The work of a budget: a packet-hop and a simulated millisecond take as long as some random words, of which
// two cores of a quiet machine draw wordsPerSecond.
const (
	wordsPerHop    = 96
	wordsPerSecond = 2.5e9
	hopsPerMs      = 5_000 // in which senders mostly wait for time-outs
)

// alwaysMade is the work of the figures that have no choice of runs, in packet-hops: theory, and
// networks of a few hosts or messages.
const alwaysMade = 300e6

// Minute is the budget of a quick run.
const Minute = time.Minute

// Of a budget at most one part in edgeShare goes to more runs of one claim.
const edgeShare = 8

// Figures that decide no claim of the paper make twoRuns of each point in budgets below plentiful.
const (
	plentiful = 4 * time.Minute
	twoRuns   = 2
)

// mostRuns returns the number of runs of a point that a figure may make in trials.
func (s Settings) mostRuns() uint64 {
	if s.Plan != nil && s.Plan.Budget < plentiful && !decides(s.figure, func(claims.Claim) bool { return true }) {
		return twoRuns
	}
	return math.MaxUint64
}

// decides reports whether a figure decides a claim of the paper of a kind.
func decides(figure string, kind func(claims.Claim) bool) bool {
	return slices.ContainsFunc(claims.Claims(), func(c claims.Claim) bool { return c.Figure == figure && kind(c) })
}

// hasChoice reports whether claims name runs of a figure, which a plan selects.
func hasChoice(figure string) bool {
	return decides(figure, func(c claims.Claim) bool { return c.Needed != "" })
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
// depends on nothing but the budget and the seed; nil is the plan of everything.
type Plan struct {
	Budget time.Duration
	needs  map[string]map[placedRun]need // by claim
	runs   map[placedRun]bool
	left   int64 // of the budget, packet-hops
}

// NewPlan chooses claims for a budget of two cores' time: those of the paper's abstract, one of every
// figure that would otherwise be empty, and then those that take the least work. A run that several claims of a
// figure name counts once. It builds the networks of all claims, which takes a second.
func NewPlan(budget time.Duration, seed uint64) (*Plan, error) {
	p := &Plan{Budget: budget, needs: map[string]map[placedRun]need{}, runs: map[placedRun]bool{},
		left: hopsIn(budget) - alwaysMade}
	var empty []string
	for _, f := range All() {
		shown := !hasChoice(f.ID)
		for _, c := range f.comparisons() {
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

// comparisons returns the comparisons of a figure from which a plan selects runs, not yet run.
func (f Figure) comparisons() (list []*comparison) {
	if hasChoice(f.ID) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // it fails before its first run
		_, _ = f.Build(ctx, Settings{Scale: Full, look: func(of []*comparison) { list = of }})
	}
	return list
}

// measure notes the work that claims of a figure name at a point.
func (p *Plan) measure(figure string, schemes []scheme, at *comparedPoint, seed uint64) error {
	work := int64(0)
	for _, claim := range claims.Claims() {
		for _, of := range schemes {
			if claim.Figure != figure || !claim.Needs(at.place, of.key) {
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

// packetHops returns about the packet-hops of a fat tree's flows if all cross it and no packet is lost, up to the
// horizon.
func packetHops(n *fattree.Network) (packets int64) {
	spec := n.Spec()
	for _, flow := range spec.Workload.Flows {
		most := int64(n.HostGbps() * float64(spec.Horizon-flow.Start) / 8000) // bytes of a whole link
		packets += min(flow.Bytes, most)/int64(spec.PayloadBytes()) + 1
	}
	return packets * int64(2*treeOf(spec).Tiers-1)
}

// choose chooses claims while the budget lasts, those of the abstract and one of each empty figure even beyond it.
func (p *Plan) choose(empty []string) {
	for _, id := range claims.Headline() {
		p.take(id)
	}
	for _, figure := range empty {
		p.take(p.cheapest(func(c claims.Claim) bool { return c.Figure == figure }))
	}
	for {
		id := p.cheapest(func(claims.Claim) bool { return true })
		if id == "" || p.cost(id) > p.left {
			break
		}
		p.take(id)
	}
}

// cheapest returns the claim with the least work among those not chosen that satisfy a condition, the
// first one of several; empty if there is none. Those that even --full leaves undecided come last.
func (p *Plan) cheapest(of func(claims.Claim) bool) (id string) {
	least := int64(math.MaxInt64)
	for _, c := range claims.Claims() {
		rank := p.cost(c.ID)
		if strings.HasSuffix(c.Needed, "; last") {
			rank += math.MaxInt64 / 2
		}
		if p.cost(c.ID) > 0 && of(c) && rank < least {
			id, least = c.ID, rank
		}
	}
	return id
}

// cost returns the work of those runs of a claim that are not chosen.
func (p *Plan) cost(claim string) (sum int64) {
	if p == nil {
		return 0
	}
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
	if p == nil {
		return false
	}
	more := int64(0)
	for _, work := range p.needs[claim] {
		more += work.all - work.first
	}
	return more > 0 && more <= hopsIn(p.Budget)/edgeShare
}

// selects leaves a comparison the runs of the plan, and its points that are always made.
func (p *Plan) selects(figure string, c *comparison) {
	if p == nil {
		return
	}
	c.points = slices.DeleteFunc(c.points, func(at *comparedPoint) bool {
		all := c.schemesAt(at)
		at.schemes = slices.DeleteFunc(slices.Clone(all), func(of scheme) bool {
			return !at.always && !p.runs[placedRun{figure, at.place, of.key}]
		})
		c.partial = c.partial || len(at.schemes) < len(all)
		at.full, at.replicas = at.replicas, min(fewest, at.replicas)
		return len(at.schemes) == 0
	})
}

// judgement judges a claim by the runs that it names.
type judgement struct {
	claim string
	by    func() claims.Finding
}

// judged runs comparisons, as far as the plan selects them, and judges the chosen claims. One that its first runs
// leave undecided gets as many as --full makes, if they fit its share of the budget, and is judged once more. Both
// looks are fixed beforehand, so a grade is wrong with at most twice the probability of one look [Armitage69].
func (s Settings) judged(ctx context.Context, list []judgement, of ...*comparison) (found []claims.Finding, err error) {
	if s.look != nil {
		s.look(of)
	}
	for i, c := range of {
		s.Plan.selects(s.figure, c)
		if err := c.run(ctx, s.part(i, len(of))); err != nil {
			return nil, err
		}
	}
	for _, j := range list {
		if cost := s.Plan.cost(j.claim); cost > 0 {
			found = append(found, claims.Unaffordable(j.claim, float64(cost)/float64(hopsIn(time.Minute))))
			continue
		}
		f := j.by()
		if f.Grade == claims.Undecided && s.Plan.extends(j.claim) {
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
		named := func(of scheme) bool { return s.Plan.needs[claim][placedRun{s.figure, p.place, of.key}].all > 0 }
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
		return []string{"It decides no claim of the paper, so this budget leaves it two runs of each point; --for 5m makes as many as stand below."}
	case s.Plan == nil || !hasChoice(s.figure):
		return nil
	}
	note := fmt.Sprintf("A part of the figure: the runs that its claims name, %d of each unless a claim needs more, in a budget of "+
		"%.3g minutes; --full makes all and as many as stand below.", fewest, s.Plan.Budget.Minutes())
	for _, f := range found {
		if f.Minutes > 0 {
			note += fmt.Sprintf(" Left out: %s (%s).", f.Claim, f.Why)
		}
	}
	return []string{note}
}
