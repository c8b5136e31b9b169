package sweep

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"repslab/mc"
)

// workSweep returns a sweep of 4 replicas, in blocks of 2, of points with the given works.
func workSweep(t *testing.T, works ...float64) *Sweep {
	t.Helper()
	var points []Point
	for i, work := range works {
		p := dicePoint(uint64(20 + i))
		p.Parameters, p.Work = []any{i, i % 2}, work
		points = append(points, p)
	}
	s, err := New(testProgram, Config{Model: "dice", Replicas: 4, Block: 2}, Columns{[]string{"size", "odd"}, []string{"mean"}}, points)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestExtrapolate: a point that ended takes the time measured, one that told a share the time that follows, and another
// one its work at the mean rate of the three points that are most alike, but not less than it has run. A failed point
// takes none and is no example.
func TestExtrapolate(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*want }
	for _, c := range []struct {
		works []float64
		times []timing
		want  Calibration
	}{
		{[]float64{1, 2}, []timing{{0, 3, 2, 4.5, measured, 0, 0}, {1, 5, 3, 8, measured, 0, 0}}, Calibration{Seconds: 32, Lo: 20, Hi: 50, Block: 16, Measured: 2}},
		{[]float64{1, 2}, []timing{{0, 3, 2, 4.5, measured, 0, 0}, {1, 7, 6, 14, told, 1, 0}},
			Calibration{Seconds: 40, Lo: 32, Hi: 74, Block: 28, Measured: 1, Unmeasured: 1, Slowest: []string{"size=1 odd=1"}}},
		{[]float64{1, 50}, []timing{{0, 3, 2, 4.5, measured, 0, 0}}, // 150 s by its work
			Calibration{Seconds: 612, Lo: 8 + 300, Hi: 18 + 1200, Block: 600, Measured: 1, Unmeasured: 1, Slowest: []string{"size=1 odd=1"}}},
		{[]float64{1, 50}, []timing{{0, 3, 2, 4.5, measured, 0, 0}, {1, 400, 400, 400, bounded, 400, 0}},
			Calibration{Seconds: 1612, Lo: 1608, Hi: 1618, Block: 800, Measured: 1, Unmeasured: 1, Slowest: []string{"size=1 odd=1"}}},
		{[]float64{1, 50}, []timing{{1, 10, 10, 10, bounded, 10, 0}}, // nothing ended: the rate is 10/50
			Calibration{Seconds: 40.8, Lo: 40.4, Hi: 41.6, Block: 20, Unmeasured: 2, Slowest: []string{"size=1 odd=1", "size=0 odd=0"}, AtLeast: true}},
		{[]float64{1, 1}, []timing{{0, 0, 0, 0, measured, 0, 0}, {1, 5, 3, 8, measured, 0, 0}}, Calibration{Seconds: 20, Lo: 12, Hi: 32, Block: 16, Measured: 2}},
		{[]float64{1, 50}, []timing{{0, 7, 6, 14, hinted, 1, 0}, {1, 9, 8, 18, bounded, 8, 0}}, // 350 s by its work, at the only rate that is known
			Calibration{Seconds: 4 * 357, Lo: 4 * (6 + 175), Hi: 4 * (14 + 700), Block: 1400, Unmeasured: 2, Slowest: []string{"size=1 odd=1", "size=0 odd=0"}}},
		{[]float64{1, 50}, []timing{{0, 2, 1, 3, measured, 0, 6}, {1, 900, 800, 1000, hinted, 1, 0}}, // a small share tells less than the other point; rows take 6 s
			Calibration{Seconds: 4*102 + 12, Lo: 4*51 + 6, Hi: 4*203 + 24, Block: 406, Measured: 1, Unmeasured: 1, Slowest: []string{"size=1 odd=1"}}},
		{[]float64{1, 1, 1}, []timing{{0, 0, 0, 0, measured, 0, 0}, {1, 5, 3, 8, measured, 0, 0}},
			Calibration{Seconds: 40, Lo: 22, Hi: 72, Block: 20, Measured: 2, Unmeasured: 1, Slowest: []string{"size=2 odd=0"}}},
	} {
		s := workSweep(t, c.works...)
		got := s.extrapolate(slices.Clone(c.times))
		if !near(got.Seconds, c.want.Seconds) || !near(got.Lo, c.want.Lo) || !near(got.Hi, c.want.Hi) || !near(got.Block, c.want.Block) {
			t.Errorf("%v: %+v, want %+v", c.works, got, c.want)
		}
		got.Seconds, got.Lo, got.Hi, got.Block = c.want.Seconds, c.want.Lo, c.want.Hi, c.want.Block
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: %+v, want %+v", c.works, got, c.want)
		}
	}
}

// TestEstimateByThree: of six measured points three count for another one: the point with the same parameter odd and
// near work, and two with other parameters and near work. The three with far work do not count.
func TestEstimateByThree(t *testing.T) {
	s := workSweep(t, 1e6, 8, 2, 4, 1e9, 1e9, 4)
	var times []timing
	for point, seconds := range []float64{1e6, 99, 4, 16, 1e9, 1e9} {
		times = append(times, timing{point, seconds, seconds, seconds, measured, 0, 0})
	}
	got, want := s.estimate(6, times, s.varying()), 4*math.Cbrt(4.0/2*16/4*99/8) // rates 2, 4 and 99/8
	if math.Abs(got.seconds-want) > 1e-9 || math.Abs(got.lo-4) > 1e-9 || math.Abs(got.hi-99) > 1e-9 {
		t.Errorf("%+v, want %v s", got, want)
	}
}

