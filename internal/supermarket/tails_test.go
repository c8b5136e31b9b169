package supermarket

import (
	"math"

	"repslab/faults"
	"repslab/internal/elementary"
)

// negligible is the share of servers below which [Tails] ends.
const negligible = 1e-12

// Tails returns s_k for k = 0, 1, ... in stationarity, by equations (1) to (3) of the package, which are
// asymptotic for many servers. It ends with the first share below 1e-12. It returns an error unless cfg
// is open with λ < 1, has no Rates, and has a policy other than Observations; cfg.Servers only bounds
// Choices and Names. The mean queue is the sum of s_k over k >= 1. By Little's law the mean wait is the
// mean queue over λ, minus 1. O(1/(1-λ)).
func Tails(cfg Config) ([]float64, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	bad := faults.List{Package: "supermarket"}
	bad.Check(cfg.Lambda > 0 && cfg.Lambda < 1, "Lambda", cfg.Lambda, "must be in (0, 1) for a stationary limit")
	bad.Check(len(cfg.Rates) == 0, "Rates", cfg.Rates, "must be empty for a limit of equal servers")
	bad.Check(cfg.Policy != Observations, "Policy", cfg.Policy, "must be another one for a limit")
	if err := bad.Err(); err != nil {
		return nil, err
	}
	d := float64(cfg.Choices)
	unknown := cfg.noNames()
	tails := []float64{1}
	memory := 1.0 // v_k
	for last := 1.0; last >= negligible; {
		var next float64
		switch sampled := elementary.Pow(last, d); cfg.Policy {
		case Memory:
			next = float64(cfg.Lambda * sampled * memory)
			others := elementary.Pow(next, d-1)
			memory *= next * others / (1 - float64(d*(last-next)*others))
		case Pull:
			next = float64(cfg.Lambda * last)
			if len(tails) > 1 {
				next *= unknown
			}
		default:
			next = float64(cfg.Lambda * sampled)
		}
		tails = append(tails, next)
		last = next
	}
	return tails, nil
}

// noNames returns P of equation (3).
func (c Config) noNames() float64 {
	names := c.Alpha * (1 - c.Lambda) / c.Lambda // names that idle servers send per job
	sum, term := 0.0, 1.0
	for range c.Names + 1 {
		sum += term
		if term = float64(term * names); sum == sum+term || math.IsInf(sum, 1) {
			break
		}
	}
	return 1 / sum
}
