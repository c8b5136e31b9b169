package proofs

import (
	"fmt"
	"strconv"
	"strings"

	"repslab/internal/elementary"
	"repslab/mc"
	"repslab/recycled"
)

// Limits of searches and simulations.
const (
	searchRounds = 12     // most rounds of a search
	searchStates = 40_000 // most states of a search
	auditSeed    = 1      // seed of all simulations of an audit
	auditRuns    = 200
	auditRounds  = 200
)

// tinySystems are the self-clocked systems with enumerated states.
var tinySystems = []setup{
	{SelfClocked, 2, 2, 0}, {SelfClocked, 2, 3, 0}, {SelfClocked, 3, 3, 0}, {SelfClocked, 3, 5, 0}, {SelfClocked, 4, 4, 0},
}

// tinyRobin is the round-robin system whose runs are enumerated: the theorem's
// formulas at n = 2.
var tinyRobin = setup{RoundRobin, 2, 3, 2}

// theoremRobin is the round-robin system at the theorem's smallest n.
var theoremRobin = setup{RoundRobin, 16, 12, 7}

// robinConfig configures the simulator for round-robin at the theorem's parameters.
func (a *Audit) robinConfig(n int) recycled.Config {
	return recycled.Config{Bins: n, Clocking: recycled.RoundRobin, Threshold: a.threshold(n), Colors: a.colors(n)}
}

// shortestRun enumerates the tiny round-robin system for a run that violates a fact.
func shortestRun(f fact) found { return enumerate(tinyRobin, f, searchRounds, searchStates) }

// shareText writes an estimated share with its 95 % interval.
func shareText(e mc.Estimate) string {
	return fmt.Sprintf("%s [%s, %s]", percent(e.Value), percent(e.Lo), percent(e.Hi))
}

// selfClockedFact checks a fact of the self-clocked process on every state that tiny systems reach. For
// larger systems the fact rests on the argument of the step.
func selfClockedFact(f fact) func(*Audit) Finding {
	return func(*Audit) Finding {
		finding := Finding{Verdict: Holds, Margin: "exact"}
		systems, rounds := tinySystems, 60
		if f.fresh {
			systems, rounds = tinySystems[:2], 8 // the fact concerns histories, which are infinitely many
		}
		var counts []string
		for _, s := range systems {
			r := enumerate(s, f, rounds, searchStates)
			switch {
			case r.run != nil:
				finding.fails("%s", r.text())
				return finding
			case !r.closed && !f.fresh:
				finding.Verdict = NotJustified
				finding.evidence("%v: the search did not end", s)
				return finding
			}
			counts = append(counts, strconv.Itoa(r.states))
		}
		all := strings.Join(counts, ", ")
		if f.fresh {
			finding.evidence("no violation in %s histories of %d rounds of the first two tiny systems", all, rounds)
		} else {
			finding.evidence("no violation in %s states of the tiny systems", all)
		}
		return finding
	}
}

// robinFact searches the shortest run of round-robin that violates a fact, and estimates the share of
// runs that violate it at the theorem's smallest parameters.
func robinFact(f fact) func(*Audit) Finding {
	return func(*Audit) Finding {
		r := shortestRun(f)
		e := share(theoremRobin, f, auditRuns, auditRounds)
		finding := Finding{Verdict: Holds, Margin: "violated in " + shareText(e) + fmt.Sprintf(" of %d runs at n = %d", auditRuns, theoremRobin.bins)}
		if refuted(e, f.allowed) {
			finding.Verdict = False // false in the domain of the theorem, whatever tiny systems do
		}
		if r.run != nil {
			finding.Counterexample = r.text()
		} else {
			finding.evidence("%v: no violation in any run of %d rounds, %d states", r.setup, r.rounds, r.states)
		}
		if f.allowed > 0 {
			finding.Margin += "; claimed at most " + percent(f.allowed)
		}
		return finding
	}
}

// wilson is the 95 % interval of a share.
func wilson(part, all uint64) mc.Estimate { return mc.Proportion(part, all, mc.DefaultConfidence) }

