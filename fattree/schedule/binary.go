package schedule

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"repslab/faults"
)

// Constants of GOAL's binary form.
const (
	cookie     = 4223           // the first 8 bytes
	usedCookie = 2342           // replaces it when LogGOPSim simulates the file
	anything   = math.MaxUint32 // any source, or any tag
	shortForm  = 39             // bytes of an operation
	longForm   = 104            // bytes of an operation in files of LogGOPSim2, which has more fields after the others
)

// header is the beginning of a binary file. The places of the ranks follow.
type header struct {
	Cookie           uint64
	Ranks            uint32
	LastCPU, LastNIC uint8
}

// place says where a rank begins and ends, in bytes after the cookie.
type place struct{ Begin, End uint64 }

// record is an operation in a binary file.
type record struct {
	Waits    uint32 // number of operations that it waits for
	Type     uint8  // 1 for a Send, 2 for a Recv, 3 for a Calc
	Peer     uint32
	Size     uint64
	Tag      uint32
	CPU, NIC uint8
	// Waiting lists the operations that wait for its end, and for its start: parts of the rank's appendix.
	Waiting [2]struct{ Count, First uint32 }
}

// isBinary reports whether a file that begins with start is in the binary form, and whether LogGOPSim has used it.
func isBinary(start []byte) (is, used bool) {
	if len(start) < 8 {
		return false, false
	}
	c := binary.LittleEndian.Uint64(start)
	return c == cookie || c == usedCookie, c == usedCookie
}

// binaryReader is the part of a binary file read so far.
type binaryReader struct {
	from   io.Reader
	header header
	forms  []int // the forms that all ranks so far can have
	s      *Schedule
	firsts []int32 // by rank: its first operation

	block    bytes.Buffer // what the file says of one rank, in memory that all ranks share
	records  []record     // its operations
	roots    []uint32     // its operations that wait for nothing, in ascending order
	appendix []uint32     // its lists of operations
}

