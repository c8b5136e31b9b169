package cases

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"repslab/internal/param"
	"repslab/sweep"
)

// gridChoices are values of parameters from which [randomGrid] draws, and the range of the work of a grid.
type gridChoices struct {
	model       string
	least, most float64
	values      map[string][]string // by key; of each parameter a few
}

// calibratedGrids are the families of grids of BenchmarkCalibrate. A grid takes between about half a second and 20 s.
func calibratedGrids() []gridChoices {
	return []gridChoices{
		{"fattree", 1e7, 1.5e8, map[string][]string{
			"hosts": {"16", "64", "128", "256", "1024"}, "message_bytes": {"16KiB", "64KiB", "256KiB", "1MiB", "4MiB", "8MiB"},
			"lb": {"ops", "reps", "ecmp", "plb", "flowlet", "bitmap", "oracle"}, "cc": {"dctcp", "nscc", "eqds", "none", "dcqcn"},
			"failure":  {"none", "cables=1", "cables=5%", "switches=1", "cables=2,rate=0.5", "cables=10%,loss=0.01", "cables=1,at=20"},
			"workload": {"permutation", "tornado", "incast", "alltoall", "allreduce-ring"}, "evs": {"16", "256", "65536"}, "trimming": {"on", "off"},
		}},
		{"fattree", 1e7, 1.5e8, map[string][]string{
			"hosts": {"16", "128", "1024"}, "tiers": {"2", "3"}, "load": {"0.1", "0.4", "0.8"}, "duration_us": {"100", "400"},
			"lb": {"ops", "reps", "ecmp"}, "workload": {"websearch", "facebook"}, "failure": {"none", "cables=1", "cables=5%"},
		}},
		{"recycled", 5e7, 2e9, map[string][]string{
			"bins": {"16", "32", "64", "128", "256", "512"}, "threshold": {"4*ln(n)", "2*ln(n)", "2"}, "clocking": {"self-clocked", "round-robin", "per-flow"},
			"lambda": {"1", "0.9"}, "max_rounds": {"1000", "10000", "100000"},
		}},
		{"ballsbins", 2e8, 5e9, map[string][]string{
			"bins": {"16", "64", "256", "1024", "4096"}, "rounds": {"100", "1000", "10000"}, "lambda": {"1", "0.9", "0.5"},
			"policy": {"uniform", "two-choice", "round-robin"}, "variant": {"serve-then-arrive", "weighted"},
		}},
		{"coalescing", 2e7, 3e8, map[string][]string{
			"bins": {"16", "64", "256", "1024"}, "ack_ratio": {"1", "2", "8"}, "ack_variant": {"standard", "carry"}, "rounds": {"100", "1000", "10000"},
			"clocking": {"round-robin", "per-flow"},
		}},
		{"allocate", 5e7, 1e9, map[string][]string{
			"bins": {"10", "1000", "100000"}, "balls": {"1000", "100000", "1000000"}, "rule": {"one-choice", "d-choice", "one-plus-beta"}, "information": {"exact", "batched"},
		}},
	}
}

// randomGrid draws a grid of a family: for half the parameters one to three values, and a number of replicas.
func randomGrid(random *rand.Rand, f gridChoices) (*sweep.Sweep, param.Request) {
	for {
		r := param.Request{Model: f.model, Selection: param.Selection{Parameters: param.Texts{}}}
		r.Replicas, r.Seed = param.ListText(fmt.Sprint(1+random.IntN(8))), "1"
		for _, key := range slices.Sorted(maps.Keys(f.values)) {
			list := f.values[key]
			if random.IntN(3) == 0 {
				continue
			}
			separator := ","
			if key == "failure" {
				separator = "|"
			}
			var some []string
			for _, i := range random.Perm(len(list))[:1+random.IntN(min(3, len(list)))] {
				some = append(some, list[i])
			}
			r.Parameters[key] = strings.Join(some, separator)
		}
		s, err := r.BuildSweep(All(), sweep.Shard{})
		if err != nil {
			continue
		}
		work := 0.0
		for _, p := range s.Points {
			work += p.Work * float64(s.Header.Config.Replicas)
		}
		if f.least <= work && work <= f.most {
			return s, r
		}
	}
}

// BenchmarkCalibrate compares the times of 60 random grids with what a calibration of 0.2 s said before. It reports the
// shares of grids with an estimate within a factor of 2 of the time, and with the time in the range.
func BenchmarkCalibrate(b *testing.B) {
	const grids = 60
	random := rand.New(rand.NewPCG(66, 4))
	within, covered := 0, 0
	for b.Loop() {
		within, covered = 0, 0
		families := calibratedGrids()
		for i := range grids {
			s, r := randomGrid(random, families[[]int{0, 0, 0, 0, 1, 2, 2, 3, 4, 5}[i%10]])
			c, err := s.Calibrate(context.Background(), 200*time.Millisecond)
			if err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if _, err := s.Run(context.Background(), filepath.Join(b.TempDir(), "r"), sweep.Options{Workers: 1}); err != nil {
				b.Fatal(err)
			}
			took := time.Since(start).Seconds()
			if math.Abs(math.Log2(c.Seconds/took)) <= 1 {
				within++
			}
			if c.Lo <= took && took <= c.Hi {
				covered++
			}
			b.Logf("%6.2f: %.2f s, estimated %.2f [%.2f, %.2f], %d points, %d of %d measured: %s %v", c.Seconds/took, took, c.Seconds, c.Lo, c.Hi,
				len(s.Points), c.Measured, c.Measured+c.Unmeasured, r.Model, r.Parameters)
		}
	}
	b.ReportMetric(float64(within)/grids, "within-2")
	b.ReportMetric(float64(covered)/grids, "in-range")
}
