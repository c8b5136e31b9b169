package figures

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/lists"
)

// TestLongTables: the maps of docs/findings.md and docs/mrc.md are from the recorded runs.
func TestLongTables(t *testing.T) {
	rings, planes := recordedComparison(t, "long", newLongRings()), recordedComparison(t, "long", newLongMRC())
	checkTable(t, "../../docs/findings.md", "map", longRingRows(rings))
	checkTable(t, "../../docs/mrc.md", "length", longMRCRows(planes))
	checkTable(t, "../../docs/mrc.md", "rings", longMemoryRows(planes))
}

// tableHead begins a table with columns.
func tableHead(s *strings.Builder, columns ...string) {
	s.WriteString("\n| " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", len(columns)) + "|\n")
}

// longRingRows writes the steps of all-reduces over healthy ones.
func longRingRows(c *comparison) string {
	var s strings.Builder
	tableHead(&s, append([]string{"MiB", "cable fails"}, lists.Map(c.schemes, func(of scheme) string { return of.name })...)...)
	for _, mib := range longRingMiB() {
		for _, p := range c.in(longRing(mib)) {
			if p.x == 10_000 && mib < 256 {
				continue // the step ends before the cable is back
			}
			fmt.Fprintf(&s, "| %d | %s |", mib, p.label)
			for _, of := range c.schemes {
				s.WriteString(" " + withBounds(p.of(of.key).ratio(c.at(healthy, mib, neverFrozen), netRun.stepTime), "%.2f") + " |")
			}
			s.WriteByte('\n')
		}
	}
	return s.String() + "\n"
}

// longMRCRows writes by how much REPS for each plane takes longer than MRC, by the length of messages.
func longMRCRows(c *comparison) string {
	var s strings.Builder
	tableHead(&s, append([]string{"failure", "time-out"}, lists.Map(longMRCMiB(), func(mib int) string { return fmt.Sprintf("%d MiB", mib) })...)...)
	for _, of := range longCases() {
		fmt.Fprintf(&s, "| %s | %d |", of.name, of.trips)
		for _, mib := range longMRCMiB() {
			reps, mrc := c.at(of.String(), mib, "reps-planes"), c.at(of.String(), mib, "mrc")
			fmt.Fprintf(&s, " %s; %s |", longer(reps.ratio(mrc, netRun.meanFCT)), longer(reps.ratio(mrc, netRun.maxFCT)))
		}
		s.WriteByte('\n')
	}
	return s.String() + "\n"
}

// longMemoryRows writes the times of all memories in the case that has them.
func longMemoryRows(c *comparison) string {
	var s strings.Builder
	group := longCases()[1].String()
	tableHead(&s, append([]string{"message"}, lists.Map(c.schemes, func(of scheme) string { return of.name })...)...)
	for _, mib := range longMRCMiB() {
		fmt.Fprintf(&s, "| %d MiB |", mib)
		for _, of := range c.schemes {
			runs := c.at(group, mib, of.key)
			fmt.Fprintf(&s, " %.0f; %s |", runs.time(netRun.meanFCT).Value, withBounds(runs.maxFCT(), "%.0f"))
		}
		s.WriteByte('\n')
	}
	return s.String() + "\n"
}

// TestLongRingsDo: the statement holds in all its parts or names those that do not hold.
func TestLongRingsDo(t *testing.T) {
	for _, c := range []struct {
		all, renewed, short float64 // us; never frozen takes 100
		grade               claims.Grade
		why                 string
	}{
		{130, 102, 80, claims.Reproduced, ""}, {90, 102, 80, claims.InPart, "not for 256 MiB"},
		{130, 110, 80, claims.InPart, "not for only new EVs"}, {130, 102, 120, claims.InPart, "not for 16 MiB"},
	} {
		rings := newLongRings()
		for _, p := range rings.points {
			p.runs = timed(map[string]float64{neverFrozen: 100, "reps": c.all, "reps-new": c.renewed})
			if p.group == longRing(16) {
				p.runs["reps"] = runsOf(c.short)
			}
			if p.x != 0 { // only failures for good count
				p.runs = timed(map[string]float64{neverFrozen: 100, "reps": 1, "reps-new": 1000})
			}
			for _, runs := range p.runs {
				for i := range runs {
					runs[i].Step.Time = runs[i].Most
				}
			}
		}
		if f := longRingsDo(&rings); f.Grade != c.grade || !strings.Contains(f.Why, c.why) {
			t.Errorf("%+v: %s, %s, %s", c, f.Grade, f.Measured, f.Why)
		}
	}
}

// TestLongNetworks: failures last as long as the axis says, time-outs are round trips of the network, and messages have
// the lengths of the axis.
func TestLongNetworks(t *testing.T) {
	rings, planes := newLongRings(), newLongMRC()
	for _, p := range rings.points {
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if p.group == healthy && len(n.Spec().Faults) > 0 {
			t.Errorf("%s has failures", p.place)
		}
		for _, f := range n.Spec().Faults {
			if us := (f.End - f.Start) / microseconds; p.x > 0 && int(us) != p.x || p.x == 0 && f.End != 0 && f.End < n.Spec().Horizon {
				t.Errorf("%s fails from %v to %v", p.place, f.Start, f.End)
			}
		}
		if !transport.OptionsOf(n.Plan()).InheritConnections {
			t.Errorf("%s inherits no connections", p.place)
		}
	}
	for i, p := range planes.points {
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		of := longCases()[i/len(longMRCMiB())]
		if rto := transport.OptionsOf(n.Plan()).RTO; rto != fattree.Picoseconds(of.trips)*8_192_000 || 2*n.BaseRTT(0) < mrcTrip || n.BaseRTT(0) > mrcTrip {
			t.Errorf("%s: a time-out of %v ps, a round trip is %v ps without queues", p.place, rto, n.BaseRTT(0))
		}
		if bytes := n.Spec().Workload.Flows[0].Bytes; bytes != int64(p.x)*mebi || len(n.Spec().Faults) == 0 {
			t.Errorf("%s: %d bytes, %d failures", p.place, bytes, len(n.Spec().Faults))
		}
	}
}

// TestLengthInTimeouts: the headline of docs/mrc.md holds for the recorded runs. A message of 64 MiB lasts 734 us.
func TestLengthInTimeouts(t *testing.T) {
	c := recordedComparison(t, "long", newLongMRC())
	for _, of := range longCases() {
		for _, mib := range longMRCMiB() {
			mrc := c.at(of.String(), mib, "mrc")
			slower := c.at(of.String(), mib, "reps-planes").ratio(mrc, netRun.maxFCT).Percent()
			timeouts := float64(mib) / 64 * 734 / (float64(of.trips) * float64(mrcTrip) / microseconds)
			spine := of.name == "silent spine"
			if spine && timeouts > 1 && timeouts < 2 && (slower.Value < -30 || slower.Value > -21 || slower.Hi > 0) ||
				spine && timeouts > 5 && (slower.Value < 19.5 || slower.Value > 37.5 || slower.Lo < 0) ||
				!spine && timeouts < 3 && slower.Hi > 0 {
				t.Errorf("%s, %d MiB, %.1f time-outs: REPS takes %+v %% longer", of, mib, timeouts, slower)
			}
		}
	}
	for _, mib := range longMRCMiB()[1:] {
		of := longCases()[1].String()
		if ring := c.at(of, mib, "planes-ring-32").ratio(c.at(of, mib, "mrc"), netRun.maxFCT).Percent(); math.Abs(ring.Value) > 4 {
			t.Errorf("%d MiB, rings of 32: %+v %%", mib, ring)
		}
	}
}
