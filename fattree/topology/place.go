package topology

import (
	"math"
	"math/rand/v2"
	"slices"

	"repslab/fattree"
	"repslab/mc"
)

// Place chooses the places of failures in a network: faults and bit errors for a
// [fattree.Spec]. Random failures draw from source one after the other; without any, source
// may be nil. The command passes child 1 of the replica's Workload stream, so places are
// independent of a workload drawn from the stream itself. A random place is skipped if
// its failure, together with all other permanent failures, would disconnect two ToRs. The
// errors are those of the topology, or a *mc.FieldError about a failure that is not
// valid, finds no place or rounds to none. O(places * ToRs), unless so many fail that
// pods lose each other's switches.
func Place(t FatTree, failures []Failure, source rand.Source) (faults []fattree.Fault, errors []fattree.Corruption, err error) {
	random := rand.New(source)
	t = t.WithDefaults()
	if err := t.Validate(); err != nil {
		return nil, nil, err
	}
	p := newPlacer(t)
	for i, f := range failures {
		if err := f.validate(i); err != nil {
			return nil, nil, err
		}
		if f.IsDrawn() && source == nil {
			return nil, nil, mc.NewFieldError("topology", "source", nil, "must be set: the places of failures[%d] are random", i)
		}
		end := fattree.Picoseconds(0)
		if f.For > 0 {
			end = f.Start + f.For
		}
		switch f.Kind {
		case CableErrors:
			errors = append(errors, fattree.Corruption{PerCable: f.Percent / 100, Start: f.Start, End: end})
			continue
		case SwitchErrors:
			errors = append(errors, fattree.Corruption{PerSwitch: f.Percent / 100, Start: f.Start, End: end})
			continue
		}
		if t.Tiers == 1 {
			return nil, nil, mc.NewFieldError("topology", "failures", f, "must be none: a network of one tier has no cable that can fail")
		}
		if f.Core && t.Tiers < 3 {
			return nil, nil, mc.NewFieldError("topology", "failures", f,
				"must have no layer=core: a network of %d tiers has no core", t.Tiers)
		}
		placed, err := p.place(f, random)
		if err != nil {
			return nil, nil, err
		}
		for _, part := range placed {
			faults = append(faults, fattree.Fault{Ports: t.Ports(part), Start: f.Start, End: end, Rate: f.Rate})
		}
	}
	return faults, errors, nil
}

// Number returns the number of cables or switches of a network that fail or are degraded: N
// for a [Failure] of N, or its percentage, unless it is Aligned; 0 for bit errors. The error is that of
// [Place] for a number that rounds to none or exceeds what there is. O(cables).
func (f Failure) Number(t FatTree) (int, error) {
	if f.isBits() {
		return 0, nil
	}
	p := placer{t: t.WithDefaults()}
	candidates := p.candidates(f)
	if f.Place == Random {
		return f.number(len(candidates))
	}
	placed, err := p.fixed(f, candidates)
	return len(placed), err
}

// placer chooses places and knows which ports fail permanently.
type placer struct {
	t      FatTree
	wiring *fattree.Wiring
	dead   []bool // by port
}

func newPlacer(t FatTree) *placer {
	return &placer{t, t.Wire(), make([]bool, t.firstPort(t.Tiers))}
}

// place returns the parts of the tree that one failure hits.
func (p *placer) place(f Failure, random *rand.Rand) ([]Part, error) {
	candidates := p.candidates(f)
	if f.Place != Random {
		placed, err := p.fixed(f, candidates)
		for _, part := range placed {
			p.kill(f, part)
		}
		return placed, err
	}
	want, err := f.number(len(candidates))
	if err != nil {
		return nil, err
	}
	random.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	var placed []Part
	for _, part := range candidates {
		if len(placed) == want {
			break
		}
		if killed := p.kill(f, part); len(killed) > 0 && !p.connected(part) {
			p.revive(killed)
			continue
		}
		placed = append(placed, part)
	}
	if len(placed) < want {
		return nil, mc.NewFieldError("topology", "failures", f, "must leave a path between any two ToRs: only %d of %d can fail without cutting the last one", len(placed), want)
	}
	return placed, nil
}

// candidates returns all that could fail, in order.
func (p *placer) candidates(f Failure) (all []Part) {
	if f.Kind == Switches {
		for tier := 1; tier < p.t.Tiers; tier++ {
			for sw := range p.t.switches(tier) {
				all = append(all, Part{Tier: tier, Switch: sw, WholeSwitch: true})
			}
		}
		return all
	}
	for tier := range p.t.Tiers - 1 {
		if f.Core && tier == 0 {
			continue
		}
		for sw := range p.t.switches(tier) {
			for uplink := range p.t.uplinks(tier) {
				all = append(all, Part{Tier: tier, Switch: sw, Uplink: uplink, Direction: f.Direction})
			}
		}
	}
	return all
}

// fixed returns the first cables or switches of the network or, aligned ones, of every ToR or pod.
func (p *placer) fixed(f Failure, candidates []Part) ([]Part, error) {
	aggs, perAgg := p.t.AggsPerPod(), p.t.UplinksPerAgg
	of := p.t.UplinksPerToR
	switch {
	case f.Kind == Switches:
		of = aggs
	case f.Core:
		of = aggs * perAgg
	}
	if f.Place == First {
		of = len(candidates)
	}
	want, err := f.number(of)
	if err != nil {
		return nil, err
	}
	if f.Place == First {
		return candidates[:want], err
	}
	return slices.DeleteFunc(candidates, func(c Part) bool {
		switch {
		case c.WholeSwitch:
			return c.Tier != 1 || c.Switch%of >= want
		case f.Core:
			return c.Switch%aggs*perAgg+c.Uplink >= want
		}
		return c.Tier != 0 || c.Uplink >= want
	}), nil
}

// number returns how many of a number of candidates fail.
func (f Failure) number(of int) (int, error) {
	want := f.Count
	if want == 0 {
		want = int(math.Round(f.Percent / 100 * float64(of)))
	}
	if want < 1 || want > of {
		return 0, mc.NewFieldError("topology", "failures", f, "must be in [1, %d] after rounding, and is %d of %d", of, want, of)
	}
	return want, nil
}

// kill notes and returns the ports of a part that fail for good and lived until now.
func (p *placer) kill(f Failure, part Part) (killed []int) {
	if f.Kind != Cables && f.Kind != Switches || f.For > 0 {
		return nil
	}
	for _, port := range p.t.Ports(part) {
		if !p.dead[port] {
			p.dead[port] = true
			killed = append(killed, port)
		}
	}
	return killed
}

// revive takes back a kill.
func (p *placer) revive(killed []int) {
	for _, port := range killed {
		p.dead[port] = false
	}
}
