package values

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// fuzzSeeds are texts of every kind, good and bad.
func fuzzSeeds() []string {
	return []string{
		"16", "16,32", "16..4096:x2", "1..9:+2", "1..4", "0.9,0.95", "0.9..0.99:+0.01", "0.5..8:x2",
		"64KiB..8MiB:x2", "8MB", "1.5KiB", "0.1KiB", "4*ln(n),14,2*log2(n)", "8..16:+4,4*ln(n)",
		"-2^-n/3", "sqrt((n))", "4ln(n)", "", ",", "16..", "..16", "16,,32", "8..1", "1..8:+0", "1..8:x1",
		"NaN", "Inf", "0x1p-2", "1e999", "1e-999", "0..1e18:+1", "1..9223372036854775807", "1..2..3",
		"1...3", "1..8:", "1e-300..1e300:x1.0000000000000003", "1..1.00000000000000000001:+1e-300",
		"9223372036854775807..9223372036854775807:x2", strings.Repeat("(", 200), strings.Repeat("-", 200),
		strings.Repeat("9", 100), "1\n\x1b[2J\xff",
	}
}

// fuzz runs a target that reads text and returns how many values it got.
func fuzz(f *testing.F, read func(t *testing.T, text string) (int, error)) {
	for _, text := range fuzzSeeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		count, err := read(t, text)
		if err != nil {
			checkErrorText(t, text, err.Error())
			count++ // no values are right
		}
		if count < 1 || count > maxValues {
			t.Errorf("%q: %d values with error %v", text, count, err)
		}
	})
}

// checkErrorText checks that an error is one short line that can be printed.
func checkErrorText(t *testing.T, text, message string) {
	// Two cut texts of at most 60 characters, each at most 10 bytes if quoted.
	if message == "" || len(message) > 1400 {
		t.Errorf("%q: error of %d bytes", text, len(message))
	}
	for _, r := range message {
		if r == unicode.ReplacementChar && !strings.ContainsRune(text, r) || !unicode.IsPrint(r) {
			t.Errorf("%q: error %q", text, message)
			return
		}
	}
}

// countAllowed returns the number of values, each of which must be allowed,
// and fails if there are values beside an error.
func countAllowed[T any](t *testing.T, values []T, err error, allowed func(T) bool) (int, error) {
	if err != nil && values != nil {
		t.Errorf("%d values beside error %v", len(values), err)
	}
	for _, v := range values {
		if !allowed(v) {
			t.Fatalf("value %v is not allowed", v)
		}
	}
	return len(values), err
}

func FuzzInts(f *testing.F) {
	fuzz(f, func(t *testing.T, text string) (int, error) {
		if values, err := Ints(text, anyInt); err == nil && len(values) > maxValues {
			t.Errorf("%d values", len(values))
		}
		allowed := IntRange{Min: -7, Max: 1 << 30}
		values, err := Ints(text, allowed)
		return countAllowed(t, values, err, allowed.contains)
	})
}

func FuzzFloats(f *testing.F) {
	sixDigits := regexp.MustCompile(`[0-9]{6}`)
	fuzz(f, func(t *testing.T, text string) (int, error) {
		if strings.Contains(text, "..") && sixDigits.MatchString(text) {
			t.Skip("most of a million fractions take long enough for a hang on a busy machine; TestTooManyValues reads so many")
		}
		if values, err := Floats(text, anyFloat); err == nil {
			_, _ = countAllowed(t, values, err, anyFloat.contains)
		}
		allowed := FloatRange{Min: 0, Max: 1e6, MinOpen: true, MaxOpen: true}
		values, err := Floats(text, allowed)
		return countAllowed(t, values, err, allowed.contains)
	})
}

func FuzzSizes(f *testing.F) {
	fuzz(f, func(t *testing.T, text string) (int, error) {
		allowed := SizeRange{Min: 1, Max: 1 << 50}
		values, err := Sizes(text, allowed)
		return countAllowed(t, values, err, allowed.contains)
	})
}

func FuzzExprs(f *testing.F) {
	allowed := IntRange{Min: 1, Max: 1<<31 - 1}
	fuzz(f, func(t *testing.T, text string) (int, error) {
		exprs, err := Exprs(text)
		for _, e := range exprs[:min(len(exprs), 1000)] {
			for _, n := range []int{-1, 0, 1, 4096} {
				v, err := e.Ceil(n, allowed)
				if err != nil {
					checkErrorText(t, text, err.Error())
				} else if !allowed.contains(v) {
					t.Fatalf("Ceil(%d) of %q = %d", n, e, v)
				}
			}
		}
		return countAllowed(t, exprs, err, func(e Expr) bool {
			return e.String() != "" && e.String() == strings.TrimSpace(e.String())
		})
	})
}
