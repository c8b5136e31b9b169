// Package runbook answers one question: what did a run leave behind? It writes small values, numbers by key, as lines
// of text, and reads them again.
//
// A [Book] holds the values of the runs of one figure. A line of its file is
//
//	{"key":{"group":"patterns","lb":"reps"},"seed":1,"run":3,"value":{"Sent":4096}}
//
// where run is the replica, or -n of an estimate from n replicas. [Encode] writes values: fields
// by name, zero fields left out, numbers that are not finite as text. Lines are in no order while a file grows, and in a
// finished one in the order of [Book.Runs].
package runbook
