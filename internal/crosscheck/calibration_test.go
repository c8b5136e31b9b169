package crosscheck

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/internal/mctest"
	"repslab/mc"
	"repslab/reps"
)

// scenario is one of the authors' set-ups, which the reference has for some balancers.
type scenario struct {
	id       string // of the reference's rows, with * for the balancer
	setup    string // in words, for the document
	spec     fattree.Spec
	control  func() transport.Control // nil: the DCTCP variant
	sets     evSets
	replicas uint64 // of the table
	// ultra says that the reference is Ultra Ethernet's simulator; open then returns its balancers.
	ultra   bool
	open    func(t testing.TB, lb string) transport.Balancer
	systems []system
	// shared leaves the addresses out of the switches' hash, as the authors' flow lists
	// without numbers do. Flows that use the same EVs in step then meet at every uplink.
	shared bool
	// outside marks, by balancer, a statistic that misses its bound.
	outside map[string]deviation
}

// deviation is a known difference from the reference that exceeds the bound, for a reason
// given in docs/calibration.md. The difference relative to the reference must stay in
// [least, most]: the measured one plus and minus 3 standard errors of the row's shortest
// run, rounded outwards to whole per cents. With outsideReplicas, [TestCalibrationTable]
// also fails if the bound is met.
type deviation struct {
	statistic   string
	least, most float64
}

// system is a balancer in a scenario. The mean of each statistic over replicas is compared
// with the mean over the reference's seeds; it may differ by the larger of a part of the
// reference and 3 standard errors of both sides.
type system struct {
	lb     string             // its name in the reference
	bounds map[string]float64 // by statistic; 0 is no bound
	short  bool               // part of the short suite
}

// The statistics, named by the reference's columns.
const (
	maxFCT        = "max_fct_us"
	meanFCT       = "mean_fct_us"
	p99FCT        = "p99_fct_us"
	end           = "end_us"
	retransmitted = "drops_or_rtx"
)

// statistics lists them in the order of the tables, each with the name that the rows of repslab fattree give it.
var statistics = []struct{ key, name string }{
	{maxFCT, "max_fct_us"}, {meanFCT, "mean_fct_us"}, {p99FCT, "p99_fct_us"}, {end, "end_us"}, {retransmitted, "retransmitted"},
}

// outsideReplicas is the number of replicas that shows that a statistic is outside its bound.
const outsideReplicas = 60

// row returns the name of the reference's runs of a balancer, without the seed.
func (s scenario) row(lb string) string { return strings.Replace(s.id, "*", lb, 1) }

// evSets sizes the balancers' EV sets. The zero value is the authors': 65,535, and 256 for
// the bitmap.
type evSets struct {
	all, bitmap int
	freezeNs    uint32  // duration of REPS's freezing mode; 0 is 10 ms
	leak        float64 // of adaptive RoCE, see [balance.NewLeakingAdaptive]
}

// balancerOf returns a balancer by its name in the reference, which lacks the last two.
func balancerOf(t testing.TB, name string, sets evSets) (b transport.Balancer) {
	t.Helper()
	evs, bitmap := sets.all, sets.bitmap
	if evs == 0 {
		evs = 65535
	}
	if bitmap == 0 {
		bitmap = 256
	}
	var err error
	switch name {
	case "oblivious":
		b, err = balance.NewSpraying(evs)
	case "ecmp":
		b, err = balance.NewECMP(evs)
	case "freezing":
		b, err = balance.NewRecycling(balance.Artifact, reps.Config{EVSSize: evs, FreezingTimeout: sets.freezeNs})
	case "reps":
		b, err = balance.NewRecycling(balance.FIFO, reps.Config{EVSSize: evs})
	case "plb":
		b, err = balance.NewPLB(evs, 0)
	case "flowlet":
		b, err = balance.NewFlowlet(evs)
	case "mprdma":
		b, err = balance.NewMPRDMA(evs)
	case "mp":
		b, err = balance.NewMultipath(evs, 8)
	case "bitmap":
		b, err = balance.NewBitmapByMask(bitmap)
	case "nvidia":
		if b = balance.NewAdaptive(); sets.leak > 0 {
			b, err = balance.NewLeakingAdaptive(sets.leak)
		}
	case "switch-ops":
		b = balance.NewSwitchSpraying()
	case "round-robin":
		b = balance.NewRoundRobin()
	default:
		t.Fatalf("no balancer %q", name)
	}
	return must(t, b, err)
}

