package schedule

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"repslab/internal/lines"
	"repslab/internal/lists"
)

// Read returns the schedule of a file in the GOAL format, text or binary; see the package's documentation. It reads a
// text line by line, and a binary file rank by rank. Errors name the line, and the rank and label of an operation; in
// a binary file the rank and the number of the operation, both from 0. The schedule's Warnings list what a reader of
// the format would not expect. O(n) for n operations and edges, and O(n log n) to play the schedule once without
// messages, which finds cycles and the sends of open receives.
func Read(r io.Reader) (*Schedule, error) {
	text := bufio.NewReader(lines.SkipMark(r))
	start, _ := text.Peek(lines.MaxBytes)
	switch binary, used := isBinary(start); {
	case used:
		return nil, fmt.Errorf("schedule: the file begins with %d in place of %d: LogGOPSim changed its counts when it simulated the file, which must be made anew", usedCookie, cookie)
	case binary:
		return readBinary(text)
	case bytes.IndexByte(start, 0) >= 0 && !bytes.Contains(start, []byte("num_ranks")):
		return nil, fmt.Errorf("schedule: the file is binary, but does not begin with %d, in 8 bytes from the lowest, as GOAL's binary form does", cookie)
	}
	p := &reader{
		s: &Schedule{}, blocks: map[int]bool{}, next: "num_ranks N", comments: regexp.MustCompile(`/\*.*?\*/|//.*|#.*`),
		forms: map[string][]string{
			"calc": {"calc", "cpu", "nic", lineEnd},
			"send": {"send", "to", "tag", "cpu", "nic", lineEnd},
			"recv": {"recv", "from", "tag", "cpu", "nic", lineEnd},
		},
		most: map[string]int64{
			"calc": MaxCalc, "send": MaxBytes, "recv": MaxBytes, "tag": math.MaxInt64, "cpu": math.MaxUint8, "nic": math.MaxUint8,
		},
	}
	p.Reader = lines.New(text, lines.Format{Package: "schedule", Words: p.words, Place: func() string { return p.place }})
	if err := p.Each(p.line); err != nil {
		return nil, err
	}
	if p.comment {
		p.next = "*/"
	}
	if p.next != nothing {
		return nil, p.Wrong("found the end of the file, expected %s", p.next)
	}
	p.order()
	return p.s.complete(func(op int32) string { return p.names[op] })
}

// The statements that may follow: in a block, after the last block, and after an operation.
const (
	statement = "LABEL: calc NS, LABEL: send BYTESb to RANK tag TAG, LABEL: recv BYTESb from RANK tag TAG, " +
		"LABEL requires LABEL, LABEL irequires LABEL or }"
	nothing = "nothing after the last rank"
	lineEnd = "the end of the line" // cannot be a word of a line
)

// reader is the part of a file read so far.
type reader struct {
	*lines.Reader
	comments *regexp.Regexp      // comments that begin and end in a line
	forms    map[string][]string // by the first key of an operation: all its keys in order
	most     map[string]int64    // by key: the largest value

	s       *Schedule
	comment bool             // inside a comment of several lines
	next    string           // what may follow
	rank    int              // rank of the block that began last
	blocks  map[int]bool     // ranks with a block that has begun
	missing int              // the first rank without a block
	labels  map[string]int32 // labels of this rank
	place   string           // rank and label, for errors
	names   []string         // names of operations, for errors
}

// words splits a line, without its comments.
func (p *reader) words(line string) []string {
	if p.comment {
		_, after, ended := strings.Cut(line, "*/")
		line, p.comment = after, !ended
	}
	if strings.ContainsAny(line, "#/") {
		before, _, begun := strings.Cut(p.comments.ReplaceAllString(line, " "), "/*")
		line, p.comment = before, begun
	}
	return strings.Fields(strings.ReplaceAll(strings.ReplaceAll(line, ":", " : "), "{", " { "))
}

