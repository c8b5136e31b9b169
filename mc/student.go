package mc

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// studentsT is Student's t law with a number of degrees of freedom, above 0. Package distuv of gonum has it too, but
// brings matrices along, for which the page in a browser has no room.
type studentsT float64

// quantile returns the p-quantile, for p in (1/2, 1). With t = nu/(nu + x^2), the probability above x is half the
// regularized incomplete beta function I_t(nu/2, 1/2).
func (nu studentsT) quantile(p float64) float64 {
	t := mathext.InvRegIncBeta(float64(nu)/2, 0.5, 2*(1-p))
	return math.Sqrt(float64(nu) * (1 - t) / t)
}

// survival returns the probability of a value above x.
func (nu studentsT) survival(x float64) float64 {
	if x == 0 {
		return 0.5
	}
	tail := float64(0.5 * mathext.RegIncBeta(float64(nu)/2, 0.5, float64(nu)/(float64(x*x)+float64(nu))))
	if x < 0 {
		return 1 - tail
	}
	return tail
}
