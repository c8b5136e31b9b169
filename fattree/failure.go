package fattree

import (
	"math"
	"math/rand/v2"
	"slices"

	"repslab/mc"
)

// FailureKind is a kind of failure.
type FailureKind string

// The kinds of failures.
const (
	Cables       FailureKind = "cables"     // failed cables
	Switches     FailureKind = "switches"   // failed switches above the ToRs
	Degrade      FailureKind = "degrade"    // cables at a fraction of their rate
	CableErrors  FailureKind = "ber-cable"  // bit errors on every cable
	SwitchErrors FailureKind = "ber-switch" // bit errors in every switch
)

// Failure is one term of a specification of failures, before its places are chosen; see
// [ParseFailures] and [Place].
type Failure struct {
	Kind    FailureKind
	Count   int     // cables or switches, at most MaxHosts; 0 where Percent counts, as for bit errors
	Percent float64 // of cables or switches, in (0, 100]; or of packets with a bit error, in (0, 100)
	Rate    float64 // of Degrade, in (0, 1); 0 for all other kinds
	Both    bool    // cables fail in both directions, not only upwards

	// Random places draw among all cables, or all switches above the ToRs, of
	// the network. Others are the same everywhere: the first uplinks of every
	// ToR, the first spines or the first aggregation switches of every pod.
	Random bool

	Start, For Picoseconds // in [0, 1e15]; For 0 is for good
}

// validate reports the first fault of entry i of a list of failures. Terms that
// [ParseFailures] accepts have none.
func (f Failure) validate(i int) error {
	wrong := func(field string, value any, constraint string, args ...any) error {
		return refuse("failures", i, field, value, constraint, args...)
	}
	bits := f.Kind == CableErrors || f.Kind == SwitchErrors
	const latest = Picoseconds(1e6 * mostMicroseconds)
	switch {
	case !bits && f.Kind != Cables && f.Kind != Switches && f.Kind != Degrade:
		return wrong("Kind", f.Kind, "must be one of %v", []FailureKind{Cables, Switches, Degrade, CableErrors, SwitchErrors})
	case bits && f.Count != 0:
		return wrong("Count", f.Count, "must be 0: bit errors have a Percent")
	case f.Count < 0 || f.Count > MaxHosts:
		return wrong("Count", f.Count, "must be in [0, %d]", MaxHosts)
	case bits && !(f.Percent > 0 && f.Percent < 100):
		return wrong("Percent", f.Percent, "must be in (0, 100)")
	case f.Count == 0 && !(f.Percent > 0 && f.Percent <= 100):
		return wrong("Percent", f.Percent, "must be in (0, 100] without a Count")
	case f.Kind == Degrade && !(f.Rate > 0 && f.Rate < 1):
		return wrong("Rate", f.Rate, "must be in (0, 1)")
	case f.Kind != Degrade && f.Rate != 0:
		return wrong("Rate", f.Rate, "must be 0 unless cables are degraded")
	case f.Start < 0 || f.Start > latest:
		return wrong("Start", ps(f.Start), "must be in [0, %v]", ps(latest))
	case f.For < 0 || f.For > latest:
		return wrong("For", ps(f.For), "must be in [0, %v]", ps(latest))
	}
	return nil
}

// Corruption describes bit errors: each data packet is corrupted independently with the
// given probability at every link or switch that it crosses, and discarded by the
// receiver. ACKs are never corrupted.
type Corruption struct {
	PerCable, PerSwitch float64     // probabilities in [0, 1)
	Start, End          Picoseconds // End 0 is permanent
	// CountACKs counts errors as the authors' simulator does: a rate is a fraction of what leaves
	// switches, data packets and ACKs alike, but all errors are those of data packets, and the
	// links of sending hosts have none. So a packet that passes h switches is corrupted with
	// probability 2rh/(1+rh), 5.8 % for r = 1 % and h = 3.
	CountACKs bool
}

