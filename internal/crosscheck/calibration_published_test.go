package crosscheck

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/traffic"
	"repslab/internal/mctest"
	"repslab/mc"
)

// publishedReplicas is the number of replicas beside each published run, and publishedBound how far
// it may be from their mean, relative to the mean.
const (
	publishedReplicas = 10
	publishedBound    = 0.05
)

// publishedRun is a run of Ultra Ethernet's simulator that its repository publishes, one seed and one
// permutation of 1,024 hosts.
type publishedRun struct {
	id, lb  string
	spec    fattree.Spec // without its workload
	control func() fattree.Control
	evs     int
	setup   string // its arguments
	tail    float64
	// outside is the known deviation of a tail that is outside the prediction or the bound, nil of others.
	outside *deviation
}

// publishedOutside lists the known deviations.
var publishedOutside = map[string]deviation{}

// publishedRuns returns the published runs of load balancers.
func publishedRuns(t testing.TB) (list []publishedRun) {
	for _, row := range mctest.Reference(t, "internal/figures/testdata/uet_published.csv") {
		a := uetArguments(strings.Fields(row["args"])[1:])
		r := publishedRun{
			id: row["plan"] + " " + row["line"], lb: a.after("-load_balancing_algo"),
			spec: uetNetwork(t, 1024, a), control: func() fattree.Control { return uetControl(a) },
			evs: a.number(t, "-paths", 1, 64), setup: a.without("-load_balancing_algo", "-paths", "-end"), tail: row.Number(t, "pub_tail_us"),
		}
		if d, known := publishedOutside[r.id]; known {
			r.outside = &d
		}
		list = append(list, r)
	}
	return list
}

// after returns the word after an option that is given.
func (a uetArguments) after(option string) string { return a[slices.Index(a, option)+1] }

// without returns the arguments after the flow list but for some options and their values.
func (a uetArguments) without(options ...string) string {
	var rest []string
	for i := 1; i < len(a); i++ {
		if slices.Contains(options, a[i]) {
			i++
			continue
		}
		rest = append(rest, a[i])
	}
	return strings.Join(rest, " ")
}

// measure returns the mean tail FCT of replicas, each with a permutation of its own, in microseconds.
func (r publishedRun) measure(t testing.TB) mc.Estimate {
	t.Helper()
	setup := experiment.Setup{
		Control:  r.control,
		Balancer: func() (fattree.Balancer, error) { return uetBalancer(t, r.lb, r.evs), nil },
		Network: experiment.Varied(func(seed, replica uint64) (s fattree.Spec, err error) {
			s = r.spec
			s.Workload, err = traffic.Permutation(1024, traffic.Message{Bytes: 2_000_000}, mc.NewStream(seed, mc.Workload, replica).Source())
			return s, err
		}),
	}
	runner, err := setup.NewRunner()
	runner = must(t, runner, err)
	var tails mc.Moments
	for replica := range uint64(publishedReplicas) {
		run, err := runner.Run(context.Background(), 1, replica)
		tail, finished := must(t, run, err).Result.LastEnd()
		if !finished {
			t.Fatalf("replica %d: a flow did not finish", replica)
		}
		tails.Add(tail)
	}
	return tails.Mean(mc.DefaultConfidence).Per(1e6)
}

// relative returns the difference of the model's mean relative to the published tail.
func (r publishedRun) relative(ours mc.Estimate) float64 { return ours.Value/r.tail - 1 }

// inside reports whether the published tail is in the interval of one more run and near the mean.
func (r publishedRun) inside(ours mc.Estimate) bool {
	lo, hi := ours.Predicted()
	return lo <= r.tail && r.tail <= hi && math.Abs(r.tail-ours.Value) <= publishedBound*ours.Value
}

// fault describes what is wrong with a run, given its known deviation; it is empty if nothing is.
func (r publishedRun) fault(ours mc.Estimate) string {
	difference := r.relative(ours)
	switch inside := r.inside(ours); {
	case r.outside == nil && !inside:
		return "is outside the prediction or the bound"
	case r.outside != nil && inside:
		return "is inside prediction and bound, so that it needs no deviation"
	case r.outside != nil && (difference < r.outside.least || difference > r.outside.most):
		return fmt.Sprintf("differs by less or more than its known deviation of %+g to %+g %%", 100*r.outside.least, 100*r.outside.most)
	}
	return ""
}

// text returns the cells of the model and of the difference.
func (r publishedRun) text(ours mc.Estimate) string {
	lo, hi := ours.Predicted()
	text := fmt.Sprintf("%.2f±%.2f, one run [%.1f, %.1f] | %+.2f (%g)", ours.Value, ours.StdErr, lo, hi, 100*r.relative(ours), 100*publishedBound)
	if r.outside != nil {
		text += fmt.Sprintf(" [%+g, %+g] **outside**", 100*r.outside.least, 100*r.outside.most)
	}
	return text
}

// check fails unless the published tail is inside, or as far outside as is known.
func (r publishedRun) check(t *testing.T, ours mc.Estimate) {
	t.Helper()
	t.Logf("published %.2f, %s: %s", r.tail, r.lb, r.text(ours))
	if fault := r.fault(ours); fault != "" {
		t.Errorf("published tail %.2f %s: %s", r.tail, fault, r.text(ours))
	}
}

// row returns the row of the document, without the model's cells.
func (r publishedRun) row() string {
	return fmt.Sprintf("| `%s`: %s | %s | %.2f |", r.id, r.setup, r.lb, r.tail)
}

// publishedTable returns the table of the document: the published runs beside the model's.
func publishedTable(list []publishedRun, ours []mc.Estimate) string {
	var text strings.Builder
	text.WriteString("\n| published run: set-up | balancer | max FCT, us: published | repslab | difference (bound) |\n|---|---|---|---|---|\n")
	for i, r := range list {
		fmt.Fprintf(&text, "%s %s |\n", r.row(), r.text(ours[i]))
	}
	return text.String()
}

// TestPublishedFault: a published tail must be inside the interval of one more run and near the mean,
// unless it is known to be outside, and then in its range.
func TestPublishedFault(t *testing.T) {
	var tails mc.Moments
	for _, tail := range []int64{190e6, 200e6, 210e6} { // one more run: 200 ± 4.303 * 10 * sqrt(4/3)
		tails.Add(tail)
	}
	ours := tails.Mean(mc.DefaultConfidence).Per(1e6)
	known := &deviation{maxFCT, -0.30, -0.20}
	for _, c := range []struct {
		tail    float64
		outside *deviation
		fault   string
	}{
		{209, nil, ""},
		{191, nil, ""},
		{211, nil, "is outside"},
		{189, nil, "is outside"},
		{251, known, ""},
		{209, known, "is inside"},
		{290, known, "differs"},
		{240, known, "differs"},
	} {
		r := publishedRun{tail: c.tail, outside: c.outside}
		if fault := r.fault(ours); (fault == "") != (c.fault == "") || !strings.HasPrefix(fault, c.fault) {
			t.Errorf("tail %g, known deviation %v: %q, want %q", c.tail, c.outside, fault, c.fault)
		}
	}
	tails = mc.Moments{}
	for range 3 {
		tails.Add(200e6)
	}
	r := publishedRun{tail: 201}
	if fault := r.fault(tails.Mean(mc.DefaultConfidence).Per(1e6)); !strings.HasPrefix(fault, "is outside") {
		t.Errorf("a tail of 201 beside runs of 200 each: %q", fault)
	}
}
