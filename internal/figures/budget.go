package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"repslab/internal/claims"
	"repslab/mc"
)

// Minute is the budget of a quick run.
const Minute = time.Minute

const (
	// A packet-hop takes about as long as wordsPerHop random words, of which two cores of a quiet machine draw
	// wordsPerSecond.
	wordsPerHop    = 100
	wordsPerSecond = 2.5e9
	// alwaysMade is the work of the figures that have no choice of runs, in million packet-hops: theory, and networks
	// of a few hosts or messages.
	alwaysMade = 600
	// firstRuns is the number of replicas by which a budget judges a claim unless two tell; claims.csv lists the work of
	// fewest.
	firstRuns = 3
	// A claim that its first runs leave undecided gets more, of one part in edgeShare of a budget in all.
	edgeShare = 4
	// Figures that decide no claim of the paper make twoRuns of each point in budgets below plentiful.
	plentiful = 4 * time.Minute
	twoRuns   = 2
)

// mostRuns returns the number of runs of a point that a figure may make in trials.
func (s Settings) mostRuns() uint64 {
	if s.Plan != nil && s.Plan.budget < plentiful && !decides(s.figure, func(claims.Claim) bool { return true }) {
		return twoRuns
	}
	return math.MaxUint64
}

// decides reports whether a figure decides a claim of the paper of a kind.
func decides(figure string, kind func(claims.Claim) bool) bool {
	return slices.ContainsFunc(claims.Claims(), func(c claims.Claim) bool { return c.Figure == figure && kind(c) })
}

// Plan is a part of the full figures that fits a budget of work: the runs that its claims name. It
// depends on nothing but the budget; nil is the plan of everything.
type Plan struct {
	budget time.Duration
	chosen map[string]bool // claims
}

// NewPlan chooses claims for a budget of two cores' time: those named first, of the paper's abstract and one of every
// figure that would otherwise be empty, even beyond the budget, and then those that take the least work.
func NewPlan(budget time.Duration) *Plan {
	p := &Plan{budget, map[string]bool{}}
	list := slices.Clone(claims.Claims())
	slices.SortStableFunc(list, func(a, b claims.Claim) int {
		return cmp.Or(cmp.Compare(turn(a), turn(b)), cmp.Compare(a.Work, b.Work))
	})
	left := p.hops() - alwaysMade
	for _, c := range list {
		left -= hopsOf(c)
		p.chosen[c.ID] = left >= 0 || turn(c) == 0
	}
	return p
}

// turn returns when a claim is chosen: first, also if its figure has no choice; later; or last, if as many
// runs as --full makes have left it undecided.
func turn(c claims.Claim) int {
	switch {
	case c.Needed == "" || c.Has("first"):
		return 0
	case c.Has("last"):
		return 2
	}
	return 1
}

// firstOf returns the number of runs by which a claim is first judged.
func firstOf(c claims.Claim) uint64 {
	if c.Has("two") {
		return 2
	}
	return firstRuns
}

// hops returns the budget in million packet-hops.
func (p *Plan) hops() float64 { return p.budget.Seconds() * wordsPerSecond / wordsPerHop / million }

// hopsOf returns the million packet-hops of the first runs that a claim names.
func hopsOf(c claims.Claim) float64 { return c.Work * float64(firstOf(c)) / fewest }

// firstLook returns the number of first runs of a scheme at a point that chosen claims name, 0 if none does.
func (p *Plan) firstLook(figure string, of placed) (runs uint64) {
	for _, c := range claims.Claims() {
		if c.Figure == figure && p.chosen[c.ID] && c.Needs(of.at.place, of.scheme) {
			runs = max(runs, firstOf(c))
		}
	}
	return runs
}

// selects leaves a comparison the first runs of those that chosen claims name, and its points that are always made.
func (p *Plan) selects(figure string, c *comparison) {
	if p == nil {
		return
	}
	c.points = slices.DeleteFunc(c.points, func(at *comparedPoint) bool {
		all := c.schemesAt(at)
		at.first = map[string]uint64{}
		at.schemes = slices.DeleteFunc(slices.Clone(all), func(of scheme) bool {
			runs := p.firstLook(figure, placed{at, of.key})
			if at.always {
				runs = firstRuns
			}
			at.first[of.key] = min(runs, at.replicas)
			return runs == 0
		})
		c.partial = c.partial || len(at.schemes) < len(all)
		return len(at.schemes) == 0
	})
}

