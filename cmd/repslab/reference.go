package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"

	"repslab/internal/mc"
	"repslab/internal/sweep"
)

// reference identifies the results of a model.
type reference struct {
	// streams numbers the results. Raise it with every change of the model's random
	// streams or numbers; testdata/results.golden then takes the new digest, and a
	// test fails until it has one.
	streams int
	// grids are the parameters of small runs, flags with "=", that together take a few
	// milliseconds and pass through every kind of process of the model.
	grids []string
}

// references returns the reference of each model, by its name.
func references() map[string]reference {
	return map[string]reference{
		"ballsbins": {1, []string{
			"bins=5,16,32 lambda=0.9 rounds=40 every=20 policy=uniform,two-choice,round-robin,static variant=serve-then-arrive,arrive-then-serve",
			"bins=300 rounds=10",
			"bins=16 lambda=0.99 rounds=20 variant=weighted",
		}},
		"recycled": {1, []string{
			"bins=5,16,128 threshold=3,2*ln(n) max-rounds=100",
			"bins=8 threshold=6 clocking=round-robin lambda=1,0.9 colors-per-bin=3 max-rounds=100",
			"bins=8 threshold=6 clocking=per-flow delay=0,5 window=0,12 max-rounds=100",
		}},
		"coalescing": {1, []string{
			"bins=8 ack-ratio=1,3 ack-variant=standard,carry,reuse clocking=round-robin,per-flow rounds=50",
			"bins=8 ack-ratio=3 ack-variant=every-rth-round rounds=50",
		}},
		"evs": {1, []string{
			"flows=1,5 evs=7,64 uplinks=4 method=exact,multinomial,hash,crc32",
			"flows=32 evs=65536 method=multinomial",
		}},
		"fattree": {1, []string{
			"hosts=8 message-bytes=50KB lb=" + strings.ReplaceAll(list(balancerNames()), " ", ""),
			"hosts=8 message-bytes=50KB cc=dctcp,eqds,nscc,none workload=incast degree=4 trimming=on,off queue=12",
			"hosts=8 message-bytes=100KB ack-ratio=4 ack-variant=carry,reuse reps=paper,fifo workload=tornado",
			"hosts=16 message-bytes=100KB failure=cables=2,place=random,at=2|ber-cable=20%|degrade=1:0.5 reps=artifact",
			"hosts=16 tiers=3 message-bytes=20KB lb=ops,reps",
			"hosts=8 duration-us=20 workload=facebook arrivals=paced,poisson load=0.3",
			"hosts=8 message-bytes=10KB workload=one-tor,allreduce-ring,allreduce-butterfly background-every=3",
			"hosts=8 message-bytes=10KB workload=alltoall degree=3",
		}},
	}
}

// withReferences gives each model its reference.
func withReferences(available []model) []model {
	all := references()
	for i, m := range available {
		r := all[m.name]
		available[i].streams = r.streams
		available[i].sample = sync.OnceValues(func() (string, error) { return m.digestOf(r.grids, 1) })
	}
	return available
}

// program identifies the code that computes the model's numbers.
func (m model) program() (sweep.Program, error) {
	p := sweep.Program{Version: version, Streams: m.streams}
	p.Revision, p.Modified = revision()
	if m.sample == nil {
		return p, nil
	}
	var err error
	p.Sample, err = m.sample()
	return p, err
}

// digestOf returns 64 bits of a hash of the rows of two replicas of each point of
// some grids, in hexadecimal digits.
func (m model) digestOf(grids []string, seed uint64) (string, error) {
	sum := sha256.New()
	for _, text := range grids {
		given := map[string]string{}
		for assignment := range strings.FieldsSeq(text) {
			flag, value, _ := strings.Cut(assignment, "=")
			given[flag] = value
		}
		g, err := m.newGrid(given, nil)
		if err != nil {
			return "", err
		}
		points, err := m.points(g)
		if err != nil {
			return "", err
		}
		for _, p := range points {
			rows, err := m.referenceRows(p, seed)
			if err != nil {
				return "", fmt.Errorf("%s: %w", p.name, err)
			}
			sum.Write(rows)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), nil
}

// referenceRows returns the rows of two replicas of a point as JSON.
func (m model) referenceRows(p point, seed uint64) ([]byte, error) {
	sp, err := m.sweepPoint(p, seed)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	plan := mc.Plan{Seed: seed, Replicas: 2, Workers: 1}
	var tally mc.Tally
	if !p.exact {
		if tally, _, err = p.experiment.Run(ctx, plan); err != nil {
			return nil, err
		}
	}
	found, err := sp.Fold(ctx, tally, plan.Replicas)
	var all [][]byte
	for _, row := range found.Rows {
		all = append(all, row)
	}
	return bytes.Join(all, []byte("\n")), err
}
