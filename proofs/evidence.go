package proofs

import (
	"context"
	"fmt"

	"repslab/internal/elementary"
	"repslab/mc"
	"repslab/recycled"
)

// Where sentences about the process are looked at.
const (
	searchRounds = 12     // a search ends there
	searchStates = 40_000 // or there
	auditSeed    = 1      // of all simulations of an audit
	auditRuns    = 200
	auditRounds  = 200
)

// tinyRobin is the round-robin process whose runs are enumerated: the theorem's
// formulas at n = 2.
func tinyRobin() setup { return setup{RoundRobin, 2, 3, 2} }

// theoremRobin is the round-robin process at the theorem's smallest n.
func theoremRobin() setup { return setup{RoundRobin, 16, 12, 7} }

// selfClockedFact checks a sentence of the self-clocked process on every state
// that tiny systems reach; beyond them it rests on the step's argument.
func selfClockedFact(f fact) func(*Audit) Finding {
	return func(*Audit) Finding {
		tiny := []setup{{SelfClocked, 2, 2, 0}, {SelfClocked, 2, 3, 0}, {SelfClocked, 3, 3, 0}, {SelfClocked, 3, 5, 0}, {SelfClocked, 4, 4, 0}}
		if f.fresh {
			tiny = tiny[:2]
		}
		finding := Finding{Verdict: Holds, Margin: "none: it is exact"}
		for _, s := range tiny {
			rounds := 60
			if f.fresh {
				rounds = 8 // histories, not states: there is no end to them
			}
			r := enumerate(s, f, rounds, searchStates)
			switch {
			case r.run != nil:
				finding.Verdict, finding.Counterexample = False, r.text()
				return finding
			case !r.closed && !f.fresh:
				finding.Verdict = NotJustified
				finding.evidence("%v: the search did not end", s)
				return finding
			}
			if r.closed {
				finding.evidence("%v: no violation in any run up to n τ + n balls, %d states", s, r.states)
			} else {
				finding.evidence("%v: no violation in any run of %d rounds, %d histories", s, r.rounds, r.states)
			}
		}
		return finding
	}
}

// robinFact looks for the shortest run of round-robin that violates a sentence,
// and for its frequency at the theorem's smallest parameters.
func robinFact(f fact) func(*Audit) Finding {
	return func(*Audit) Finding {
		r := enumerate(tinyRobin(), f, searchRounds, searchStates)
		e := share(theoremRobin(), f, auditSeed, auditRuns, auditRounds)
		finding := Finding{Verdict: Holds}
		if refuted(e, f.allowed) {
			finding.Verdict = False // in the theorem's own domain, whatever tiny systems do
		}
		if r.run != nil {
			finding.Counterexample = r.text()
			finding.evidence("no shorter run of n = 2 violates it: all runs of %d rounds were enumerated", r.rounds)
		} else {
			finding.evidence("%v: no violation in any run of %d rounds, %d states", r.setup, r.rounds, r.states)
		}
		finding.Margin = fmt.Sprintf("violated in %s of %d runs of %d rounds at %v", percent(e.Value), auditRuns, auditRounds, theoremRobin())
		finding.evidence("%v: violated within %d rounds in %s of %d runs, 95 %% interval [%s, %s]",
			theoremRobin(), auditRounds, percent(e.Value), auditRuns, percent(e.Lo), percent(e.Hi))
		if f.allowed > 0 {
			finding.evidence("the claim allows a share of at most %s there", percent(f.allowed))
		}
		return finding
	}
}

// wilson is the 95 % interval of a share.
func wilson(part, all uint64) mc.Estimate { return mc.Proportion(part, all, mc.DefaultConfidence) }

// robinRepeats measures how soon two balls of a colour meet in round-robin, with
// the simulator, and compares with a bound per round: over t rounds at most t
// times as much.
func robinRepeats(a *Audit) Finding { return a.once("repeats", measureRepeats) }

// measureRepeats is robinRepeats.
func measureRepeats(a *Audit) Finding {
	finding := Finding{Verdict: Holds}
	const runs = 10
	for _, n := range []int{16, 256, 16_384} {
		cfg := recycled.Config{Bins: n, Clocking: recycled.RoundRobin, Threshold: a.threshold(n), Colors: a.colors(n)}
		p, err := recycled.New(cfg)
		if err != nil {
			panic(err) // the configuration is this package's
		}
		rounds := 4 * cfg.Colors
		repeated := uint64(0)
		for r := range uint64(runs) {
			p.Reset(mc.NewStream(auditSeed, mc.Algorithm, r))
			for range rounds {
				p.Step()
			}
			if met, _ := p.ColorRepeated(); met {
				repeated++
			}
		}
		e := wilson(repeated, runs)
		claimed := min(1, float64(rounds)*elementary.Exp(1.25)/(float64(n)*float64(n)))
		if refuted(e, claimed) {
			finding.Verdict = False
		}
		finding.evidence("n = %d, τ = %d, b = %d: two balls of a colour met within %d rounds in %d of %d runs; claimed in a share of at most %.2g",
			n, cfg.Threshold, cfg.Colors, rounds, repeated, runs, claimed)
		finding.Margin = fmt.Sprintf("%s of the runs within %d rounds at n = %d; claimed at most %.2g", percent(e.Value), rounds, n, claimed)
	}
	finding.Counterexample = enumerate(tinyRobin(), uniqueColors, searchRounds, searchStates).text()
	return finding
}

