package plot

import (
	"math"
	"strconv"
	"strings"
)

// svgPen writes the data of an SVG path: relative steps, in multiples of a unit,
// with no more characters than needed.
type svgPen struct {
	unit           float64 // 1 or 0.01
	data           strings.Builder
	x, y           int // where it is, in units
	startX, startY int // where the part began
	last           byte
}

// units rounds a coordinate.
func (p *svgPen) units(v float64) int { return int(math.Round(v / p.unit)) }

// number returns n units, without a zero before the point.
func (p *svgPen) number(n int) string {
	if p.unit == 1 {
		return strconv.Itoa(n)
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	whole, part := strconv.Itoa(n/100), strings.TrimRight("."+strconv.Itoa(100 + n%100)[1:], "0")
	switch {
	case part == ".":
		return sign + whole
	case whole == "0":
		return sign + part
	}
	return sign + whole + part
}

// step writes a command, unless it is the last one's repetition, and its numbers.
func (p *svgPen) step(command byte, numbers ...int) {
	if command != p.last {
		p.data.WriteByte(command)
	}
	for i, n := range numbers {
		text := p.number(n)
		if (i > 0 || command == p.last) && !strings.HasPrefix(text, "-") {
			p.data.WriteByte(' ')
		}
		p.data.WriteString(text)
	}
	p.last = command
}

// move lifts the pen.
func (p *svgPen) move(x, y float64) {
	nx, ny := p.units(x), p.units(y)
	p.last = 0 // numbers after a move would be lines
	p.step('m', nx-p.x, ny-p.y)
	p.last = 'l' // and are
	p.x, p.y, p.startX, p.startY = nx, ny, nx, ny
}

// line draws a line. One shorter than half a unit is left out.
func (p *svgPen) line(x, y float64) {
	dx, dy := p.units(x)-p.x, p.units(y)-p.y
	switch {
	case dx == 0 && dy == 0:
		return
	case dx == 0:
		p.step('v', dy)
	case dy == 0:
		p.step('h', dx)
	default:
		p.step('l', dx, dy)
	}
	p.x, p.y = p.x+dx, p.y+dy
}

// curve draws a quadratic or a cubic curve through control points to an end, x
// and y in turn.
func (p *svgPen) curve(points []float64) {
	steps := make([]int, len(points))
	for i, v := range points {
		steps[i] = p.units(v) - []int{p.x, p.y}[i%2]
	}
	p.step([]byte{4: 'q', 6: 'c'}[len(points)], steps...)
	p.x, p.y = p.x+steps[len(steps)-2], p.y+steps[len(steps)-1]
}

// arc draws at most half a circle, to the left or to the right.
func (p *svgPen) arc(radius float64, left bool, x, y float64) {
	r, sweep := p.units(radius), "1"
	if left {
		sweep = "0"
	}
	dx, dy := p.units(x)-p.x, p.units(y)-p.y
	p.last = 0
	p.step('a', r, r)
	p.data.WriteString(" 0 0 " + sweep)
	p.last = 'a'
	p.step('a', dx, dy)
	p.last = 0
	p.x, p.y = p.x+dx, p.y+dy
}

// close draws a line to where the part began.
func (p *svgPen) close() {
	p.step('z')
	p.last = 0
	p.x, p.y = p.startX, p.startY
}
