package paper

import (
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/reps"
)

// thawAt100us is the length of freezing mode in the authors' figure of two
// failures, in ns; in all others they have the default.
const thawAt100us = 100_000

// repsAs is REPS in another configuration.
func repsAs(key, name string, look int, cfg balance.RecyclingConfig) contender {
	return contender{key, name, look, func(evs int) (fattree.Balancer, error) {
		of := cfg
		of.REPS.EVSSize = evs
		return of.New()
	}}
}

// repsThawing is REPS that leaves freezing mode after 100 us.
func repsThawing() contender {
	return repsAs("reps-100us", "REPS, thaws after 100 us", 1, balance.RecyclingConfig{REPS: reps.Config{FreezingTimeout: thawAt100us}})
}

// artifactThawing is the authors' REPS that leaves freezing mode after 100 us,
// forgets its ring, and then explores with every packet for a window.
func artifactThawing() contender {
	return repsAs("artifact-100us", "authors' REPS, thaws after 100 us", 4, balance.RecyclingConfig{Rules: balance.Artifact, REPS: reps.Config{FreezingTimeout: thawAt100us}})
}

// repsUnfrozen is REPS without freezing mode.
func repsUnfrozen() contender {
	return repsAs("reps-unfrozen", "REPS without freezing", 3, balance.RecyclingConfig{REPS: reps.Config{DisableFreezing: true}})
}