// line reads a line.
func (p *reader) line(w []string) (err error) {
	open := p.next == statement
	switch {
	case w[0] == "num_ranks" && len(w) == 2 && p.s.Ranks == 0:
		ranks, err := p.Integer(w[0], w[1], 1, maxRanks)
		p.s.Ranks, p.next, p.most["to"], p.most["from"] = int(ranks), "rank 0 {", ranks-1, ranks-1
		return err
	case w[0] == "rank" && len(w) == 3 && w[2] == "{" && !open && len(p.blocks) < p.s.Ranks:
		rank, err := p.Integer(w[0], w[1], 0, int64(p.s.Ranks-1))
		if err == nil && p.blocks[int(rank)] {
			err = p.Wrong("rank %d is given a second time", rank)
		}
		p.rank, p.next, p.labels = int(rank), statement, map[string]int32{}
		p.blocks[p.rank], p.place = true, fmt.Sprintf("rank %d", p.rank)
		return err
	case w[0] == "}" && len(w) == 1 && open:
		for p.blocks[p.missing] {
			p.missing++
		}
		p.place, p.next = "", nothing
		if p.missing < p.s.Ranks {
			p.next = fmt.Sprintf("rank %d {", p.missing)
		}
		return nil
	case open && len(w) == 3 && (w[1] == "requires" || w[1] == "irequires"):
		return p.edge(w)
	case open && len(w) > 1:
		return p.operation(w)
	}
	return p.Wrong("found %s, expected %s", lines.Quote(strings.Join(w, " ")), p.next)
}

// order sorts the operations by rank.
func (p *reader) order() {
	s, by := *p.s, make([]int32, len(p.s.Ops))
	for i := range by {
		by[i] = int32(i)
	}
	slices.SortStableFunc(by, func(a, b int32) int { return cmp.Compare(s.Ops[a].Rank, s.Ops[b].Rank) })
	place := make([]int32, len(by))
	for i, op := range by {
		place[op] = int32(i)
	}
	p.s.Ops = lists.Map(by, func(op int32) Op { return s.Ops[op] })
	p.s.Needs = lists.Map(by, func(op int32) []Edge { return s.Needs[op] })
	p.names = lists.Map(by, func(op int32) string { return p.names[op] })
	for _, needs := range p.s.Needs {
		for i := range needs {
			needs[i].Before = place[needs[i].Before]
		}
	}
}

// edge reads LABEL requires LABEL or LABEL irequires LABEL.
func (p *reader) edge(w []string) error {
	for _, label := range []string{w[0], w[2]} {
		if _, known := p.labels[label]; !known {
			return p.Wrong("found %s, expected the label of an operation before it", lines.Quote(label))
		}
	}
	op := p.labels[w[0]]
	p.s.Needs[op] = append(p.s.Needs[op], Edge{p.labels[w[2]], w[1] == "irequires"})
	return nil
}

// operation reads an operation: its label, if it has one, then its keys and numbers in their order.
func (p *reader) operation(w []string) error {
	block := p.place
	if w[1] == ":" && len(w) > 2 {
		p.place += ": " + lines.Quote(w[0])
		if first, known := p.labels[w[0]]; known {
			p.s.Warnings = append(p.s.Warnings, fmt.Sprintf("line %d: %s is the label of %s too, and stays that", p.Number, lines.Quote(w[0]), p.names[first]))
		} else {
			p.labels[w[0]] = int32(len(p.s.Ops))
		}
		w = w[2:]
	}
	kind, form, values := slices.Index([]string{"calc", "send", "recv"}, w[0]), p.forms[w[0]], map[string]int64{}
	for ; len(w) > 1 && slices.Contains(form, w[0]); w = w[2:] {
		word := w[1]
		if p.most[w[0]] == MaxBytes {
			word = strings.TrimSuffix(word, "b")
		}
		least := int64(0)
		if Kind(kind) == Recv && (w[0] == "from" || w[0] == "tag") {
			least = -1 // -1 is any
		}
		v, err := p.Integer(w[0], word, least, p.most[w[0]])
		if err != nil {
			return err
		}
		values[w[0]], form = v, form[slices.Index(form, w[0])+1:]
	}
	_, to := values["to"]
	_, from := values["from"]
	peer := int(values["to"] + values["from"])
	switch {
	case len(w) > 0:
		return p.Wrong("found %s, expected %s", lines.Quote(strings.Join(w, " ")), cmp.Or(strings.Join(form, " or "), statement))
	case Kind(kind) != Calc && (peer == p.rank || !to && !from):
		return p.Wrong("found a message to itself or nobody, expected another rank")
	case values["nic"] > 0:
		return p.Wrong("found nic %d, expected 0: hosts have one", values["nic"])
	case len(p.s.Ops) == maxOps:
		return p.Wrong("found more than %d operations", maxOps)
	}
	p.s.Ops = append(p.s.Ops, Op{Kind(kind), uint8(values["cpu"]), int32(p.rank), int32(peer), values["tag"],
		values["calc"] + values["send"] + values["recv"], -1})
	p.s.Needs = append(p.s.Needs, nil)
	p.names, p.place = append(p.names, fmt.Sprintf("line %d: %s", p.Number, p.place)), block
	return nil
}
