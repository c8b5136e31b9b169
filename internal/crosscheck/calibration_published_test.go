package crosscheck

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/mctest"
	"repslab/internal/nettest"
	"repslab/mc"
)

// publishedReplicas is the number of replicas beside each published run, or outsideReplicas where it
// is outside of those, and publishedBound how far it may be from their mean, relative to the mean.
const (
	publishedReplicas = 10
	publishedBound    = 0.05
)

// publishedRun is a run of Ultra Ethernet's simulator that its repository publishes, with one seed.
type publishedRun struct {
	id, lb   string
	spec     fattree.Spec // without its workload
	workload func(seed, replica uint64) (fattree.Workload, error)
	control  func() transport.Control
	evs      int
	setup    string // its arguments
	packets  int64  // of all flows
	again    uint64 // replicas if it is outside of publishedReplicas
	tail     float64
	// alone is the time of a packet in microseconds by which the tail of a lone flow may differ; 0 of
	// other runs.
	alone float64
	// outside is the known deviation of a tail that is outside the prediction or the bound, nil of others;
	// differs says that it has a cause.
	outside *deviation
	differs bool
}

// sample holds the tails of replicas in picoseconds, and their mean in microseconds.
type sample struct {
	mc.Estimate
	tails []int64
}

// sampleOf returns the sample of some tails.
func sampleOf(tails []int64) sample {
	var m mc.Moments
	for _, tail := range tails {
		m.Add(tail)
	}
	return sample{m.Mean(mc.DefaultConfidence).Per(1e6), tails}
}

// publishedDifferent and publishedOutside list the known deviations, with and without a known cause:
// the measured one plus and minus 3 standard errors, rounded outwards. docs/calibration.md tells why
// they are there.
var publishedDifferent = map[string]deviation{
	// Headers wait in queues there; of uec_rcv 5 each time-out sends a request.
	"uec_rcv 5": {maxFCT, -0.010, -0.008}, "uec_sender 5": {maxFCT, 0.004, 0.007},
	// Less than a packet's time, and all replicas alike.
	"uec_both 6": {maxFCT, -0.0008, -0.0006},
}

var publishedOutside = map[string]deviation{
	"failed_snd 2": {maxFCT, -0.08, 0.27}, "failed_snd 4": {maxFCT, -0.05, 0.17},

	// One path.
	"uec_both 10": {maxFCT, -0.04, 0.16}, "uec_rcv 10": {maxFCT, -0.01, 0.18},
	"uec_both 13": {maxFCT, -0.16, 0.03}, "uec_sender 13": {maxFCT, -0.01, 0.22},

	"uec_rcv 14": {maxFCT, -0.02, -0.009},
}

// publishedRuns returns the published runs: first the runs of load balancers, then all others.
func publishedRuns(t testing.TB) (list []publishedRun) {
	for _, file := range []string{"internal/figures/testdata/uet_published.csv", "internal/crosscheck/testdata/uet_published.csv"} {
		for _, row := range mctest.Reference(t, file) {
			r := newPublishedRun(t, uetArguments(strings.Fields(row["args"])[1:]))
			r.id, r.tail = row["plan"]+" "+row["line"], row.Number(t, "pub_tail_us")
			if _, err := fmt.Sscanf(row["pub_summary"], "New: %d", &r.packets); err != nil {
				t.Fatal(err)
			}
			d, known := publishedDifferent[r.id]
			r.differs = known
			if !known {
				d, known = publishedOutside[r.id]
			}
			if known {
				r.outside = &d
				if strings.Contains(r.setup, "_1024") {
					r.again = publishedReplicas // they take minutes
				}
			}
			list = append(list, r)
		}
	}
	return list
}

