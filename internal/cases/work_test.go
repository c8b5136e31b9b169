package cases

import (
	"context"
	"math"
	"math/bits"
	"testing"

	"repslab/internal/param"
	"repslab/mc"
)

// workedPoints are points of which a replica checks its context several times, with the work of a replica.
func workedPoints() []struct {
	model string
	texts param.Texts
	work  float64
} {
	return []struct {
		model string
		texts param.Texts
		work  float64
	}{
		{"ballsbins", param.Texts{"bins": "16384", "rounds": "320"}, 16384 * 320},
		{"recycled", param.Texts{"bins": "64", "clocking": "per-flow", "max_rounds": "131072"}, 64 * 131072},
		{"recycled", param.Texts{"bins": "64", "lambda": "0.5", "max_rounds": "131072"}, 64 * 131072},
		{"coalescing", param.Texts{"bins": "16", "rounds": "2560"}, 16 * 2560},
		{"allocate", param.Texts{"bins": "100", "balls": "1310720"}, 1310720},
		{"leafspine", param.Texts{"ports": "16", "packets": "32528", "spread": "240"}, 128 * 32768},
		{"evs", param.Texts{"flows": "10", "evs": "256", "method": "hash"}, 2560},
		{"evs", param.Texts{"flows": "10", "evs": "8", "method": "distinct"}, 80},
		{"fattree", param.Texts{"hosts": "16", "message_bytes": "1MiB"}, 0},
	}
}

// onlyPoint returns the only point of some parameters.
func onlyPoint(t *testing.T, model string, texts param.Texts) (mc.Experiment[mc.Tally], float64) {
	t.Helper()
	m, err := param.Named(All(), model)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Grid(param.Selection{Parameters: texts})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Points) != 1 {
		t.Fatalf("%d points", len(g.Points))
	}
	return g.Points[0].Experiment, g.Points[0].Work
}

// countdown is a context that is done when it has been asked some times.
type countdown struct {
	context.Context
	left *int
}

// Err implements [context.Context].
func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// stopped runs a replica until its context is asked a number of times, and returns the shares of each report, and
// whether the replica was stopped.
func stopped(t *testing.T, e mc.Experiment[mc.Tally], checks int) (reports [][]float64, is bool) {
	left := checks
	ctx := mc.WithShares(countdown{t.Context(), &left}, func(shares ...float64) { reports = append(reports, shares) })
	_, err := e.NewWorker(1)(ctx, mc.Block{First: 0, End: 1})
	return reports, err != nil
}

// TestShares: a replica that is stopped tells which share of it is done. Processes have steps that are alike, so
// their share grows in equal steps up to 1; in networks it only grows. Networks tell 0 before, after their set-up, and
// then whenever the time has doubled.
func TestShares(t *testing.T) {
	for _, c := range workedPoints() {
		e, _ := onlyPoint(t, c.model, c.texts)
		network := c.model == "fattree"
		var last, step float64
		checks := 0
		for ; ; checks++ { // the second of a pair of experiments, which takes less time, tells nothing
			reports, is := stopped(t, e, checks)
			if !is || len(reports) == 0 {
				break
			}
			share := reports[len(reports)-1][0]
			if checks == 1 {
				step = share
			}
			if share < last || !network && (math.Abs(share-float64(checks)*step) > 1e-9 || len(reports) != 1) ||
				network && checks > 0 && len(reports) > 2+bits.Len(uint(checks)) {
				t.Errorf("%s %v: share %v after %d checks and %v, told %d times", c.model, c.texts, share, checks, last, len(reports))
			}
			last = share
		}
		if !network && (last >= 1 || last+step < 1-1e-9) || checks < 4 || last < 0.7 {
			t.Errorf("%s %v: the last of %d shares is %v", c.model, c.texts, checks, last)
		}
	}
	e, _ := onlyPoint(t, "recycled", param.Texts{"bins": "64"})
	if reports, is := stopped(t, e, 0); !is || reports != nil {
		t.Errorf("a run that may converge at any time, stopped %v, tells %v", is, reports)
	}
}

// TestShareOfTime: a network of which some packets never arrive tells two shares: of its packets, of which the others
// arrive, many of them several times, and of the time, which grows up to 1, in steps of which none is more than half of
// it.
func TestShareOfTime(t *testing.T) {
	for _, texts := range []param.Texts{
		{"hosts": "4", "hosts_per_tor": "2", "degree": "3", "failure": "cables=100%,dir=both,for=480", "horizon_us": "500"},
		{"hosts": "8", "hosts_per_tor": "4", "degree": "7", "failure": "switches=1", "lb": "ecmp", "horizon_us": "1000"},
	} {
		texts["workload"], texts["message_bytes"] = "alltoall", "100kB"
		e, _ := onlyPoint(t, "fattree", texts)
		left := math.MaxInt
		if _, err := e.NewWorker(1)(countdown{t.Context(), &left}, mc.Block{First: 0, End: 1}); err != nil {
			t.Fatal(err)
		}
		reports, _ := stopped(t, e, math.MaxInt-left-1) // at the last check
		times := 0
		for i, shares := range reports[1:] {
			if len(shares) != 2 || shares[0] > 0.9 || shares[0] == 0 && shares[1] > 0 || i > 0 && (shares[1] < reports[i][1] || shares[0] < reports[i][0]) {
				t.Errorf("%v: reports %v", texts, reports)
			}
			if shares[1] >= 0.05 && shares[1] <= 0.5 {
				times++
			}
		}
		if last := reports[len(reports)-1][1]; last < 0.9 || last > 1 || times < 2 || times > 5 {
			t.Errorf("%v: the last share is %v, and %d lie between 0.05 and 0.5", texts, last, times)
		}
	}
}

// TestWork: the work of a replica that a point tells before is the work that its rows tell afterwards: of a network
// without losses the packets times hops, of a process the balls.
func TestWork(t *testing.T) {
	for _, c := range workedPoints() {
		_, work := onlyPoint(t, c.model, c.texts)
		if c.work > 0 && work != c.work {
			t.Errorf("%s %v: work %v, want %v", c.model, c.texts, work, c.work)
		}
	}
	if _, work := onlyPoint(t, "evs", param.Texts{"flows": "10", "evs": "256", "uplinks": "32", "method": "multinomial"}); work != 32 {
		t.Errorf("work of multinomial %v, want a draw for each uplink", work)
	}
	const rounds = 26617 // 100 n ln n
	for texts, want := range map[[2]string]float64{{"bins", "64"}: 64, {"horizon", "7"}: 64, {"clocking", "round-robin"}: 64 * rounds, {"threshold", "0"}: 64 * rounds} {
		if _, work := onlyPoint(t, "recycled", param.Texts{"bins": "64", texts[0]: texts[1]}); work != want {
			t.Errorf("recycled %v: work %v, want %v", texts, work, want)
		}
	}
	for _, flags := range []string{"hosts=16 tiers=2 workload=permutation message-bytes=300kB", "hosts=16 tiers=3 workload=alltoall message-bytes=10kB", "hosts=8 workload=incast degree=3 message-bytes=50kB"} {
		p := pointsOf(t, flags)[0].Fattree
		point := p.point()
		tally, _, err := point.Experiment.Run(t.Context(), mc.Plan{Seed: 1, Replicas: 1})
		if err != nil {
			t.Fatal(err)
		}
		r, err := point.Fold(t.Context(), tally, 1)
		if err != nil || r.Work != point.Work {
			t.Errorf("%s: %v packet-hops, expected %v; error %v", flags, r.Work, point.Work, err)
		}
	}
}
