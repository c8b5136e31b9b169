package mrc

import (
	"cmp"
	"errors"

	"repslab/faults"
)

// Limits and defaults of [Config].
const (
	MaxPlanes = 16      // planes of a connection
	MaxValues = 1 << 16 // largest number of EVs to draw from in a plane
	MaxSet    = 256     // largest set of a plane: active and backup EVs together

	defaultActive       = 128 // EVs of all planes together, [MRC26]
	DefaultProbeReplies = 3   // [MRC26] only says "enough"; another simulator takes 3
)

// SkipRule says when an EV that is Skip becomes Good again. The sources allow all three rules; [MRC26] advises
// that at most one EV becomes Good for each packet sent.
type SkipRule uint8

// The rules.
const (
	SkipRotation     SkipRule = iota // when the rotation reaches the EV
	SkipOnePerPacket                 // when the rotation reaches the EV, but at most one EV for each packet sent
	// SkipHeld waits for [MRC.EndSkip]. If no EV is Good, the next one in the rotation becomes Good and stays Good.
	SkipHeld
)

// Order says in which order a connection goes through the active EVs of a plane. [MRC26] wants a pseudo-random
// order, drawn anew for each pass; the stride needs no memory.
type Order uint8

// The orders.
const (
	OrderStride Order = iota // in the order of the set, the same in each pass
	OrderDrawn               // in a uniform order, drawn anew for each pass
)

// String returns stride or drawn.
func (o Order) String() string { return [...]string{"stride", "drawn"}[o&1] }

// Config holds the constants of a connection. They are not part of its state. A field that is 0 has its documented
// default.
type Config struct {
	// Planes is the number of ports of the NIC, each to a plane of its own: 1 to 16, default 1.
	Planes int
	// Values is the number of EVs of a plane to draw from, [0, Values): with exact paths the number of paths. 1 to
	// 65536, default 65536.
	Values int
	// Active is the number of EVs in use in each plane: at least 1. By default all planes together have 128, or
	// each plane all Values if there are fewer.
	Active int
	// Backup is the number of EVs of each plane that wait to replace an active one. Active and Backup together are
	// at most 256 and at most Values. The default is as many as Active if there is room; -1 is none.
	Backup int
	// MinActive limits how many EVs lost packets take out of use: none further once only MinActive EVs of all
	// planes are active. 1 to Planes * Active, default a quarter of them, rounded up, as in the examples of
	// [MRC26].
	MinActive int
	// ProbeReplies is the number of probes in a row that must be answered before an EV is used again: 1 to 255,
	// default DefaultProbeReplies.
	ProbeReplies int
	// Skip says how long a congestion mark keeps an EV out of the rotation, default SkipRotation.
	Skip SkipRule
	// Order says in which order packets take the EVs of a plane, default OrderStride.
	Order Order
}

// withDefaults returns c with defaults applied.
func (c Config) withDefaults() Config {
	c.Planes = cmp.Or(c.Planes, 1)
	c.Values = cmp.Or(c.Values, MaxValues)
	if c.Planes > 0 {
		c.Active = cmp.Or(c.Active, min(max(1, defaultActive/c.Planes), c.Values))
	}
	c.Backup = cmp.Or(c.Backup, min(c.Active, MaxSet-c.Active, c.Values-c.Active))
	c.Backup = max(c.Backup, 0)
	c.MinActive = cmp.Or(c.MinActive, (c.Planes*c.Active+3)/4)
	c.ProbeReplies = cmp.Or(c.ProbeReplies, DefaultProbeReplies)
	return c
}

// Validate returns nil if c, with defaults applied, can configure an [MRC], and otherwise every fault, each naming
// the field, its value and what is allowed: joined [*faults.FieldError] values. O(1).
func (c Config) Validate() error {
	if c.Backup < -1 {
		return inRange("Backup", c.Backup, -1, MaxSet)
	}
	c = c.withDefaults()
	if err := errors.Join(inRange("Planes", c.Planes, 1, MaxPlanes), inRange("Values", c.Values, 1, MaxValues)); err != nil {
		return err
	}
	most := min(MaxSet, c.Values)
	if err := inRange("Active", c.Active, 1, most); err != nil {
		return err
	}
	return errors.Join(
		inRange("Backup", c.Backup, 0, most-c.Active),
		inRange("MinActive", c.MinActive, 1, c.Planes*c.Active),
		inRange("ProbeReplies", c.ProbeReplies, 1, 255),
		inRange("Skip", int(c.Skip), int(SkipRotation), int(SkipHeld)),
		inRange("Order", int(c.Order), int(OrderStride), int(OrderDrawn)),
	)
}

// inRange returns an error unless value is in [least, most].
func inRange(field string, value, least, most int) error {
	if value >= least && value <= most {
		return nil
	}
	return faults.New("mrc", field, value, "must be in [%d, %d]", least, most)
}

// StateBytes returns the size of a connection's state in [MRC.AppendState], with defaults applied: 6 bytes, and
// for each plane 5 bytes and two bits for each EV of its set. OrderDrawn adds 8 bytes, and one bit for each EV.
// Exact, O(1). A plane with 128 active EVs and as many backups has 75 bytes; 8 planes with 16 active and 16 backup
// EVs each have 110.
func (c Config) StateBytes() int {
	c = c.withDefaults()
	set := c.Active + c.Backup
	return 6 + c.Planes*(5+(set+3)/4) + int(c.Order)*(8+c.Planes*((set+7)/8))
}
