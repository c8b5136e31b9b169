package evsimbalance

import (
	"cmp"
	"slices"

	"repslab/mc"
)

// mostBetweenBlocks bounds F E / n, the EVs per uplink, where a block that is not whole follows a
// whole one; for fewer uplinks than FewBins a quarter of it.
const mostBetweenBlocks = 1 << 8

// NewBlockLaw returns the exact law of the packets on the busiest of uplinks after each of flows
// has sent packets by the stratified walk over evs EVs: every block of evs packets uses each EV
// once, whatever the order. Ports hash uniformly and independently.
//
// With B whole blocks and m packets of the next one, the Fm EVs used B+1 times and the F(E-m) used B
// times are thrown independently, so with independent X_j ~ Poisson(Fm/n), Y_j ~
// Poisson(F(E-m)/n)
//
//	P[max <= k] = P[all (B+1) X_j + B Y_j <= k | sum X_j = Fm, sum Y_j = F(E-m)]     (6)
//
// For B = 0 this is the law of Fm balls, as of packets with uniform EVs; for m = 0 it is
// the law of FE balls, each B times: the imbalance stays as it is.
//
// Probabilities have absolute errors below 1e-12 in tests. It returns the errors of [NewMaxLaw] for F
// packets or F evs balls. Errors too are a number below 1, more than MaxExactBallsFewBins packets in
// several blocks, and, between whole blocks, more than 256 EVs per uplink, or 64 with fewer uplinks than
// FewBins. Time as [NewMaxLaw] if B or m is 0; otherwise some 300 FE/n pairs of loads times the points
// of the sum, about a second at most.
func NewBlockLaw(flows, evs, uplinks, packets int) (*MaxLaw, error) {
	faults := mc.Faults{Package: "evsimbalance"}
	faults.In("flows", flows, 1, MaxFlows)
	faults.In("evs", evs, 1, MaxEVS)
	faults.In("packets", packets, 1, mostPackets(max(1, flows), evs))
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if packets <= evs {
		return NewMaxLaw(flows*packets, uplinks)
	}
	blocks, part := packets/evs, packets%evs
	if err := validateLaw(flows*evs, uplinks, mostExactBalls(uplinks)); err != nil {
		return nil, err
	}
	if part == 0 {
		law, err := NewMaxLaw(flows*evs, uplinks)
		if err != nil {
			return nil, err
		}
		return law.times(blocks), nil
	}
	if most := mostPartial(uplinks); flows*evs > most*uplinks {
		return nil, mc.NewFieldError("evsimbalance", "packets", packets,
			"must be at most %d or a multiple of it with more than %d EVs per uplink", evs, most)
	}
	return newPartialLaw(blocks, flows*part, flows*(evs-part), uplinks), nil
}

// mostPackets returns the bound on the packets of a flow: one block, or fewer than would make the
// law take too much memory.
func mostPackets(flows, evs int) int { return max(evs, MaxExactBallsFewBins/flows) }

// mostPartial returns the bound on the EVs per uplink of a law between whole blocks.
func mostPartial(uplinks int) int {
	if uplinks < FewBins {
		return mostBetweenBlocks / 4
	}
	return mostBetweenBlocks
}

// times returns the law of the maximum where every ball counts a number of times.
func (l *MaxLaw) times(count int) *MaxLaw {
	law := &MaxLaw{balls: count * l.balls, bins: l.bins, first: count * l.first}
	for i, p := range l.cdf {
		law.cdf = append(law.cdf, p)
		if i < len(l.cdf)-1 {
			law.cdf = append(law.cdf, slices.Repeat([]float64{p}, count-1)...)
		}
	}
	return law
}

// newPartialLaw evaluates equation (6) for more balls that count blocks+1 and fewer that count
// blocks, by sums like (4) over both.
func newPartialLaw(blocks, more, fewer, uplinks int) *MaxLaw {
	law := &MaxLaw{balls: (blocks+1)*more + blocks*fewer, bins: uplinks}
	law.first = (law.balls + uplinks - 1) / uplinks
	if uplinks == 1 {
		law.cdf = []float64{1}
		return law
	}
	x, y := newSide(more, uplinks), newSide(fewer, uplinks)
	terms := pairs(x, y, blocks)
	p := newPlane(x, y)
	for at := 0; at < len(terms) && terms[at].load <= law.balls; {
		load := terms[at].load
		for ; at < len(terms) && terms[at].load == load; at++ {
			p.add(terms[at])
		}
		if load < law.first {
			continue
		}
		for law.first+len(law.cdf) < load { // loads that no pair has
			before := 0.0
			if len(law.cdf) > 0 {
				before = law.cdf[len(law.cdf)-1]
			}
			law.cdf = append(law.cdf, before)
		}
		law.cdf = append(law.cdf, p.sum(uplinks))
	}
	law.normalise()
	return law
}

