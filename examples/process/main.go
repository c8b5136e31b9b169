// Process simulates a recycled balls-into-bins process with a rule that it defines itself, and compares
// it with the built-in process.
//
// In the built-in process a bin's ball returns to its bin if the bin held at most tau balls, and goes to
// a random bin otherwise. Here a bin must also have been calm for a while: for k rounds after it held
// more than tau balls, its balls go to random bins as well, as if a sender distrusted a path for some
// time after a congestion mark. With k = 0 this is the built-in rule; the program first checks that both
// give the same loads in every round. Then it estimates, for 32 bins, the rounds until no bin is empty,
// overfull or distrusted. Both processes draw from the same stream in a replica, so the ratio is paired,
// and its interval resolves a difference that the intervals of the means do not: distrust saves rounds.
//
//	$ go run ./process
//	without distrust equal to the built-in process: true
//	k = 0: 49.3 [48.3, 50.2] rounds, 1.000 [1.000, 1.000] times the built-in process
//	k = 1: 49.1 [48.2, 50.1] rounds, 0.996 [0.996, 0.997] times the built-in process
//	k = 2: 48.9 [48.0, 49.9] rounds, 0.993 [0.992, 0.993] times the built-in process
//	k = 4: 48.7 [47.8, 49.6] rounds, 0.987 [0.986, 0.989] times the built-in process
package main

import (
	"context"
	"fmt"
	"log"

	"repslab/mc"
	"repslab/recycled"
)

// Wary is the process with distrust.
type Wary struct {
	threshold, distrust int // tau and k
	loads               []int
	until               []int // the last round in which the bin is distrusted
	round               int
	random              mc.Rand
}

// Reset empties the bins and begins a run that draws from stream.
func (w *Wary) Reset(bins int, stream mc.Stream) {
	w.loads, w.until = make([]int, bins), make([]int, bins)
	w.round, w.random = 0, stream.Rand()
}

// Step runs one round: every bin removes a ball or, if it is empty, makes one. A good ball returns to its
// bin; the others are thrown.
func (w *Wary) Step() {
	w.round++
	throws := 0
	for bin, load := range w.loads {
		if load > w.threshold {
			w.until[bin] = w.round + w.distrust
		}
		switch {
		case load == 0:
			throws++
		case w.until[bin] >= w.round:
			w.loads[bin]--
			throws++
		}
	}
	for range throws {
		w.loads[w.random.Below(uint64(len(w.loads)))]++
	}
}

// Converged reports whether all balls stay where they are from now on.
func (w *Wary) Converged() bool {
	for bin, load := range w.loads {
		if load == 0 || load > w.threshold || w.until[bin] > w.round {
			return false
		}
	}
	return true
}

// equal reports whether the process without distrust has the same loads as the built-in process in each
// of the given number of rounds.
func equal(cfg recycled.Config, rounds int) (bool, error) {
	builtin, err := recycled.New(cfg)
	if err != nil {
		return false, err
	}
	stream := mc.NewStream(1, mc.Algorithm, 0)
	wary := &Wary{threshold: cfg.Threshold}
	wary.Reset(cfg.Bins, stream)
	builtin.Reset(stream)
	for range rounds {
		wary.Step()
		builtin.Step()
		for bin, load := range wary.loads {
			if builtin.Load(bin) != load {
				return false, nil
			}
		}
	}
	return true, nil
}

// tally accumulates the rounds to convergence of replicas.
type tally struct {
	rounds mc.Moments
	ratio  mc.PairedMoments // over the built-in process
}

func (t *tally) Parts() []mc.NamedPart {
	return []mc.NamedPart{{Name: "rounds", Part: &t.rounds}, {Name: "ratio", Part: &t.ratio}}
}

func (t *tally) StoppingStatistic() mc.Estimate { return t.ratio.Ratio(mc.DefaultConfidence) }

// experiment returns the experiment of the process with distrust for k rounds.
func experiment(cfg recycled.Config, k int) mc.Experiment[*tally] {
	newTally := func() *tally { return new(tally) }
	return mc.EachReplica(newTally, func(seed uint64) (func(context.Context, *tally, uint64) error, error) {
		builtin, err := recycled.New(cfg)
		wary := &Wary{threshold: cfg.Threshold, distrust: k}
		return func(ctx context.Context, t *tally, replica uint64) error {
			stream := mc.NewStream(seed, mc.Algorithm, replica)
			reference, err := recycled.Run(ctx, builtin, cfg, stream)
			if err != nil {
				return err
			} else if reference.Status != recycled.Converged {
				return fmt.Errorf("replica %d: the built-in process did not converge", replica)
			}
			for wary.Reset(cfg.Bins, stream); !wary.Converged(); wary.Step() {
				if wary.round == cfg.MaxRounds {
					return fmt.Errorf("replica %d has not converged after %d rounds", replica, wary.round)
				}
			}
			t.rounds.Add(int64(wary.round))
			t.ratio.Add(int64(wary.round), int64(reference.Rounds))
			return nil
		}, err
	})
}

func main() {
	cfg := recycled.Config{Bins: 32, Threshold: 10, MaxRounds: 1_000_000}
	same, err := equal(cfg, 1000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("without distrust equal to the built-in process:", same)
	for _, k := range []int{0, 1, 2, 4} {
		t, _, err := experiment(cfg, k).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 4000})
		if err != nil {
			log.Fatal(err)
		}
		rounds, ratio := t.rounds.Mean(mc.DefaultConfidence), t.StoppingStatistic()
		fmt.Printf("k = %d: %.1f rounds, %.3f times the built-in process\n", k, rounds, ratio)
	}
}
