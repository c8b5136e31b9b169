package schedule

import "repslab/fattree"

// Limits of a schedule.
const (
	maxRanks = fattree.MaxHosts
	maxOps   = 1 << 24
	MaxCalc  = 4_000_000_000_000_000 // sum of all calcs in nanoseconds, 46 days, so that no time overflows
	MaxBytes = 1 << 50               // bytes of a message
)

// Kind tells what an operation does.
type Kind uint8

// The kinds of operation.
const (
	Calc Kind = iota // computes for a time
	Send             // sends a message to another rank
	Recv             // waits for a message
)

// Op is an operation of a rank.
type Op struct {
	Kind   Kind
	CPU    uint8 // stream of the rank
	Rank   int32 // rank of the operation
	Peer   int32 // the other rank of a Send or Recv; -1 for a Recv from any rank
	Tag    int64 // tag of a Send or Recv; -1 for a Recv with any tag
	Amount int64 // nanoseconds of a Calc, bytes of a Send or Recv; at least 0
	Match  int32 // the operation at the other end of the message of a Send or Recv; -1 for a Calc
}

// Edge says which operation of the same rank an operation waits for.
type Edge struct {
	Before int32 // the operation to wait for
	Start  bool  // wait for its start (irequires), not for its end (requires)
}

// Schedule lists what ranks do, and which operations wait for which. It has no times of messages: the network
// determines them. [Read] and the makers of this package return schedules that can be played to their end.
type Schedule struct {
	Ranks int
	Ops   []Op     // in the order of ranks, and within a rank in the order of the file
	Needs [][]Edge // by operation

	Warnings []string // about the file; Write omits them
}
