package figures

import (
	"math"

	"repslab/internal/frame"
	"repslab/mc"
)

// cells are a part of a row.
type cells = frame.Row

// madeFrom returns the last cells of most rows: seed and number of replicas.
func madeFrom[N int | uint64](seed uint64, replicas N) cells {
	return cells{{"seed", seed}, {"replicas", replicas}}
}

// orNull returns a cell's value, or nil if it is not known.
func orNull(known bool, value any) any {
	if !known {
		return nil
	}
	return value
}

// knownIf returns an estimate, or one without a value if it is not known.
func knownIf(known bool, e mc.Estimate) mc.Estimate {
	if none := math.NaN(); !known {
		return mc.Estimate{Value: none, StdErr: none, Lo: none, Hi: none, N: e.N}
	}
	return e
}
