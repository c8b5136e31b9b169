package values

import (
	"fmt"
	"unicode/utf8"
)

const (
	// maxExprLength is the most characters of an expression.
	maxExprLength = 1000
	// maxDepth is how deep parentheses, signs and powers may nest.
	maxDepth = 100
)

// parser reads one expression by recursive descent, with a method for each
// rule of the grammar at [Exprs]. A method starts and ends at the start of a
// token or at the end of the text.
type parser struct {
	text    string
	at      int // bytes read
	depth   int
	program []instruction
}

// parseExpr reads one expression; the text is trimmed and not empty.
func parseExpr(text string) (Expr, error) {
	if len(text) > maxExprLength {
		return Expr{}, fmt.Errorf("%s: an expression has at most %d characters", quote(text), maxExprLength)
	}
	p := &parser{text: text}
	if err := p.sum(); err != nil {
		return Expr{}, err
	}
	if p.at < len(text) {
		return Expr{}, p.errTrailing()
	}
	return Expr{source: text, program: p.program}, nil
}

// peek returns the next byte, 0 at the end of the text.
func (p *parser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// skip moves over length bytes and the spaces behind them.
func (p *parser) skip(length int) {
	p.at += length
	for p.peek() == ' ' {
		p.at++
	}
}

// emit appends an instruction to the program.
func (p *parser) emit(op opcode) {
	p.program = append(p.program, instruction{op: op})
}

// sum = product { ("+" | "-") product }
func (p *parser) sum() error {
	return p.chain(p.product, '+', opAdd, '-', opSubtract)
}

// product = unary { ("*" | "/") unary }
func (p *parser) product() error {
	return p.chain(p.unary, '*', opMultiply, '/', opDivide)
}

// chain reads operands between the left-associative operators a and b.
func (p *parser) chain(operand func() error, a byte, opA opcode, b byte, opB opcode) error {
	if err := operand(); err != nil {
		return err
	}
	for {
		var op opcode
		switch p.peek() {
		case a:
			op = opA
		case b:
			op = opB
		default:
			return nil
		}
		p.skip(1)
		if err := operand(); err != nil {
			return err
		}
		p.emit(op)
	}
}

// unary = "-" unary | power. Every way to nest goes through here, so this
// is where depth is counted.
func (p *parser) unary() error {
	if p.depth == maxDepth {
		return p.errorf("nested more than %d deep", maxDepth)
	}
	p.depth++
	defer func() { p.depth-- }()
	if p.peek() != '-' {
		return p.power()
	}
	p.skip(1)
	if err := p.unary(); err != nil {
		return err
	}
	p.emit(opNegate)
	return nil
}

// power = primary [ "^" unary ]
func (p *parser) power() error {
	if err := p.primary(); err != nil {
		return err
	}
	if p.peek() != '^' {
		return nil
	}
	p.skip(1)
	if err := p.unary(); err != nil {
		return err
	}
	p.emit(opPower)
	return nil
}

// primary = number | "n" | "(" sum ")" | function "(" sum ")"
func (p *parser) primary() error {
	c := p.peek()
	switch {
	case isDigit(c):
		return p.number()
	case isLetter(c):
		return p.name()
	case c == '(':
		return p.parentheses()
	}
	return p.errNoValue()
}

// number reads a number without a sign.
func (p *parser) number() error {
	length := scanNumber(p.text[p.at:])
	v, err := parseFloat(p.text[p.at : p.at+length])
	if err != nil {
		return err
	}
	p.skip(length)
	p.program = append(p.program, instruction{op: opNumber, number: v})
	return nil
}

// name reads n, or a function with its argument.
func (p *parser) name() error {
	length := 0
	for rest := p.text[p.at:]; length < len(rest) && (isLetter(rest[length]) || isDigit(rest[length])); {
		length++
	}
	name := p.text[p.at : p.at+length]
	if name == "n" {
		p.skip(length)
		p.emit(opN)
		return nil
	}
	op, ok := functionOp(name)
	if !ok {
		return p.errorf("%s must be n, ln, log2 or sqrt", quote(name))
	}
	p.skip(length)
	if p.peek() != '(' {
		return p.errorf("a function needs parentheses, such as %s(n)", name)
	}
	if err := p.parentheses(); err != nil {
		return err
	}
	p.emit(op)
	return nil
}

// parentheses reads "(" sum ")".
func (p *parser) parentheses() error {
	p.skip(1)
	if err := p.sum(); err != nil {
		return err
	}
	switch {
	case p.at == len(p.text):
		return p.errorf("a closing parenthesis is missing")
	case p.peek() != ')':
		return p.errTrailing()
	}
	p.skip(1)
	return nil
}

// errNoValue says that a value is missing at the next token.
func (p *parser) errNoValue() error {
	if p.at == len(p.text) {
		return p.errorf("a value is missing at the end")
	}
	return p.errorf("a value is missing before %s", p.token())
}

// errTrailing says why the next token cannot follow a value.
func (p *parser) errTrailing() error {
	c := p.peek()
	if isDigit(c) || isLetter(c) || c == '(' {
		return p.errorf("a product is written with *, so put * before %s", quote(p.text[p.at:]))
	}
	return p.errorf("%s is not expected here; allowed are numbers, n, + - * / ^ ( ) ln log2 sqrt", p.token())
}

// token returns the next character for an error.
func (p *parser) token() string {
	_, size := utf8.DecodeRuneInString(p.text[p.at:])
	return quote(p.text[p.at : p.at+size])
}

// errorf returns an error that shows the expression.
func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s", quote(p.text), fmt.Sprintf(format, args...))
}
