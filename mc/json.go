package mc

import (
	"encoding/json"
	"fmt"
	"math"
)

// written is an [Estimate] as JSON: numbers that are not finite are null, and fields that are zero are left out.
type written struct {
	Value, StdErr, Lo, Hi *float64
	Confidence            float64  `json:",omitempty"`
	N                     uint64   `json:",omitempty"`
	Warnings              []string `json:",omitempty"`
	Logarithmic           bool     `json:",omitempty"`
	Origin, Span          float64  `json:",omitempty"`
	Identical             bool     `json:",omitempty"`
}

// MarshalJSON implements [json.Marshaler]. Value, StdErr, Lo and Hi are null where the estimate has none, and the Basis
// is left out.
func (e Estimate) MarshalJSON() ([]byte, error) {
	finite := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	return json.Marshal(written{finite(e.Value), finite(e.StdErr), finite(e.Lo), finite(e.Hi), e.Confidence, e.N,
		e.Warnings, e.logarithmic, e.origin, e.span, e.identical})
}

// UnmarshalJSON implements [json.Unmarshaler] for what MarshalJSON writes: a null Value or StdErr is NaN, an end that is
// null infinite.
func (e *Estimate) UnmarshalJSON(data []byte) error {
	var w written
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("mc: %w", err)
	}
	or := func(x *float64, missing float64) float64 {
		if x == nil {
			return missing
		}
		return *x
	}
	*e = Estimate{Value: or(w.Value, math.NaN()), StdErr: or(w.StdErr, math.NaN()), Lo: or(w.Lo, math.Inf(-1)),
		Hi: or(w.Hi, math.Inf(1)), Confidence: w.Confidence, N: w.N, Warnings: w.Warnings, logarithmic: w.Logarithmic,
		origin: w.Origin, span: w.Span, identical: w.Identical}
	return nil
}
