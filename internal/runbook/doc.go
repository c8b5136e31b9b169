// Package runbook answers one question: what did a run leave behind? It writes small values, numbers by key, as lines of
// text, and reads them again.
//
// A [Book] holds the values of the runs of one figure. A line of its file is
//
//	{"key":{"group":"patterns","lb":"reps"},"seed":1,"run":3,"value":{"Sent":4096}}
//
// where run is the replica, or -n of an estimate from n replicas. Values are those of [Encode]: fields by name without those
// that are zero, numbers that are not finite as text. Lines are in no order while a file grows, and in that of
// [Book.WriteTo] in a finished one.
package runbook
