// Package runbook records the results of runs: it writes small values, such as structs of numbers, as
// lines of text and reads them again.
//
// A [Book] holds the values of the runs of one figure. A line of its file is
//
//	{"key":{"group":"patterns","lb":"reps"},"seed":1,"run":3,"value":{"Sent":4096}}
//
// where run is the replica, or -n for an estimate from n replicas. While a file grows, a line ends with a checksum
// (internal/seal); a library's files are compressed by gzip, which has its own, and its index has a digest of each
// book, which [ReadBook] checks. [Encode] writes values: fields by name, without zero fields, and numbers that are not
// finite as text. Lines have no order while a file grows. In a finished file they have the order of [Book.Runs].
package runbook