// must returns value, or ends the test if there is an error.
func must[T any](t testing.TB, value T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// observed holds the moments of statistics over runs: times in picoseconds, packets in
// millionths, so that dividing by 10^6 gives the reference's units. A statistic that no run
// has is absent.
type observed map[string]mc.Moments

func (o observed) add(key string, value int64) {
	m := o[key]
	m.Add(value)
	o[key] = m
}

// htsimRuns and uetRuns return the rows of the references, read once.
var (
	htsimRuns = reference("htsim_runs.csv")
	uetRuns   = reference("uet_runs.csv")
)

// reference returns a function that returns the rows of a file of testdata.
func reference(name string) func(testing.TB) []mctest.Row {
	var once sync.Once
	var rows []mctest.Row
	return func(t testing.TB) []mctest.Row {
		once.Do(func() { rows = mctest.Reference(t, "internal/crosscheck/testdata/"+name) })
		return rows
	}
}

// reference returns the reference's runs of a scenario under a balancer.
func (s scenario) reference(t *testing.T, lb string) observed {
	t.Helper()
	runs, name, rows := observed{}, s.row(lb), htsimRuns
	if s.ultra {
		rows = uetRuns
	}
	for _, row := range rows(t) {
		rest, ours := strings.CutPrefix(row["scenario_id"], name)
		if !ours || rest != "" && strings.Trim(rest, "0123456789") != "_s" {
			continue
		}
		for _, s := range statistics {
			if row[s.key] != "" {
				runs.add(s.key, int64(math.Round(row.Number(t, s.key)*1e6)))
			}
		}
	}
	if len(runs) == 0 {
		t.Fatalf("the reference has no run %q", name)
	}
	return runs
}

// measure runs replicas of a scenario under a balancer.
func (s scenario) measure(t *testing.T, lb string, replicas uint64) observed {
	t.Helper()
	streams := fattree.NewStreams(1, 0)
	if s.shared {
		s.spec.Choose = func(_ int32, ev uint16, ports int) int {
			hash := streams.Salts.Child(uint64(ev)).Rand()
			return int(hash.Below(uint64(ports)))
		}
	}
	network, err := fattree.Build(s.spec)
	run := transport.NewRun(must(t, network, err))
	var balancer transport.Balancer
	if s.open != nil {
		balancer = s.open(t, lb)
	} else {
		balancer = balancerOf(t, lb, s.sets)
	}
	control := transport.Control(congestion.DCTCP{})
	if s.spec.Workload.BackgroundEvery > 0 {
		balancer = balance.NewMixed(balancer, balancerOf(t, "ecmp", s.sets))
	}
	if s.control != nil {
		control = s.control()
	}
	runs := observed{}
	for replica := range replicas {
		streams = fattree.NewStreams(1, replica)
		result, err := run.Execute(context.Background(), balancer, control, streams)
		if err != nil {
			t.Fatal(err)
		}
		runs.add(retransmitted, 1e6*result.Retransmitted)
		if last, finished := result.LastEnd(); finished {
			fcts := result.FCTs()
			runs.add(end, int64(last))
			runs.add(maxFCT, int64(fcts[len(fcts)-1]))
			runs.add(meanFCT, int64(fattree.Mean(fcts)))
			runs.add(p99FCT, int64(fattree.NearestRank(fcts, 0.99)))
		}
	}
	return runs
}

// comparison is a statistic on both sides.
type comparison struct {
	ours, theirs mc.Estimate
	bound        float64 // relative to theirs
	allowed      float64 // difference: the larger of the bound and 3 standard errors
	places       int     // decimal places in the table
}

// compare compares a statistic. A single run of the reference is assumed to scatter as the
// model's runs do.
func compare(ours, theirs mc.Moments, bound float64) comparison {
	return allowing(ours.Mean(mc.DefaultConfidence).Per(1e6), theirs.Mean(mc.DefaultConfidence).Per(1e6), bound, 2)
}

// allowing returns the comparison of two estimates.
func allowing(ours, theirs mc.Estimate, bound float64, places int) comparison {
	spread := math.Hypot(ours.StdErr, theirs.StdErr)
	if theirs.N == 1 {
		spread = ours.StdErr * math.Sqrt(1+float64(ours.N))
	}
	return comparison{ours, theirs, bound, max(bound*theirs.Value, 3*spread), places}
}

// inside reports whether a statistic is within its bound.
func (c comparison) inside() bool { return math.Abs(c.ours.Value-c.theirs.Value) <= c.allowed }

// relative returns the difference relative to the reference.
func (c comparison) relative() float64 { return c.ours.Value/c.theirs.Value - 1 }

func (c comparison) String() string {
	return fmt.Sprintf("%.2f, reference %.2f: %+.2f %%, bound %g %%, with 3 standard errors %.1f %%",
		c.ours.Value, c.theirs.Value, 100*c.relative(), 100*c.bound, 100*c.allowed/c.theirs.Value)
}

// check fails unless each statistic of a system is within its bound, or within the range of
// its known deviation.
func (s scenario) check(t *testing.T, sys system, ours observed) {
	t.Helper()
	theirs := s.reference(t, sys.lb)
	for _, stat := range statistics {
		bound, judged := sys.bounds[stat.key]
		if !judged {
			continue
		}
		if ours[stat.key].N() != ours[retransmitted].N() {
			t.Errorf("%s: not all flows of all replicas finished", stat.name)
			continue
		}
		c := compare(ours[stat.key], theirs[stat.key], bound)
		t.Logf("%s: %s", stat.name, c)
		if fault := c.fault(s.known(sys.lb, stat.key)); fault != "" {
			t.Errorf("%s %s: %s", stat.name, fault, c)
		}
	}
}

// known returns the deviation of a statistic of a balancer, nil if it has none.
func (s scenario) known(lb, statistic string) *deviation {
	if d, marked := s.outside[lb]; marked && d.statistic == statistic {
		return &d
	}
	return nil
}

// fault describes what is wrong with a comparison, given the statistic's known deviation, if
// any; it is empty if nothing is.
func (c comparison) fault(known *deviation) string {
	switch {
	case known == nil:
		if c.bound > 0 && !c.inside() {
			return "is outside its bound"
		}
	case c.relative() < known.least || c.relative() > known.most:
		return fmt.Sprintf("differs by less or more than its known deviation of %+g to %+g %%", 100*known.least, 100*known.most)
	case c.ours.N >= outsideReplicas && c.inside():
		return "is inside its bound, so that it needs no deviation"
	}
	return ""
}

// TestKnownDeviations: a statistic known to be outside its bound must stay in its range,
// and with outsideReplicas must still be outside.
func TestKnownDeviations(t *testing.T) {
	known := &deviation{meanFCT, 0.01, 0.06}
	for _, c := range []struct {
		relative, allowed float64
		replicas          uint64
		known             *deviation
		fault             string
	}{
		{0.019, 0.02, 3, nil, ""},
		{0.021, 0.02, 3, nil, "is outside"},
		{-0.021, 0.02, outsideReplicas, nil, "is outside"},
		{0.035, 0.02, 3, known, ""},
		{0.035, 0.02, outsideReplicas, known, ""},
		{0.015, 0.02, 3, known, ""},
		{0.015, 0.02, outsideReplicas, known, "is inside"},
		{0.009, 0.02, 3, known, "differs"},
		{0.061, 0.02, 3, known, "differs"},
		{0.061, 0.10, 3, known, "differs"},
		{-0.035, 0.02, 3, known, "differs"},
		{-0.035, 0.02, outsideReplicas, known, "differs"},
	} {
		compared := comparison{mc.Estimate{Value: 1000 * (1 + c.relative), N: c.replicas}, mc.Estimate{Value: 1000}, 0.02, 1000 * c.allowed, 2}
		if fault := compared.fault(c.known); (fault == "") != (c.fault == "") || !strings.HasPrefix(fault, c.fault) {
			t.Errorf("difference %+g, allowed %g, %d replicas: %q, want %q", c.relative, c.allowed, c.replicas, fault, c.fault)
		}
	}
}

// TestCalibration compares the model with the authors' simulator in every fifth quick scenario,
// with 3 replicas. [TestCalibrationTable] has all scenarios.
func TestCalibration(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") != "" {
		t.Skip("TestCalibrationTable covers these scenarios")
	}
	quick := 0
	for _, s := range scenarios(t) {
		for _, sys := range s.systems {
			if !sys.short {
				continue
			}
			if quick++; quick%5 != 1 {
				continue
			}
			t.Run(s.row(sys.lb), func(t *testing.T) {
				t.Parallel()
				s.check(t, sys, s.measure(t, sys.lb, 3))
			})
		}
	}
}
