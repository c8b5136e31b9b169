package mrc

import (
	"errors"
	"fmt"
)

// Limits and defaults of [Config].
const (
	MaxPlanes = 16
	MaxValues = 1 << 16 // EVs of a plane
	MaxSet    = 256     // active and backup EVs of a plane

	DefaultActive       = 128 // EVs of all planes together, [MRC26]
	DefaultProbeReplies = 3   // "enough", [MRC26]; another simulator takes 3
)

// SkipRule says when an EV that is Skip becomes Good again. The sources allow all of them; [MRC26] advises that at most
// one does for each packet sent.
type SkipRule uint8

// The rules.
const (
	SkipRotation     SkipRule = iota // when the rotation comes by
	SkipOnePerPacket                 // when the rotation comes by, but one EV for each packet sent at most
	// When [MRC.EndSkip] is called. If no EV is Good, the next one in the rotation becomes Good at once, and stays so.
	SkipHeld
)

// Order says in which order a connection goes through the active EVs of a plane. [MRC26] wants a pseudo-random one,
// drawn anew; the stride needs no memory.
type Order uint8

// The orders.
const (
	OrderStride Order = iota // as they follow in the set, in each pass again
	OrderDrawn               // a uniform one, drawn anew for each pass
)

// String returns stride or drawn.
func (o Order) String() string { return [...]string{"stride", "drawn"}[o&1] }

// Config holds the constants of a connection. They are no part of its state. The zero value has the documented
// defaults, a 0 being one.
type Config struct {
	// Planes is the number of ports of the NIC, each to a plane of its own: 1 to 16, default 1.
	Planes int
	// Values is the number of EVs of a plane to draw from, those of [0, Values): with exact paths the number
	// of paths. 1 to 65536, default 65536.
	Values int
	// Active is the number of EVs in use in each plane: at least 1, default 128 of all planes, or all Values.
	Active int
	// Backup is the number of EVs of each plane that wait to replace one: with Active at most 256 and Values;
	// default as many as Active if there is room. -1 is none.
	Backup int
	// MinActive is the number of active EVs of all planes from which on lost packets take no further one out of
	// use: 1 to Planes * Active, default a quarter of them, rounded up, as in the examples of [MRC26].
	MinActive int
	// ProbeReplies is the number of probes in a row that must be answered until an EV is used again: 1 to
	// 255, default DefaultProbeReplies.
	ProbeReplies int
	// Skip says how long a mark passes over an EV, default SkipRotation.
	Skip SkipRule
	// Order says in which order packets take the EVs of a plane, default OrderStride.
	Order Order
}

// withDefaults returns c with defaults applied.
func (c Config) withDefaults() Config {
	orDefault(&c.Planes, 1)
	orDefault(&c.Values, MaxValues)
	if c.Planes > 0 {
		orDefault(&c.Active, min(max(1, DefaultActive/c.Planes), c.Values))
	}
	orDefault(&c.Backup, min(c.Active, MaxSet-c.Active, c.Values-c.Active))
	c.Backup = max(c.Backup, 0)
	orDefault(&c.MinActive, (c.Planes*c.Active+3)/4)
	orDefault(&c.ProbeReplies, DefaultProbeReplies)
	return c
}

// orDefault sets a number that is zero.
func orDefault(number *int, value int) {
	if *number == 0 {
		*number = value
	}
}

// Validate returns nil if c, with defaults applied, can configure an [MRC], and otherwise every fault, each naming
// the field, its value and what is allowed: joined [*RangeError] values. O(1).
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

// RangeError reports a field of a [Config], or a number of an encoded state, out of range.
type RangeError struct {
	Field              string
	Value, Least, Most int // the value, and what is allowed
}

// Error names the field, the value and what is allowed.
func (e *RangeError) Error() string { return "mrc: " + e.About(e.Field) }

// About returns the message with another name of the field, such as that of a flag.
func (e *RangeError) About(name string) string {
	return fmt.Sprintf("%s (%d) must be in [%d, %d]", name, e.Value, e.Least, e.Most)
}

// inRange returns an error unless value is in [least, most].
func inRange(field string, value, least, most int) error {
	if value >= least && value <= most {
		return nil
	}
	return &RangeError{field, value, least, most}
}

// StateBytes returns the size of a connection's state in [MRC.AppendState], defaults applied: 6 bytes, 5 for each plane
// and two bits for each EV of its set; with OrderDrawn 8 more, and one bit more for each EV. Exact, O(1). A plane with
// 128 active EVs and as many backups has 75 bytes; 8 planes with 16 of each have 110.
func (c Config) StateBytes() int {
	c = c.withDefaults()
	set := c.Active + c.Backup
	return 6 + c.Planes*(5+(set+3)/4) + int(c.Order)*(8+c.Planes*((set+7)/8))
}
