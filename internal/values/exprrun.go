package values

import (
	"math"

	"repslab/internal/elementary"
)

// opcode is one operation of an expression.
type opcode uint8

const (
	opNumber opcode = iota // push a number
	opN                    // push n
	opAdd
	opSubtract
	opMultiply
	opDivide
	opPower
	opNegate
	opLn
	opLog2
	opSqrt
)

// instruction is one step of an expression in postfix order.
type instruction struct {
	op     opcode
	number float64 // for opNumber
}

// functionOp returns the operation of a function of one argument.
func functionOp(name string) (opcode, bool) {
	switch name {
	case "ln":
		return opLn, true
	case "log2":
		return opLog2, true
	case "sqrt":
		return opSqrt, true
	}
	return 0, false
}

// run returns the value of a program at n, and false if there is none: for an
// empty program and as soon as a value is not finite.
func run(program []instruction, n float64) (float64, bool) {
	var space [16]float64
	stack := space[:0]
	for _, in := range program {
		stack = step(stack, in, n)
		if top := stack[len(stack)-1]; math.IsInf(top, 0) || math.IsNaN(top) {
			return 0, false
		}
	}
	if len(stack) == 0 {
		return 0, false
	}
	return stack[0], true
}

// step carries out one instruction on the stack.
func step(stack []float64, in instruction, n float64) []float64 {
	switch in.op {
	case opNumber:
		return append(stack, in.number)
	case opN:
		return append(stack, n)
	}
	top := len(stack) - 1
	if in.op >= opNegate {
		stack[top] = unary(in.op, stack[top])
		return stack
	}
	stack[top-1] = binary(in.op, stack[top-1], stack[top])
	return stack[:top]
}

// binary returns x op y.
func binary(op opcode, x, y float64) float64 {
	switch op {
	case opAdd:
		return x + y
	case opSubtract:
		return x - y
	case opMultiply:
		return float64(x * y)
	case opDivide:
		return x / y
	}
	return elementary.Pow(x, y)
}

// unary returns op x.
func unary(op opcode, x float64) float64 {
	switch op {
	case opNegate:
		return -x
	case opLn:
		return math.Log(x)
	case opLog2:
		return elementary.Log2(x)
	}
	return math.Sqrt(x)
}
