package figures

import (
	"repslab/internal/report"
)

// ECN thresholds of the microscopic figures, packets.
const (
	microKMin = 20
	microKMax = 80
)

// thresholds returns the lines that mark them.
func thresholds() []report.Rule {
	return []report.Rule{{At: microKMin, Label: "Kmin"}, {At: microKMax, Label: "Kmax"}}
}
