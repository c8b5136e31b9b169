package ballsbins

import (
	"fmt"
	"math"

	"repslab/internal/elementary"
	"repslab/mc"
)

// Regime is a range of the number of balls m, relative to the number of bins n, for the
// asymptotic maximum load of balls thrown once [RaabSteger98].
type Regime uint8

// The regimes. polylog(n) is any fixed power of ln n; << means that the ratio
// tends to 0. For finite n and m the caller chooses; [MaxLoadLevel] refuses only
// values for which its formula is undefined.
const (
	FewBalls      Regime = iota + 1 // n/polylog(n) <= m << n ln n
	LogBalls                        // m = c n ln n for a constant c > 0
	ManyBalls                       // n ln n << m <= n polylog(n)
	VeryManyBalls                   // m >> n (ln n)^3
)

// String returns the range of m.
func (r Regime) String() string {
	switch r {
	case FewBalls:
		return "n/polylog(n) <= m << n ln n"
	case LogBalls:
		return "m = c n ln n"
	case ManyBalls:
		return "n ln n << m <= n polylog(n)"
	case VeryManyBalls:
		return "m >> n (ln n)^3"
	default:
		return fmt.Sprintf("Regime(%d)", uint8(r))
	}
}

// MaxLoadLevel returns k_α, the asymptotic level of the maximum load of m balls
// thrown once into n bins [RaabSteger98, theorem 1]: as n grows within the
// regime, P[maximum > k_α] tends to 0 for α > 1 and to 1 for 0 < α < 1. With
// L = ln n and g = n L / m,
//
//	FewBalls       (L / ln g) (1 + α ln ln g / ln g)             domain g > e
//	LogBalls       (d_c - 1 + α) L                               c = m / (n L)
//	ManyBalls      m/n + α sqrt(2 (m/n) L)
//	VeryManyBalls  m/n + sqrt(2 (m/n) L (1 - ln L / (2 α L)))    domain L > 1, ln L < 2 α L
//
// with d_c the larger root d of 1 + d (ln c - ln d + 1) - c = 0. The level is
// asymptotic: there is no bound on its error at finite n. At α = 1 and n = 2^16 the
// mean maximum was measured at 1.05 times it for m = n/L, 1.17 for m = n, 0.92 for m =
// n L, 0.99 for m = 16 n L; at n = 256 at 1.00 for m = 30 n L³. bins >= 3, balls >= 1,
// alpha > 0. O(1).
func MaxLoadLevel(bins, balls int, regime Regime, alpha float64) (float64, error) {
	faults := mc.Faults{Package: "ballsbins"}
	faults.Check(bins >= 3, "bins", bins, "must be at least 3")
	faults.Check(balls >= 1, "balls", balls, "must be at least 1")
	faults.Check(alpha > 0, "alpha", alpha, "must be positive")
	if err := faults.Err(); err != nil {
		return 0, err
	}
	logBins := math.Log(float64(bins))
	mean := float64(balls) / float64(bins)
	switch regime {
	case FewBalls:
		g := math.Log(logBins / mean)
		if !(g > 1) {
			return 0, mc.NewFieldError("ballsbins", "balls", balls, "must be below (n ln n)/e (%.0f) for the regime %v", float64(bins)*logBins/math.E, regime)
		}
		return logBins / g * (1 + alpha*math.Log(g)/g), nil
	case LogBalls:
		return (logBallsRoot(mean/logBins) - 1 + alpha) * logBins, nil
	case ManyBalls:
		return mean + float64(alpha*math.Sqrt(2*mean*logBins)), nil
	case VeryManyBalls:
		inner := 1 - math.Log(logBins)/(2*alpha*logBins)
		if !(inner > 0) {
			return 0, mc.NewFieldError("ballsbins", "alpha", alpha, "must be above %v for the regime %v", math.Log(logBins)/(2*logBins), regime)
		}
		return mean + math.Sqrt(2*mean*logBins*inner), nil
	default:
		return 0, mc.NewFieldError("ballsbins", "regime", uint8(regime), "must be in [%d, %d]", uint8(FewBalls), uint8(VeryManyBalls))
	}
}

// logBallsRoot returns d_c, the larger root of
//
//	1 + x (ln c - ln x + 1) - c = 0,
//
// for which a bin that expects c ln n balls gets d_c ln n of them with
// probability 1/n to first order; d_1 = e, and d_c = c + sqrt(2 c) + 1/3 +
// O(1/sqrt(c)) for large c. c > 0, or it returns NaN. The relative error of d_c - c
// is below 2^-30 up to c = 10^8. O(1).
func logBallsRoot(c float64) float64 {
	if !(c > 0) {
		return math.NaN()
	}
	// The left side is concave in x with its maximum 1 at x = c.
	side := func(x float64) float64 { return 1 + (x - c) - float64(x*elementary.Log1p((x-c)/c)) }
	return root(side, c, 2*c+2)
}
