package main

import (
	"strings"

	"repslab/fattree"
	"repslab/mc"
)

// noFailure is the name of a healthy network in a list of failures.
const noFailure = "none"

// failureSpec is a text of --failure and what it says.
type failureSpec struct{ list []fattree.Failure }

// String returns the failures in the grammar of --failure.
func (f failureSpec) String() string {
	if len(f.list) == 0 {
		return noFailure
	}
	return fattree.FailuresString(f.list)
}

// random reports whether a place is drawn.
func (f failureSpec) random() bool {
	for _, one := range f.list {
		if one.Random {
			return true
		}
	}
	return false
}

// failureSpecs reads specifications of failures, separated by bars since commas
// and semicolons belong to them.
func failureSpecs(text string) ([]failureSpec, error) {
	var specs []failureSpec
	for one := range strings.SplitSeq(text, "|") {
		if strings.TrimSpace(one) == noFailure {
			specs = append(specs, failureSpec{})
			continue
		}
		list, err := fattree.ParseFailures(one)
		if err != nil {
			return nil, err
		}
		specs = append(specs, failureSpec{list})
	}
	return specs, nil
}

// failureKinds is the table of failures that --list prints.
func failureKinds() []system {
	return []system{
		{string(fattree.Cables), "dead cables: the first uplinks of every ToR, upwards, or drawn at random (place=random, dir=both)", "Bonato26 sec. 4.3"},
		{string(fattree.Switches), "dead switches above the ToRs: the first ones, of every pod, or drawn at random", "Bonato26 sec. 4.3"},
		{string(fattree.Degrade), "cables at a part of their rate", "Bonato26 sec. 4.2"},
		{string(fattree.CableErrors), "bit errors on every cable: the receiver discards the packet", "Bonato26 sec. 4.3"},
		{string(fattree.SwitchErrors), "bit errors in every switch", "Bonato26 sec. 4.3"},
	}
}

// specOf returns what a replica runs.
func (p *fattreePoint) specOf(seed, replica uint64) (fattree.Spec, error) {
	spec := p.spec
	var err error
	if spec.Workload, err = p.workloadOf(seed, replica); err != nil {
		return spec, err
	}
	spec.Faults, spec.Errors, err = fattree.Place(spec.Topology, p.failure.list, mc.NewStream(seed, mc.Workload, replica).Child(1).Source())
	return spec, err
}