// newPublishedRun sets a run up by its arguments, of which the first is the path of its flow list.
func newPublishedRun(t testing.TB, a uetArguments) publishedRun {
	hosts, fixed := publishedFlows(t, strings.TrimSuffix(path.Base(a[0]), path.Ext(a[0])))
	r := publishedRun{
		lb: "mixed", spec: uetNetwork(t, hosts, a), control: func() transport.Control { return uetControl(a) },
		evs: a.number(t, "-paths", 1, 64), again: outsideReplicas, setup: path.Base(a[0]) + " " + a.without("-end"),
		workload: func(uint64, uint64) (fattree.Workload, error) { return fixed, nil },
	}
	if a.has("-load_balancing_algo") {
		r.lb, r.setup = a.after("-load_balancing_algo"), a.without("-load_balancing_algo", "-paths", "-end")
	}
	if len(fixed.Flows) == 0 {
		r.workload = func(seed, replica uint64) (fattree.Workload, error) {
			return traffic.Permutation(hosts, traffic.Message{Bytes: 2_000_000}, mc.NewStream(seed, mc.Workload, replica).Source())
		}
	}
	if f := fixed.Flows; len(f) == 1 || len(f) > 1 && f[0].Connection > 0 {
		r.alone = float64(nettest.Plan(r.spec).SlotTime()) / 1e6
	}
	return r
}

// publishedFlows returns the hosts and the flows of a list by its name, no flows of the permutation of 1,024
// hosts. The lists come from the repository; htsim's own files have the same names.
func publishedFlows(t testing.TB, name string) (hosts int, w fattree.Workload) {
	const bytes, packet = 2_000_000, 4086
	incast := func(hosts, receiver int, bytes int64) (int, fattree.Workload) {
		for source := range hosts {
			if source != receiver {
				w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(source), fattree.Host(receiver), bytes, 0))
			}
		}
		return hosts, w
	}
	add := func(source fattree.Host, destinations ...fattree.Host) {
		for _, destination := range destinations {
			w.Flows = append(w.Flows, fattree.NewFlow(source, destination, bytes, 0))
		}
	}
	switch name {
	case "perm_1024n_1024c_0u_2000000b":
		return 1024, w
	case "perm_16n_16c_2MB":
		for source, destination := range []fattree.Host{8, 4, 13, 10, 12, 15, 0, 9, 14, 7, 5, 3, 11, 6, 2, 1} {
			add(fattree.Host(source), destination)
		}
		return 16, w
	case "one":
		add(0, 13)
		return 16, w
	case "bidir":
		add(0, 13)
		add(13, 0)
		return 16, w
	case "incast":
		return incast(16, 15, bytes)
	case "incast_128":
		return incast(128, 33, bytes)
	case "incast_1024_100K":
		return incast(1024, 0, 100_000)
	case "incast_3-1_overlapped":
		add(127, 0)
		for _, source := range []fattree.Host{95, 61} {
			w.Flows = append(w.Flows, fattree.NewFlow(source, 0, 250_000, 40*us))
		}
		return 128, w
	case "outcast_incast":
		add(1, 0)
		add(2, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12)
		add(3, 0, 13, 14, 15, 16, 17, 18, 19, 20, 21)
		return 128, w
	}
	var messages, packets int
	if _, err := fmt.Sscanf(name, "test_cr_1f%dm%dp", &messages, &packets); err != nil {
		t.Fatalf("no flow list %q", name)
	}
	text := fmt.Sprintf("Nodes 2\nConnections %d\n", messages) +
		strings.Repeat(fmt.Sprintf("0->1 id 1 msg start 0 size %d\n", packets*packet), messages)
	hosts, w, err := traffic.ReadFlows(strings.NewReader(text))
	return hosts, must(t, w, err)
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

// measure returns the tail FCTs of replicas, each with a permutation of its own.
func (r publishedRun) measure(t testing.TB, replicas uint64) sample {
	t.Helper()
	setup := experiment.Setup{
		Control:  r.control,
		Balancer: func() (transport.Balancer, error) { return uetBalancer(t, r.lb, r.evs), nil },
		Network: experiment.Varied(func(seed, replica uint64) (s fattree.Spec, err error) {
			s = r.spec
			s.Workload, err = r.workload(seed, replica)
			return s, err
		}),
	}
	runner, err := setup.NewRunner()
	runner = must(t, runner, err)
	var tails []int64
	for replica := range replicas {
		run, err := runner.Run(context.Background(), 1, replica)
		result := must(t, run, err).Result
		tail, finished := result.LastEnd()
		if first := result.Sent - result.Retransmitted; !finished || first != r.packets {
			t.Fatalf("replica %d: all flows finished: %v; %d packets, want %d", replica, finished, first, r.packets)
		}
		tails = append(tails, int64(tail))
	}
	return sampleOf(tails)
}

