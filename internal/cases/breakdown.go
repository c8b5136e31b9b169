package cases

import (
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/recycled"
)

// Breakdown says why recycling breaks down in a network: marks rise too steeply for the windows of its flows.
type Breakdown struct {
	spec   fattree.Spec
	Window int // initial window of a flow, at most its packets
	Most   int // largest window without breakdown at a step, by recycled.BoundaryLaw
	KMax   int // least KMax with which it does not break down, by enoughRamp
}

// String says what breaks down, and the setting that is enough.
func (b Breakdown) String() string {
	return fmt.Sprintf("with marks from %d to %d packets recycling breaks down at windows above %d packets, and they begin at %d; --kmax %d is enough",
		b.spec.KMin, b.spec.KMax, b.Most, b.Window, b.KMax)
}

// Breakdown returns how recycling breaks down at thresholds that were given, and whether it does: by
// [recycled.BoundaryLaw], where it holds, and an estimate of the ramp that is enough.
func (p *Fattree) Breakdown() (b Breakdown, is bool) {
	s := p.Spec
	if p.KMin == nil && p.KMax == nil || !p.recyclesEachPacket() || !p.loadsAllLinks() {
		return b, false
	}
	delay := p.Plan.LongestBDP() - 1
	room, err := recycled.BoundaryLaw(float64(s.KMin), delay)
	if err != nil {
		return b, false
	}
	b = Breakdown{
		spec:   s,
		Window: int(min(int64(transport.LongestWindow(p.Plan)), s.Packets(p.Message))),
		Most:   int(delay + room),
		KMax:   s.KMin + int(math.Ceil(enoughRamp(room, delay, s.PMax))),
	}
	return b, b.Window > b.Most && s.KMax < b.KMax
}

// recyclesEachPacket reports whether the EV of every unmarked packet is used again, once.
func (p *Fattree) recyclesEachPacket() bool {
	return p.Options.AckRatio == 1 && p.lbOf == nil && slices.Contains([]string{BalancerREPS, lbExclude, "mixed"}, p.Lb)
}

// loadsAllLinks reports whether the flows, one for each host, fill the uplinks, whose rate is the hosts'. Of a random
// permutation of 4 ToRs a quarter stays below its ToR, and recycling does not break down.
func (p *Fattree) loadsAllLinks() bool {
	t := p.Tree
	return (p.workload == "tornado" || p.workload == "permutation" && t.Hosts >= 8*t.HostsPerToR) && p.planes == 1 && t.Tiers > 1 &&
		t.Oversubscription() == 1 && t.Access.Gbps == t.Fabric.Gbps && (t.Tiers == 2 || t.Core.Gbps == t.Fabric.Gbps)
}

// enoughRamp returns the width of a ramp of marks, KMax - KMin, in packets, with which recycling does not break down,
// whatever the windows. room is the room W - d that [recycled.BoundaryLaw] leaves to a step at KMin, in packets, delay
// is d, and pmax the probability of a mark at KMax. It is an estimate, fitted to 68 runs of the network: 2 tiers with
// 32 uplinks, tornado, no congestion control, d from 27 to 389, rooms from 0.05 to 2.2 sqrt(d), windows of 1.5 and 3
// bandwidth-delay products. In 65 of them less than 5 % of the packets after a flow's first window had random EVs, in
// the others 6, 7 and 12 %; with 4/5 of the width up to 20 %, at a step up to 66 %. At a pmax of 1/2 or less, 3/5 of
// the width of a pmax of 1 were enough, in 54 runs.
func enoughRamp(room, delay, pmax float64) float64 {
	short := 2.25*math.Sqrt(delay) - room // by how much Kmin is below a step that needs no ramp
	return short * max(1, (1+4*pmax)/3)
}
