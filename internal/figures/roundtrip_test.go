package figures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
)

// roundTripMade is the figure from its record.
func roundTripMade(t *testing.T) engine.Output {
	t.Helper()
	out, err := figure("roundtrip").Make(context.Background(), fromRecord(t, "roundtrip"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tableOf returns the table of an output with a name.
func tableOf(t *testing.T, out engine.Output, name string) frame.Table {
	t.Helper()
	for _, of := range out.Tables {
		if of.Name == name {
			return of
		}
	}
	t.Fatalf("no table is called %s", name)
	return frame.Table{}
}

// around writes a value of a row with its interval, or alone where it has none.
func around(rows frame.Table, row []any, key, format string) string {
	beside := frame.BesideOf(key)
	lo, hi := cellOf(rows, row, beside.Lo), cellOf(rows, row, beside.Hi)
	if ends, known := lo.(float64); !known || math.IsInf(ends, 0) || hi == nil {
		return fmt.Sprintf(format, cellOf(rows, row, key))
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", cellOf(rows, row, key), lo, hi)
}

// TestRoundTripPredictions: the table of docs/round-trip.md has the law's predictions as they were written before their
// runs, and the boundaries that were found.
func TestRoundTripPredictions(t *testing.T) {
	rows := tableOf(t, roundTripMade(t), "")
	var s strings.Builder
	s.WriteString("\n| τ | d | law: W − d | model | network |\n|---:|---:|---:|---|---|\n")
	near := map[string]int{}
	for _, row := range rows.Rows {
		at := func(key string) float64 { return cellOf(rows, row, key).(float64) }
		for _, kind := range []string{"model_boundary", "network_boundary"} {
			if math.Abs(at(kind)-at("boundary_law")) <= tripNear {
				near[kind]++
			}
		}
		fmt.Fprintf(&s, "| %v | %v | %.2f | %s | %s |\n", cellOf(rows, row, "threshold"), cellOf(rows, row, "delay"), at("boundary_law"),
			around(rows, row, "model_boundary", "%.2f"), around(rows, row, "network_boundary", "%.2f"))
	}
	fmt.Fprintf(&s, "\nWithin 2 packets: %d of %d in the model, %d in the network.\n\n", near["model_boundary"], len(rows.Rows), near["network_boundary"])
	checkTable(t, "../../docs/round-trip.md", "predictions", s.String())
	readmeSays(t, fmt.Sprintf("within %d packets at %d of %d points chosen beforehand in the model and at %d of %d in the network", tripNear,
		near["model_boundary"], len(rows.Rows), near["network_boundary"], len(rows.Rows)))
	if near["model_boundary"] < len(rows.Rows) {
		t.Errorf("%d of %d predictions hold in the model", near["model_boundary"], len(rows.Rows))
	}
}

// TestRoundTripControls: the rule about congestion controls, written before its runs, holds; the table of the page
// has the numbers.
func TestRoundTripControls(t *testing.T) {
	rows := tableOf(t, roundTripMade(t), "controls")
	var s strings.Builder
	s.WriteString("\n| Kmax | DCTCP | NSCC | EQDS | fixed window |\n|---:|---|---|---|---|\n")
	line := map[int]string{}
	for _, row := range rows.Rows {
		if cellOf(rows, row, "lb") != "reps" {
			continue
		}
		kmax := cellOf(rows, row, "kmax").(int)
		line[kmax] += " | " + around(rows, row, "mean_over_ops", "%.3f")
		lo, hi := cellOf(rows, row, "mean_over_ops_lo").(float64), cellOf(rows, row, "mean_over_ops_hi").(float64)
		if kmax == tripKMin+tripStep && lo <= 1 || kmax >= tripKMin+tripRamp && hi >= 1 {
			t.Errorf("%v, Kmax %d: REPS over OPS [%v, %v]", cellOf(rows, row, "cc"), kmax, lo, hi)
		}
	}
	for _, width := range tripWidths() {
		fmt.Fprintf(&s, "| %d%s |\n", tripKMin+width, line[tripKMin+width])
	}
	checkTable(t, "../../docs/round-trip.md", "controls", s.String()+"\n")
	dctcp := func(kmax int) float64 {
		return valueAt(t, rows, "mean_over_ops", "lb", "reps", "cc", "dctcp", "kmax", kmax)
	}
	readmeSays(t, fmt.Sprintf("it takes %.2f times OPS's mean completion time, at Kmax 50 %.2f", dctcp(26), dctcp(50)))
}

// TestRoundTripRamps: the table of the ramps that are enough in the model.
func TestRoundTripRamps(t *testing.T) {
	rows := tableOf(t, roundTripMade(t), "ramps")
	var s strings.Builder
	s.WriteString("\n| width / d that is enough |")
	for _, d := range enoughDelays() {
		fmt.Fprintf(&s, " d = %d |", d)
	}
	s.WriteString("\n|---|" + strings.Repeat("---|", len(enoughDelays())))
	for i, row := range rows.Rows {
		if i%len(enoughDelays()) == 0 {
			fmt.Fprintf(&s, "\n| τ = %d √d |", enoughRooms()[i/len(enoughDelays())])
		}
		fmt.Fprintf(&s, " %.2f |", cellOf(rows, row, "enough_ramp_over_delay"))
	}
	checkTable(t, "../../docs/round-trip.md", "ramps", s.String()+"\n\n")
}

// TestRoundTripScales: the table of steps and ramps over the round trip.
func TestRoundTripScales(t *testing.T) {
	rows := tableOf(t, roundTripMade(t), "scales")
	var s strings.Builder
	s.WriteString("\n| d | step | d/16 | d/8 | d/4 | d/2 |\n|---:|---|---|---|---|---|")
	for i, row := range lists.Where(rows.Rows, func(row []any) bool { return cellOf(rows, row, "lb") == "reps" }) {
		if i%len(tripParts()) == 0 {
			fmt.Fprintf(&s, "\n| %v |", cellOf(rows, row, "delay"))
		}
		s.WriteString(" " + around(rows, row, "mean_over_ops", "%.3f") + " |")
	}
	checkTable(t, "../../docs/round-trip.md", "scales", s.String()+"\n\n")
}

// TestRoundTripCases: the table of the cases in which a step hurts or does not.
func TestRoundTripCases(t *testing.T) {
	rows := tableOf(t, roundTripMade(t), "cases")
	var s strings.Builder
	s.WriteString("\n| 128 hosts, DCTCP, Kmin 25 | | Kmax 26 | Kmax 50 |\n|---|---|---|---|\n")
	cell := map[string]string{}
	var order []string
	for _, row := range rows.Rows {
		if cellOf(rows, row, "lb") == "ops" {
			continue
		}
		key := fmt.Sprintf("| %v | %v |", cellOf(rows, row, "case"), cellOf(rows, row, "lb"))
		if cell[key] == "" {
			order = append(order, key)
		}
		cell[key] += " " + around(rows, row, "mean_over_ops", "%.3f") + " |"
	}
	for _, key := range order {
		s.WriteString(key + cell[key] + "\n")
	}
	checkTable(t, "../../docs/round-trip.md", "cases", s.String()+"\n")
}

// TestBisect: the middle between the last number that survives and the next one, from few questions; NaN if all
// survive, and the error of a question.
func TestBisect(t *testing.T) {
	for most := 1; most < 40; most++ {
		for last := range most {
			asked := 0
			got, err := bisect(most, func(x int) (bool, error) { asked++; return x <= last, nil })
			want := float64(last) + half
			if last == most-1 {
				want = math.NaN()
			}
			if err != nil || got != want && !(math.IsNaN(got) && math.IsNaN(want)) || asked > 6 {
				t.Errorf("most %d, last %d: %v after %d questions, %v, want %v", most, last, got, asked, err, want)
			}
		}
	}
	wrong := errors.New("wrong")
	if _, err := bisect(9, func(int) (bool, error) { return true, wrong }); !errors.Is(err, wrong) {
		t.Errorf("error %v", err)
	}
}

// TestTripPoints: every point has the round trip that it names, in the network too, and queues that no window fills;
// rings of the model hold 1.3 roots of the round trip, and no more than twice that.
func TestTripPoints(t *testing.T) {
	for _, p := range tripPoints() {
		spec, err := p.spec(p.Delay + 1)
		if err != nil {
			t.Fatal(err)
		}
		if d := roundTripOf(treeOf(spec)); math.Abs(d-float64(p.Delay)) > 0.01 {
			t.Errorf("%v: the network's round trip is %v", p, d)
		}
		if most := p.Delay + 2*p.Threshold; spec.Queue <= most || spec.KMin != p.Threshold || spec.KMax != p.Threshold+1 {
			t.Errorf("%v: queue %d, Kmin %d, Kmax %d, windows up to %d", p, spec.Queue, spec.KMin, spec.KMax, most)
		}
		ring, root := float64(p.model().Ring), 1.3*math.Sqrt(float64(p.Delay))
		if ring < root || ring > max(8, 2*root) {
			t.Errorf("%v: ring of %v, the root is %v", p, ring, root)
		}
		packets := int(planOf(spec).Spec().Packets(spec.Workload.Flows[0].Bytes))
		if want := 20 * (p.Delay + p.Threshold); packets != want || len(spec.Workload.Flows) != tripHosts {
			t.Errorf("%v: %d packets of %d flows, want %d", p, packets, len(spec.Workload.Flows), want)
		}
	}
}

// TestTripWorkloads: the incast comes beside the tornado; half of the hosts of each ToR send.
func TestTripWorkloads(t *testing.T) {
	source := rand.NewPCG(1, 2)
	whole, err := tripTornado(source)
	beside, besideErr := tripIncast(source)
	part, partErr := tripHalf(source)
	if err = errors.Join(err, besideErr, partErr); err != nil {
		t.Fatal(err)
	}
	if len(whole.Flows) != caseHosts || len(beside.Flows) != caseHosts+16 || len(part.Flows) != caseHosts/2 {
		t.Errorf("%d, %d and %d flows", len(whole.Flows), len(beside.Flows), len(part.Flows))
	}
	senders := map[int]int{}
	for _, f := range part.Flows {
		senders[int(f.Source)/tripPorts]++
	}
	for tor, n := range senders {
		if n != tripPorts/2 {
			t.Errorf("%d hosts of ToR %d send", n, tor)
		}
	}
	for _, f := range beside.Flows[caseHosts:] {
		if f.Destination != 0 || f.Bytes != tripBytes {
			t.Errorf("%+v is not of the incast", f)
		}
	}
}

// TestTripTime: below the law nothing is random after some circuits, far above most is.
func TestTripTime(t *testing.T) {
	p := tripPoint{28, 100}
	for _, c := range []struct {
		excess      int
		least, most float64
	}{{int(p.law()) - 6, 0, 0.005}, {int(p.law()) + 14, 0.3, 0.7}} {
		shares, err := tripTime{p, c.excess}.shares(context.Background(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if last := shares[tripCircuits-1]; last < c.least || last > c.most || shares[0] < 0.5 {
			t.Errorf("W - d = %d: first %v, last %v, want %v to %v", c.excess, shares[0], last, c.least, c.most)
		}
	}
}

// TestTripSearch: the boundary of a replica of the first point in the network, as recorded.
func TestTripSearch(t *testing.T) {
	if got, err := (tripSearch{tripPoints()[0]}).search(context.Background(), 1, 0); err != nil || got != 7.5 {
		t.Errorf("W - d = %v, %v, want 7.5", got, err)
	}
}

// TestTripCases: the trees of all cases have as much capacity up as down, but for one.
func TestTripCases(t *testing.T) {
	for _, of := range tripCases() {
		want := 1.0
		if of.name == "2:1" {
			want = 2
		}
		if got := of.tree.WithDefaults().Oversubscription(); of.tree.Hosts > 0 && (got != want || of.tree.Hosts != caseHosts) {
			t.Errorf("%s: %d hosts, %v to 1", of.name, of.tree.Hosts, got)
		}
	}
}
