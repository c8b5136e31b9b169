package balance

import (
	"math/bits"

	"repslab/fattree"
	"repslab/mc"
	"repslab/reps"
)

// The authors' numbers.
const (
	multipathEVs = 8   // EVs of mptcp, subflows of mptcp-subflows
	mostBitmap   = 256 // EVs of bitmap
)

// named is a load balancer with the authors' parameters.
type named struct {
	name string
	open func(evs int) (fattree.Balancer, error)
}

// all lists the load balancers.
func all() []named {
	return []named{
		{"ecmp", func(evs int) (fattree.Balancer, error) { return NewECMP(evs) }},
		{"ops", func(evs int) (fattree.Balancer, error) { return NewSpraying(evs) }},
		{"plb", func(evs int) (fattree.Balancer, error) { return NewPLB(evs, 0) }},
		{"plb-k25", func(evs int) (fattree.Balancer, error) { return NewPLB(evs, 0.25) }},
		{"flowlet", func(evs int) (fattree.Balancer, error) { return NewFlowlet(evs) }},
		{"mprdma", func(evs int) (fattree.Balancer, error) { return NewMPRDMA(evs) }},
		{"mptcp", func(evs int) (fattree.Balancer, error) { return NewMultipath(evs, multipathEVs) }},
		{"mptcp-subflows", func(evs int) (fattree.Balancer, error) { return NewSubflows(evs, multipathEVs) }},
		{"bitmap", func(evs int) (fattree.Balancer, error) { return NewBitmap(BitmapEVs(evs)) }},
		{"adaptive-roce", func(int) (fattree.Balancer, error) { return NewAdaptive(), nil }},
		{"switch-ops", func(int) (fattree.Balancer, error) { return NewSwitchSpraying(), nil }},
		{"round-robin", func(int) (fattree.Balancer, error) { return NewRoundRobin(), nil }},
		{"reps", func(evs int) (fattree.Balancer, error) { return NewRecycling(Paper, reps.Config{EVSSize: evs}) }},
	}
}

// Names lists the names for [New]: all load balancers, REPS last.
func Names() []string {
	var names []string
	for _, b := range all() {
		names = append(names, b.name)
	}
	return names
}

// New returns a load balancer with the authors' parameters for a number of EVs: PLB as they
// ran it, with K = 0 ("plb"), and as they meant it ("plb-k25"); 8 paths ("mptcp") or
// subflows ("mptcp-subflows"); a bitmap of [BitmapEVs]; REPS by the paper's rules. evs
// must be in [1, MaxEVS], and at least 8 for mptcp-subflows. The error is a
// [*mc.FieldError] about name or evs.
func New(name string, evs int) (fattree.Balancer, error) {
	if err := checkEVS(evs); err != nil {
		return nil, err
	}
	for _, b := range all() {
		if b.name == name {
			return b.open(evs)
		}
	}
	return nil, mc.NewFieldError("balance", "name", name, "must be one of %v", Names())
}

// BitmapEVs returns the number of EVs that the bitmap uses of evs, at least 1: the largest
// power of two up to evs and 256.
func BitmapEVs(evs int) int { return 1 << bits.Len(uint(min(evs, mostBitmap))) / 2 }
