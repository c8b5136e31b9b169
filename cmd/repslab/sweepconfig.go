package main

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
	textfile "repslab/internal/lines"
	"repslab/internal/lists"
	"repslab/internal/table"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/sweep"
)

// request describes a sweep as texts, from flags, a configuration file or the header of a
// result file. Its JSON is the configuration file, where values are strings, numbers, or lists
// of them.
type request struct {
	Model string `json:"model"`
	selection
	sweepNumbers

	origin *origin      // nil unless a result file was read
	warn   func(string) // takes warnings about the parameters; nil ignores them
}

// origin is the result file that a request was read from, and the program that wrote it.
type origin struct {
	path    string
	program sweep.Program
}

// sweepNumbers are the texts of the numbers that every sweep has; empty ones are not given.
type sweepNumbers struct {
	Seed        listText `json:"seed,omitempty"`
	Replicas    listText `json:"replicas,omitempty"`
	Precision   listText `json:"precision,omitempty"`
	MaxReplicas listText `json:"max_replicas,omitempty"`
	Block       listText `json:"block,omitempty"`
}

// requestOf returns the request of a result file's configuration.
func requestOf(c sweep.Config) request {
	r := request{Model: c.Model, selection: selection{c.Parameters, c.Zip, c.Inputs}}
	text := func(v any) listText { return listText(fmt.Sprint(v)) }
	r.Seed, r.Block = text(c.Seed), text(c.Block)
	if c.Precision > 0 {
		r.Precision, r.MaxReplicas = text(c.Precision), text(c.Replicas)
	} else {
		r.Replicas = text(c.Replicas)
	}
	return r
}

// configJSON returns a configuration as --config reads it.
func configJSON(c sweep.Config) ([]byte, error) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(requestOf(c))
	return data.Bytes(), err
}

