// Package times reads times with units, as flags and failures have them.
package times

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Read reads a time such as 20, 500ns or 1ms and returns it in picoseconds, rounded. Without a unit it is in us. It
// must be in [least, most] us.
func Read(text string, least, most float64) (ps int64, err error) {
	number, unit := text, 1.0
	for _, u := range []struct {
		name string
		us   float64
	}{{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}} {
		if before, has := strings.CutSuffix(text, u.name); has {
			number, unit = before, u.us
			break
		}
	}
	us, err := strconv.ParseFloat(number, 64)
	if us *= unit; err != nil || !(us >= least && us <= most) {
		return 0, fmt.Errorf("%.40q must be a time in [%v, %v] us, such as 20, 20us, 500ns or 1ms", text, least, most)
	}
	return int64(math.Round(1e6 * us)), nil
}
