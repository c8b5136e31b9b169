package topology

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"repslab/fattree"
	"repslab/faults"
	"repslab/mc"
)

// Place chooses the places of failures in a network, and returns failures and bit errors for a [fattree.Spec].
// Random failures without a Seed draw from source one after the other; source may be nil if there are none. A
// failure with a Seed draws from a stream of the seed and the failure's number in the list. The command passes
// child 1 of the replica's Workload stream, so places are independent of a workload drawn from the stream itself.
// A random place is skipped if its failure, together with all other permanent failures, would disconnect two ToRs.
// It returns the errors of the topology, or a *faults.FieldError about a failure that is not valid, finds no place, or
// rounds to no place. O(places * ToRs), unless so many switches fail that pods lose their common cores.
func Place(t FatTree, failures []Failure, source rand.Source) (failed []fattree.Fault, errors []fattree.Corruption, err error) {
	return Planes{Tree: t, Planes: 1}.Place(failures, source)
}

// placeAll places all failures in a site, like Place.
func (s *site) placeAll(failures []Failure, source rand.Source) (failed []fattree.Fault, errors []fattree.Corruption, err error) {
	random := rand.New(source)
	for i, f := range failures {
		if err := f.validate(i); err != nil {
			return nil, nil, err
		}
		if f.IsDrawn() && source == nil {
			return nil, nil, faults.New("topology", "source", nil, "must be set: the places of failures[%d] are random", i)
		}
		end := fattree.Picoseconds(0)
		if f.For > 0 {
			end = f.Start + f.For
		}
		if f.isBits() {
			errors = append(errors, f.corruption(end))
			continue
		}
		if err := s.check(f); err != nil {
			return nil, nil, err
		}
		fault := fattree.Fault{Start: f.Start, End: end, Rate: f.Rate, Loss: f.Loss / 100, Period: f.Period, Down: f.Down}
		if f.Kind == FlowPaths {
			fault.Flows, _ = span(f.Flows)
			fault.Paths, _ = span(f.Paths)
			failed = append(failed, fault)
			continue
		}
		draw := random
		if f.Seed > 0 {
			draw = rand.New(mc.NewStream(uint64(f.Seed), mc.Workload, 0).Child(1).Child(uint64(i)).Source())
		}
		placed, err := s.place(f, draw)
		if err != nil {
			return nil, nil, err
		}
		for _, at := range placed {
			fault.Ports = s.allPorts(at)
			failed = append(failed, fault)
		}
	}
	return failed, errors, nil
}

// lastPath returns the last uplink of a FlowPaths failure.
func (f Failure) lastPath() int {
	paths, _ := span(f.Paths)
	return paths[1] - 1
}

// corruption returns the bit errors or losses of a failure that ends at the given time.
func (f Failure) corruption(end fattree.Picoseconds) fattree.Corruption {
	c := fattree.Corruption{Start: f.Start, End: end, Period: f.Period, Down: f.Down}
	switch rate := f.Percent / 100; f.Kind {
	case CableErrors:
		c.PerCable = rate
	case SwitchErrors:
		c.PerSwitch = rate
	default:
		c.PerPacket = rate
	}
	return c
}

// Number returns the number of cables or switches of a network that fail or are degraded, in all its planes
// together. In one plane it is f.Count, or f.Percent of the plane's places; if the failure is Aligned, this number
// applies to each ToR or pod. Each transceiver counts as perTransceiver cables. It is 0 for bit errors and
// FlowPaths. A single tree is one plane. Like [Place], Number returns an error for a number that rounds to 0 or is
// larger than the number of places. O(cables).
func (f Failure) Number(p Planes) (int, error) {
	if err := errors.Join(p.Validate(), f.validate(0)); err != nil {
		return 0, err
	}
	if info, _ := f.Kind.info(); info.counted == "" {
		return 0, nil
	}
	p = p.withDefaults()
	one := placer{t: p.Tree}
	parts := one.candidates(f)
	among, each := f.among(p.Planes)
	if f.Kind == Transceivers {
		each *= perTransceiver
	}
	if f.Place == Random {
		n, err := f.number(among * len(parts))
		return each * n, err
	}
	placed, err := one.fixed(f, parts)
	return each * len(placed), err
}

