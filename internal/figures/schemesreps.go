package figures

import (
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/reps"
)

// thawAt100us is the length of freezing mode in the authors' figure of two
// failures, in ns; in all others they have the default.
const thawAt100us = 100_000

// REPSAs is REPS in another configuration.
func REPSAs(key, name string, look int, cfg balance.RecyclingConfig) Scheme {
	return Scheme{key, name, look, func(evs int) (fattree.Balancer, error) {
		of := cfg
		of.REPS.EVSSize = evs
		return of.New()
	}}
}

// REPSThawing is REPS that leaves freezing mode after 100 us.
func REPSThawing() Scheme {
	return REPSAs("reps-100us", "REPS, thaws after 100 us", 1, balance.RecyclingConfig{REPS: reps.Config{FreezingTimeout: thawAt100us}})
}

// ArtifactThawing is the authors' REPS that leaves freezing mode after 100 us,
// forgets its ring, and then explores with every packet for a window.
func ArtifactThawing() Scheme {
	return REPSAs("artifact-100us", "authors' REPS, thaws after 100 us", 4, balance.RecyclingConfig{Rules: balance.Artifact, REPS: reps.Config{FreezingTimeout: thawAt100us}})
}

// REPSUnfrozen is REPS without freezing mode.
func REPSUnfrozen() Scheme {
	return REPSAs("reps-unfrozen", "REPS without freezing", 3, balance.RecyclingConfig{REPS: reps.Config{DisableFreezing: true}})
}
