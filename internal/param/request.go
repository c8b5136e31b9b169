package param

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	textfile "repslab/internal/lines"
	"repslab/internal/lists"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/sweep"
)

// Request describes a sweep as texts, from flags, a configuration file or the header of a result file. Its JSON is
// the configuration file; values are strings, numbers, or lists of them.
type Request struct {
	Model string `json:"model"`
	Selection
	SweepNumbers

	Origin *Origin      `json:"-"` // nil unless the request was read from a result file
	Warn   func(string) `json:"-"` // receives warnings about the parameters; nil ignores them
}

// Origin is the result file that a request was read from, and the program that wrote it.
type Origin struct {
	Path    string
	Program sweep.Program
}

// SweepNumbers are the texts of the numbers that every sweep has; an empty text is not given.
type SweepNumbers struct {
	Seed        ListText `json:"seed,omitempty"`
	Replicas    ListText `json:"replicas,omitempty"`
	Precision   ListText `json:"precision,omitempty"`
	MaxReplicas ListText `json:"max_replicas,omitempty"`
	Block       ListText `json:"block,omitempty"`
}

// RequestOf returns the request of a result file's configuration.
func RequestOf(c sweep.Config) Request {
	r := Request{Model: c.Model, Selection: Selection{Parameters: c.Parameters, Zip: c.Zip, Pool: c.Pool, Inputs: c.Inputs}}
	text := func(v any) ListText { return ListText(fmt.Sprint(v)) }
	r.Seed, r.Block = text(c.Seed), text(c.Block)
	if c.Precision > 0 {
		r.Precision, r.MaxReplicas = text(c.Precision), text(c.Replicas)
	} else {
		r.Replicas = text(c.Replicas)
	}
	return r
}

// ConfigJSON returns a configuration in the form that --config reads.
func ConfigJSON(c sweep.Config) ([]byte, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(RequestOf(c))
	return data.Bytes(), err
}

// FlagOf returns the flag of a key.
func FlagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

// KeyOf returns the key of a flag.
func KeyOf(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// Named returns the model with a name.
func Named(available []Model, name string) (Model, error) {
	names := lists.Map(available, func(m Model) string { return m.Name })
	if i := slices.Index(names, name); i >= 0 {
		return available[i], nil
	}
	return Model{}, console.Usagef("model %.60q %s", name, values.MustBeOneOf(name, names))
}

// ForeignFile returns the error for a result file of a model that this program does not have.
func ForeignFile(path string, err error) error {
	return fmt.Errorf("%s can only be continued or merged by the program that wrote it: %w", path, err)
}

// ListText is the text of a value. JSON may also give it as a number or a list.
type ListText string

// betweenItems separates the items of a JSON list until the parameter is known, and with it the separator of its
// values.
const betweenItems = "\x1f"

// UnmarshalJSON implements [json.Unmarshaler].
func (t *ListText) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return err
	}
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	texts := make([]string, 0, len(items))
	for _, item := range items {
		switch item.(type) {
		case string, json.Number:
			texts = append(texts, fmt.Sprint(item))
		default:
			return fmt.Errorf("%.60s must be a string, a number or a list of them", data)
		}
	}
	*t = ListText(strings.Join(texts, betweenItems))
	return nil
}

// Texts holds the texts of parameters by key.
type Texts map[string]string

// UnmarshalJSON implements [json.Unmarshaler]: each value is a [ListText].
func (t *Texts) UnmarshalJSON(data []byte) error {
	var lists map[string]ListText
	err := json.Unmarshal(data, &lists)
	*t = Texts{}
	for key, list := range lists {
		(*t)[KeyOf(key)] = string(list)
	}
	return err
}

// longestConfig bounds the bytes of a configuration file.
const longestConfig = 1 << 20

// readConfig returns the contents of a configuration file.
func readConfig(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(textfile.SkipMark(f), longestConfig+1))
	if err == nil && len(data) > longestConfig {
		err = fmt.Errorf("%s must be of at most %d bytes", path, longestConfig)
	}
	return data, err
}

// ReadRequest reads a configuration file, or the configuration in a result file.
func ReadRequest(path string) (r Request, err error) {
	if sweep.IsResult(path) {
		h, err := sweep.ReadHeader(path)
		if err != nil {
			return r, console.Usagef("--config: %w", err)
		}
		r = RequestOf(h.Config)
		r.Origin = &Origin{path, h.Program}
		return r, nil
	}
	data, err := readConfig(path)
	if err != nil {
		return r, console.Usagef("--config: %w", err)
	}
	if r, err = ParseRequest(data); err != nil {
		return r, console.Usagef("--config: %s %w", path, err)
	}
	return r, nil
}