// placer knows which parts of a tree can fail, and which ports have failed permanently.
type placer struct {
	t      FatTree
	wiring *fattree.Wiring
	dead   []bool // by port
}

func newPlacer(t FatTree, w *fattree.Wiring) *placer {
	return &placer{t, w, make([]bool, t.firstPort(t.Tiers))}
}

// candidates returns all parts that a failure could hit, in order.
func (p *placer) candidates(f Failure) (all []Part) {
	switch f.Kind {
	case NICPorts, Transceivers:
		return p.atToRs(f)
	case Switches:
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

// atToRs returns all ports of network cards, or all transceivers, in order of their ToRs.
func (p *placer) atToRs(f Failure) (all []Part) {
	of, part := p.t.HostsPerToR, Part{ToHost: true, Direction: f.Direction}
	if f.Kind == Transceivers {
		of, part = p.t.UplinksPerToR/perTransceiver, Part{cables: perTransceiver, Direction: f.Direction}
	}
	for part.Switch = range p.t.ToRs() {
		for i := range of {
			part.Uplink = max(1, part.cables) * i
			all = append(all, part)
		}
	}
	return all
}

// fixed returns the places of a failure that are not random: the first ones of the network, the first ones of
// every ToR or pod if aligned, or the named ones.
func (p *placer) fixed(f Failure, candidates []Part) ([]Part, error) {
	switch {
	case f.Place == Named:
		return p.named(f, candidates)
	case f.Place.atToRs():
		return p.atSome(f, candidates)
	}
	aggs, perAgg := p.t.AggsPerPod(), p.t.UplinksPerAgg
	of := p.t.UplinksPerToR
	switch {
	case f.Kind == Switches:
		of = aggs
	case f.Core:
		of = aggs * perAgg
	case f.Kind == Transceivers:
		of /= perTransceiver
	case f.Kind == NICPorts:
		of = p.t.HostsPerToR
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
		return c.Tier != 0 || c.Uplink >= want*max(1, c.cables)
	}), nil
}

// atSome returns the first places at one ToR, or places at evenly spaced ToRs (aggregation switches if Core).
func (p *placer) atSome(f Failure, candidates []Part) (chosen []Part, err error) {
	tier := 0
	if f.Core {
		tier = 1
	}
	candidates = slices.DeleteFunc(candidates, func(c Part) bool { return c.Tier != tier })
	switches := p.t.switches(tier)
	each := len(candidates) / switches // candidates come one switch after the other
	if f.Place == AtToR {
		if f.Core || f.ToR >= switches {
			return nil, faults.New("topology", "failures", f, "must be at one of the ToRs 0 to %d, without layer=core", p.t.ToRs()-1)
		}
		want, err := f.number(each)
		return candidates[f.ToR*each:][:want], err
	}
	want, err := f.number(len(candidates))
	for row := 0; want > 0; row++ {
		n := min(want, switches)
		for i := range n {
			chosen = append(chosen, candidates[i*switches/n*each+row])
		}
		want -= n
	}
	return chosen, err
}

// number returns how many candidates fail, out of the given number.
func (f Failure) number(of int) (int, error) {
	want := f.Count
	if want == 0 {
		want = int(math.Round(f.Percent / 100 * float64(of)))
	}
	if want < 1 || want > of {
		return 0, faults.New("topology", "failures", f, "must be in [1, %d] after rounding, and is %d of %d", of, want, of)
	}
	return want, nil
}

// kill marks the ports of a part as permanently failed, and returns those that worked before.
func (p *placer) kill(part Part) (killed []int) {
	for _, port := range p.t.Ports(part) {
		if !p.dead[port] {
			p.dead[port] = true
			killed = append(killed, port)
		}
	}
	return killed
}

// revive undoes a kill.
func (p *placer) revive(killed []int) {
	for _, port := range killed {
		p.dead[port] = false
	}
}
