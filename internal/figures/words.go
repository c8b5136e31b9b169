package figures

import (
	"fmt"
	"math"

	"repslab/mc"
)

// Interval formats an estimate with its interval, if it has one.
func Interval(e mc.Estimate, format string) string {
	if math.IsInf(e.Lo, 0) || math.IsInf(e.Hi, 0) {
		return fmt.Sprintf(format+" (no interval)", e.Value)
	}
	return fmt.Sprintf(format+" ["+format+", "+format+"]", e.Value, e.Lo, e.Hi)
}
