package values

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"repslab/internal/elementary"
)

// maxDepth is the greatest depth to which parentheses, signs and powers may nest.
const maxDepth = 100

// calculator reads an expression by recursive descent and computes its value on the way,
// with a method for each rule of the grammar at [Exprs]. A method starts and ends at the
// start of a token or at the end of the text. After an error the rest of the text is
// skipped.
type calculator struct {
	n     float64
	rest  string // rest of the text
	depth int
	text  string

	value    float64
	usesN    bool
	infinite bool // an intermediate value is infinite or NaN
	err      error
}

// calculate computes the value at n of an expression without spaces around it.
func calculate(text string, n int) calculator {
	c := calculator{n: float64(n), rest: text, text: text}
	c.value = c.sum()
	if c.rest != "" {
		c.failTrailing()
	}
	return c
}

// accept skips a token and the spaces behind it, if it is next.
func (c *calculator) accept(token string) bool {
	rest, ok := strings.CutPrefix(c.rest, token)
	if ok {
		c.rest = strings.TrimLeft(rest, " ")
	}
	return ok
}

// finite returns v and notes whether it is finite.
func (c *calculator) finite(v float64) float64 {
	c.infinite = c.infinite || math.IsInf(v, 0) || math.IsNaN(v)
	return v
}

// sum = product { ("+" | "-") product }
func (c *calculator) sum() float64 {
	v := c.product()
	for {
		switch {
		case c.accept("+"):
			v = c.finite(v + c.product())
		case c.accept("-"):
			v = c.finite(v - c.product())
		default:
			return v
		}
	}
}

// product = unary { ("*" | "/") unary }
func (c *calculator) product() float64 {
	v := c.unary()
	for {
		switch {
		case c.accept("*"):
			v = c.finite(float64(v * c.unary())) // the conversion prevents a fused multiply-add
		case c.accept("/"):
			v = c.finite(v / c.unary())
		default:
			return v
		}
	}
}

// unary = "-" unary | power. Every way to nest goes through here, so this
// is where depth is counted.
func (c *calculator) unary() float64 {
	if c.depth == maxDepth {
		return c.fail("nested more than %d deep", maxDepth)
	}
	c.depth++
	defer func() { c.depth-- }()
	if c.accept("-") {
		return -c.unary()
	}
	return c.power()
}

// power = primary [ "^" unary ]
func (c *calculator) power() float64 {
	v := c.primary()
	if c.accept("^") {
		v = c.finite(elementary.Pow(v, c.unary()))
	}
	return v
}

var (
	numberToken = regexp.MustCompile(`^` + unsigned)
	nameToken   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*`)
	valueToken  = regexp.MustCompile(`^[A-Za-z0-9(]`)
)

// functions are the functions of one argument.
var functions = map[string]func(float64) float64{
	"ln":   math.Log,
	"log2": elementary.Log2,
	"sqrt": math.Sqrt,
}

// primary = number | "n" | "(" sum ")" | function "(" sum ")"
func (c *calculator) primary() float64 {
	if number := numberToken.FindString(c.rest); number != "" {
		v, err := parseFloat(number)
		if err != nil {
			return c.stop(err)
		}
		c.accept(number)
		return v
	}
	name := nameToken.FindString(c.rest)
	if name == "n" {
		c.usesN = true
		c.accept(name)
		return c.n
	}
	if name == "" {
		if strings.HasPrefix(c.rest, "(") {
			return c.parentheses()
		}
		return c.failMissing()
	}
	function, ok := functions[name]
	if !ok {
		return c.fail("%s must be n, ln, log2 or sqrt", quote(name))
	}
	c.accept(name)
	if !strings.HasPrefix(c.rest, "(") {
		return c.fail("a function needs parentheses, such as %s(n)", name)
	}
	return c.finite(function(c.parentheses()))
}

// parentheses reads "(" sum ")".
func (c *calculator) parentheses() float64 {
	c.accept("(")
	v := c.sum()
	switch {
	case c.accept(")"):
		return v
	case c.rest == "":
		return c.fail("a closing parenthesis is missing")
	}
	return c.failTrailing()
}

// failMissing reports that a value is missing at the next token.
func (c *calculator) failMissing() float64 {
	if c.rest == "" {
		return c.fail("a value is missing at the end")
	}
	return c.fail("a value is missing before %s", c.character())
}

// failTrailing reports why the next token cannot follow a value.
func (c *calculator) failTrailing() float64 {
	if valueToken.MatchString(c.rest) {
		return c.fail("a product is written with *, so put * before %s", quote(c.rest))
	}
	return c.fail("%s is not expected here; allowed are numbers, n, + - * / ^ ( ) ln log2 sqrt", c.character())
}

// character returns the next character for an error.
func (c *calculator) character() string {
	_, size := utf8.DecodeRuneInString(c.rest)
	return quote(c.rest[:size])
}

// fail ends the calculation with an error that shows the expression.
func (c *calculator) fail(format string, args ...any) float64 {
	return c.stop(fmt.Errorf("%s: %s", quote(c.text), fmt.Sprintf(format, args...)))
}

// stop ends the calculation with its first error.
func (c *calculator) stop(err error) float64 {
	if c.err == nil {
		c.err = err
	}
	c.rest = ""
	return 0
}
