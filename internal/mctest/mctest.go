// Package mctest tests Monte Carlo estimates against reference numbers and other
// estimates. It is test code: only tests import it.
//
// Tests of random code run with fixed seeds, so that they never fail by chance on unchanged code. They
// accept values within [Z] standard errors. With REPSLAB_RESEED=N in the environment, every seed is
// replaced by one derived from N and the name of the test, and printed. The bound is then 6.11 standard
// errors, a false-alarm rate of 1e-9 per comparison.
package mctest

import (
	"hash/fnv"
	"math"
	"os"
	"strconv"
	"testing"

	"repslab/mc"
)

// FixedZ is the bound, in standard errors, under a fixed seed. If the code is correct, a fresh seed would
// pass one comparison with probability 1 - 6.3e-5.
const FixedZ = 4

// ReseededZ is the bound under fresh seeds: false-alarm rate 1e-9.
const ReseededZ = 6.11

// reseed returns the value of REPSLAB_RESEED and whether it is set.
func reseed(t testing.TB) (uint64, bool) {
	text, ok := os.LookupEnv("REPSLAB_RESEED")
	if !ok || text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("REPSLAB_RESEED (%q) must be an unsigned integer", text)
	}
	return n, true
}

// Long reports whether REPSLAB_LONG asks for the long variants of tests.
func Long() bool { return os.Getenv("REPSLAB_LONG") != "" }

// Seed returns the fixed seed or, under REPSLAB_RESEED, a fresh seed, which it logs.
func Seed(t testing.TB, fixed uint64) uint64 {
	t.Helper()
	n, ok := reseed(t)
	if !ok {
		return fixed
	}
	h := fnv.New64a()
	h.Write([]byte(t.Name()))
	r := mc.NewStream(n, mc.Workload, h.Sum64()^fixed).Rand()
	seed := r.Uint64()
	t.Logf("seed %d", seed)
	return seed
}

// Z returns the bound in standard errors that is in force.
func Z(t testing.TB) float64 {
	if _, ok := reseed(t); ok {
		return ReseededZ
	}
	return FixedZ
}

// Agree reports an error unless the estimate lies within Z standard errors of want,
// with both standard errors combined, plus slack for the rounding of want. Under
// REPSLAB_RESEED it logs the p-value of the difference from an exact number, so that
// the p-values of many seeds can be compared with a uniform distribution.
func Agree(t testing.TB, what string, got mc.Estimate, want, wantStdErr, slack float64) {
	t.Helper()
	stdErr := math.Hypot(got.StdErr, wantStdErr)
	bound := Z(t)*stdErr + slack
	if _, ok := reseed(t); ok && wantStdErr == 0 && slack < stdErr/10 {
		t.Logf("p-value of %s: %.6f", what, math.Erfc(math.Abs(got.Value-want)/stdErr/math.Sqrt2))
	}
	if !(math.Abs(got.Value-want) <= bound) {
		t.Errorf("%s = %v (standard error %.3g, %d replicas), want %v within %.3g",
			what, got.Value, got.StdErr, got.N, want, bound)
	}
}
