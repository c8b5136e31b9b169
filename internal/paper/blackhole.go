package paper

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/traffic"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// blackhole is the paper's example of a link that fails and stays in the routing
// tables for a while: what is sent into it meanwhile is lost.
type blackhole struct {
	replicas uint64
	runs     [][]networkRun // by case
}

// The hole.
const (
	holeFrom, holeTo = 100, 10_100 // us
	holeBytes        = 1 << 30     // of a message: more than a host sends in that time
	lostAtLineRate   = 120_000     // packets, in the paper's words
)

// holeCase is a contender in it.
type holeCase struct {
	contender
	label string
	rto   fattree.Picoseconds // 0 is the authors' formula
	fixed bool                // without congestion control
}

// cases lists who is compared. The third and fourth are judged.
func (blackhole) cases() []holeCase {
	const words = 70 * microseconds
	return []holeCase{
		{ops(), "OPS, fixed window", 0, true},
		{ops(), "OPS", 0, false},
		{repsPaper(), "REPS", 0, false},
		{repsPaper(), "REPS, RTO 70 us", words, false},
		{repsUnfrozen(), "not freezing", 0, false},
		{repsUnfrozen(), "not freezing, 70 us", words, false},
	}
}

// run runs it up to the end of the hole.
func (h *blackhole) run(ctx context.Context, s Settings) error {
	topology := fattree.Topology{Hosts: 128}
	var setups []fattree.Setup
	for _, of := range h.cases() {
		spec := fattree.Spec{Topology: topology, KMin: microKMin, KMax: microKMax, RTO: of.rto, Horizon: holeTo * microseconds,
			Faults: faultsOf([]outage{{0, holeFrom, holeTo}})}
		setup := of.setup(fullEVS, fixed(spec)(traffic.OneToR(topology, traffic.Message{Bytes: holeBytes})))
		if of.fixed {
			setup.Control = func() fattree.Control { return congestion.None{} }
		}
		setups = append(setups, setup)
	}
	var err error
	h.runs, err = simulate(ctx, s, setups, h.replicas, keepTimes)
	return err
}

// lost returns the mean number of packets lost in a case.
func (h blackhole) lost(of int) mc.Estimate { return networkRuns(h.runs[of]).count(lostPackets) }

// table lists the cases.
func (h blackhole) table(seed uint64) Table {
	t := Table{Name: "blackhole", Columns: append([]report.Column{text("case"), text("lb")}, numbers("from_us", "to_us", "sent", "lost", "lost_lo", "lost_hi", "reroute_us", "seed", "replicas")...)}
	for i, of := range h.cases() {
		runs, lost := networkRuns(h.runs[i]), h.lost(i)
		t.Rows = append(t.Rows, []any{of.label, of.key, holeFrom, holeTo, runs.count(func(r *fattree.Result) int64 { return r.Sent }).Value, lost.Value, lost.Lo, lost.Hi,
			runs.reroute().Value, seed, len(runs)})
	}
	return t
}

// findings judges the paper's example.
func (h blackhole) findings() []Finding {
	const gbps, packet = 400, 4096
	atLineRate := (holeTo - holeFrom) * gbps * 1000.0 / 8 / packet
	reactionless, oblivious, frozen, late := h.lost(0), h.lost(1), h.lost(2), h.lost(3)
	return []Finding{
		notModelled("N012", "routes of the model's switches do not change", "a statement about routing protocols, with sources, not about REPS"),
		exactly("N013", atLineRate > lostAtLineRate, atLineRate, fmt.Sprintf("%.0f packets", atLineRate), "simulated, OPS with a fixed window: "+interval(reactionless, "%.0f")+"; with its congestion control "+interval(oblivious, "%.0f")),
		{"N014", judge(near(frozen, 1000) || near(late, 1000)), interval(frozen, "%.0f") + " packets with an RTO of 41.5 us, " + interval(late, "%.0f") + " with 70 us", late.Lo, late.Hi,
			"a thousand are what the link carries in about 80 us; REPS loses fewer, as EVs whose packets are lost do not come back to be used again, and the window shrinks. Without freezing mode " + interval(h.lost(4), "%.0f") + " and " + interval(h.lost(5), "%.0f")},
	}
}
