package values

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/propertytest"

	"pgregory.net/rapid"
)

// TestIntsAgainstLoop compares ranges with a loop in math/big, near 0 and near
// both ends of the type.
func TestIntsAgainstLoop(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]int{0, 1, math.MinInt, math.MaxInt - 1000}).Draw(t, "base")
		first := base + rapid.IntRange(0, 500).Draw(t, "offset")
		last := first + rapid.IntRange(0, 500).Draw(t, "length")
		step := rapid.IntRange(1, rapid.SampledFrom([]int{600, math.MaxInt}).Draw(t, "largest step")).Draw(t, "step")
		kind := rapid.SampledFrom([]string{"+", "x"}).Draw(t, "kind")
		if kind == "x" && (first < 1 || step < 2) {
			kind = "+"
		}
		text := fmt.Sprintf("%d..%d:%s%d", first, last, kind, step)
		got, err := Ints(text, anyInt)
		if err != nil {
			t.Fatalf("Ints(%q) failed: %v", text, err)
		}
		if want := bigLoop(first, last, step, kind); !slices.Equal(got, want) {
			t.Fatalf("Ints(%q) = %v, want %v", text, got, want)
		}
	})
}

// bigLoop returns the values of a range of integers.
func bigLoop(first, last, step int, kind string) []int {
	v, end, by := big.NewInt(int64(first)), big.NewInt(int64(last)), big.NewInt(int64(step))
	var values []int
	for v.Cmp(end) <= 0 {
		values = append(values, int(v.Int64()))
		if kind == "x" {
			v.Mul(v, by)
		} else {
			v.Add(v, by)
		}
	}
	return values
}

// drawDecimal returns the text of a number from low/10^d to high/10^d with d
// up to 6 decimals.
func drawDecimal(t *rapid.T, name string, low, high int64) string {
	decimals := rapid.IntRange(0, 6).Draw(t, name+" decimals")
	digits := rapid.Int64Range(low, high).Draw(t, name)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	return new(big.Rat).SetFrac(big.NewInt(digits), unit).FloatString(decimals)
}

// rat returns the exact value of a decimal number.
func rat(text string) *big.Rat {
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	return v
}

// TestFloatsAgainstLoop compares ranges with a loop in rational numbers, each
// value rounded to the nearest float64. The loop stops after 300 values, and
// so does the comparison.
func TestFloatsAgainstLoop(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"+", "x"}).Draw(t, "kind")
		first := drawDecimal(t, "first", -200, 5000)
		last := drawDecimal(t, "last", 1, 10000)
		step := drawDecimal(t, "step", 1, 3000)
		if kind == "x" {
			step = "1." + strconv.Itoa(rapid.IntRange(1, 9999).Draw(t, "factor"))
		}
		if rat(first).Cmp(rat(last)) > 0 {
			first, last = last, first
		}
		if kind == "x" && rat(first).Sign() <= 0 {
			t.Skip() // a factor leads nowhere from 0 or below
		}
		text := first + ".." + last + ":" + kind + step
		got, err := Floats(text, anyFloat)
		if err != nil {
			if strings.HasSuffix(err.Error(), "at most 1000000 values") {
				t.Skip() // too long a range
			}
			t.Fatalf("Floats(%q) failed: %v", text, err)
		}
		want := ratLoop(first, last, step, kind, 300)
		if len(want) < 300 && len(got) != len(want) || !slices.Equal(got[:len(want)], want) {
			t.Fatalf("Floats(%q) = %v, want %v", text, got, want)
		}
	})
}

// ratLoop returns at most limit values of a range of real numbers.
func ratLoop(first, last, step, kind string, limit int) []float64 {
	v, end, by := rat(first), rat(last), rat(step)
	var values []float64
	for v.Cmp(end) <= 0 && len(values) < limit {
		x, _ := v.Float64()
		values = append(values, x)
		if kind == "x" {
			v.Mul(v, by)
		} else {
			v.Add(v, by)
		}
	}
	return values
}

