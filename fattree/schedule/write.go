package schedule

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"repslab/faults"
)

// Write writes a schedule in the GOAL format. [Read] of the text returns an equal schedule, with operations in the
// same order. O(operations and edges).
func Write(w io.Writer, s *Schedule) error {
	if err := checkWrite(w, s); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	forms := []string{
		Calc: "l%d: calc %d cpu %[5]d\n",
		Send: "l%d: send %db to %d tag %d cpu %d\n",
		Recv: "l%d: recv %db from %d tag %d cpu %d\n",
	}
	verbs := map[bool]string{false: "requires", true: "irequires"}
	fmt.Fprintf(b, "num_ranks %d\n", s.Ranks)
	rank := 0
	for first, end := range s.ranks() {
		fmt.Fprintf(b, "rank %d {\n", rank)
		for i, op := range s.Ops[first:end] {
			fmt.Fprintf(b, forms[op.Kind], i+1, op.Amount, op.Peer, op.Tag, op.CPU)
		}
		for op, needs := range s.Needs[first:end] {
			for _, e := range needs {
				fmt.Fprintf(b, "l%d %s l%d\n", op+1, verbs[e.Start], int(e.Before)-first+1)
			}
		}
		fmt.Fprintln(b, "}")
		rank++
	}
	return b.Flush()
}

// checkWrite returns an error for a schedule that cannot be written.
func checkWrite(w io.Writer, s *Schedule) error {
	if w == nil || s == nil {
		return faults.New("schedule", "w, s", nil, "must be set: a writer and a schedule")
	}
	return s.validate()
}

// ranks yields the first operation of each rank, and the one after its last.
func (s *Schedule) ranks() iter.Seq2[int, int] {
	return func(yield func(first, end int) bool) {
		first := 0
		for rank := range s.Ranks {
			end := first
			for end < len(s.Ops) && int(s.Ops[end].Rank) == rank {
				end++
			}
			if !yield(first, end) {
				return
			}
			first = end
		}
	}
}