// readBinary reads a file in the binary form. Besides the schedule it holds the operations of one rank at a time, and
// never more than the file has.
func readBinary(r io.Reader) (*Schedule, error) {
	p := &binaryReader{from: r, forms: []int{shortForm, longForm}, s: &Schedule{}}
	places, err := p.readTable()
	for rank := 0; rank < len(places) && err == nil; rank++ {
		if err = p.readRank(int32(rank), places[rank]); err != nil {
			err = fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	if n, _ := io.CopyN(io.Discard, r, 1); n > 0 && err == nil {
		err = errors.New("found bytes after the last rank, expected the end of the file")
	}
	if err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	if p.forms[0] == longForm {
		p.s.Warnings = []string{"the file is LogGOPSim2's, with 104 bytes for an operation: options, counters, handlers, memory and arguments are not used"}
	}
	return p.s.complete(func(op int32) string {
		rank := p.s.Ops[op].Rank
		return fmt.Sprintf("rank %d: operation %d", rank, op-p.firsts[rank])
	})
}

// read reads numbers; what names them in an error.
func (p *binaryReader) read(to any, what string) error {
	if err := binary.Read(p.from, binary.LittleEndian, to); err != nil {
		return fmt.Errorf("%s, of %d bytes: %w", what, binary.Size(to), err)
	}
	return nil
}

// readTable reads the header and the places of the ranks.
func (p *binaryReader) readTable() (places []place, err error) {
	if err := p.read(&p.header, "the header"); err != nil {
		return nil, err
	}
	if n := p.header.Ranks; n < 1 || n > maxRanks {
		return nil, fmt.Errorf("found %d ranks, expected a number in [1, %d]", n, maxRanks)
	}
	p.s.Ranks = int(p.header.Ranks)
	begin := 6 + 16*uint64(p.s.Ranks)
	for rank := range p.s.Ranks {
		var at place
		if err := p.read(&at, fmt.Sprintf("rank %d: its place", rank)); err != nil {
			return nil, err
		}
		if at.Begin != begin || at.End < begin+8 || at.End > math.MaxInt64 {
			return nil, fmt.Errorf("rank %d: found it from byte %d to %d after the cookie, expected it from %d, where the part before it ends, to %d or more",
				rank, at.Begin, at.End, begin, begin+8)
		}
		places, begin = append(places, at), at.End
	}
	return places, nil
}

// readRank reads a rank.
func (p *binaryReader) readRank(rank int32, at place) error {
	var counts struct{ Operations, Roots uint32 }
	if err := p.read(&counts, "its numbers of operations and roots"); err != nil {
		return err
	}
	first := len(p.s.Ops)
	if int64(counts.Operations) > int64(maxOps-first) {
		return fmt.Errorf("found %d operations after %d, expected at most %d in all", counts.Operations, first, maxOps)
	}
	p.firsts = append(p.firsts, int32(first))
	p.block.Reset()
	if n, err := io.CopyN(&p.block, p.from, int64(at.End-at.Begin-8)); err != nil {
		return fmt.Errorf("its operations: found %d bytes, expected %d: %w", n, at.End-at.Begin-8, err)
	}
	if err := p.split(int64(counts.Operations), int64(counts.Roots)); err != nil {
		return err
	}
	for i := range p.records {
		op, err := p.operation(rank, &p.records[i])
		if err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
		p.s.Ops = append(p.s.Ops, op)
	}
	if err := p.checkRoots(); err != nil {
		return err
	}
	return p.connect(first)
}

// split decodes the parts of a rank. The number of bytes shows which form the file has.
func (p *binaryReader) split(operations, roots int64) error {
	block := p.block.Bytes()
	p.forms = slices.DeleteFunc(p.forms, func(form int) bool { return lengthOf(block, operations, roots, int64(form)) != int64(len(block)) })
	if len(p.forms) == 0 {
		return fmt.Errorf("found %d bytes for %d roots and %d operations with their lists, expected %d bytes for an operation, or %d in all ranks of a file of LogGOPSim2",
			len(block), roots, operations, shortForm, longForm)
	}
	p.roots = make([]uint32, roots)
	p.records = slices.Grow(p.records[:0], int(operations))[:operations]
	block = decode(block, p.roots)
	slices.Sort(p.roots)
	for i := range p.records {
		decode(block, &p.records[i])
		block = block[p.forms[0]:]
	}
	p.appendix = make([]uint32, len(block)/4)
	decode(block, p.appendix)
	return nil
}

// decode reads numbers from a block that is long enough, and returns its rest.
func decode(block []byte, to any) []byte {
	n, _ := binary.Decode(block, binary.LittleEndian, to)
	return block[n:]
}

// lengthOf returns the bytes of a rank with operations of the given form, or -1 if they are more than the block has.
func lengthOf(block []byte, operations, roots, form int64) int64 {
	const counts = 23 // place of the two lists in an operation
	length := 4*roots + form*operations
	if length > int64(len(block)) {
		return -1
	}
	for at := block[4*roots : length]; len(at) > 0; at = at[form:] {
		length += 4 * (int64(binary.LittleEndian.Uint32(at[counts:])) + int64(binary.LittleEndian.Uint32(at[counts+8:])))
	}
	return length
}

// operation returns the operation of a record.
func (p *binaryReader) operation(rank int32, r *record) (Op, error) {
	types := [...]string{"calculation", "send", "receive", "calculation", "put", "get", "append", "ctwait", "tput", "tget", "tappend", "gem5calc"}
	if r.Type < 1 || r.Type > 3 {
		name := "no type of GOAL"
		if int(r.Type) < len(types) && r.Type > 0 {
			name = types[r.Type] + ", of LogGOPSim2 alone"
		}
		return Op{}, fmt.Errorf("found type %d (%s), expected 1 (send), 2 (receive) or 3 (calculation)", r.Type, name)
	}
	op := Op{Kind: Kind(r.Type % 3), CPU: r.CPU, Rank: rank, Amount: int64(r.Size), Match: -1}
	open := op.Kind == Recv
	switch {
	case op.Kind == Calc && r.Size > MaxCalc:
		return op, fmt.Errorf("found a calculation of %d ns, expected at most %d", r.Size, int64(MaxCalc))
	case op.Kind != Calc && r.Size > MaxBytes:
		return op, fmt.Errorf("found a message of %d bytes, expected at most %d", r.Size, int64(MaxBytes))
	case r.CPU > p.header.LastCPU:
		return op, fmt.Errorf("found cpu %d, expected one in [0, %d], as the header says", r.CPU, p.header.LastCPU)
	case r.NIC > 0:
		return op, fmt.Errorf("found nic %d, expected 0: hosts have one", r.NIC)
	case op.Kind == Calc:
		return op, nil
	case r.Tag == anything && !open:
		return op, fmt.Errorf("found a send with any tag (%d), expected a tag below it", r.Tag)
	case int64(r.Peer) == int64(rank) || int64(r.Peer) >= int64(p.s.Ranks) && !(r.Peer == anything && open):
		return op, fmt.Errorf("found a message with rank %d, expected another rank in [0, %d], or any (%d) of a receive", r.Peer, p.s.Ranks-1, uint32(anything))
	}
	op.Peer, op.Tag = int32(r.Peer), int64(r.Tag)
	if r.Tag == anything {
		op.Tag = -1
	}
	return op, nil
}

// checkRoots returns an error unless the roots are the operations that wait for nothing, each once.
func (p *binaryReader) checkRoots() error {
	idle := 0
	for i, r := range p.records {
		_, isRoot := slices.BinarySearch(p.roots, uint32(i))
		switch {
		case r.Waits > 0 && isRoot:
			return fmt.Errorf("operation %d: found it as a root, but it waits for %d operations, expected 0", i, r.Waits)
		case r.Waits == 0 && !isRoot:
			return fmt.Errorf("operation %d: it waits for nothing, expected it as a root", i)
		case isRoot:
			idle++
		}
	}
	if len(p.roots) != idle {
		return fmt.Errorf("found %d roots, expected the %d operations that wait for nothing, each once", len(p.roots), idle)
	}
	return nil
}

// connect sets what the operations of the last rank need. first is the first of them.
func (p *binaryReader) connect(first int) error {
	// Each edge has a place in all lists of operations, so a count that is too large somewhere is too small elsewhere.
	edges, waits := make([]Edge, len(p.appendix)), int64(0)
	for i, r := range p.records {
		if waits += int64(r.Waits); waits > int64(len(edges)) {
			return fmt.Errorf("operation %d: found that operations up to here wait for %d others, expected at most %d, the numbers in lists", i, waits, len(edges))
		}
		needs := edges[waits-int64(r.Waits) : waits-int64(r.Waits) : waits]
		if r.Waits == 0 {
			needs = nil
		}
		p.s.Needs = append(p.s.Needs, needs)
	}
	for i, r := range p.records {
		for kind, list := range r.Waiting {
			if int64(list.First)+int64(list.Count) > int64(len(p.appendix)) && list.Count > 0 {
				return fmt.Errorf("operation %d: found its list of %d from place %d on, expected it within the %d numbers in lists", i, list.Count, list.First, len(p.appendix))
			}
			for k := range list.Count {
				waiting := p.appendix[list.First+k]
				if int64(waiting) >= int64(len(p.records)) {
					return fmt.Errorf("operation %d: found operation %d in its list, expected one in [0, %d]", i, waiting, len(p.records)-1)
				}
				needs := &p.s.Needs[first+int(waiting)]
				if len(*needs) == cap(*needs) {
					return fmt.Errorf("operation %d: found it in the lists of more than the %d operations that it waits for", waiting, cap(*needs))
				}
				*needs = append(*needs, Edge{Before: int32(first + i), Start: kind == 1})
			}
		}
	}
	return nil
}

// WriteBinary writes a schedule in GOAL's binary form, with 39 bytes for an operation. [Read] returns a schedule with
// the same operations in the same order, and with the Needs of each in ascending order of Before. Tags must be below
// 2^32 - 1. It holds the bytes of the file in memory. O(operations and edges).
func WriteBinary(w io.Writer, s *Schedule) error {
	if err := checkWrite(w, s); err != nil {
		return err
	}
	head := header{Cookie: cookie, Ranks: uint32(s.Ranks)}
	for i, op := range s.Ops {
		if op.Tag >= anything {
			return faults.New("schedule", fmt.Sprintf("Ops[%d].Tag", i), op.Tag, "must be below %d, the largest number of the binary form", uint32(anything))
		}
		head.LastCPU = max(head.LastCPU, op.CPU)
	}
	var places []place
	var data []byte
	begin := 6 + 16*s.Ranks
	for first, end := range s.ranks() {
		from := begin + len(data)
		data = appendRank(data, s, first, end)
		places = append(places, place{uint64(from), uint64(begin + len(data))})
	}
	for _, part := range []any{head, places, data} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return nil
}

// appendRank appends the binary form of a rank, with operations from first to end - 1.
func appendRank(data []byte, s *Schedule, first, end int) []byte {
	var roots, appendix []uint32
	waiting := make([][2][]uint32, end-first) // by operation
	for i, needs := range s.Needs[first:end] {
		if len(needs) == 0 {
			roots = append(roots, uint32(i))
		}
		for _, e := range needs {
			kind := 0
			if e.Start {
				kind = 1
			}
			list := &waiting[int(e.Before)-first][kind]
			*list = append(*list, uint32(i))
		}
	}
	data = encode(data, []uint32{uint32(end - first), uint32(len(roots))}, roots)
	for i, op := range s.Ops[first:end] {
		r := record{Waits: uint32(len(s.Needs[first+i])), Type: cmp.Or(uint8(op.Kind), 3), Peer: uint32(op.Peer), Size: uint64(op.Amount), Tag: uint32(op.Tag), CPU: op.CPU}
		for kind, list := range waiting[i] {
			r.Waiting[kind].Count, r.Waiting[kind].First = uint32(len(list)), uint32(len(appendix))
			appendix = append(appendix, list...)
		}
		data = encode(data, &r)
	}
	return encode(data, appendix)
}

// encode appends numbers.
func encode(data []byte, numbers ...any) []byte {
	for _, n := range numbers {
		data, _ = binary.Append(data, binary.LittleEndian, n) // all have fixed sizes
	}
	return data
}
