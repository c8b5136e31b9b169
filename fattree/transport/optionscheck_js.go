package transport

import "repslab/fattree"

// validate does nothing: the live page chooses the options itself, and has no room for more.
func (Options) validate(*fattree.Plan) error { return nil }
