package schedule

import "repslab/fattree"

// Player plays a schedule: it knows which operations have ended, which compute and which wait for what. It does
// not know how messages travel.
type Player struct{ schedule *Schedule }

// NewPlayer returns a Player at the beginning of a valid schedule.
func NewPlayer(s *Schedule) *Player { return &Player{s} }

// Next returns the time at which the next operation ends of which the Player itself knows; Never if all that goes on
// are messages.
func (p *Player) Next() fattree.Picoseconds { panic("to be written") }

// Advance plays up to a time, itself included, and calls send for each message that a rank hands to the network, in
// the order of time and of operations; the message is named by its Send.
func (p *Player) Advance(until fattree.Picoseconds, send func(op int32, at fattree.Picoseconds)) {}

// Delivered notes that all of a message has arrived at its receiver.
func (p *Player) Delivered(op int32, at fattree.Picoseconds) {}

// Acknowledged notes that the sender of a message knows it.
func (p *Player) Acknowledged(op int32, at fattree.Picoseconds) {}
