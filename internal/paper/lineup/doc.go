// Package lineup answers one question: which load balancers do the figures of the
// paper compare, under which names and looks?
package lineup