// relative returns the difference of the model's mean relative to the published tail.
func (r publishedRun) relative(ours mc.Estimate) float64 { return ours.Value/r.tail - 1 }

// inside reports whether the published tail is in the interval of one more run and near the mean, or of a
// lone flow within a packet's time.
func (r publishedRun) inside(ours mc.Estimate) bool {
	if r.alone > 0 {
		return math.Abs(r.tail-ours.Value) <= r.alone
	}
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

// byChance returns the part of the replicas that would be outside of what the others predict, if they were
// published.
func (r publishedRun) byChance(ours sample) float64 {
	outside := 0
	for i, tail := range ours.tails {
		r.tail = float64(tail) / 1e6
		if !r.inside(sampleOf(slices.Delete(slices.Clone(ours.tails), i, i+1)).Estimate) {
			outside++
		}
	}
	return float64(outside) / float64(len(ours.tails))
}

// rank returns the rank of the published tail among the tails of the replicas, in (0, 1): uniform if it is
// one more.
func (r publishedRun) rank(ours sample) float64 {
	rank := 0.5
	for _, tail := range ours.tails {
		switch published := int64(math.Round(r.tail * 1e6)); {
		case tail < published:
			rank++
		case tail == published:
			rank += 0.5
		}
	}
	return rank / float64(len(ours.tails)+1)
}

// cells returns the run's row of the table.
func (r publishedRun) cells(ours sample) []string {
	lo, hi := ours.Predicted()
	cells := []string{
		r.id, r.setup, r.lb, fmt.Sprintf("%.2f", r.tail), fmt.Sprintf("%.2f", ours.Value), fmt.Sprintf("%.2f", ours.StdErr),
		fmt.Sprintf("%.1f", lo), fmt.Sprintf("%.1f", hi), fmt.Sprintf("%.2f", 100*r.relative(ours.Estimate)), "", "", "inside", "",
	}
	if r.outside != nil {
		cells[9], cells[10] = fmt.Sprintf("%.3g", 100*r.outside.least), fmt.Sprintf("%.3g", 100*r.outside.most)
		cells[11] = "outside"
		if !r.differs {
			cells[12] = fmt.Sprintf("%.0f", 100*r.byChance(ours))
		}
	}
	return cells
}

// check fails unless the published tail is inside, or as far outside as is known.
func (r publishedRun) check(t *testing.T, ours sample) {
	t.Helper()
	t.Logf("%q", r.cells(ours))
	if fault := r.fault(ours.Estimate); fault != "" {
		t.Errorf("published tail %.2f %s: %q", r.tail, fault, r.cells(ours))
	}
}

// standing tells how published tails stand among the tails of the model's replicas.
type standing struct {
	runs             int     // that have a spread, and no known cause of a difference
	outside          int     // of them
	expected         float64 // number outside if they were replicas
	ranks            []float64
	distance, chance float64 // largest distance of the ranks from uniform ones, and a bound of its probability
}

// stand returns the standing of published runs. Runs with the same tail count once. Ranks among n replicas
// have steps of 1/(n+1), of which the distance leaves half out. With 70 runs its bound is 1e-9, the rate of
// false alarms, at a distance of 0.38: what a common shift by one standard deviation gives.
func stand(list []publishedRun, ours []sample) (s standing) {
	seen := map[float64]bool{}
	for i, r := range list {
		if r.alone > 0 || r.differs || ours[i].StdErr == 0 || seen[r.tail] {
			continue
		}
		seen[r.tail] = true
		s.runs++
		s.expected += r.byChance(ours[i])
		s.ranks = append(s.ranks, r.rank(ours[i]))
		if r.outside != nil {
			s.outside++
		}
	}
	slices.Sort(s.ranks)
	n := float64(s.runs)
	for i, rank := range s.ranks {
		s.distance = max(s.distance, float64(i+1)/n-rank, rank-float64(i)/n)
	}
	s.distance = max(0, s.distance-0.5/(publishedReplicas+1))
	s.chance = min(1, 2*math.Exp(-2*n*s.distance*s.distance)) // Dvoretzky, Kiefer, Wolfowitz and Massart
	return s
}

// text returns the sentences of the page.
func (s standing) text() string {
	return fmt.Sprintf("%d of the published runs differ from each other, have a spread and no known cause of a difference. "+
		"%d of them are outside; if they were replicas of ours, %.1f would be. The ranks of published tails among the replicas "+
		"are at most %.2f from uniform ones, which replicas exceed with a probability of up to %.2g.",
		s.runs, s.outside, s.expected, s.distance, s.chance)
}

// check fails if published tails do not stand among the replicas like one more.
func (s standing) check(t *testing.T) {
	t.Helper()
	t.Log(s.text())
	if s.chance < 1e-9 {
		t.Errorf("ranks of published tails: %.2f", s.ranks)
	}
}

// TestPublishedLoneFlows: one flow, as a whole and as messages of a connection, takes the published time.
func TestPublishedLoneFlows(t *testing.T) {
	messages := 0
	for _, r := range publishedRuns(t) {
		if r.alone > 0 {
			r.check(t, r.measure(t, 1))
			if strings.Contains(r.setup, "-conn_reuse") {
				messages++
			}
		}
	}
	if messages != 8 {
		t.Errorf("%d published runs with -conn_reuse, want 8", messages)
	}
}

// TestPublishedFault: a published tail must be inside the interval of one more run and near the mean,
// unless it is known to be outside, and then in its range.
func TestPublishedFault(t *testing.T) {
	ours := sampleOf([]int64{190e6, 200e6, 210e6}) // one more run: 200 ± 4.303 * 10 * sqrt(4/3)
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
		if fault := r.fault(ours.Estimate); (fault == "") != (c.fault == "") || !strings.HasPrefix(fault, c.fault) {
			t.Errorf("tail %g, known deviation %v: %q, want %q", c.tail, c.outside, fault, c.fault)
		}
	}
	r := publishedRun{tail: 201}
	if fault := r.fault(sampleOf([]int64{200e6, 200e6, 200e6}).Estimate); !strings.HasPrefix(fault, "is outside") {
		t.Errorf("a tail of 201 beside runs of 200 each: %q", fault)
	}
}

