// Package leaks shows types of internal packages in every kind of exported declaration, for
// TestNoInternalTypes.
package leaks

import (
	"repslab/internal/bins"
	"repslab/internal/values"
)

// Ports is an alias.
type Ports = bins.Ports

// Queues is the slice of a variable.
var Queues []bins.Queues

// Parse has a parameter and a result.
func Parse(values.IntRange) (map[string]*values.Expr, error) { return nil, nil }

// Config has a field, an embedded type and a method; what is not exported does not count.
type Config struct {
	Range  struct{ Inner chan<- values.IntRange }
	hidden bins.Lockstep
	bins.Rings
}

// Ring takes a function.
func (c *Config) Ring(func(bins.Lockstep)) {}

func (c *Config) wheel() bins.Lockstep { return c.hidden }

// Source has a method.
type Source interface{ Wheel() [2]bins.Lockstep }

// Set has a constraint.
type Set[V interface{ *values.IntRange | int }] []V

// Range is declared by another type.
type Range values.FloatRange

// Instance has a type argument.
type Instance struct{ Sets Box[bins.Lockstep] }

// Box is generic.
type Box[T any] struct{ In T }

// New returns a type that is not exported, and its methods can be called.
func New() *secret { return nil }

type secret struct{}

// Wheel leaks.
func (*secret) Wheel() bins.Lockstep { return bins.Lockstep{} }

var _ = (&Config{}).wheel
