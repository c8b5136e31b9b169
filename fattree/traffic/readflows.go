package traffic

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/faults"
	"repslab/internal/lines"
)

// Limits of the files.
const (
	maxIdleLines = 1 << 16 // empty lines and comments
	maxID        = 1<<31 - 1
)

// textFormat is the format of all files that this package reads.
func textFormat() lines.Format { return lines.Format{Package: "traffic", MaxIdle: maxIdleLines} }

// ReadFlows returns the number of hosts and the workload of a flow list in htsim's .cm
// format. The workload is valid for these hosts: all its flows can start. Errors in the
// text name the line, the words found and those expected. O(flows in the file); reading
// stops where the header's counts are exceeded.
func ReadFlows(r io.Reader) (hosts int, w fattree.Workload, err error) {
	p := &flowReader{
		Reader: lines.New(r, textFormat()), hosts: -1, connections: -1, triggers: -1,
		ids: map[int]idOf{}, mentioned: map[int64]int{}, described: map[int64]int{},
	}
	if err := p.Each(p.line); err != nil {
		return 0, fattree.Workload{}, err
	}
	if err := p.finish(); err != nil {
		return 0, fattree.Workload{}, err
	}
	if err := p.workload.Validate(int(p.hosts)); err != nil {
		return 0, fattree.Workload{}, err
	}
	return int(p.hosts), p.workload, nil
}

// StartsIn returns a copy of a workload with start times read in the given unit, in picoseconds and at least 1.
// Public simulators differ here: [UEC-htsim] reads the starts of a flow list in microseconds. It does not change
// w. The error is a [*faults.FieldError] about unit, or a flow with a start out of range. O(flows).
func StartsIn(w fattree.Workload, unit fattree.Picoseconds) (fattree.Workload, error) {
	if unit < 1 {
		return w, faults.New("traffic", "unit", ps(unit), "must be at least 1 ps")
	}
	w.Flows = slices.Clone(w.Flows)
	for i := range w.Flows {
		start := &w.Flows[i].Start
		if most := math.MaxInt64 / unit; *start > most {
			return w, faults.New("traffic", fmt.Sprintf("Flows[%d].Start", i), *start,
				"must be at most %d, in units of %d ps", most, unit)
		}
		*start *= unit
	}
	return w, nil
}

// flowReader is the part of a flow list read so far. Its flows name triggers by id; finish replaces ids by
// numbers.
type flowReader struct {
	*lines.Reader
	hosts, connections, triggers int64 // of the header; -1 if not yet read
	workload                     fattree.Workload
	ids                          map[int]idOf  // by id of a flow
	mentioned                    map[int64]int // by id of a trigger: the line in which a flow first names it
	described                    map[int64]int // by id of a trigger that has a line: its number
}

// idOf is the first flow with an id.
type idOf struct{ line, flow int }

// line reads a line of any kind.
func (p *flowReader) line(words []string) error {
	if strings.Contains(words[0], "->") {
		return p.flow(words)
	}
	switch words[0] {
	case "trigger":
		return p.describe(words[1:])
	case "Nodes":
		return p.header(words, &p.hosts, 2, fattree.MaxHosts)
	case "Connections":
		return p.header(words, &p.connections, 1, fattree.MaxFlows)
	case "Triggers":
		return p.header(words, &p.triggers, 0, fattree.MaxFlows)
	case "Failures", "failure":
		return p.Wrong("found %s, which this program does not read: --failure says what fails, such as links=tor0:spine2", words[0])
	}
	return p.Wrong("found %s, expected Nodes, Connections, Triggers, trigger or SOURCE->DESTINATION", lines.Quote(words[0]))
}

// header reads a count of the header.
func (p *flowReader) header(words []string, count *int64, least, most int64) error {
	if *count >= 0 {
		return p.Wrong("%s is given a second time", words[0])
	}
	if len(p.workload.Flows) > 0 || len(p.described) > 0 {
		return p.Wrong("%s must come before the first flow and trigger", words[0])
	}
	word, err := p.ValueOf(words)
	if err == nil {
		*count, err = p.Integer(words[0], word, least, most)
	}
	return err
}

