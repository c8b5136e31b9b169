package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
)

// MaxEVS is the largest entropy value set: every 16-bit EV.
const MaxEVS = 1 << 16

// longestTime keeps sums of times far below overflow.
const longestTime fattree.Picoseconds = 1 << 60

// checkEVS reports a wrong size of a set of EVs.
func checkEVS(evs int) error {
	if evs < 1 || evs > MaxEVS {
		return faults.New("balance", "evs", evs, "must be in [1, %d]", MaxEVS)
	}
	return nil
}

// withEVs returns b, a balancer for evs EVs, or the error of [checkEVS].
func withEVs(evs int, b transport.Balancer) (transport.Balancer, error) {
	if err := checkEVS(evs); err != nil {
		return nil, err
	}
	return b, nil
}

// made panics unless a balancer has EVs: without any, its constructor was not called.
func made(has bool, constructor string) {
	if !has {
		panic("balance: a balancer without EVs: use " + constructor)
	}
}

// unmeasured is embedded in balancers that use no RTTs.
type unmeasured struct{}

// Traits says that it uses no RTTs.
func (unmeasured) Traits() transport.Traits { return transport.Traits{IgnoresRTTs: true} }

// fixed is embedded in balancers that ignore feedback and use no RTTs.
type fixed struct{ unmeasured }

// Feedback changes nothing.
func (fixed) Feedback(transport.Feedback) {}

// from returns the Inspect of a balancer that keeps no EVs: all that it sends have one origin.
func from(origin transport.Origin) func(flow int32, _ []transport.Slot) transport.Memory {
	return func(int32, []transport.Slot) transport.Memory { return transport.Memory{Next: origin} }
}

// generators returns the generators of flows 0 to count-1, in list if it is large enough.
func generators(list []mc.Rand, count int, random mc.Stream) []mc.Rand {
	list = resized(list, count)
	for i := range list {
		list[i] = random.Child(uint64(i)).Rand()
	}
	return list
}

// resized returns a list of count entries with arbitrary content, in list if it is large
// enough.
func resized[T any](list []T, count int) []T {
	if cap(list) < count {
		return make([]T, count)
	}
	return list[:count]
}
