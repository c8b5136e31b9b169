// Package elementary computes elementary functions with the same bits whether or not the compiler and the
// processor fuse multiplication and addition.
//
// Go may compute x*y + z with one rounding instead of two, unless the product is converted explicitly:
// float64(x*y) + z. It does so with GOAMD64=v3 and always on arm64. The functions of the standard library
// are compiled in the same way, and math.Exp on amd64 depends on the processor. The functions here
// convert every product that enters a sum. They use only math.Log, math.Sqrt and exact operations. On
// amd64 math.Log is assembly without fused operations, so results there depend neither on GOAMD64 nor on
// the processor. On other architectures they may differ in the last digit.
package elementary

import "math"

// ln2High has 32 bits, so that its product with an exponent is exact; ln2Low is the rest
// of ln 2.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = math.Ln2 - ln2High
)

// horner returns the value of a polynomial at x. The coefficient of the highest power comes first.
func horner(x float64, coefficients ...float64) float64 {
	sum := 0.0
	for _, c := range coefficients {
		sum = c + float64(x*sum)
	}
	return sum
}

// afterLinear returns (e^x - 1 - x) / x² by its power series, for |x| <= 1/2. The terms after x^15/17!
// are below 2^-63.
func afterLinear(x float64) float64 {
	return horner(x, 1.0/355687428096000, 1.0/20922789888000, 1.0/1307674368000, 1.0/87178291200, 1.0/6227020800, 1.0/479001600, 1.0/39916800, 1.0/3628800, 1.0/362880, 1.0/40320, 1.0/5040, 1.0/720, 1.0/120, 1.0/24, 1.0/6, 1.0/2)
}

// Exp returns e^x with an error of at most 1 unit in the last place; overflow gives
// +Inf, underflow 0.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x) || x > 710:
		return x + math.Inf(1)
	case x < -746:
		return 0
	}
	k := math.Round(x / math.Ln2)
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	rest := (high - r) - low // the rounding error of r
	return math.Ldexp(1+(r+(float64(r*r*afterLinear(r))+rest)), int(k))
}

// Expm1 returns e^x - 1 with a relative error below 2^-51, also near 0.
func Expm1(x float64) float64 {
	if math.Abs(x) <= 0.5 {
		return x + float64(x*x*afterLinear(x))
	}
	return Exp(x) - 1
}

// Log1p returns ln(1 + x) with a relative error below 2^-50, also near 0. With y the rounded 1 + x it
// uses ln(y)/(y - 1), in which the rounding error nearly cancels.
func Log1p(x float64) float64 {
	u := 1 + x
	if u == 1 || math.IsInf(x, 1) {
		return x
	}
	return math.Log(u) * x / (u - 1)
}

// Log2 returns the binary logarithm, exactly for powers of two.
func Log2(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if fraction == 0.5 {
		return float64(exponent - 1)
	}
	return float64(math.Log(fraction)*(1/math.Ln2)) + float64(exponent)
}

// Pow returns x^y with a relative error of about |y| 2^-52. It is exact if all powers of x up to x^y are
// floating-point numbers. Special cases are as in math.Pow.
func Pow(x, y float64) float64 {
	whole, part := math.Modf(math.Abs(y))
	if x <= 0 && part != 0 || x == 0 || !(math.Abs(x) <= math.MaxFloat64 && whole < 1<<62) { // special values
		return math.Pow(x, y)
	}
	if part > 0.5 {
		whole, part = whole+1, part-1
	}
	power := 1.0
	switch part {
	case 0:
	case 0.5:
		power = math.Sqrt(x)
	default:
		power = Exp(part * math.Log(x))
	}
	for i := int64(whole); i != 0; i >>= 1 {
		if i&1 == 1 {
			power *= x
		}
		x *= x
	}
	if y < 0 {
		return 1 / power
	}
	return power
}

// LogGamma returns ln Γ(x) for x > 0, which is ln n! for x = n + 1. The error is below 2^-45 plus 2^-50
// of the value.
func LogGamma(x float64) float64 {
	product := 1.0
	for ; x < 22; x++ {
		product *= x
	}
	return float64((x-0.5)*math.Log(x)) - x + float64(math.Log(2*math.Pi)/2) + StirlingRest(x) - math.Log(product)
}

// StirlingRest returns ln Γ(x) minus Stirling's (x - 1/2) ln x - x + ln(2π)/2, for x >= 16, with an error
// below 2^-43.
func StirlingRest(x float64) float64 {
	y := 1 / (x * x)
	return (1.0/12 - float64(y*(1.0/360-float64(y*(1.0/1260-float64(y*(1.0/1680))))))) / x
}

// RootOfUnity returns the cosine and sine of 2π part/whole with errors below 2^-52, for
// 0 <= part < whole <= 2^59. It reduces the angle to an eighth of a circle exactly.
func RootOfUnity(part, whole int64) (cosine, sine float64) {
	quarters := (8*part + whole) / (2 * whole) // to the nearest
	x := math.Pi / 2 * (float64(4*part-quarters*whole) / float64(whole))
	square := float64(x * x)
	cosine = horner(square, -1.0/6402373705728000, 1.0/20922789888000, -1.0/87178291200, 1.0/479001600, -1.0/3628800, 1.0/40320, -1.0/720, 1.0/24, -1.0/2, 1)
	sine = x * horner(square, -1.0/121645100408832000, 1.0/355687428096000, -1.0/1307674368000, 1.0/6227020800, -1.0/39916800, 1.0/362880, -1.0/5040, 1.0/120, -1.0/6, 1)
	switch quarters % 4 {
	case 1:
		return -sine, cosine
	case 2:
		return -cosine, -sine
	case 3:
		return sine, -cosine
	}
	return cosine, sine
}
