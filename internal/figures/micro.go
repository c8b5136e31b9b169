package figures

import (
	"repslab/internal/plot"
)

// ECN thresholds of the microscopic figures, packets.
const (
	microKMin = 20
	microKMax = 80
)

// thresholds returns the lines that mark them.
func thresholds() []plot.ReferenceLine {
	return []plot.ReferenceLine{{At: microKMin, Label: "Kmin"}, {At: microKMax, Label: "Kmax"}}
}
