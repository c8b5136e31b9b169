//go:build unix

package cases

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"repslab/internal/param"
	"repslab/sweep"
)

// gridChoices are values of parameters from which [randomGrid] draws, and the range of the work of a grid.
type gridChoices struct {
	model       string
	least, most float64
	values      map[string][]string // by key; of each parameter a few
}

// calibratedGrids are the families of grids of BenchmarkCalibrate. A grid takes about 0.2 to 10 s.
func calibratedGrids() []gridChoices {
	return []gridChoices{
		{"fattree", 3e6, 4e7, map[string][]string{
			"hosts": {"16", "64", "128", "256", "1024"}, "message_bytes": {"16KiB", "64KiB", "256KiB", "1MiB", "4MiB", "8MiB"},
			"lb": {"ops", "reps", "ecmp", "plb", "flowlet", "bitmap", "oracle"}, "cc": {"dctcp", "nscc", "eqds", "none", "dcqcn"},
			"failure":  {"none", "cables=1", "cables=5%", "switches=1", "cables=2,rate=0.5", "cables=10%,loss=0.01", "cables=1,at=20"},
			"workload": {"permutation", "tornado", "incast"}, "evs": {"16", "256", "65536"}, "trimming": {"on", "off"},
		}},
		{"fattree", 1e6, 2e7, map[string][]string{
			"hosts": {"16", "32", "64"}, "message_bytes": {"4KiB", "16KiB", "64KiB", "256KiB"}, "lb": {"ops", "reps", "ecmp", "plb"}, "cc": {"dctcp", "nscc"},
			"failure": {"none", "cables=1", "cables=25%", "switches=1"}, "workload": {"alltoall", "allreduce-ring"}, "ack_ratio": {"1", "4"},
		}},
		{"fattree", 3e6, 4e7, map[string][]string{
			"hosts": {"16", "128", "1024"}, "tiers": {"2", "3"}, "load": {"0.1", "0.4", "0.8"}, "duration_us": {"100", "400"},
			"lb": {"ops", "reps", "ecmp"}, "workload": {"websearch", "facebook"}, "failure": {"none", "cables=1", "cables=5%"},
		}},
		{"recycled", 2e7, 5e8, map[string][]string{
			"bins": {"16", "32", "64", "128", "256", "512"}, "threshold": {"4*ln(n)", "2*ln(n)", "2"}, "clocking": {"self-clocked", "round-robin", "per-flow"},
			"lambda": {"1", "0.9"}, "max_rounds": {"1000", "10000", "100000"},
		}},
		{"ballsbins", 1e8, 2e9, map[string][]string{
			"bins": {"16", "64", "256", "1024", "4096"}, "rounds": {"100", "1000", "10000"}, "lambda": {"1", "0.9", "0.5"},
			"rule": {"uniform", "two-choice", "round-robin"}, "variant": {"serve-then-arrive", "weighted"},
		}},
		{"coalescing", 1e7, 1e8, map[string][]string{
			"bins": {"16", "64", "256", "1024"}, "ack_ratio": {"1", "2", "8"}, "ack_variant": {"standard", "carry"}, "rounds": {"100", "1000", "10000"},
			"clocking": {"round-robin", "per-flow"},
		}},
		{"allocate", 2e7, 4e8, map[string][]string{
			"bins": {"10", "1000", "100000"}, "balls": {"1000", "100000", "1000000"}, "rule": {"one-choice", "d-choice", "one-plus-beta"}, "information": {"exact", "batched"},
		}},
		{"leafspine", 1e6, 2e7, map[string][]string{
			"ports": {"8", "16", "32"}, "packets": {"256", "1024", "4096"}, "rule": {"random", "source-rotation", "shortest-queue"}, "spread": {"0", "100"},
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

// processorTime returns the seconds of processor time that the process has used.
func processorTime(b *testing.B) float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// corePart returns the part of a core that the process has, where others use it too.
func corePart(b *testing.B) float64 {
	start, before := time.Now(), processorTime(b)
	for processorTime(b) < before+0.05 {
	}
	return min(1, 0.05/time.Since(start).Seconds())
}

// BenchmarkCalibrate compares the processor times of 4 random grids, with REPSLAB_LONG=1 of 60, with what a calibration
// of 0.3 s of processor time said before. It reports the shares of grids with an estimate within a factor of 2 of the
// time, and with the time in the range.
func BenchmarkCalibrate(b *testing.B) {
	const patience = 40 * time.Second // of processor time; a sweep that takes longer, to the end of a block, is taken as long enough
	grids := 4
	if os.Getenv("REPSLAB_LONG") != "" {
		grids = 60
	}
	random := rand.New(rand.NewPCG(66, 4))
	within, covered := 0, 0
	for b.Loop() {
		within, covered = 0, 0
		families := calibratedGrids()
		for i := range grids {
			s, r := randomGrid(random, families[[]int{0, 0, 0, 1, 2, 3, 3, 4, 5, 6}[i%10]])
			part := corePart(b)
			start, before := time.Now(), processorTime(b)
			c, err := s.Calibrate(context.Background(), time.Duration(float64(300*time.Millisecond)/part))
			part = (processorTime(b) - before) / time.Since(start).Seconds()
			c.Seconds, c.Lo, c.Hi = part*c.Seconds, part*c.Lo, part*c.Hi
			if err != nil {
				b.Fatal(err)
			}
			limited, cancel := context.WithTimeout(context.Background(), time.Duration(float64(patience)/part))
			before = processorTime(b)
			_, err = s.Run(limited, filepath.Join(b.TempDir(), "r"), sweep.Options{Workers: 1})
			took, cut := processorTime(b)-before, limited.Err() != nil
			if cancel(); err != nil && !cut {
				b.Fatal(err)
			}
			if c.Seconds >= took/2 && (c.Seconds <= 2*took || cut) {
				within++
			}
			if c.Lo <= took && took <= c.Hi || cut && took <= c.Hi {
				covered++
			}
			fmt.Fprintf(os.Stderr, "%6.2f: %.2f s, estimated %.2f [%.2f, %.2f], %d points, %d of %d measured: %s %v\n", c.Seconds/took, took, c.Seconds, c.Lo, c.Hi,
				len(s.Points), c.Measured, c.Measured+c.Unmeasured, r.Model, r.Parameters)
		}
	}
	b.ReportMetric(float64(within)/float64(grids), "within-2")
	b.ReportMetric(float64(covered)/float64(grids), "in-range")
}
