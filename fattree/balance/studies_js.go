package balance

import (
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/reps"
)

// newLarge refuses the ring: see studies.go.
func newLarge(c RecyclingConfig, _ func(packets int) reps.Config, _ bool) (transport.Balancer, error) {
	return nil, faults.New("balance", "BufferSize", c.REPS.BufferSize, "must be at most %d", reps.MaxBufferSize)
}

// studies returns nil: see studies.go.
func studies() []Named { return nil }
