//go:build !js

package transport

import (
	"cmp"
	"fmt"

	"repslab/fattree"
	"repslab/faults"
)

// validate reports the faults of options with defaults applied on the network of p.
func (o Options) validate(p *fattree.Plan) error {
	s, slot, hostLinks := p.Spec(), p.SlotTime(), p.Outline().HostLinks
	bad := faults.List{Package: "transport"}
	o.validateNumbers(slot, &bad)
	ultra := s.Profile == fattree.UltraEthernet
	bad.Check(!o.DoubleTurns || hostLinks <= 1, "DoubleTurns", o.DoubleTurns, "must be false where hosts have several links")
	bad.Check(!o.DoubleTurns || !ultra, "DoubleTurns", o.DoubleTurns, "must be false with the transport UltraEthernet")
	bad.Check(!o.Sleek || ultra && s.DisableTrimming, "Sleek", o.Sleek, "must be false but with the transport UltraEthernet and DisableTrimming")
	bad.Check(!o.LastHopGood || s.Profile == fattree.Artifact && !s.DisableTrimming, "LastHopGood", true, "must be false but with the transport Artifact and trimming")
	bad.Check(!o.ConnectionTimer || s.Profile == fattree.MRC, "ConnectionTimer", true, "must be false but with the profile MRC")
	if o.BurstOn != 0 || o.BurstOff != 0 {
		bad.Check(o.BurstOn >= slot && o.BurstOn <= mostBurst, "BurstOn", o.BurstOn, "must be at least a slot, %d ps, and at most %d", slot, mostBurst)
		bad.Check(o.BurstOff > 0 && o.BurstOff/maxPause <= o.BurstOn, "BurstOff", o.BurstOff, "must be above 0 and at most %d times BurstOn (%d ps)", maxPause, o.BurstOn)
		bad.Check(!o.DoubleTurns, "DoubleTurns", true, "must be false with bursts")
	}
	sums := map[int]int64{} // packets so far, by connection or by flow without one
	for i := 0; o.Sleek && i < len(s.Workload.Flows); i++ {
		f := &s.Workload.Flows[i]
		connection := cmp.Or(f.Connection, -1-i)
		if sums[connection] += s.Packets(f.Bytes); sums[connection] > probePSN {
			bad.Refuse(fmt.Sprintf("Flows[%d].Bytes", i), f.Bytes, "must leave its connection at most %d packets of %d bytes with Sleek", probePSN, s.PayloadBytes())
			break
		}
	}
	return bad.Err()
}

// validateNumbers reports an initial window, an AckRatio or an RTO out of range.
func (o *Options) validateNumbers(slot fattree.Picoseconds, bad *faults.List) {
	bad.Check(o.InitialWindow >= 0 && o.InitialWindow <= mostWindow, "InitialWindow", o.InitialWindow, "must be in [0, %d]", mostWindow)
	switch {
	case o.CarryEVs:
		bad.Check(o.AckRatio >= 1 && o.AckRatio <= MaxAckRatio, "AckRatio", o.AckRatio, "must be in [1, %d] with CarryEVs", MaxAckRatio)
	case o.AckRatio != NoAckRatio:
		bad.Check(o.AckRatio >= 1 && o.AckRatio <= MaxAckRatio, "AckRatio", o.AckRatio, "must be in [1, %d], or NoAckRatio (%d)", MaxAckRatio, NoAckRatio)
	}
	bad.Check(o.RTO >= slot && o.RTO <= mostRTOSlots*slot, "RTO", ps(o.RTO), "must be in [%v, %v]", ps(slot), ps(mostRTOSlots*slot))
}

// ps is a time that an error shows.
type ps fattree.Picoseconds

// String returns the time with its unit.
func (t ps) String() string { return fmt.Sprintf("%d ps", int64(t)) }
