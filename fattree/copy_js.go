package fattree

// Clone returns s: the live page changes nothing that it has passed to Build, and has no room for copies.
func (s Spec) Clone() Spec { return s }

// clone returns o, for the same reason.
func (o Outline) clone() Outline { return o }

// clone returns w, for the same reason.
func (w wires) clone() wires { return w }
