package view

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/internal/param"
	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/mc"
)

// pairs holds two means and their values in the same blocks of replicas, which have the same random streams.
type pairs struct {
	a, b             float64
	blocksA, blocksB []float64
	runs             []float64 // of each block, on either side
}

// Pair reads the blocks of result files, so that differences and ratios of their rows are paired. It warns of a file
// of which the blocks cannot be read.
func Pair(ctx context.Context, available []param.Model, tables []*rows.Table, warn func(string)) error {
	for _, t := range tables {
		if err := t.ReadBlocks(ctx, available); ctx.Err() != nil {
			return err
		} else if err != nil {
			warn(fmt.Sprintf("%s: intervals are not paired, so they may be too wide: %v", t.Path, err))
		}
	}
	return nil
}

// pairsOf returns the means under a key in two rows, or false if they cannot be paired: the seeds or the blocks differ,
// the blocks are fewer than three, or a value is no mean over runs, such as a largest one.
func pairsOf(a, b rows.Row, key string) (p pairs, ok bool) {
	if a.Table.Config.Seed != b.Table.Config.Seed {
		return p, false
	}
	p.a, p.b = a.Estimate(key).Value, b.Estimate(key).Value
	var runs []float64
	p.blocksA, p.runs = a.Blocks(key)
	p.blocksB, runs = b.Blocks(key)
	return p, len(runs) >= plot.LeastRuns && slices.Equal(p.runs, runs) && p.isMean(p.blocksA, p.a) && p.isMean(p.blocksB, p.b)
}

// isMean reports whether a value is the mean of all runs.
func (p pairs) isMean(blocks []float64, value float64) bool {
	sum, n := 0.0, 0.0
	for k, runs := range p.runs {
		sum, n = sum+float64(runs*blocks[k]), n+runs
	}
	return math.Abs(sum/n-value) <= alike*math.Abs(value)
}

// alike bounds the relative difference of numbers that are equal but for rounding.
const alike = 1e-9

// stdErr returns the standard error of a - factor b, from its scatter over blocks, with one degree of freedom fewer
// than blocks: a block of more runs scatters less. It is 0 if all blocks are alike.
func (p pairs) stdErr(factor float64) float64 {
	n, sum := 0.0, 0.0
	for k, runs := range p.runs {
		z := p.blocksA[k] - p.a - float64(factor*(p.blocksB[k]-p.b))
		n, sum = n+runs, sum+float64(runs*z*z)
	}
	se := math.Sqrt(sum / n / float64(len(p.runs)-1))
	if se <= alike*math.Abs(p.a) {
		return 0
	}
	return se
}

// difference compares the means: a - b by Student's t over blocks.
func (p pairs) difference() mc.Welch {
	blocks, se := uint64(len(p.runs)), p.stdErr(1)
	d := mc.Estimate{Value: p.a - p.b, StdErr: se, N: blocks, Identical: se == 0}
	return d.Welch(mc.Estimate{N: blocks, Identical: true})
}

// ratio returns the 95 % interval of a/b for positive means, on the logarithmic scale by the delta method, or false if
// the ratio is the same in all blocks.
func (p pairs) ratio() (lo, hi float64, scatters bool) {
	if !(p.a > 0 && p.b > 0) || p.stdErr(p.a/p.b) == 0 {
		return 0, 0, false
	}
	lo, hi = mc.WelchRatio(p.a, p.stdErr(p.a/p.b), float64(len(p.runs)), p.b, 0, math.Inf(1))
	return lo, hi, true
}
