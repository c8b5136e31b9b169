package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/table"
	"repslab/mc"
)

// blackhole is the paper's example of a link that fails and stays in the routing
// tables for a while: packets sent into it meanwhile are lost.
type blackhole struct {
	replicas uint64
	netGrid  // the network's name is the case's label
}

// The blackhole.
const (
	holeFrom, holeTo = 100, 10_100 // us
	holeBytes        = 1 << 30     // of a message: more than a host sends in that time
	lostAtLineRate   = 120_000     // packets, in the paper's words
)

// holeCase is a scheme in it.
type holeCase struct {
	scheme
	label string
	rto   fattree.Picoseconds // 0 is the authors' formula
	fixed bool                // without congestion control
}

// cases lists the schemes. REPS is judged, with either RTO.
func (*blackhole) cases() []holeCase {
	const words = 70 * microseconds
	return []holeCase{
		{OPS(), "OPS, fixed window", 0, true},
		{OPS(), "OPS", 0, false},
		{REPS(), "REPS", 0, false},
		{REPS(), "REPS, RTO 70 us", words, false},
		{repsUnfrozen(), "not freezing", 0, false},
		{repsUnfrozen(), "not freezing, 70 us", words, false},
	}
}

// run runs all cases up to the end of the blackhole.
func (h *blackhole) run(ctx context.Context, s Settings) error {
	topology := fattree.Topology{Hosts: 128}
	for _, of := range h.cases() {
		spec := microSpec(topology)
		spec.RTO, spec.Horizon, spec.Faults = of.rto, holeTo*microseconds, outageFaults([]outage{{0, holeFrom, holeTo}})
		setup := of.setup(fullEVS, fixed(spec)(traffic.OneToR(topology, traffic.Message{Bytes: holeBytes})))
		if of.fixed {
			setup.Control = fixedWindow
		}
		h.add(of.label, "", 0, setup)
	}
	return h.netGrid.run(ctx, s, h.replicas, keepTimes)
}

// lost returns the mean number of packets lost in a case.
func (h *blackhole) lost(label string) mc.Estimate { return h.of(label, "", 0).count(netRun.lost) }

// table lists the cases.
func (h *blackhole) table(seed uint64) table.Table {
	t := table.Table{Name: "blackhole"}
	for _, of := range h.cases() {
		runs := h.of(of.label, "", 0)
		addRow(&t, cells{{"case", of.label}, {"lb", of.key}, {"from_us", holeFrom}, {"to_us", holeTo}, {"sent", runs.count(netRun.sent).Value}},
			withEnds("lost", "lost", h.lost(of.label)), cells{{"reroute_us", runs.reroute().Value}}, madeFrom(seed, len(runs)))
	}
	return t
}

// findings judges the paper's example.
func (h *blackhole) findings() []claims.Finding {
	const gbps, packet = 400, 4096
	atLineRate := (holeTo - holeFrom) * gbps * 1000.0 / 8 / packet
	reactionless, oblivious, frozen, late := h.lost("OPS, fixed window"), h.lost("OPS"), h.lost("REPS"), h.lost("REPS, RTO 70 us")
	return []claims.Finding{
		claims.LeftOut("N012", "routes of the model's switches do not change", "a statement about routing protocols, with sources, not about REPS"),
		claims.Exactly("N013", atLineRate > lostAtLineRate, atLineRate, fmt.Sprintf("%.0f packets", atLineRate), "simulated, OPS with a fixed window: "+Interval(reactionless, "%.0f")+"; with its congestion control "+Interval(oblivious, "%.0f")),
		claims.Estimated("N014", claims.Near(frozen, 1000) || claims.Near(late, 1000), late, Interval(frozen, "%.0f")+" packets with an RTO of 41.5 us, "+Interval(late, "%.0f")+" with 70 us", "a thousand are what the link carries in about 80 us; REPS loses fewer, as EVs whose packets are lost do not come back to be used again, and the window shrinks. Without freezing mode "+Interval(h.lost("not freezing"), "%.0f")+" and "+Interval(h.lost("not freezing, 70 us"), "%.0f")).Resting(claims.Any(claims.CloseTo(frozen, 1000), claims.CloseTo(late, 1000))),
	}
}
