package claims

import (
	"cmp"
	"fmt"
	"math"

	"repslab/mc"
)

// Number is a claimed number: the interval of values that round to it, without upper end if the paper says
// "over"; the value without any effect, or NaN if the number is not a gain; and whether the paper says
// "about".
type Number struct {
	Lo, Hi, None float64
	About        bool
}

// far is the factor between an estimated and the claimed gain from which on the estimate gets another grade.
const far = 3

// open reports whether the number is only the least one claimed, as in "over 70×".
func (n Number) open() bool { return math.IsInf(n.Hi, 1) }

// quarter returns a quarter of the claimed effect, the distance from the value without effect, or from 0. It
// is 0 for the least number claimed, which needs no room.
func (n Number) quarter() float64 {
	middle := (n.Lo + n.Hi) / 2
	switch {
	case n.open():
		return 0
	case math.IsNaN(n.None):
		return math.Abs(middle) / 4
	}
	return math.Abs(middle-n.None) / 4
}

// gain returns the ends of the claimed gain, as distances from the value without effect.
func (n Number) gain() (lo, hi float64) {
	if n.Hi > n.None {
		return n.Lo - n.None, n.Hi - n.None
	}
	return n.None - n.Hi, n.None - n.Lo
}

// gains returns the condition that the gain of an estimate, on the claimed side of the value without effect,
// is within two ends. It is never met if the number is not a gain.
func (n Number) gains(e mc.Estimate, least, most float64) Condition {
	switch {
	case math.IsNaN(n.None):
		return Certain(false)
	case n.Hi > n.None:
		return Bound{Lo: n.None + least, Hi: n.None + most}.of(e)
	}
	return Bound{Lo: n.None - most, Hi: n.None - least}.of(e)
}

// farSmaller reports whether the interval of an estimated gain is below a third of the claimed gain. Gains
// are distances from the value without effect, so a ratio and the same gain in percent are treated alike.
func (n Number) farSmaller(e mc.Estimate) bool {
	lo, _ := n.gain()
	return n.gains(e, math.Inf(-1), lo/far).Grade() == Reproduced
}

// farLarger reports whether the interval of an estimated gain is above three times the claimed one.
func (n Number) farLarger(e mc.Estimate) bool {
	_, hi := n.gain()
	return n.gains(e, far*hi, math.Inf(1)).Grade() == Reproduced
}

// told returns the interval to compare with the number. For "about" and "over" it is the interval of the
// mean, because they speak of the usual size. Otherwise it is the interval of one run, because the paper
// shows one run.
func (n Number) told(e mc.Estimate) (lo, hi float64) {
	if n.About || n.open() {
		return e.Lo, e.Hi
	}
	return e.Predicted()
}

// inside reports whether the interval to compare meets the number.
func (n Number) inside(e mc.Estimate) bool {
	lo, hi := n.told(e)
	return lo <= n.Hi && n.Lo <= hi
}

// size reports whether a mean is near the number: at most a quarter of the effect away ("about" has this
// quarter in its ends). It also reports whether the mean is known well enough to tell: its interval reaches
// at most a quarter of the effect to either side, or lies farther away than this as a whole. Of the least
// number claimed it tells if the whole interval lies on one side.
func (n Number) size(mean mc.Estimate) (near, known bool) {
	lo, hi := n.Lo-n.quarter(), n.Hi+n.quarter()
	near = n.About || mean.Value >= lo && mean.Value <= hi
	return near, (mean.Hi-mean.Lo)/2 <= n.quarter() || mean.Hi < lo || mean.Lo > hi || n.open() && mean.Lo >= lo
}

// grade returns the grade of an estimate of the number, and the p-value of its direction. The number is
// reproduced if two conditions hold. Within its rounding, it may be the result of one run like ours (for
// "about" and "over" it is of the mean). And the mean is near the number: known to a quarter of the effect,
// and at most a quarter away. A mean known less well is undecided. Otherwise the size differs: the grade
// depends on the direction, and on whether the gain is far smaller or far larger.
func (n Number) grade(e mc.Estimate) (grade Grade, p float64) {
	grade, p = Undecided, math.NaN()
	inside := n.inside(e)
	near, known := n.size(e)
	if !math.IsNaN(n.None) {
		direction := n.gains(e, 0, math.Inf(1))
		grade, p = direction.Grade(), direction.pValue()
		switch {
		case grade != Reproduced:
		case inside && !known:
			grade, p = Undecided, math.NaN()
		case !inside && n.farSmaller(e):
			grade = FarSmaller
		case !inside && n.farLarger(e):
			grade = FarLarger
		default:
			grade = Direction
		}
	} else if !inside && e.N >= mc.Fewest {
		grade = Contradicted
	}
	if inside && known && near && grade != Contradicted {
		grade = Reproduced
	}
	return grade, p
}

// agreement returns whether an estimate of the authors agrees with the number, by its grade.
func (n Number) agreement(e mc.Estimate) Agreement {
	grade, _ := n.grade(e)
	return cmp.Or(map[Grade]Agreement{Reproduced: Agrees, Contradicted: Contradicts, Undecided: TooFew}[grade], OtherSize)
}

// accepted says in words which means the rule of size accepts.
func (n Number) accepted() string {
	switch {
	case n.open():
		return fmt.Sprintf("means of at least %g", n.Lo)
	case n.About:
		return fmt.Sprintf("means whose interval meets %g to %g", n.Lo, n.Hi)
	}
	return fmt.Sprintf("means from %.6g to %.6g if one run may give %g to %g", n.Lo-n.quarter(), n.Hi+n.quarter(), n.Lo, n.Hi)
}

// sizeWords compares the claimed number with the result of one run, or with the mean.
func (n Number) sizeWords(e mc.Estimate) string {
	lo, hi := n.told(e)
	near, known := n.size(e)
	inside := n.inside(e)
	run, outside := fmt.Sprintf("one run gives %s to %s", threeDigits(lo), threeDigits(hi)), "not the paper's number"
	switch {
	case n.About:
		run, outside = fmt.Sprintf("\"about\" is taken as %s to %s", threeDigits(n.Lo), threeDigits(n.Hi)), "the mean is outside"
	case n.open():
		run, outside = fmt.Sprintf("claimed is at least %s", threeDigits(n.Lo)), "the mean is below"
	}
	switch {
	case math.IsNaN(lo) || math.IsInf(lo, 0) || math.IsInf(hi, 0):
		return "too few runs, or all alike"
	case inside && !known:
		return fmt.Sprintf("%d runs do not tell the mean to a quarter of the claim", e.N)
	case inside && !near:
		return run + ", but the mean is another"
	case inside:
		return run
	}
	return run + ", " + outside
}

// threeDigits writes a number with three digits, or with all digits before the point.
func threeDigits(x float64) string {
	if math.Abs(x) >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