// ParseRequest reads the contents of a configuration file. Its errors continue a sentence that begins with the
// file's name.
func ParseRequest(data []byte) (r Request, err error) {
	if err := decodeKnown(data, &r); err != nil {
		return r, fmt.Errorf("is not a configuration: %w; "+
			"the keys are model, parameters, zip, pool, inputs, seed, replicas, precision, max_replicas, block", err)
	}
	if !json.Valid(data) {
		return r, errors.New("must hold one JSON object, but more follows it")
	}
	return r, checkKeys(data, 1)
}

// decodeKnown decodes the JSON value at the beginning of data; keys that v does not have are errors.
func decodeKnown(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(v)
	switch kind, is := errors.AsType[*json.UnmarshalTypeError](err); {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty, but must hold one JSON object")
	case is: // omits the name of a Go type
		name := "it"
		if kind.Field != "" {
			name = kind.Field[strings.LastIndex(kind.Field, ".")+1:]
		}
		wanted := map[reflect.Kind]string{reflect.Slice: "a list", reflect.String: "a string", reflect.Struct: "an object",
			reflect.Map: "an object"}[kind.Type.Kind()]
		found := map[string]string{"array": "a list", "object": "an object", "bool": "true or false", "string": "a string"}[kind.Value]
		return fmt.Errorf("%s must be %s, but is %s", name, cmp.Or(wanted, "a number"), cmp.Or(found, "a number"))
	}
	return err
}

