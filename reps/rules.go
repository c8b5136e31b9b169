package reps

import "slices"

// rules is a validated Config packed into 16 bytes. Each connection holds its own copy, which is no larger than a
// pointer and a word. The copy saves the hot path an indirection and keeps the connection free of pointers, so the
// garbage collector does not scan slices of connections.
type rules struct {
	evsSize         uint32
	freezingTimeout uint32 // ns
	window          uint16 // packets of exploration after freezing mode
	divisor         uint16 // see multipleOfSize
	size            uint8  // ring entries
	reuse           uint8  // uses of a cached EV
	exit            Exit
	caching         Caching // in freezing mode; noFreezing without one
}

// noFreezing is the caching of rules without a freezing mode.
const noFreezing Caching = 1<<8 - 1

// newRules returns the packed form of c, which must be valid and complete.
func newRules(c Config) rules {
	if c.DisableFreezing {
		c.FrozenCache = noFreezing
	}
	return rules{
		evsSize:         uint32(c.EVSSize),
		freezingTimeout: c.FreezingTimeout,
		window:          uint16(c.PacketsPerWindow),
		divisor:         uint16((1<<16 - 1) / c.BufferSize),
		size:            uint8(c.BufferSize),
		reuse:           uint8(c.ReuseCount),
		exit:            c.Exit,
		caching:         c.FrozenCache,
	}
}

// takes reports whether the ring takes an EV in freezing mode.
func (r *rules) takes(g *ring, ev uint16) bool {
	switch r.caching {
	case CacheNew:
		return !slices.Contains(g.ev[:g.written], ev)
	case CacheFree:
		return g.written < r.size
	}
	return true
}

// mustBeReady panics before Init. Methods that run for every packet call it where they leave their usual path.
func (r *rules) mustBeReady() {
	if r.evsSize == 0 {
		panic("reps: call Init before its first use")
	}
}

// config is the inverse of newRules.
func (r *rules) config() Config {
	r.mustBeReady()
	caching := r.caching
	if caching == noFreezing {
		caching = CacheAll
	}
	return Config{
		BufferSize:       int(r.size),
		EVSSize:          int(r.evsSize),
		FreezingTimeout:  r.freezingTimeout,
		PacketsPerWindow: int(r.window),
		ReuseCount:       int(r.reuse),
		Exit:             r.exit,
		DisableFreezing:  r.caching == noFreezing,
		FrozenCache:      caching,
	}
}

// multipleOfSize reports whether the ring size divides x, without a division.
// With c = floor((2^16-1)/size) + 1 the product c*x modulo 2^16 is below c
// exactly for multiples of size; this holds for every 8-bit x and size, which
// a test checks one by one.
func (r *rules) multipleOfSize(x uint8) bool {
	return uint16(x)*(r.divisor+1) <= r.divisor
}

// after reports whether now is later than deadline on a clock of nanoseconds modulo 2^32, by the shorter way
// round: true when now is 1 to 2^31-1 ns past deadline.
func after(now, deadline uint32) bool {
	return int32(now-deadline) > 0
}
