package cases

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/transport"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/values"
)

// lbOf is a value of --lb-of; empty for none.
type lbOf []balancedGroup

// balancedGroup is a group of flows with a balancer of its own. Its name is the text of its conditions, or the name
// of a part or of a group of --groups.
type balancedGroup struct {
	flowGroup
	lb string
}

// noLbOf is the value of --lb-of without a group.
const noLbOf = "none"

// String returns the groups in the grammar of --lb-of.
func (l lbOf) String() string {
	if l == nil {
		return noLbOf
	}
	return strings.Join(lists.Map(l, func(g balancedGroup) string { return g.name + ": " + g.lb }), "; ")
}

// lbOfSpecs reads values of --lb-of, separated by |.
func lbOfSpecs(text string) ([]lbOf, error) {
	return values.Each(text, "|", func(several string) (list lbOf, err error) {
		if strings.EqualFold(strings.TrimSpace(several), noLbOf) {
			return nil, nil
		}
		for term := range strings.SplitSeq(several, ";") {
			g, err := parseLbOf(term)
			if err == nil && slices.ContainsFunc(list, func(other balancedGroup) bool { return other.name == g.name }) {
				err = errors.New("must be another group than those before")
			}
			if err != nil {
				return nil, fmt.Errorf("%.60q %w; fattree --help-all has the grammar", strings.TrimSpace(term), err)
			}
			list = append(list, g)
		}
		return list, nil
	})
}

// parseLbOf reads a group and its balancer.
func parseLbOf(term string) (g balancedGroup, err error) {
	at := strings.LastIndex(term, ":")
	if at < 0 {
		return g, errors.New("must be GROUP: BALANCER, as in source=0..63: ops")
	}
	if g.conditions, err = parseConditions(term[:at]); err != nil {
		return g, err
	}
	g.name = g.text()
	g.lb, err = param.ReadOne(term[at+1:], param.NamesOf(names("lb")))
	return g, err
}

// completeLbOf gives groups of --lb-of that are named in --groups their conditions, and checks the groups.
func (p *Fattree) completeLbOf() error {
	p.lbOf = slices.Clone(p.lbOf) // points share the list
	for i, g := range p.lbOf {
		if at := slices.IndexFunc(p.groups, func(named flowGroup) bool { return named.name == g.name }); at >= 0 {
			p.lbOf[i].flowGroup = p.groups[at]
		}
		for _, c := range p.lbOf[i].conditions {
			if c.followsRun() {
				return param.Usagef("--lb-of: %s must be a group that is known before the run, without %s", g.name, c.quantity)
			}
		}
	}
	return p.checkGroups("lb-of", lists.Map(p.lbOf, func(g balancedGroup) flowGroup { return g.flowGroup }))
}

// numberIn returns the number of the group that a flow is in, from 1, the first of several; 0 for none.
func (p *Fattree) numberIn(groups lbOf, w fattree.Workload, flow int) int {
	return 1 + slices.IndexFunc(groups, func(g balancedGroup) bool { return p.holds(g.flowGroup, w, flow, 0, nil) })
}

// has reports whether some flows have the load balancer with a name.
func (p *Fattree) has(lb string) bool {
	return p.Lb == lb || slices.ContainsFunc(p.lbOf, func(g balancedGroup) bool { return g.lb == lb })
}

// balancer returns the load balancer of all flows. Background traffic is a group with ECMP, after the others.
func (p *Fattree) balancer() (transport.Balancer, error) {
	groups := slices.Clip(p.lbOf)
	if p.background > 0 {
		background, err := parseLbOf("background: ecmp")
		if err != nil {
			return nil, err
		}
		groups = append(groups, background)
	}
	main, err := p.newBalancer(p.Lb)
	if err != nil || groups == nil {
		return main, err
	}
	all := []transport.Balancer{main}
	for _, g := range groups {
		b, err := p.newBalancer(g.lb)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return balance.NewPerFlow(func(w fattree.Workload, flow int) int { return p.numberIn(groups, w, flow) }, all...), nil
}

// checkLbOf returns an error for balancers that cannot have a part of the flows.
func (p *Fattree) checkLbOf() error {
	if p.lbOf == nil {
		return nil
	}
	for i, lb := range append([]string{p.Lb}, lists.Map(p.lbOf, func(g balancedGroup) string { return g.lb })...) {
		b, err := p.newBalancer(lb)
		if err != nil {
			return err
		}
		switch t := b.Traits(); {
		case i > 0 && t.Router != nil:
			return param.Usagef("--lb-of: %s must be a balancer of hosts: its switches do not tell groups of flows apart", lb)
		case t.Planes != nil, lb == lbOracle:
			return param.Usagef("--lb-of: %s must have all flows, without --lb-of", lb)
		}
	}
	return nil
}

// checkConnections returns an error for a connection with messages of several balancers.
func (p *Fattree) checkConnections(w fattree.Workload) error {
	if p.lbOf == nil {
		return nil
	}
	first := map[int]int{}
	for flow, f := range w.Flows {
		if f.Connection == 0 {
			continue
		}
		if at, known := first[f.Connection]; !known {
			first[f.Connection] = flow
		} else if p.numberIn(p.lbOf, w, flow) != p.numberIn(p.lbOf, w, at) {
			return param.Usagef("--lb-of: flows %d and %d, messages of one connection, must have one balancer", at, flow)
		}
	}
	return nil
}