// flow reads the line of a flow.
func (p *flowReader) flow(words []string) error {
	if p.hosts < 0 || p.connections < 0 {
		return p.Wrong("found a flow, expected Nodes and Connections before it")
	}
	if int64(len(p.workload.Flows)) == p.connections {
		return p.Wrong("found one more flow than Connections (%d)", p.connections)
	}
	source, destination, err := p.ends(words[0])
	if err != nil {
		return err
	}
	f := fattree.Flow{Source: fattree.Host(source), Destination: fattree.Host(destination)}
	given := map[string]bool{}
	for rest := words[1:]; len(rest) > 0; {
		key := rest[0]
		if given[key] {
			return p.Wrong("%s is given a second time", lines.Quote(key))
		}
		given[key] = true
		if key == "msg" {
			rest = rest[1:]
			continue
		}
		if len(rest) == 1 {
			return p.Wrong("found nothing after %s, expected a number", lines.Quote(key))
		}
		if err := p.attribute(&f, key, rest[1]); err != nil {
			return err
		}
		rest = rest[2:]
	}
	switch {
	case !given["size"]:
		return p.Wrong("found no size of the flow, expected \"size\" and its bytes")
	case given["start"] == given["trigger"]:
		return p.Wrong("expected either a start or a trigger of the flow")
	case given["msg"] && !given["id"]:
		return p.Wrong("found no id of the message, expected \"id\" and the number of its connection")
	}
	if err := p.identify(&f, given["msg"]); err != nil {
		return err
	}
	p.workload.Flows = append(p.workload.Flows, f)
	return nil
}

// ends reads SOURCE->DESTINATION.
func (p *flowReader) ends(word string) (source, destination int64, err error) {
	from, to, _ := strings.Cut(word, "->")
	if source, err = p.Integer("source", from, 0, p.hosts-1); err != nil {
		return 0, 0, err
	}
	if destination, err = p.Integer("destination", to, 0, p.hosts-1); err != nil {
		return 0, 0, err
	}
	if source == destination {
		return 0, 0, p.Wrong("found a flow of host %d to itself, expected another destination", source)
	}
	return source, destination, nil
}

// attribute reads a key and its value in a flow's line.
func (p *flowReader) attribute(f *fattree.Flow, key, word string) error {
	switch key {
	case "size":
		if word == "0" {
			return p.Wrong("size: found 0, by which htsim sends without end, expected the bytes of the message")
		}
		return p.into(&f.Bytes, key, word, 1)
	case "start":
		if whole, part, _ := strings.Cut(word, "."); whole != "" && strings.Trim(part, "0") == "" {
			word = whole
		}
		if err := p.into((*int64)(&f.Start), key, word, 0); err != nil {
			return fmt.Errorf("%w of picoseconds, or of microseconds under Ultra Ethernet's rules", err)
		}
		return nil
	case "trigger":
		return p.named(&f.StartedBy, key, word)
	case "send_done_trigger", "recv_done_trigger":
		if f.Fires != fattree.NoTrigger {
			return p.Wrong("found send_done_trigger and recv_done_trigger, expected one of them: a flow fires one trigger")
		}
		f.FiresOnDelivery = key == "recv_done_trigger"
		return p.named(&f.Fires, key, word)
	case "prio":
		return p.Wrong("found prio: all flows have one priority in this model, so leave it and %s out", lines.Quote(word))
	case "id":
		id, err := p.Integer(key, word, 1, maxID)
		f.Connection = int(id)
		return err
	}
	return p.Wrong("found %s, expected id, size, start, trigger, send_done_trigger, recv_done_trigger or msg", lines.Quote(key))
}

// identify records the id of a flow, which is in Connection, if the flow has an id. Only messages of one
// connection share an id. A flow that is no message gets a connection of its own.
func (p *flowReader) identify(f *fattree.Flow, message bool) error {
	id := f.Connection
	if !message {
		f.Connection = 0
	}
	first, taken := p.ids[id]
	switch {
	case id == 0:
	case !taken:
		p.ids[id] = idOf{p.Number, len(p.workload.Flows)}
	case !message || p.workload.Flows[first.flow].Connection == 0:
		return p.Wrong("id %d is that of the flow in line %d, expected another, or msg in both lines", id, first.line)
	}
	return nil
}

// into reads a number of a flow that is at least the given value.
func (p *flowReader) into(number *int64, key, word string, least int64) error {
	v, err := p.Integer(key, word, least, math.MaxInt64)
	*number = v
	return err
}

// named reads the id of a trigger.
func (p *flowReader) named(trigger *int, key, word string) error {
	id, err := p.Integer(key, word, 1, maxID)
	if err != nil {
		return err
	}
	*trigger = int(id)
	if _, known := p.mentioned[id]; !known {
		p.mentioned[id] = p.Number
	}
	return nil
}
