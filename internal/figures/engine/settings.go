package engine

import (
	"repslab/mc"
)

// Settings holds the options for making figures.
type Settings struct {
	Seed    uint64
	Workers int // 0 means one per core
	// Progress receives the finished part of the figure, from 0 to 1; may be nil.
	Progress func(done float64)
	// Recorder has recorded runs that need not be run again; nil if there are none.
	Recorder *Recorder
}

// plan returns the Monte Carlo plan for a number of replicas.
func (s Settings) plan(replicas uint64) mc.Plan {
	plan := mc.Plan{Seed: s.Seed, Replicas: replicas, Workers: s.Workers}
	if s.Progress != nil {
		plan.Progress = func(p mc.Progress) { s.Progress(float64(p.Done) / float64(p.Total)) }
	}
	return plan
}

// Part returns the settings of one of several parts of a figure.
func (s Settings) Part(part, parts int) Settings {
	if progress := s.Progress; progress != nil {
		s.Progress = func(done float64) { progress((float64(part) + done) / float64(parts)) }
	}
	return s
}
