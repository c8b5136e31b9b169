package schedule

import "repslab/fattree"

// Limits of a schedule.
const (
	MaxRanks = fattree.MaxHosts
	MaxOps   = 1 << 24
	MaxCalc  = 4_000_000_000_000_000 // nanoseconds of all calcs together, 46 days; so no time overflows
	MaxBytes = 1 << 50               // of a message
)

// Kind tells what an operation does.
type Kind uint8

// The kinds of operation.
const (
	Calc Kind = iota // computes for a time
	Send             // sends a message to another rank
	Recv             // waits for one
)

// Op is an operation of a rank.
type Op struct {
	Kind   Kind
	CPU    uint8 // the stream of its rank that it takes
	Rank   int32 // whose it is
	Peer   int32 // the other rank of a Send or Recv; -1 of a Recv from any
	Tag    int64 // of a Send or Recv; -1 of a Recv with any
	Amount int64 // nanoseconds of a Calc, bytes of a Send or Recv; at least 0
	Match  int32 // the operation at the other end of a Send's or Recv's message; -1 of a Calc
}

// Edge lets an operation wait for another one of its rank.
type Edge struct {
	Before int32 // the operation that is waited for
	Start  bool  // for its start (irequires), not for its end (requires)
}

// Schedule lists what ranks do, and what waits for what. It holds no times of messages: these are the network's.
// [Read] and the makers of this package return schedules that can be played to their end.
type Schedule struct {
	Ranks int
	Ops   []Op     // in the order of ranks, and within a rank in that of the file
	Needs [][]Edge // by operation

	Warnings []string // about the file; Write leaves them out
}
