package recycled

import (
	"errors"
	"fmt"
	"math"

	"repslab/faults"
	"repslab/internal/elementary"
	"repslab/internal/must"
)

// PhaseOneRoundsBound returns an upper bound on E[T1], in rounds, for any τ >= 1:
//
//	E[T1] <= (e/(e-1)) (2 - 1/n) n.
//
// With j empty bins, at least j (1 - (1-1/n)^j) >= (1-1/e) j²/n = h(j) of them are hit in expectation,
// whether bins are overfull or not. The variable drift theorem then bounds E[T1] by 1/h(1) plus the
// integral of 1/h from 1 to n [Johannsen10]. The bound is 1.9 times the exact [PhaseOne.Mean] for large
// n. It panics if bins is below 1. O(1).
func PhaseOneRoundsBound(bins int) float64 {
	must.BeAtLeast("recycled: PhaseOneRoundsBound", "bins", bins, 1)
	n := float64(bins)
	return float64(math.E / (math.E - 1) * (2*n - 1))
}

// NeverConvergesBound returns an upper bound on the probability that a run never
// converges:
//
//	P[M > n τ] <= n exp(1-τ), at most 1.
//
// A run that never converges has M > n τ at the end of phase one. M is at most the number of uniform
// throws of phase one. The last round has at most n throws, and before it some bin was not hit, so M < G
// + n, where G is the coupon collector's time: P[G > m] <= n (1-1/n)^m [Doerr20]. With τ >= 1 + (1+ε) ln
// n it is at most n^-ε. [PhaseOne.BallsTail] is much sharper. It panics if bins or threshold is below 1.
// O(1).
func NeverConvergesBound(bins, threshold int) float64 {
	if bins < 1 || threshold < 1 {
		panic(fmt.Sprintf("recycled: NeverConvergesBound: bins (%d) and threshold (%d) must be at least 1", bins, threshold))
	}
	return min(1, float64(bins)*elementary.Exp(1-float64(threshold)))
}

// AbsorptionBound returns h, a lower bound on the probability that a fresh ball
// of phase two is absorbed, whatever happened before:
//
//	h = (n τ - M) / (n (τ-1))
//
// by equation (1) of the package with y >= 0. bins >= 1, threshold >= 2, balls in [bins, bins·threshold],
// and bins·threshold must fit in an int; otherwise it returns an error. Phase two has a ball in every
// bin, and with more than n τ balls there may be no hole. O(1).
func AbsorptionBound(bins, threshold, balls int) (float64, error) {
	if err := phaseTwo(bins, threshold, balls); err != nil {
		return 0, err
	}
	return float64(bins*threshold-balls) / float64(bins*(threshold-1)), nil
}

// phaseTwo returns an error unless phase two with these parameters may converge.
func phaseTwo(bins, threshold, balls int) error {
	bad := faults.List{Package: "recycled"}
	bad.Check(bins >= 1, "bins", bins, "must be at least 1")
	bad.Check(threshold >= 2, "threshold", threshold, "must be at least 2")
	if err := bad.Err(); err != nil {
		return err
	}
	if threshold > math.MaxInt/bins {
		return faults.New("recycled", "threshold", threshold, "must be at most %d for %d bins", math.MaxInt/bins, bins)
	}
	bad.Check(balls >= bins && balls <= bins*threshold, "balls", balls, "must be in [bins, bins·threshold] = [%d, %d]", bins, bins*threshold)
	return bad.Err()
}

// checkExcess returns an error unless Y is in [0, most].
func checkExcess(excess, most int) error {
	bad := faults.List{Package: "recycled"}
	bad.In("excess", excess, 0, max(0, most))
	return bad.Err()
}

// PhaseTwoRoundsBound returns an upper bound on E[T2], in rounds, from a phase
// two with M = balls and Y = excess:
//
//	E[T2] <= Y / h, h of [AbsorptionBound].
//
// While Y > 0 a round throws at least one fresh ball: additive drift [He01].
// +Inf for balls = bins·threshold, where h = 0 although the run converges.
// Domain as [AbsorptionBound], excess in [0, balls]. O(1).
func PhaseTwoRoundsBound(bins, threshold, balls, excess int) (float64, error) {
	h, err := AbsorptionBound(bins, threshold, balls)
	if err := errors.Join(err, checkExcess(excess, balls)); err != nil || excess == 0 {
		return 0, err
	}
	return float64(excess) / h, nil
}

// PhaseTwoTailBound returns a round that T2 exceeds with at most the returned
// probability, from a phase two with M = balls and Y <= y:
//
//	P[T2 > 2 y / h] <= exp(-y/4), h of [AbsorptionBound].
//
// While Y > 0 the number of balls absorbed in t rounds stochastically dominates Binomial(t, h), and
// Chernoff's bound on the lower tail gives the result [Doerr20]. balls below bins·threshold, otherwise
// domain as [AbsorptionBound]; y >= 0. O(1).
func PhaseTwoTailBound(bins, threshold, balls int, y float64) (rounds, probability float64, err error) {
	h, err := AbsorptionBound(bins, threshold, balls)
	bad := faults.List{Package: "recycled"}
	bad.Add(err)
	bad.Check(err != nil || h > 0, "balls", balls, "must be below bins·threshold (%d)", bins*threshold)
	bad.Check(y >= 0 && y <= math.MaxFloat64, "y", y, "must be at least 0 and finite")
	if err := bad.Err(); err != nil {
		return 0, 0, err
	}
	return 2 * y / h, elementary.Exp(-y / 4), nil
}

// RoundsBound returns rounds within which a run from empty bins converges with
// probability at least 1 - failure, where failure = 2/n:
//
//	P[T <= 2 n L + 2 (2 n L + n) / 0.45] >= 1 - 2/n,   L = ln n.
//
// The coupon collector is done within 2 n L throws with probability at least 1 - 1/n. Then T1 <= 2 n L
// and M < 2 n L + n, so h >= 1 - 2 L/(4 L - 1) >= 0.45, nearly with equality at n = 16.
// [PhaseTwoTailBound] with y = 2 n L + n fails with probability at most exp(-y/4) < 1/n. bins >= 16 and
// threshold >= 4 ln(bins); otherwise joined [*faults.FieldError] values. O(1).
func RoundsBound(bins, threshold int) (rounds, failure float64, err error) {
	n := float64(bins)
	logBins := math.Log(n)
	bad := faults.List{Package: "recycled"}
	bad.Check(bins >= 16, "bins", bins, "must be at least 16")
	bad.Check(float64(threshold) >= 4*logBins, "threshold", threshold, "must be at least 4 ln(bins) (%.2f)", 4*logBins)
	if err := bad.Err(); err != nil {
		return 0, 0, err
	}
	const absorption = 0.45
	return float64(2*n*logBins) + 2*(float64(2*n*logBins)+n)/absorption, 2 / n, nil
}