// robinRepeats measures with the simulator how soon two balls of a colour meet in round-robin. A bound on
// the probability in one round allows t times as much in t rounds.
func robinRepeats(a *Audit) Finding {
	finding := Finding{Verdict: Holds}
	finding.evidence("two balls of a colour met")
	const runs = 10
	for _, n := range []int{16, 256, 16_384} {
		cfg := a.robinConfig(n)
		rounds := 4 * cfg.Colors
		cfg.MaxRounds, cfg.Horizon = rounds, rounds
		e := a.simulate(cfg, runs).ColorRepeated
		claimed := min(1, float64(rounds)*elementary.Exp(1.25)/(float64(n)*float64(n)))
		if refuted(e, claimed) {
			finding.Verdict = False
		}
		finding.evidence("n = %d, τ = %d, b = %d: within %d rounds in %.0f of %d runs, claimed at most %.2g",
			n, cfg.Threshold, cfg.Colors, rounds, e.Value*runs, runs, claimed)
		finding.Margin = fmt.Sprintf("%s of runs at n = %d; claimed at most %.2g", percent(e.Value), n, claimed)
	}
	finding.Counterexample = shortestRun(uniqueColors).text()
	return finding
}

// robinFilled counts the balls of round-robin in the first state without an empty bin. The claim may fail
// with probability 1/n.
func robinFilled(a *Audit) Finding {
	const n, runs, rounds = 128, 40, 400
	s := setup{RoundRobin, n, a.threshold(n), a.colors(n)}
	e := share(s, fewBalls, runs, rounds)
	f := Finding{Verdict: Holds, Counterexample: shortestRun(fewBalls).text()}
	if refuted(e, 1./n) {
		f.Verdict = False
	}
	f.Margin = fmt.Sprintf("violated in %s of %d runs at n = %d; claimed at most 1/n", shareText(e), runs, n)
	f.evidence("%v: the first state without an empty bin, within %d rounds", s, rounds)
	return f
}

// robinFates judges the theorem in round-robin by the runs that never converge, at the smallest
// parameters, within 100 n ln n rounds. The theorem allows a probability o(1), which is no number at a
// given n. The weakest claim that it can mean is that at most half of the runs fail.
func robinFates(a *Audit) Finding {
	finding := Finding{Verdict: Holds, Counterexample: shortestRun(facts["settledStays"]).text()}
	finding.evidence("within 100 n ln n rounds; certified by more than n τ balls")
	for _, c := range []struct {
		n    int
		runs uint64
	}{{16, 400}, {32, 60}, {64, 20}} {
		cfg := a.robinConfig(c.n)
		s := a.simulate(cfg, c.runs)
		never := wilson(s.Certified, s.Replicas)
		finding.evidence("n = %d, τ = %d, b = %d: %d of %d runs converged, %s, and %d are certified never to, %s",
			c.n, cfg.Threshold, cfg.Colors, s.Converged, s.Replicas, shareText(wilson(s.Converged, s.Replicas)), s.Certified, shareText(never))
		if refuted(never, 0.5) {
			finding.Verdict = False
		}
		if c.n == 32 {
			finding.Margin = fmt.Sprintf("P[never] at least %s at n = 32 (95 %% interval)", percent(never.Lo))
		}
	}
	return finding
}

// robinLimit reports what the runs of robinFates suggest for large n, which decides nothing.
func robinLimit(a *Audit) Finding {
	return Finding{Verdict: Open, Margin: "unknown: no bound for large n is proved", Evidence: sameAs("T1r")(a).Evidence}
}

// robinGrowth follows the largest load of round-robin over time at n = 16.
func robinGrowth(a *Audit) Finding {
	const runs, rounds = 10, 4400
	early, late := a.robinConfig(16), a.robinConfig(16)
	early.Horizon, late.Horizon = rounds, 10*rounds
	e, l := a.simulate(early, runs).MaxLoad, a.simulate(late, runs).MaxLoad
	finding := Finding{Verdict: Holds, Counterexample: shortestRun(fitsThreshold).text()}
	if l.Lo > e.Hi {
		finding.Verdict = False
	}
	finding.Margin = fmt.Sprintf("mean maximum load %.3g [%.3g, %.3g] after %d rounds, %.3g [%.3g, %.3g] after %d: no constant bounds it",
		e.Value, e.Lo, e.Hi, rounds, l.Value, l.Lo, l.Hi, 10*rounds)
	finding.evidence("%d runs at n = 16, τ = %d, b = %d", runs, early.Threshold, early.Colors)
	return finding
}