// side is one of the two kinds of balls of a partial block.
type side struct {
	class
	grid
	starts []point
	phases []point // of a load at an angle: phases[angle*len(mass) + load - first]
}

func newSide(balls, uplinks int) side {
	s := side{class: newClass(float64(balls)/float64(uplinks), uplinks)}
	s.grid = newGrid(balls, []class{s.class})
	s.starts = s.turns(-(balls - uplinks*s.centre))
	for j := range s.points {
		for i := range s.mass {
			var q point
			q.cosine, q.sine = s.rootOfUnity(s.first+i-s.centre, j)
			s.phases = append(s.phases, q)
		}
	}
	return s
}

// pair is a number of balls of either kind in a bin.
type pair struct {
	load int     // what they count
	x, y int     // indices of their masses
	mass float64 // probability
}

// pairs lists the pairs of masses that matter, by load.
func pairs(x, y side, blocks int) []pair {
	var list []pair
	for i, p := range x.mass {
		for j, q := range y.mass {
			if mass := p * q; mass >= negligible*negligible {
				list = append(list, pair{(blocks+1)*(x.first+i) + blocks*(y.first+j), i, j, mass})
			}
		}
	}
	slices.SortFunc(list, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.load, b.load), cmp.Compare(a.x, b.x))
	})
	return list
}

// plane holds the transforms of the pairs so far, over the angles of both sides. The angles
// of y are not negative, since the others are mirror images.
type plane struct {
	x, y   side
	re, im []float64
}

func newPlane(x, y side) *plane {
	size := (2*x.points - 1) * y.points
	return &plane{x, y, make([]float64, size), make([]float64, size)}
}

// add adds the mass of a pair to the transform at every angle.
func (p *plane) add(t pair) {
	at := 0
	for k := range p.y.points {
		q := p.y.phases[k*len(p.y.mass)+t.y]
		re, im := t.mass*q.cosine, t.mass*q.sine
		for j := 1 - p.x.points; j < p.x.points; j++ {
			r := p.x.phases[max(j, -j)*len(p.x.mass)+t.x]
			if j < 0 {
				r.sine = -r.sine
			}
			p.re[at] += float64(re*r.cosine) - float64(im*r.sine)
			p.im[at] += float64(re*r.sine) + float64(im*r.cosine)
			at++
		}
	}
}

// sum is [grid.sum] over both angles.
func (p *plane) sum(uplinks int) float64 {
	total, at := 0.0, 0
	for k := range p.y.points {
		b, row := p.y.starts[k], 0.0
		for j := 1 - p.x.points; j < p.x.points; j++ {
			a := p.x.starts[max(j, -j)]
			if j < 0 {
				a.sine = -a.sine
			}
			re := float64(a.cosine*b.cosine) - float64(a.sine*b.sine)
			im := float64(a.cosine*b.sine) + float64(a.sine*b.cosine)
			re, _ = timesPower(re, im, p.re[at], p.im[at], uplinks)
			row += re
			at++
		}
		if k > 0 {
			row *= 2
		}
		total += row
	}
	return total
}

// LeastEVs returns the least number of EVs per flow with which the mean imbalance of flows that
// spray without replacement stays at most imbalance, a positive number, over whole blocks; exact
// up to the errors of [MaxLaw]. The mean falls with the EVs: of m+1 balls, one taken away at random
// leaves E[max_m] >= E[max_(m+1)] m / (m+1). The error names an argument out of range, or an
// imbalance that MaxEVS EVs, or as many as [NewMaxLaw] allows, do not reach. O(log evs) laws.
func LeastEVs(flows, uplinks int, imbalance float64) (int, error) {
	faults := mc.Faults{Package: "evsimbalance"}
	faults.In("flows", flows, 1, MaxFlows)
	faults.In("uplinks", uplinks, 1, MaxUplinks)
	faults.Check(imbalance > 0, "imbalance", imbalance, "must be positive")
	if err := faults.Err(); err != nil {
		return 0, err
	}
	enough := func(evs int) (bool, error) {
		law, err := NewMaxLaw(flows*evs, uplinks)
		return err == nil && law.Imbalance(law.Mean()) <= imbalance, err
	}
	limit := min(MaxEVS, mostExactBalls(uplinks)/flows)
	least, most := 0, 1
	for ; ; least, most = most, min(2*most, limit) {
		if ok, err := enough(most); err != nil {
			return 0, err
		} else if ok {
			break
		}
		if most == limit {
			return 0, mc.NewFieldError("evsimbalance", "imbalance", imbalance, "is not reached by %d EVs", limit)
		}
	}
	for most-least > 1 {
		evs := least + (most-least)/2
		if ok, err := enough(evs); err != nil {
			return 0, err
		} else if ok {
			most = evs
		} else {
			least = evs
		}
	}
	return most, nil
}