// flagOf returns the flag of a key, keyOf the key of a flag.
func flagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }
func keyOf(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// modelNamed returns the model with a name.
func modelNamed(available []model, name string) (model, error) {
	names := lists.Map(available, func(m model) string { return m.name })
	if i := slices.Index(names, name); i >= 0 {
		return available[i], nil
	}
	return model{}, console.Usagef("model %.60q %s", name, values.MustBeOneOf(name, names))
}

// foreignFile returns the error of running a sweep whose model this program does not have.
func foreignFile(path string, err error) error {
	return fmt.Errorf("%s can only be continued or merged by the program that wrote it: %w", path, err)
}

// listText is the text of a value, which JSON may also give as a number or a list.
type listText string

// betweenItems stands between the items of a list of JSON until the parameter, and so the separator of its
// values, is known.
const betweenItems = "\x1f"

// UnmarshalJSON implements [json.Unmarshaler].
func (t *listText) UnmarshalJSON(data []byte) error {
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
	*t = listText(strings.Join(texts, betweenItems))
	return nil
}

// texts holds the texts of parameters by key.
type texts map[string]string

// UnmarshalJSON implements [json.Unmarshaler]: each value is a [listText].
func (t *texts) UnmarshalJSON(data []byte) error {
	var lists map[string]listText
	err := json.Unmarshal(data, &lists)
	*t = texts{}
	for key, list := range lists {
		(*t)[keyOf(key)] = string(list)
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

// readRequest reads a configuration file, or that of a result file.
func readRequest(path string) (r request, err error) {
	if sweep.IsResult(path) {
		h, err := sweep.ReadHeader(path)
		if err != nil {
			return r, console.Usagef("--config: %w", err)
		}
		r = requestOf(h.Config)
		r.origin = &origin{path, h.Program}
		return r, nil
	}
	data, err := readConfig(path)
	if err != nil {
		return r, console.Usagef("--config: %w", err)
	}
	if r, err = parseRequest(data); err != nil {
		return r, console.Usagef("--config: %s %w", path, err)
	}
	return r, nil
}

// parseRequest reads the contents of a configuration file. Errors go on after its name.
func parseRequest(data []byte) (r request, err error) {
	if err := decodeKnown(data, &r); err != nil {
		return r, fmt.Errorf("is not a configuration: %w; "+
			"the keys are model, parameters, zip, inputs, seed, replicas, precision, max_replicas, block", err)
	}
	if !json.Valid(data) {
		return r, errors.New("must hold one JSON object, but more follows it")
	}
	return r, checkKeys(data, 1)
}

// decodeKnown reads the JSON value that data begins with; keys that v lacks are errors.
func decodeKnown(data []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(v)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty, but must hold one JSON object")
	case errors.As(err, &kind): // without the name of a type of Go
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

// checkKeys returns an error if an object of a valid configuration has a key twice: JSON keeps
// the last value, so the file would mislead its reader. Keys are compared as they are read:
// without case, except those of the parameters, at depth 2, and with - for _.
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
			name := flagOf(fmt.Sprint(key))
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

// defaultReplicas is the number of runs of most models; mostReplicas bounds a run whose length --precision decides.
const (
	defaultReplicas = 1000
	mostReplicas    = 1_000_000
)

// plan returns the Monte Carlo plan of a model with a seed and, where they are not 0, replicas and a precision.
func (m model) plan(seed uint64, replicas int, precision float64) mc.Plan {
	p := mc.Plan{Seed: seed, Replicas: cmp.Or(m.replicas, defaultReplicas)}
	if p.Stop.Relative = precision; precision > 0 {
		p.Replicas = mostReplicas
	}
	p.Replicas = cmp.Or(uint64(replicas), p.Replicas)
	return p
}

// readSeed reads the seed of all random streams.
func readSeed(text string) ([]uint64, error) {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%.60q must be an integer in [0, %d]", text, uint64(math.MaxUint64))
	}
	return []uint64{v}, nil
}

// readReplicas reads a number of runs.
func readReplicas(text string) ([]int, error) { return intsIn(1, mc.MaxReplicas)(text) }

// readPrecision reads half an interval as a fraction of the estimate.
func readPrecision(text string) ([]float64, error) {
	return values.Floats(text, values.FloatRange{Min: 0, Max: 1, MinOpen: true, MaxOpen: true})
}

// readOne reads a text that must have one value.
func readOne[T any](text string, read func(string) ([]T, error)) (one T, err error) {
	list, err := read(text)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("%.60q has %d values, but must have one", text, len(list))
	}
	if err == nil {
		one = list[0]
	}
	return one, err
}

// setNumber sets a number of a sweep to its text, unless that is empty.
func setNumber[T any](flag string, text listText, read func(string) ([]T, error), number *T) (err error) {
	if text == "" {
		return nil
	}
	if *number, err = readOne(strings.ReplaceAll(string(text), betweenItems, ","), read); err != nil {
		err = console.Usagef("--%s: %w", flag, err)
	}
	return err
}

// config reads the numbers of a sweep of a model.
func (n sweepNumbers) config(m model) (sweep.Config, error) {
	var c sweep.Config
	if n.Precision != "" && n.Replicas != "" {
		return c, console.Usagef("--replicas and --precision exclude each other: with --precision give --max-replicas")
	}
	if n.MaxReplicas != "" && n.Precision == "" {
		return c, console.Usagef("--max-replicas must go with --precision")
	}
	seed, replicas, block, precision := uint64(1), 0, 0, 0.0
	if err := cmp.Or(setNumber("seed", n.Seed, readSeed, &seed), setNumber("precision", n.Precision, readPrecision, &precision),
		setNumber("replicas", cmp.Or(n.Replicas, n.MaxReplicas), readReplicas, &replicas), setNumber("block", n.Block, readReplicas, &block)); err != nil {
		return c, err
	}
	plan := m.plan(seed, replicas, precision)
	if uint64(block) > plan.Replicas {
		return c, console.Usagef("--block: %d must be an integer in [1, %d]", block, plan.Replicas)
	}
	return sweep.Config{
		Seed: plan.Seed, Replicas: plan.Replicas, Precision: plan.Stop.Relative,
		Block: cmp.Or(uint64(block), min(plan.BlockSize(), plan.Replicas)),
	}, nil
}

// newSweep returns the sweep of a request and its model, or an error as soon as ctx is
// done: a million points take seconds, and a pipe that a parameter names may never be
// written.
func (r request) newSweep(ctx context.Context, available []model, shard sweep.Shard) (*sweep.Sweep, error) {
	return console.Promptly(ctx, func() (*sweep.Sweep, error) { return r.buildSweep(available, shard) })
}

// buildSweep returns the sweep of a request.
func (r request) buildSweep(available []model, shard sweep.Shard) (*sweep.Sweep, error) {
	m, err := modelNamed(available, r.Model)
	if err != nil && r.origin != nil {
		err = console.Usagef("--config: %w", foreignFile(r.origin.path, err))
	}
	if err != nil {
		return nil, err
	}
	if r.origin != nil && m.older != nil {
		r.Parameters = maps.Clone(r.Parameters)
		for key, text := range r.Parameters {
			r.Parameters[key] = m.older(r.origin.program.Streams, key, text)
		}
	}
	g, err := m.grid(r.selection)
	if err != nil {
		return nil, err
	}
	c, err := r.sweepNumbers.config(m)
	if err != nil {
		return nil, err
	}
	if r.Replicas+r.Precision != "" && r.origin == nil {
		g.warnExact()
	}
	if r.warn != nil {
		for _, w := range g.warnings {
			r.warn(w)
		}
	}
	c.Model, c.Parameters, c.Zip, c.Inputs = m.name, g.Parameters, g.Zip, g.Inputs
	columns := sweep.Columns{Parameters: table.Keys(m.keys), Results: table.Keys(m.results)}
	s, err := sweep.New(m.program(), c, columns, g.points)
	if err == nil {
		s, err = s.Part(shard)
	}
	if err != nil {
		return nil, console.Usagef("%w", err)
	}
	return s, nil
}