// TestStanding: published tails that are replicas stand like one, one in 20 of them outside; a common
// shift or a wider law is seen. Of 1,000 runs as many are outside as expected within 6.11 standard
// errors.
func TestStanding(t *testing.T) {
	random := mc.NewStream(mctest.Seed(t, 1), mc.Workload, 0).Source()
	normal := rand.New(random).NormFloat64
	draw := func(shift, width float64) standing {
		list, ours := make([]publishedRun, 1000), make([]sample, 1000)
		for i := range list {
			tails := make([]int64, publishedReplicas)
			for k := range tails {
				tails[k] = int64(1e9 + 1e6*normal())
			}
			list[i].tail, ours[i] = 1000+shift+width*normal(), sampleOf(tails)
			if !list[i].inside(ours[i].Estimate) {
				list[i].outside = &deviation{}
			}
		}
		return stand(list, ours)
	}
	same := draw(0, 1)
	same.check(t)
	if among := math.Sqrt(1000 * 0.05 * 0.95); math.Abs(float64(same.outside)-50) > 6.11*among || math.Abs(same.expected-50) > 6.11*among {
		t.Errorf("%d outside, %.1f expected, want 50", same.outside, same.expected)
	}
	for _, c := range [][2]float64{{0.5, 1}, {-0.5, 1}, {0, 3}, {0, 0.3}} {
		if s := draw(c[0], c[1]); s.chance > 1e-9 {
			t.Errorf("shift %g, width %g: distance %.3f has a probability of %g", c[0], c[1], s.distance, s.chance)
		}
	}
}