// Place chooses the places of failures in a network: faults and bit errors for a
// [Spec]. Random failures draw from source one after the other; without any, source
// may be nil. The command passes child 1 of the replica's Workload stream, so places are
// independent of a workload drawn from the stream itself. A random place is skipped if
// its failure, together with all other permanent failures, would disconnect two ToRs. The
// errors are those of the topology, or a *mc.FieldError about a failure that is not
// valid, finds no place or rounds to none. O(places * ToRs), unless so many fail that
// pods lose each other's switches.
func Place(t Topology, failures []Failure, source rand.Source) (faults []Fault, errors []Corruption, err error) {
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
		if f.Random && source == nil {
			return nil, nil, mc.NewFieldError("fattree", "source", nil, "must be set: the places of failures[%d] are random", i)
		}
		end := Picoseconds(0)
		if f.For > 0 {
			end = f.Start + f.For
		}
		switch f.Kind {
		case CableErrors:
			errors = append(errors, Corruption{PerCable: f.Percent / 100, Start: f.Start, End: end})
			continue
		case SwitchErrors:
			errors = append(errors, Corruption{PerSwitch: f.Percent / 100, Start: f.Start, End: end})
			continue
		}
		if t.Tiers == 1 {
			return nil, nil, mc.NewFieldError("fattree", "failures", f, "must be none: a network of one tier has no cable that can fail")
		}
		placed, err := p.place(f, random)
		if err != nil {
			return nil, nil, err
		}
		for _, fault := range placed {
			fault.Start, fault.End = f.Start, end
			faults = append(faults, fault)
		}
	}
	return faults, errors, nil
}

// placer chooses places and knows which ports fail permanently.
type placer struct {
	t    Topology
	net  *Network // only laid out
	dead bitSet   // ports
}

func newPlacer(t Topology) *placer {
	n := &Network{spec: Spec{Topology: t}.WithDefaults()}
	n.slotTime = n.spec.SlotTime()
	if t.Tiers > 1 {
		n.layOutTree()
	}
	return &placer{t, n, newBitSet(len(n.ports))}
}

// place returns the faults of one failure, their times left open.
func (p *placer) place(f Failure, random *rand.Rand) ([]Fault, error) {
	candidates := p.candidates(f)
	if !f.Random {
		aligned, err := p.aligned(f, candidates)
		for _, fault := range aligned {
			p.kill(f, fault)
		}
		return aligned, err
	}
	want, err := f.number(len(candidates))
	if err != nil {
		return nil, err
	}
	random.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	var placed []Fault
	for _, fault := range candidates {
		if len(placed) == want {
			break
		}
		if killed := p.kill(f, fault); len(killed) > 0 && !p.connected(fault) {
			for _, port := range killed {
				p.dead.remove(port)
			}
			continue
		}
		placed = append(placed, fault)
	}
	if len(placed) < want {
		return nil, mc.NewFieldError("fattree", "failures", f, "must leave a path between any two ToRs: only %d of %d can fail without cutting the last one", len(placed), want)
	}
	return placed, nil
}

// candidates returns all that could fail, in order.
func (p *placer) candidates(f Failure) (all []Fault) {
	if f.Kind == Switches {
		for tier := 1; tier < p.t.Tiers; tier++ {
			for sw := range p.t.switches(tier) {
				all = append(all, Fault{Tier: tier, Switch: sw, WholeSwitch: true})
			}
		}
		return all
	}
	direction := Up
	if f.Both {
		direction = Both
	}
	for tier := range p.t.Tiers - 1 {
		for sw := range p.t.switches(tier) {
			for uplink := range p.t.uplinks(tier) {
				all = append(all, Fault{Tier: tier, Switch: sw, Uplink: uplink, Direction: direction, Rate: f.Rate})
			}
		}
	}
	return all
}

// aligned returns the first cables of every ToR, or the first switches above the
// ToRs of every pod.
func (p *placer) aligned(f Failure, candidates []Fault) ([]Fault, error) {
	of := p.t.UplinksPerToR
	if f.Kind == Switches {
		of = p.t.AggsPerPod()
	}
	want, err := f.number(of)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(candidates, func(c Fault) bool {
		if c.WholeSwitch {
			return c.Tier != 1 || c.Switch%of >= want
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
		return 0, mc.NewFieldError("fattree", "failures", f, "must be in [1, %d] after rounding, and is %d of %d", of, want, of)
	}
	return want, nil
}

// kill notes and returns the ports that a fault kills for good and that lived
// until now.
func (p *placer) kill(f Failure, fault Fault) (killed []int32) {
	if f.Kind != Cables && f.Kind != Switches || f.For > 0 {
		return nil
	}
	for _, port := range p.net.faultyPorts(fault) {
		if !p.dead.has(port) {
			p.dead.add(port)
			killed = append(killed, port)
		}
	}
	return killed
}
