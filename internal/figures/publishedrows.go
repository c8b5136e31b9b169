package figures

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"math"
	"strconv"
	"strings"

	"repslab/fattree/experiment"
	"repslab/internal/lists"
	"repslab/mc"
)

// publishedRow is a statistic of a run's FCTs that others published, as a mean over seeds.
type publishedRow struct {
	setting       string
	x             int
	lb, statistic string
	value, sd     float64 // us, and its standard deviation over seeds, dividing by their number; sd is NaN if not known
	seeds         int
	source        string // repository, commit and file
}

//go:embed testdata/published_sweeps.csv
var publishedFile []byte

// readPublished returns the published numbers.
func readPublished() []publishedRow {
	return lists.Map(rowsOfFile(publishedFile), func(row []string) publishedRow {
		return publishedRow{setting: row[0], x: int(numberOf(row[1])), lb: row[2], statistic: row[3], value: numberOf(row[4]),
			sd: numberOf(row[5]), seeds: int(numberOf(row[6])), source: row[7]}
	})
}

// rowsOfFile returns the rows below the head of a table that is part of the program.
func rowsOfFile(text []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		panic("figures: " + err.Error())
	}
	return rows[1:]
}

// numberOf returns the number in a cell of such a table.
func numberOf(cell string) float64 {
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		panic("figures: " + err.Error())
	}
	return x
}

// ours is what our runs of a published setting give: one observation of each run, in the order of the runs. Run i has
// permutation i mod permutations.
type ours struct {
	observations []float64
	permutations int
	complete     bool
}

// publisher returns the repository.
func (r publishedRow) publisher() string {
	repository, _, _ := strings.Cut(r.source, "@")
	return repository
}

// sprayingPublisher is the repository of the runs of spraying.
const sprayingPublisher = "Broadcom/csg-htsim"

// of returns the observations of the row's statistic.
func (r publishedRow) of(runs netRuns) ours {
	o := ours{permutations: r.seeds, complete: experiment.AllComplete(runs)}
	for _, run := range runs {
		o.observations = append(o.observations, kept(r.statistic)(run))
	}
	return o
}

// over divides the observations by those of other runs, in pairs.
func (o ours) over(other ours) ours {
	ratios := ours{permutations: o.permutations, complete: o.complete && other.complete}
	for i, x := range o.observations {
		ratios.observations = append(ratios.observations, x/other.observations[i])
	}
	return ratios
}

// permutationMeans returns the mean observation of each permutation.
func (o ours) permutationMeans() []float64 {
	means := make([]float64, o.permutations)
	for i, x := range o.observations {
		means[i%o.permutations] += x * float64(o.permutations) / float64(len(o.observations))
	}
	return means
}

// estimate returns the mean over permutations, with its interval over them; over the runs if there is one permutation
// only. It is a bound if a flow did not finish.
func (o ours) estimate() mc.Estimate {
	units := o.permutationMeans()
	if o.permutations == 1 {
		units = o.observations
	}
	return meanOf(units, func(x float64) float64 { return x }).Bound(!o.complete, false)
}

// spread returns the standard deviation of runs of one permutation, and its degrees of freedom. With one run of each
// permutation it is the deviation of all runs, which is larger.
func (o ours) spread() (sd, degrees float64) {
	about := o.permutationMeans()
	if n := len(o.observations); n == o.permutations {
		all := mean(o.observations)
		for i := range about {
			about[i] = all
		}
		degrees = float64(n - 1)
	} else {
		degrees = float64(n - o.permutations)
	}
	sum := 0.0
	for i, x := range o.observations {
		d := x - about[i%o.permutations]
		sum += float64(d * d)
	}
	return math.Sqrt(sum / degrees), degrees
}

// overPermutations returns the standard deviation over permutations as publishers take it: of one run each, divided by
// their number.
func (o ours) overPermutations() float64 {
	sum, repeats := 0.0, len(o.observations)/o.permutations
	for k := range repeats {
		of := o.observations[k*o.permutations : (k+1)*o.permutations]
		for _, x := range of {
			d := x - mean(of)
			sum += float64(d * d)
		}
	}
	return math.Sqrt(sum / float64(len(o.observations)))
}

// against compares the observations with a published mean of as many runs as there are permutations, of the same
// permutations. If both simulators are alike, the difference has the spread of runs of one permutation. z is the
// difference in its standard errors, and p the probability of one at least as large.
func (o ours) against(published float64) (z, p float64) {
	sd, degrees := o.spread()
	difference := mean(o.observations) - published
	se := sd * math.Sqrt(1/float64(o.permutations)+1/float64(len(o.observations)))
	return difference / se, mc.NewWelch(difference, se, degrees+1, 0, degrees+1).P
}

// percentile is a definition of the quantile p of ascending numbers.
type percentile func(sorted []float64, p float64) float64

// interpolated is numpy's percentile: linear between the two numbers around p (n - 1).
func interpolated(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-2)
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// rounded is the number whose index is nearest to p (n - 1), an even one of two.
func rounded(sorted []float64, p float64) float64 {
	return sorted[int(math.RoundToEven(p*float64(len(sorted)-1)))]
}

// nearestP99 is the key of p99 by nearest rank.
const nearestP99 = "p99, nearest rank"

// keepPublished keeps a run with the statistics that others publish, by their definition of percentiles, and p99 by
// nearest rank, as everywhere else here.
func keepPublished(by percentile) func(experiment.Replica) (netRun, error) {
	return func(r experiment.Replica) (netRun, error) {
		k, err := keepTimes(r)
		var fcts []float64
		for _, fct := range r.FCTs() {
			fcts = append(fcts, float64(fct)/microseconds)
		}
		k.Numbers = map[string]float64{"mean": mean(fcts), "p50": by(fcts, 0.5), "p99": by(fcts, 0.99), "max": fcts[len(fcts)-1],
			nearestP99: rank(fcts, 0.99)}
		return k, err
	}
}