// robinFilled counts the balls of round-robin in the first state without an empty
// bin. The claim leaves a probability of 1/n.
func robinFilled(a *Audit) Finding {
	const n, runs, rounds = 128, 40, 400
	s := setup{RoundRobin, n, a.threshold(n), a.colors(n)}
	e := share(s, fewBalls, auditSeed, runs, rounds)
	f := Finding{Verdict: Holds}
	if refuted(e, 1./n) {
		f.Verdict = False
	}
	f.Margin = fmt.Sprintf("violated in %s of %d runs at n = %d; claimed in at most 1/n", percent(e.Value), runs, n)
	f.Counterexample = enumerate(tinyRobin(), fewBalls, searchRounds, searchStates).text()
	f.evidence("%v: the first state without an empty bin, within %d rounds, has more than 2 n ln n + n balls in %s of %d runs, 95 %% interval [%s, %s]",
		s, rounds, percent(e.Value), runs, percent(e.Lo), percent(e.Hi))
	return f
}

// robinFate is the outcome of the runs of round-robin at one n.
type robinFate struct {
	cfg    recycled.Config
	result recycled.Result
	never  mc.Estimate // share certified never to converge, at least that of those that do not
}

// fates runs round-robin at the theorem's smallest parameters for 100 n ln n
// rounds, or until it is converged or certified never to.
func (a *Audit) fates() []robinFate {
	var list []robinFate
	for _, c := range []struct {
		n    int
		runs uint64
	}{{16, 400}, {32, 60}, {64, 20}} {
		cfg := recycled.Config{Bins: c.n, Clocking: recycled.RoundRobin, Threshold: a.threshold(c.n), Colors: a.colors(c.n)}
		s, err := recycled.Simulate(context.Background(), cfg, mc.Plan{Seed: auditSeed, Replicas: c.runs, Workers: 1})
		if err != nil {
			panic(err) // the configuration is this package's
		}
		list = append(list, robinFate{cfg, s, wilson(s.Certified, s.Replicas)})
	}
	return list
}

// robinFates judges the theorem in round-robin by the runs that never converge.
func robinFates(a *Audit) Finding { return a.once("fates", judgeFates) }

// judgeFates is robinFates. The theorem leaves o(1), which names no share at one n;
// that at most half of the runs may fail is the weakest claim it can mean.
func judgeFates(a *Audit) Finding {
	finding := Finding{Verdict: Holds}
	for _, c := range a.fates() {
		converged := wilson(c.result.Converged, c.result.Replicas)
		finding.evidence("n = %d, τ = %d, b = %d: within 100 n ln n rounds %d of %d runs converged, %s, 95 %% interval [%s, %s], and %d are certified never to (more than n τ balls), %s [%s, %s]",
			c.cfg.Bins, c.cfg.Threshold, c.cfg.Colors, c.result.Converged, c.result.Replicas, percent(converged.Value), percent(converged.Lo), percent(converged.Hi),
			c.result.Certified, percent(c.never.Value), percent(c.never.Lo), percent(c.never.Hi))
		if refuted(c.never, 0.5) {
			finding.Verdict = False
		}
		if c.cfg.Bins == 32 {
			finding.Margin = fmt.Sprintf("P[never] at least %s at n = 32 (95 %% interval)", percent(c.never.Lo))
		}
	}
	finding.Counterexample = enumerate(tinyRobin(), settledStays, searchRounds, searchStates).text()
	return finding
}

// robinLimit says what the same runs tell of large n: nothing for certain.
func robinLimit(a *Audit) Finding {
	f := Finding{Verdict: Open, Margin: "unknown: no bound for large n is proved"}
	f.Evidence = robinFates(a).Evidence
	return f
}

// robinGrowth follows the largest load of round-robin over time at n = 16.
func robinGrowth(a *Audit) Finding {
	const runs, rounds = 10, 4400
	cfg := recycled.Config{Bins: 16, Clocking: recycled.RoundRobin, Threshold: a.threshold(16), Colors: a.colors(16)}
	p, err := recycled.New(cfg)
	if err != nil {
		panic(err) // the configuration is this package's
	}
	var early, late mc.Moments
	for r := range uint64(runs) {
		p.Reset(mc.NewStream(auditSeed, mc.Algorithm, r))
		for t := range 10 * rounds {
			if p.Step(); t+1 == rounds {
				early.Add(int64(p.MaxLoad()))
			}
		}
		late.Add(int64(p.MaxLoad()))
	}
	e, l := early.Mean(mc.DefaultConfidence), late.Mean(mc.DefaultConfidence)
	finding := Finding{Verdict: Holds, Margin: fmt.Sprintf("mean maximum load %.3g after %d rounds, %.3g after %d, at n = 16", e.Value, rounds, l.Value, 10*rounds)}
	if l.Lo > e.Hi {
		finding.Verdict = False
	}
	finding.evidence("n = 16, τ = %d, b = %d, %d runs: mean maximum load %.3g [%.3g, %.3g] after %d rounds, %.3g [%.3g, %.3g] after %d: no constant bounds it throughout",
		cfg.Threshold, cfg.Colors, runs, e.Value, e.Lo, e.Hi, rounds, l.Value, l.Lo, l.Hi, 10*rounds)
	finding.Counterexample = enumerate(tinyRobin(), fitsThreshold, searchRounds, searchStates).text()
	return finding
}
