package player

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/lines"
	"repslab/internal/lists"
)

// Limits of a page, so that browsers handle it with ease.
const (
	MostEvents    = 200_000   // events of all flows
	mostBytes     = 128 << 20 // cells of all events
	mostLineBytes = 1 << 20   // length of a row
)

// Events are the events of the flows of a file.
type Events struct {
	path         string
	count, bytes int
	flows        map[string]*flow // by number and parameters
	list         []*flow          // in the order of the file
}

// flow holds the events of a flow under some values of the parameters that vary, as the page reads them.
type flow struct {
	Number     string           `json:"number"`
	Parameters []string         `json:"parameters"` // parameters of the run, as KEY=VALUE, sorted
	Cells      map[string][]any `json:"cells"`      // by column, then by event; nil for an empty cell
	time       float64          // time of the last event, us
}

// column is a column that the page shows. Other columns of a file are parameters that vary.
type column struct {
	key, pattern, allowed string // patterns of columns with empty cells end in |
	isText                bool   // otherwise cells are JSON values, apart from capital letters
}

const (
	timeKey, flowKey, slotsKey = "time_us", "flow", "slots"
	positive, integer          = `(0|[1-9]\d{0,14})(\.\d+)?(e[+-]?\d\d?)?`, `-?(0|[1-9]\d{0,14})(\.0)?` // some programs write 7.0
	kinds                      = "send|resend|request|probe|ack|nack|timeout|reply|freeze|thaw|end"
)

var columns = []column{
	{timeKey, positive, "a number of at least 0", false}, {flowKey, integer, "an integer", false},
	{"event", kinds, "one of " + strings.ReplaceAll(kinds, "|", ", "), true}, {"packet", integer + "|", "an integer or empty", false},
	{"ev", `(0|[1-9]\d{0,4})(\.0)?|`, "an entropy value or empty", false}, {"path", `\d+(/\d+)*|`, "numbers with / between", true},
	{"ev_source", ".*", "text", true}, {"marked", "true|false|", "true, false or empty", false},
	{"rtt_us", positive + "|", "a number of at least 0, or empty", false}, {"cwnd_packets", positive, "a number of at least 0", false},
	{"in_flight", integer, "an integer", false}, {"valid", integer, "an integer", false}, {"frozen", "true|false", "true or false", false},
	{slotsKey, `\d+:[01]( \d+:[01])*|`, "EVs with :1 if valid, :0 if used, and spaces between", true},
}

// Read reads a file of events, JSON lines if isJSON is set and CSV otherwise. Its errors name the file,
// the line and the column. It refuses missing columns, cells that do not fit their column, a time before
// the previous event of the flow, and more than [MostEvents] events.
func Read(path string, isJSON bool) (*Events, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	e := &Events{path: path, flows: map[string]*flow{}}
	read := e.readCSV
	if isJSON {
		read = e.readJSON
	}
	if err := read(file); err != nil {
		return nil, err
	}
	if e.count == 0 {
		return nil, fmt.Errorf("%s: has no event", path)
	}
	return e, nil
}

// readCSV reads comma-separated values with a header.
func (e *Events) readCSV(file io.Reader) error {
	reader := lines.NewRecords(file, mostLineBytes)
	reader.ReuseRecord = true
	var keys []string
	row := map[string]string{}
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.path, err)
		}
		line, _ := reader.FieldPos(0)
		if keys == nil {
			keys = slices.Clone(record)
			err = e.checkKeys(line, keys)
		} else {
			for i, key := range keys {
				row[key] = record[i]
			}
			err = e.add(line, row)
		}
		if err != nil {
			return err
		}
	}
}

// readJSON reads an object in each line.
func (e *Events) readJSON(file io.Reader) error {
	whole := func(line string) []string { return strings.FieldsFunc(line, func(r rune) bool { return r == '\n' }) }
	reader := lines.New(file, lines.Format{Package: e.path, MaxBytes: mostLineBytes, Words: whole})
	return reader.Each(func(line []string) error {
		var object map[string]any
		if err := json.Unmarshal([]byte(line[0]), &object); err != nil || object == nil {
			return reader.Wrong("%s must be an object of JSON", lines.Quote(line[0]))
		}
		row := map[string]string{}
		for key, cell := range object {
			if row[key] = fmt.Sprint(cell); cell == nil {
				row[key] = ""
			}
		}
		if err := e.checkKeys(reader.Number, slices.Collect(maps.Keys(row))); err != nil {
			return err
		}
		return e.add(reader.Number, row)
	})
}

// wrong returns an error about a line.
func (e *Events) wrong(line int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %s", e.path, line, fmt.Sprintf(format, args...))
}

// checkKeys refuses a line that lacks some columns or has one twice.
func (e *Events) checkKeys(line int, keys []string) error {
	var missing []string
	for _, c := range columns {
		if !slices.Contains(keys, c.key) {
			missing = append(missing, c.key)
		}
	}
	if missing != nil {
		return e.wrong(line, "lacks %s: it must be a file of fattree --events", strings.Join(missing, ", "))
	}
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			return e.wrong(line, "%s must be the name of one column alone", lines.Quote(key))
		}
	}
	return nil
}

// add adds the event of a row.
func (e *Events) add(line int, row map[string]string) error {
	if e.count++; e.count > MostEvents {
		return e.wrong(line, "a page has at most %d events: write fewer by --event-flows, --event-us or --event-most", MostEvents)
	}
	for _, cell := range row {
		e.bytes += len(cell)
	}
	if e.bytes > mostBytes {
		return e.wrong(line, "a page has at most %d MiB of cells, mostly rings: write fewer events by --event-us", mostBytes>>20)
	}
	f := e.flowOf(row)
	for i, c := range columns {
		text := row[c.key]
		if !patterns[i].MatchString(text) {
			return e.wrong(line, "%s: %s must be %s", c.key, lines.Quote(text), c.allowed)
		}
		var cell any // nil if it is empty
		if c.isText && text != "" {
			cell = text
		} else if text != "" {
			cell = json.RawMessage(strings.ToLower(text))
		}
		f.Cells[c.key] = append(f.Cells[c.key], cell)
	}
	time, _ := strconv.ParseFloat(row[timeKey], 64) // its pattern allows only numbers
	if time < f.time {
		return e.wrong(line, "%s: %s must be at least %v, the time of the flow's event above it", timeKey, row[timeKey], f.time)
	}
	f.time = time
	return nil
}

// patterns match the whole cells of columns.
var patterns = lists.Map(columns, func(c column) *regexp.Regexp { return regexp.MustCompile(`^(?i:` + c.pattern + `)$`) })

// flowOf returns the flow of a row.
func (e *Events) flowOf(row map[string]string) *flow {
	parameters := []string{} // not null in JSON
	for key, value := range row {
		if value != "" && !slices.ContainsFunc(columns, func(c column) bool { return c.key == key }) {
			parameters = append(parameters, key+"="+value)
		}
	}
	slices.Sort(parameters)
	id := fmt.Sprintf("%s %q", row[flowKey], parameters)
	if e.flows[id] == nil {
		e.flows[id] = &flow{row[flowKey], parameters, map[string][]any{}, 0}
		e.list = append(e.list, e.flows[id])
	}
	return e.flows[id]
}
