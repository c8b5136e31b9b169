package values

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
)

// Expr is an expression of n, as [Exprs] reads it. The zero Expr has no value at any n.
type Expr struct {
	source string
}

// String returns the text the expression was read from, without the spaces
// around it. [Exprs] reads it back as an equal expression.
func (e Expr) String() string { return e.source }

// Exprs returns the expressions that text stands for, in the order written:
// expressions of n, ranges of integers, and lists of both, such as 4*ln(n),
// 4*ln(n),14,2*log2(n) and 8..16:+4,4*ln(n). A range yields one constant
// expression per integer; its ends lie between -2^53 and 2^53. Lists and
// ranges are as in the package documentation, and an expression is
//
//	sum      = product { ("+" | "-") product }
//	product  = unary { ("*" | "/") unary }
//	unary    = "-" unary | power
//	power    = primary [ "^" unary ]
//	primary  = number | "n" | "(" sum ")" | function "(" sum ")"
//	function = "ln" | "log2" | "sqrt"
//	number   = digits [ "." digits ] [ ("e" | "E") [ "+" | "-" ] digits ]
//
// Thus 8-2-1 is 5, -2^2 is -4, 2^3^2 is 2^9 and 2^-1 is 0.5. Spaces may
// stand between the parts. A product is always written with *. The name log
// is read as ln, also in the text of the expression.
//
// There is an error for text that is not well formed, for parentheses, signs and powers nested more than
// 100 deep, for an expression of more than 1000 characters and for more than 1,000,000 expressions. The
// result is never empty without an error. [Expr.Ceil] checks whether values are allowed, since that
// depends on n.
//
// Cost: O(len(text) + expressions) time and memory; O(len(text)) for a range
// that has too many values.
func Exprs(text string) ([]Expr, error) {
	return kind[Expr]{
		example: "8..16:+4",
		value: func(text string) (Expr, error) {
			if len(text) > maxExprLength {
				return Expr{}, fmt.Errorf("%s: an expression has at most %d characters", quote(text), maxExprLength)
			}
			text = logToken.ReplaceAllString(text, "ln")
			return Expr{text}, calculate(text, 1).err
		},
		end: func(text string) error {
			v, err := exactInteger(text)
			if err != nil || integer(v) < -maxExact || integer(v) > maxExact {
				return fmt.Errorf("%s must be an integer between -2^53 and 2^53, as an end of a range", quote(text))
			}
			return nil
		},
		step:   integers,
		factor: integers,
		round:  func(v *big.Float) Expr { return Expr{strconv.FormatInt(integer(v), 10)} },
	}.list(text)
}

// logToken matches the other name of ln.
var logToken = regexp.MustCompile(`\blog\b`)

// maxExprLength is the largest number of characters of an expression.
const maxExprLength = 1000

// maxExact is 2^53: float64 holds every integer up to it.
const maxExact = 1 << 53

// eval returns the value at n, computed in float64. There is an error if it, or an intermediate value, is
// not finite: ln(n) at 0, sqrt(-n), 1/0.
//
// Cost: O(length of the expression); no allocation.
func (e Expr) eval(n int) (float64, error) {
	c := calculate(e.source, n)
	if c.err != nil || c.infinite {
		return 0, fmt.Errorf("%s must be finite, and is not at n = %d", e.shown(), n)
	}
	return c.value, nil
}

// Ceil returns the value at n, rounded up to an integer, which is the meaning
// of an expression for a parameter that takes integers, such as a threshold.
//
// So that rounding errors of float64 do not add 1, a value v within
// min(1e-9 * max(1, |v|), 1e-3) of an integer is that integer: 0.1*30, which
// is 3.0000000000000004 or 3 depending on how it is computed, gives 3.
//
// There is an error if the value or an intermediate value is not finite (ln(n) at 0, sqrt(-n), 1/0), or
// if the rounded value is not in allowed. Results beyond 2^53 in magnitude, which float64 does not hold
// exactly, are refused even if allowed contains them.
func (e Expr) Ceil(n int, allowed IntRange) (int, error) {
	v, err := e.eval(n)
	if err != nil {
		return 0, err
	}
	v = roundUp(v) + 0 // -0 + 0 is 0
	allowed.Min = int(max(int64(allowed.Min), -maxExact))
	allowed.Max = int(min(int64(allowed.Max), maxExact))
	if v < float64(allowed.Min) || v > float64(allowed.Max) {
		return 0, fmt.Errorf("%s must be %s", e.valued(v, n), allowed)
	}
	return int(v), nil
}

// Value returns the value at n, which must be in allowed. There is an error if it is not, or if the value or an
// intermediate value is not finite.
func (e Expr) Value(n int, allowed FloatRange) (float64, error) {
	v, err := e.eval(n)
	if err == nil && !allowed.contains(v) {
		err = fmt.Errorf("%s must be in %s", e.valued(v, n), allowed)
	}
	return v + 0, err // -0 + 0 is 0
}

// formulaToken matches n and the functions, also behind a number, as in 100n.
var formulaToken = regexp.MustCompile(`(?:^|[^A-Za-z])(?:n|ln|log|log2|sqrt)(?:$|[^A-Za-z0-9])`)

// IsFormula reports whether a text has n or a function of an expression, as a word of its own. Numbers and ranges of
// numbers have none.
func IsFormula(text string) bool { return formulaToken.MatchString(text) }

// roundUp returns the least integer not below v, up to rounding errors: see [Expr.Ceil]. The bound 1e-3
// matters for |v| > 1e6, where 1e-9 |v| would cover fractions that are not rounding errors.
func roundUp(v float64) float64 {
	whole := math.Round(v)
	noise := min(1e-9*max(1, math.Abs(v)), 1e-3)
	if math.Abs(v-whole) <= noise {
		return whole
	}
	return math.Ceil(v)
}

// shown returns the expression for an error.
func (e Expr) shown() string {
	if e.source == "" {
		return quote("")
	}
	return show(e.source)
}

// valued returns the expression with its value v at n for an error: "0",
// "2-2 = 0", "n-16 = 0 at n = 16".
func (e Expr) valued(v float64, n int) string {
	value := formatFloat(v)
	switch {
	case value == e.source:
		return value
	case !calculate(e.source, n).usesN:
		return e.shown() + " = " + value
	}
	return fmt.Sprintf("%s = %s at n = %d", e.shown(), value, n)
}