// judgement judges a claim by the runs that it names.
type judgement struct {
	claim string
	by    func() claims.Finding
}

// judged runs comparisons, as far as the plan selects them, and judges the chosen claims. One that its first runs
// leave undecided gets as many as --full makes, in its share of the budget, behind its undecided conditions, and is
// judged once more. A condition is tested at most twice, with numbers of runs that are fixed beforehand, so a grade is
// wrong with at most twice the probability of one look [Armitage69].
func (s Settings) judged(ctx context.Context, list []judgement, of ...*comparison) (found []claims.Finding, err error) {
	for i, c := range of {
		s.Plan.selects(s.figure, c)
		if err := c.run(ctx, s.part(i, len(of))); err != nil {
			return nil, err
		}
	}
	for _, j := range list {
		claim := claims.Find(j.claim)
		if s.Plan != nil && !s.Plan.chosen[claim.ID] {
			found = append(found, claims.Unaffordable(claim.ID, s.Plan.budget.Minutes()*hopsOf(claim)/s.Plan.hops()))
			continue
		}
		f := j.by()
		if s.Plan != nil && f.Grade == claims.Undecided {
			for _, c := range of {
				if err := c.extend(ctx, s, f); err != nil {
					return nil, err
				}
			}
			f = j.by()
		}
		found = append(found, f)
	}
	return found, nil
}

// extend makes the runs of a second look that the claim of a finding names: those behind what is at the edge.
func (c *comparison) extend(ctx context.Context, s Settings, f claims.Finding) error {
	s.Progress = nil
	claim := claims.Find(f.Claim)
	more := comparison{schemes: c.schemes}
	for _, p := range c.points {
		longer := *p // with the same map of runs
		longer.first, longer.replicas = nil, min(p.replicas, s.Plan.secondLook(claim))
		longer.schemes = slices.DeleteFunc(slices.Clone(c.schemesAt(p)), func(of scheme) bool {
			return !claim.Needs(p.place, of.key) || !behind(f.Edge, placed{p, of.key}) || longer.replicas <= uint64(len(p.of(of.key)))
		})
		if len(longer.schemes) > 0 {
			more.points = append(more.points, &longer)
		}
	}
	return more.make(ctx, s)
}

// behind reports whether one of the numbers comes from the given runs, which its name tells. Nil, or a number without a
// name, stands for all runs.
func behind(numbers []mc.Basis, of placed) bool {
	return numbers == nil || slices.ContainsFunc(numbers, func(b mc.Basis) bool {
		return b.Quantity == "" || strings.Contains(b.Quantity, of.String())
	})
}

// secondLook returns the number of runs of each point for which a claim's share of the budget suffices; for those of a
// claim without work it always does.
func (p *Plan) secondLook(c claims.Claim) uint64 {
	return uint64(min(math.MaxInt32, p.hops()/edgeShare*fewest/c.Work))
}

// leftOut returns a note about what a plan has left out of a figure, or nothing.
func (s Settings) leftOut(found []claims.Finding) []string {
	if s.mostRuns() == twoRuns {
		return []string{"It decides no claim of the paper, so this budget leaves it two runs of each point; --for 5m makes as many as stand below."}
	} else if s.Plan == nil || !decides(s.figure, func(c claims.Claim) bool { return c.Needed != "" }) {
		return nil
	}
	note := fmt.Sprintf("A part of the figure: the runs that its claims name, two or three of each unless a claim needs more, in a budget of "+
		"%.3g minutes; a ratio rests on the runs that both have. --full makes all and as many as stand below.", s.Plan.budget.Minutes())
	for _, f := range found {
		if f.Minutes > 0 {
			note += fmt.Sprintf(" Left out: %s (%s).", f.Claim, f.Why)
		}
	}
	return []string{note}
}