// TestFloatsPrintClean checks that the values of a range print with no more
// decimals than its first end and its step have.
func TestFloatsPrintClean(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		first := drawDecimal(t, "first", 0, 1000)
		step := drawDecimal(t, "step", 1, 1000)
		count := rapid.Int64Range(0, 100).Draw(t, "count")
		last := new(big.Rat).Mul(rat(step), new(big.Rat).SetInt64(count))
		last.Add(last, rat(first))
		text := first + ".." + last.FloatString(6) + ":+" + step
		got, err := Floats(text, anyFloat)
		if err != nil || int64(len(got)) != count+1 {
			t.Fatalf("Floats(%q) = %d values, %v, want %d", text, len(got), err, count+1)
		}
		for _, v := range got {
			if printed := formatFloat(v); decimals(printed) > max(decimals(first), decimals(step)) {
				t.Fatalf("Floats(%q) prints %s", text, printed)
			}
		}
	})
}

// decimals returns how many digits follow the dot.
func decimals(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return len(fraction)
}

// TestPrintedValuesReadBack checks that lists of printed values mean the same
// values.
func TestPrintedValuesReadBack(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOfN(rapid.IntRange(math.MinInt, math.MaxInt), 1, 10).Draw(t, "ints")
		text := join(ints, strconv.Itoa)
		if got, err := Ints(text, anyInt); err != nil || !slices.Equal(got, ints) {
			t.Fatalf("Ints(%q) = %v, %v", text, got, err)
		}
		floats := make([]float64, rapid.IntRange(1, 10).Draw(t, "number of floats"))
		for i := range floats {
			// Of the largest exponent, which infinities have, one bit is cleared.
			floats[i] = math.Float64frombits(rapid.Uint64Range(0, math.MaxUint64).Draw(t, "float bits"))
			if math.IsInf(floats[i], 0) || math.IsNaN(floats[i]) {
				floats[i] = math.Float64frombits(math.Float64bits(floats[i]) &^ (1 << 62))
			}
		}
		text = join(floats, formatFloat)
		if got, err := Floats(text, anyFloat); err != nil || !slices.Equal(got, floats) {
			t.Fatalf("Floats(%q) = %v, %v", text, got, err)
		}
		sizes := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64), 1, 10).Draw(t, "sizes")
		text = join(sizes, formatSize)
		if got, err := Sizes(text, anySize); err != nil || !slices.Equal(got, sizes) {
			t.Fatalf("Sizes(%q) = %v, %v", text, got, err)
		}
	})
}

// join writes a list of values.
func join[T any](values []T, format func(T) string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = format(v)
	}
	return strings.Join(texts, ",")
}

// modelled is an expression with its exact value at n and a bound on the error
// of its value in float64.
type modelled struct {
	text  string
	exact *big.Rat
	bound float64
}

// size returns |exact|, rounded.
func (m modelled) size() float64 {
	x, _ := m.exact.Float64()
	return math.Abs(x)
}

// rounded returns m with the error of one more rounding to float64.
func (m modelled) rounded() modelled {
	m.bound += 0x1p-52 * (m.size() + m.bound)
	return m
}

// exprModel draws expressions along the grammar and evaluates them on the way,
// so that precedence and associativity are checked too.
type exprModel struct {
	t *rapid.T
	n int64
}

func (g exprModel) sum(depth int) modelled {
	m := g.product(depth)
	for range rapid.IntRange(0, 2).Draw(g.t, "terms") {
		op := rapid.SampledFrom([]string{"+", "-", " + ", " - "}).Draw(g.t, "op")
		next := g.product(depth)
		value := new(big.Rat).Add(m.exact, next.exact)
		if strings.TrimSpace(op) == "-" {
			value.Sub(m.exact, next.exact)
		}
		m = modelled{m.text + op + next.text, value, m.bound + next.bound}.rounded()
	}
	return m
}

func (g exprModel) product(depth int) modelled {
	m := g.unary(depth)
	for range rapid.IntRange(0, 2).Draw(g.t, "factors") {
		op := rapid.SampledFrom([]string{"*", "/"}).Draw(g.t, "op")
		next := g.unary(depth)
		if op == "*" {
			bound := m.size()*next.bound + next.size()*m.bound + m.bound*next.bound
			m = modelled{m.text + op + next.text, new(big.Rat).Mul(m.exact, next.exact), bound}.rounded()
			continue
		}
		if next.size() <= 2*next.bound {
			g.t.Skip() // the divisor may be 0
		}
		quotient := new(big.Rat).Quo(m.exact, next.exact)
		bound := (m.bound + modelled{exact: quotient}.size()*next.bound) / (next.size() - next.bound)
		m = modelled{m.text + op + next.text, quotient, bound}.rounded()
	}
	return m
}