// TestDistance: a point with another parameter is nearer than one with five times the work, and not than one with three
// times. Two measured points have the same parameter odd and the same work; one of the others counts as the third.
func TestDistance(t *testing.T) {
	for _, c := range []struct{ times, third float64 }{{3, 7}, {5, 9}} { // seconds of the third
		s := workSweep(t, 1, 1, 1, 1, c.times)
		samples := []timing{{2, 1, 1, 1, measured, 0, 0}, {2, 1, 1, 1, measured, 0, 0}, {4, 7 * c.times, 7, 7, measured, 0, 0}, {3, 9, 9, 9, measured, 0, 0}}
		if got, want := s.estimate(0, samples, s.varying()).seconds, math.Cbrt(c.third); math.Abs(got-want) > 1e-9 {
			t.Errorf("beside %v times the work: %v s, want %v", c.times, got, want)
		}
	}
}

// TestSpread: all of few points are measured, each once. Of many points at most 32 are, and no exact one. The points
// with most of the work are among them, and the others lie in all parts of the grid.
func TestSpread(t *testing.T) {
	works := make([]float64, 1000)
	for i := range works {
		works[i] = 1
	}
	works[17], works[900] = 200, 200
	for n, want := range map[int]int{1: 1, 32: 32, 1000: 32} {
		s := workSweep(t, works[:n]...)
		chosen := s.spread()
		slices.Sort(chosen)
		if len(slices.Compact(slices.Clone(chosen))) != len(chosen) || len(chosen) > want || len(chosen) < want-8 {
			t.Errorf("of %d points %v, want %d", n, chosen, want)
		}
		if n < 1000 {
			continue
		}
		if !slices.Contains(chosen, 17) || !slices.Contains(chosen, 900) {
			t.Errorf("%v lack the points with most work", chosen)
		}
		for i := 1; i < len(chosen); i++ {
			if chosen[i]-chosen[i-1] > 120 { // two parts of the grid without the two points: 2 * 1000/16 at most, less their work
				t.Errorf("nothing is measured between the points %d and %d", chosen[i-1], chosen[i])
			}
		}
		for i := range s.Points {
			s.Points[i].Exact = i != 5
		}
		if chosen := s.spread(); !slices.Equal(chosen, []int{5}) {
			t.Errorf("of one point that is not exact: %v", chosen)
		}
	}
}

// TestCalibrateByShare: a replica that is stopped counts by the share that it tells, from the end of its set-up on. The
// only point gets all the time, twice the budget: 80 ms are a quarter of its work, beside 20 ms of set-up.
func TestCalibrateByShare(t *testing.T) {
	for _, setUp := range []time.Duration{0, 20 * time.Millisecond} {
		s := diceSweep(t, Config{Seed: 1, Replicas: 10, Block: 1}, Shard{}, 20)
		s.Points[0].Experiment.NewWorker = func(uint64) mc.Worker[mc.Tally] {
			return func(ctx context.Context, _ mc.Block) (mc.Tally, error) {
				if time.Sleep(setUp); setUp > 0 {
					mc.ReportShare(ctx, 0)
				}
				<-ctx.Done()
				mc.ReportShare(ctx, 0.25)
				return nil, ctx.Err()
			}
		}
		c, err := s.Calibrate(context.Background(), 40*time.Millisecond)
		least := 10 * (0.99*0.080*4 + setUp.Seconds()) // the time begins again after the set-up
		if err != nil || c.AtLeast || c.Unmeasured != 1 || c.Measured != 0 || c.Seconds < least || c.Hi != 2*c.Seconds || c.Lo > c.Seconds {
			t.Errorf("%+v, error %v, want at least %v s", c, err, least)
		}
	}
}

// TestCalibrateMakesOnce: the worker of a point is made once, however many replicas follow.
func TestCalibrateMakesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := diceSweep(t, Config{Seed: 1, Replicas: 1000, Block: 1}, Shard{}, 20)
		newWorker := s.Points[0].Experiment.NewWorker
		s.Points[0].Experiment.NewWorker = func(seed uint64) mc.Worker[mc.Tally] {
			time.Sleep(30 * time.Millisecond)
			run := newWorker(seed)
			return func(ctx context.Context, b mc.Block) (mc.Tally, error) {
				time.Sleep(time.Millisecond)
				return run(ctx, b)
			}
		}
		c, err := s.Calibrate(t.Context(), 40*time.Millisecond)
		if want := 1.03; err != nil || c.Measured != 1 || math.Abs(c.Seconds-want) > 1e-9 || math.Abs(c.Block-0.032) > 1e-9 {
			t.Errorf("%+v, error %v, want %v s", c, err, want)
		}
	})
}

// TestRemaining: a replica goes on as in the second half of its time, and ends when the first share is 1. Without
// progress there is no end.
func TestRemaining(t *testing.T) {
	at := func(ms int, shares ...float64) report {
		return report{time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond), shares}
	}
	for _, c := range []struct {
		reports []report
		want    float64 // ms
	}{
		{[]report{at(5)}, math.Inf(1)},
		{[]report{at(0), at(10, 0)}, math.Inf(1)},
		{[]report{at(5), at(25, 0.25)}, 60},
		{[]report{at(0, 0), at(20, 0.5, 0.1)}, 20},
		{[]report{at(0, 0), at(10, 0.5, 0.01), at(20, 0.5, 0.02), at(30, 0.5, 0.03)}, 970}, // all flows wait: the time ends it
		{[]report{at(0, 0), at(9, 0.1, 0.01), at(11, 0.5, 0.02), at(20, 0.6, 0.02)}, 8.8},  // by the progress from 9 ms on
		{[]report{at(0, 0), at(10, 0.5), at(20, 0.4)}, math.Inf(1)},                        // lost packets
	} {
		if got := 1000 * remaining(c.reports); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%v: %v ms, want %v", c.reports, got, c.want)
		}
	}
}
