package figures

import "repslab/mc"

// Scale says how many runs a figure makes.
type Scale string

// The scales.
const (
	Quick Scale = "quick" // seconds; verdicts are provisional
	Full  Scale = "full"  // the paper's counts or more; verdicts are final
)

// Choose returns the count for the scale.
func (s Scale) Choose(quick, full uint64) uint64 {
	if s == Full {
		return full
	}
	return quick
}

// Settings holds the options for making figures.
type Settings struct {
	Seed    uint64
	Scale   Scale
	Workers int // 0 means one per core
	// Progress receives the finished part of the figure, from 0 to 1; may be nil.
	Progress func(done float64)
}

// Plan returns the Monte Carlo plan for part number part of parts of a figure.
func (s Settings) Plan(replicas uint64, part, parts int) mc.Plan {
	plan := mc.Plan{Seed: s.Seed, Replicas: replicas, Workers: s.Workers}
	if progress := s.Part(part, parts).Progress; progress != nil {
		plan.Progress = func(p mc.Progress) { progress(float64(p.Done) / float64(p.Total)) }
	}
	return plan
}

// Part returns the settings of part number part of parts of a figure.
func (s Settings) Part(part, parts int) Settings {
	if progress := s.Progress; progress != nil {
		s.Progress = func(done float64) { progress((float64(part) + done) / float64(parts)) }
	}
	return s
}