// checkKeys returns an error if an object of a valid configuration has a key twice: JSON keeps the last value, so
// the file would mislead its reader. Keys are compared as they are read: without case and with - for _. Names of
// parameters, at depth 2, keep their case.
func checkKeys(data []byte, depth int) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	open, err := decoder.Token()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for decoder.More() {
		if open == json.Delim('{') {
			key, err := decoder.Token()
			if err != nil {
				return err
			}
			name := FlagOf(fmt.Sprint(key))
			if depth != 2 {
				name = strings.ToLower(name)
			}
			if seen[name] {
				return fmt.Errorf("has the key %.60q twice", key)
			}
			seen[name] = true
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if bytes.Contains(value, []byte("{")) {
			if err := checkKeys(value, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// defaultReplicas is the number of runs of most models. MostReplicas bounds a run that --precision ends.
const (
	defaultReplicas = 1000
	MostReplicas    = 1_000_000
)

// Plan returns the Monte Carlo plan of a model with a seed. replicas and precision are defaults if 0.
func (m Model) Plan(seed uint64, replicas int, precision float64) mc.Plan {
	p := mc.Plan{Seed: seed, Replicas: cmp.Or(m.Replicas, defaultReplicas)}
	if p.Stop.Relative = precision; precision > 0 {
		p.Replicas = MostReplicas
	}
	p.Replicas = cmp.Or(uint64(replicas), p.Replicas)
	return p
}

// ReadSeed reads the seed of all random streams.
func ReadSeed(text string) ([]uint64, error) {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%.60q must be an integer in [0, %d]", text, uint64(math.MaxUint64))
	}
	return []uint64{v}, nil
}

// ReadReplicas reads a number of runs.
func ReadReplicas(text string) ([]int, error) { return IntsIn(1, mc.MaxReplicas)(text) }

// ReadPrecision reads half the width of an interval, as a fraction of the estimate.
func ReadPrecision(text string) ([]float64, error) {
	return values.Floats(text, values.FloatRange{Min: 0, Max: 1, MinOpen: true, MaxOpen: true})
}

// ReadOne reads a text that must stand for one value.
func ReadOne[T any](text string, read func(string) ([]T, error)) (one T, err error) {
	list, err := read(text)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%.60q has %d values, but must have one", text, len(list))
	}
	if err == nil {
		one = list[0]
	}
	return one, err
}

// setNumber sets a number of a sweep from its text, unless the text is empty.
func setNumber[T any](flag string, text ListText, read func(string) ([]T, error), number *T) (err error) {
	if text == "" {
		return nil
	}
	if *number, err = ReadOne(strings.ReplaceAll(string(text), betweenItems, ","), read); err != nil {
		err = console.Usagef("--%s: %w", flag, err)
	}
	return err
}

// Config reads the numbers of a sweep of a grid of a model.
func (n SweepNumbers) Config(m Model, g *Grid) (sweep.Config, error) {
	var c sweep.Config
	if n.Precision != "" && n.Replicas != "" {
		return c, console.Usagef("--replicas and --precision exclude each other: with --precision give --max-replicas")
	}
	if n.MaxReplicas != "" && n.Precision == "" {
		return c, console.Usagef("--max-replicas must go with --precision")
	}
	seed, replicas, block, precision := uint64(1), 0, 0, 0.0
	if err := cmp.Or(setNumber("seed", n.Seed, ReadSeed, &seed), setNumber("precision", n.Precision, ReadPrecision, &precision),
		setNumber("replicas", cmp.Or(n.Replicas, n.MaxReplicas), ReadReplicas, &replicas), setNumber("block", n.Block, ReadReplicas, &block)); err != nil {
		return c, err
	}
	plan, err := g.Replicas(m.Plan(seed, replicas, precision), replicas > 0)
	if err != nil {
		return c, err
	}
	if uint64(block) > plan.Replicas {
		return c, console.Usagef("--block: %d must be an integer in [1, %d]", block, plan.Replicas)
	}
	return sweep.Config{
		Seed: plan.Seed, Replicas: plan.Replicas, Precision: plan.Stop.Relative,
		Block: cmp.Or(uint64(block), min(plan.BlockSize(), plan.Replicas)),
	}, nil
}

// NewSweep returns the sweep of a request and its model, or an error as soon as ctx is done: a million points take
// seconds, and reading a pipe that a parameter names may block forever.
func (r Request) NewSweep(ctx context.Context, available []Model, shard sweep.Shard) (*sweep.Sweep, error) {
	return console.Promptly(ctx, func() (*sweep.Sweep, error) { return r.BuildSweep(available, shard) })
}

// BuildSweep returns the sweep of a request.
func (r Request) BuildSweep(available []Model, shard sweep.Shard) (*sweep.Sweep, error) {
	m, err := Named(available, r.Model)
	if err != nil && r.Origin != nil {
		err = console.Usagef("--config: %w", ForeignFile(r.Origin.Path, err))
	}
	if err != nil {
		return nil, err
	}
	if r.Origin != nil && m.Older != nil {
		r.Parameters = maps.Clone(r.Parameters)
		for key, text := range r.Parameters {
			r.Parameters[key] = m.Older(r.Origin.Program.Streams, key, text)
		}
	}
	g, err := m.Grid(r.Selection)
	if err != nil {
		return nil, err
	}
	c, err := r.SweepNumbers.Config(m, g)
	if err != nil {
		return nil, err
	}
	if r.Replicas+r.Precision != "" && r.Origin == nil {
		g.WarnExact()
	}
	if r.Warn != nil {
		for _, w := range g.Warnings {
			r.Warn(w)
		}
	}
	c.Model, c.Parameters, c.Zip, c.Pool, c.Inputs = m.Name, g.Parameters, g.Zip, g.Pool, g.Inputs
	columns := sweep.Columns{Parameters: frame.Keys(m.Keys), Results: frame.Keys(m.Results)}
	s, err := sweep.New(m.program(), c, columns, g.Points)
	if err == nil {
		s, err = s.Part(shard)
	}
	if err != nil {
		return nil, console.Usagef("%w", err)
	}
	return s, nil
}

// Arguments returns the arguments of a command that runs the request's sweep.
func (r Request) Arguments(c sweep.Config) []string {
	list := []string{"sweep", r.Model}
	for _, key := range slices.Sorted(maps.Keys(r.Parameters)) {
		list = append(list, "--"+FlagOf(key)+"="+r.Parameters[key])
	}
	if len(r.Zip) > 0 {
		list = append(list, "--zip="+FlagOf(strings.Join(r.Zip, ",")))
	}
	if len(r.Pool) > 0 {
		list = append(list, "--pool="+FlagOf(strings.Join(r.Pool, ",")))
	}
	return append(list, fmt.Sprintf("--seed=%d", c.Seed),
		fmt.Sprintf("--replicas=%d", c.Replicas), fmt.Sprintf("--block=%d", c.Block))
}
