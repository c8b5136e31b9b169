package schedule

import (
	"bufio"
	"fmt"
	"io"

	"repslab/faults"
)

// Write writes a schedule in the GOAL format. [Read] of the text returns an equal schedule, with operations in the
// same order. O(operations and edges).
func Write(w io.Writer, s *Schedule) error {
	if w == nil || s == nil {
		return faults.New("schedule", "w, s", nil, "must be set: a writer and a schedule")
	}
	if err := s.validate(); err != nil {
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
	next := 0
	for rank := range s.Ranks {
		first := next
		fmt.Fprintf(b, "rank %d {\n", rank)
		for ; next < len(s.Ops) && int(s.Ops[next].Rank) == rank; next++ {
			op := &s.Ops[next]
			fmt.Fprintf(b, forms[op.Kind], next-first+1, op.Amount, op.Peer, op.Tag, op.CPU)
		}
		for op, needs := range s.Needs[first:next] {
			for _, e := range needs {
				fmt.Fprintf(b, "l%d %s l%d\n", op+1, verbs[e.Start], int(e.Before)-first+1)
			}
		}
		fmt.Fprintln(b, "}")
	}
	return b.Flush()
}