func (g exprModel) unary(depth int) modelled {
	if rapid.IntRange(0, 4).Draw(g.t, "sign") > 0 {
		return g.power(depth)
	}
	m := g.power(depth)
	return modelled{"-" + m.text, new(big.Rat).Neg(m.exact), m.bound}
}

func (g exprModel) power(depth int) modelled {
	base := g.primary(depth)
	if rapid.IntRange(0, 4).Draw(g.t, "power") > 0 {
		return base
	}
	exponent := rapid.IntRange(0, 3).Draw(g.t, "exponent")
	m := modelled{exact: big.NewRat(1, 1)}
	for range exponent {
		bound := m.size()*base.bound + base.size()*m.bound + m.bound*base.bound
		m = modelled{"", new(big.Rat).Mul(m.exact, base.exact), bound}.rounded()
	}
	m.text = base.text + "^" + strconv.Itoa(exponent)
	return m.rounded()
}

func (g exprModel) primary(depth int) modelled {
	kinds := []string{"n", "integer", "decimal"}
	if depth > 0 {
		kinds = append(kinds, "sum")
	}
	switch rapid.SampledFrom(kinds).Draw(g.t, "kind") {
	case "n":
		return modelled{"n", new(big.Rat).SetInt64(g.n), 0}
	case "integer":
		text := strconv.Itoa(rapid.IntRange(0, 99).Draw(g.t, "integer"))
		return modelled{text, rat(text), 0}
	case "decimal":
		text := drawDecimal(g.t, "decimal", 0, 999)
		return modelled{text, rat(text), 0}.rounded()
	}
	m := g.sum(depth - 1)
	m.text = "(" + m.text + ")"
	return m
}

// TestCeilAgainstRationals compares Ceil with exact arithmetic wherever the
// error of float64 cannot decide on which side of the guard a value falls.
func TestCeilAgainstRationals(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4096).Draw(t, "n")
		m := exprModel{t, int64(n)}.sum(2)
		want, ok := ceilOf(m)
		if !ok || int64(int(want)) != want {
			t.Skip() // too large or too close to the guard
		}
		exprs, err := Exprs(m.text)
		if err != nil {
			t.Fatalf("Exprs(%q) failed: %v", m.text, err)
		}
		if got, err := exprs[0].Ceil(n, anyInt); err != nil || int64(got) != want {
			t.Fatalf("Ceil(%d) of %q = %d, %v, want %d (exactly %s)", n, m.text, got, err, want, m.exact.FloatString(12))
		}
		again, err := Exprs(exprs[0].String())
		if err != nil || !reflect.DeepEqual(again, exprs) {
			t.Fatalf("Exprs(%q) read back = %v, %v", m.text, again, err)
		}
	})
}

// ceilOf returns what Ceil must return, or false if that is uncertain.
func ceilOf(m modelled) (int64, bool) {
	if m.size() > 1e12 || m.bound > 1e-4 {
		return 0, false
	}
	half := big.NewRat(1, 2)
	whole := floorOf(new(big.Rat).Add(m.exact, half))
	distance, _ := new(big.Rat).Sub(m.exact, new(big.Rat).SetInt64(whole)).Float64()
	guard := min(1e-9*max(1, m.size()), 1e-3)
	margin := m.bound + 1e-6*guard
	switch {
	case math.Abs(distance) <= guard-margin:
		return whole, true
	case distance >= guard+margin:
		return whole + 1, true
	case distance <= -guard-margin:
		return whole, true
	}
	return 0, false
}

// floorOf returns the largest integer not above v.
func floorOf(v *big.Rat) int64 {
	// Int.Div rounds down for positive divisors.
	return new(big.Int).Div(v.Num(), v.Denom()).Int64()
}
