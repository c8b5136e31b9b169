package schedule

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"repslab/internal/lines"
)

// Read returns the schedule of a text in the GOAL format; see the package's documentation. It reads line by line.
// Errors name the line, and the rank and label of an operation. O(n) for n operations and edges, and O(n log n) to
// play the schedule once without messages, which finds cycles.
func Read(r io.Reader) (*Schedule, error) {
	p := &reader{s: &Schedule{}, rank: -1}
	p.Reader = lines.New(r, lines.Format{Package: "schedule", Words: p.words, Place: p.place})
	if err := p.Each(p.line); err != nil {
		return nil, err
	}
	if p.open || p.comment || p.s.Ranks == 0 || p.rank < p.s.Ranks-1 {
		return nil, p.Wrong("found the end of the file, expected %s", p.expected())
	}
	if err := p.s.complete(p.name); err != nil {
		return nil, err
	}
	return p.s, nil
}

// reader is the part of a file read so far.
type reader struct {
	*lines.Reader
	s       *Schedule
	comment bool             // of several lines
	rank    int              // whose block began last; -1 before the first
	open    bool             // that block
	labels  map[string]int32 // of the rank
	label   string           // of the operation that is read; "" if it has none
	written []origin         // by operation
}

// origin is the line and the label of an operation.
type origin struct {
	line  int
	label string
}

// place names the rank and the operation that errors are about.
func (p *reader) place() string {
	if !p.open {
		return ""
	}
	return placeOf(p.rank, p.label)
}

// placeOf names a rank and, if there is one, a label.
func placeOf(rank int, label string) string {
	if label == "" {
		return fmt.Sprintf("rank %d", rank)
	}
	return fmt.Sprintf("rank %d: %s", rank, lines.Quote(label))
}

// name names an operation in errors.
func (p *reader) name(op int32) string {
	from := p.written[op]
	return fmt.Sprintf("line %d: %s", from.line, placeOf(int(p.s.Ops[op].Rank), from.label))
}

// words splits a line, without its comments.
func (p *reader) words(line string) []string {
	text := ""
	for more := true; more; {
		if p.comment {
			_, after, ended := strings.Cut(line, "*/")
			line, p.comment = after, !ended
		}
		end := len(line)
		for _, mark := range []string{"#", "//", "/*"} {
			if i := strings.Index(line, mark); i >= 0 {
				end = min(end, i)
			}
		}
		text += line[:end] + " "
		more = strings.HasPrefix(line[end:], "/*")
		if more {
			line, p.comment = line[end+2:], true
		}
	}
	return strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, ":", " : "), "{", " { "))
}

// expected returns what may follow.
func (p *reader) expected() string {
	switch {
	case p.comment:
		return "*/"
	case p.open:
		return "LABEL: calc NS, LABEL: send BYTESb to RANK tag TAG, LABEL: recv BYTESb from RANK tag TAG, " +
			"LABEL requires LABEL, LABEL irequires LABEL or }"
	case p.s.Ranks == 0:
		return "num_ranks N"
	case p.rank+1 < p.s.Ranks:
		return fmt.Sprintf("rank %d {", p.rank+1)
	}
	return "nothing after the last rank"
}

// line reads a line.
func (p *reader) line(w []string) error {
	switch {
	case w[0] == "num_ranks" && len(w) == 2 && p.s.Ranks == 0:
		ranks, err := p.Integer(w[0], w[1], 1, MaxRanks)
		p.s.Ranks = int(ranks)
		return err
	case w[0] == "rank" && len(w) == 3 && w[2] == "{" && !p.open && p.rank+1 < p.s.Ranks:
		_, err := p.Integer(w[0], w[1], int64(p.rank+1), int64(p.rank+1))
		p.rank, p.open, p.labels = p.rank+1, true, map[string]int32{}
		return err
	case w[0] == "}" && len(w) == 1 && p.open:
		p.open = false
		return nil
	case p.open && len(w) == 3 && (w[1] == "requires" || w[1] == "irequires"):
		return p.edge(w)
	case p.open && len(w) > 1:
		return p.operation(w)
	}
	return p.Wrong("found %s, expected %s", lines.Quote(strings.Join(w, " ")), p.expected())
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

// field is a number of an operation behind its key.
type field struct {
	key, unit string // the unit may follow the number
	to        *int64
	most      int64
	must      bool // be given
}

// operation reads an operation: its label, if it has one, then its fields in their order.
func (p *reader) operation(w []string) error {
	if w[1] == ":" && len(w) > 2 {
		p.label, w = w[0], w[2:]
		if first, known := p.labels[p.label]; known {
			return p.Wrong("the label is that of line %d, expected another", p.written[first].line)
		}
		p.labels[p.label] = int32(len(p.s.Ops))
	}
	var amount, peer, tag, cpu, nic int64
	kind, fields := Calc, append(make([]field, 0, 5), field{"calc", "", &amount, MaxCalc, true})
	if i := slices.Index([]string{"send", "recv"}, w[0]); i >= 0 {
		kind = Send + Kind(i)
		fields = append(fields[:0], field{w[0], "b", &amount, MaxBytes, true},
			field{[]string{"to", "from"}[i], "", &peer, int64(p.s.Ranks - 1), true}, field{"tag", "", &tag, maxTag, false})
	}
	fields = append(fields, field{"cpu", "", &cpu, math.MaxUint8, false}, field{"nic", "", &nic, math.MaxUint8, false})
	for _, f := range fields {
		if len(w) < 2 || w[0] != f.key {
			if f.must {
				return p.Wrong("found %s, expected %s and a number", lines.Quote(strings.Join(w, " ")), f.key)
			}
			continue
		}
		var err error
		if *f.to, err = p.Integer(f.key, strings.TrimSuffix(w[1], f.unit), 0, f.most); err != nil {
			return err
		}
		w = w[2:]
	}
	switch {
	case len(w) > 0:
		return p.Wrong("found %s, expected tag, cpu and nic in this order, or nothing", lines.Quote(strings.Join(w, " ")))
	case nic > 0:
		return p.Wrong("found nic %d, expected 0: hosts have one", nic)
	case kind != Calc && int(peer) == p.rank:
		return p.Wrong("found a message to itself, expected another rank")
	case len(p.s.Ops) == MaxOps:
		return p.Wrong("found more than %d operations", MaxOps)
	}
	p.s.Ops = append(p.s.Ops, Op{kind, uint8(cpu), int32(p.rank), int32(peer), int32(tag), amount, -1})
	p.s.Needs = append(p.s.Needs, nil)
	p.written, p.label = append(p.written, origin{p.Number, p.label}), ""
	return nil
}
