package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"repslab/internal/cell"
	"repslab/internal/table"
	"repslab/internal/values"
	"repslab/sweep"
)

// request is what a sweep is asked to do, as texts: by flags, by a configuration
// file or by the header of a result file.
type request struct {
	model      string
	parameters map[string]string // flag to text
	zip        []string          // flags
	inputs     []sweep.Input     // files whose contents are known; none by flags
	origin     *origin           // nil unless a result file was read
	numbers    sweepNumbers
	warn       func(string) // takes warnings about the parameters; nil ignores them
}

// origin is a result file that a request was read from, and the program that wrote it.
type origin struct {
	path    string
	program sweep.Program
}

// sweepNumbers are the texts of what is not a parameter of the model; empty ones
// are not given.
type sweepNumbers struct {
	seed, replicas, precision, maxReplicas, block string
}

// flagOf returns the flag of a key, keyOf the key of a flag.
func flagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }
func keyOf(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// modelNamed returns the model with a name.
func modelNamed(available []model, name string) (model, error) {
	var names []string
	for _, m := range available {
		if m.name == name {
			return m, nil
		}
		names = append(names, m.name)
	}
	return model{}, usagef("model %.60q must be one of %s", name, strings.Join(names, ", "))
}

// foreignFile returns the error of running a sweep whose model this program does not have.
func foreignFile(path string, err error) error {
	return fmt.Errorf("%s can only be continued or merged by the program that wrote it: %w", path, err)
}

// configFile is what a configuration file holds. Values are strings, numbers, or
// lists of them.
type configFile struct {
	Model       string              `json:"model"`
	Parameters  map[string]listText `json:"parameters"`
	Zip         []string            `json:"zip,omitempty"`
	Inputs      []sweep.Input       `json:"inputs,omitempty"`
	Seed        listText            `json:"seed,omitempty"`
	Replicas    listText            `json:"replicas,omitempty"`
	Precision   listText            `json:"precision,omitempty"`
	MaxReplicas listText            `json:"max_replicas,omitempty"`
	Block       listText            `json:"block,omitempty"`
}

// listText is a value of a flag, which JSON may also give as a number or a list.
type listText string

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
	var texts []string
	for _, item := range items {
		switch x := item.(type) {
		case string:
			texts = append(texts, x)
		case json.Number:
			texts = append(texts, x.String())
		default:
			return fmt.Errorf("%.60s must be a string, a number or a list of them", data)
		}
	}
	*t = listText(strings.Join(texts, ","))
	return nil
}

// readRequest reads a configuration file, or that of a result file.
func readRequest(path string) (request, error) {
	if sweep.IsResult(path) {
		h, err := sweep.ReadHeader(path)
		if err != nil {
			return request{}, usagef("--config: %w", err)
		}
		r := requestOf(h.Config)
		r.origin = &origin{path, h.Origin()}
		return r, nil
	}
	data, err := readText(path)
	if err != nil {
		return request{}, usagef("--config: %w", err)
	}
	r, err := parseRequest(data)
	if err != nil {
		return r, usagef("--config: %s %w", path, err)
	}
	return r, nil
}

// parseRequest reads the contents of a configuration file. Errors go on after its
// name.
func parseRequest(data []byte) (request, error) {
	var r request
	var c configFile
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return r, fmt.Errorf("is not a configuration: %w; the keys are model, parameters, zip, inputs, seed, replicas, precision, max_replicas, block", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("must hold one JSON object, but more follows it")
	}
	if err := checkKeys(data); err != nil {
		return r, err
	}
	r = request{model: c.Model, parameters: map[string]string{}, inputs: c.Inputs, numbers: sweepNumbers{
		seed: string(c.Seed), replicas: string(c.Replicas), precision: string(c.Precision),
		maxReplicas: string(c.MaxReplicas), block: string(c.Block),
	}}
	for key, text := range c.Parameters {
		r.parameters[flagOf(key)] = string(text)
	}
	for _, key := range c.Zip {
		r.zip = append(r.zip, flagOf(key))
	}
	return r, nil
}

// checkKeys returns an error if an object of a configuration, given as JSON that was
// read, has a key twice: JSON keeps the last value, so the file would not be what it
// seems. Keys are compared as they are read: without case, and with - for _.
func checkKeys(data []byte) error {
	var seen []map[string]bool // of each object or list that is open
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			seen = append(seen, map[string]bool{})
		case '}', ']':
			seen = seen[:len(seen)-1]
		case '"':
			start := i
			for i++; data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
			if after := bytes.TrimLeft(data[i+1:], " \t\r\n"); !bytes.HasPrefix(after, []byte(":")) {
				continue // a value
			}
			var key string
			if err := json.Unmarshal(data[start:i+1], &key); err != nil {
				return err
			}
			object, name := seen[len(seen)-1], flagOf(key)
			if len(seen) != 2 { // the parameters keep their case
				name = strings.ToLower(name)
			}
			if object[name] {
				return fmt.Errorf("has the key %.60q twice", key)
			}
			object[name] = true
		}
	}
	return nil
}

// requestOf returns the request that a result file's header holds.
func requestOf(c sweep.Config) request {
	r := request{model: c.Model, parameters: map[string]string{}, inputs: c.Inputs, numbers: sweepNumbers{
		seed: fmt.Sprint(c.Seed), replicas: fmt.Sprint(c.Replicas), block: fmt.Sprint(c.Block),
	}}
	if c.Precision > 0 {
		r.numbers.precision, r.numbers.replicas, r.numbers.maxReplicas = fmt.Sprint(c.Precision), "", fmt.Sprint(c.Replicas)
	}
	for key, text := range c.Parameters {
		r.parameters[flagOf(key)] = text
	}
	for _, key := range c.Zip {
		r.zip = append(r.zip, flagOf(key))
	}
	return r
}

// config returns the canonical configuration of a request and its points.
func (r request) config(available []model) (sweep.Config, []sweep.Point, model, error) {
	var c sweep.Config
	m, err := modelNamed(available, r.model)
	if err != nil && r.origin != nil {
		err = usagef("--config: %w", foreignFile(r.origin.path, err))
	}
	if err != nil {
		return c, nil, m, err
	}
	g, err := m.newGrid(r.parameters, r.zip)
	if err != nil {
		return c, nil, m, err
	}
	g.inputs.carried = r.inputs
	points, err := m.points(g)
	if err != nil {
		return c, nil, m, err
	}
	if c, err = r.numbers.config(); err != nil {
		return c, nil, m, err
	}
	c.Model, c.Parameters = m.name, map[string]string{}
	// Parameters that mean nothing are left out, since they are refused where they
	// are given; their presets come back when the configuration is read.
	for _, a := range g.axes {
		if a.unused {
			continue
		}
		c.Parameters[keyOf(a.flag)] = a.text()
		if slices.Contains(r.zip, a.flag) {
			c.Zip = append(c.Zip, keyOf(a.flag))
		}
	}
	if r.warn != nil {
		for _, w := range g.warnings {
			r.warn(w)
		}
	}
	c.Inputs = g.inputs.read
	return c, points, m, nil
}

// config reads the numbers.
func (n sweepNumbers) config() (sweep.Config, error) {
	var c sweep.Config
	if n.precision != "" && n.replicas != "" {
		return c, usagef("--replicas and --precision exclude each other: with --precision give --max-replicas")
	}
	if n.maxReplicas != "" && n.precision == "" {
		return c, usagef("--max-replicas must go with --precision")
	}
	common := commonFlags{fewest: defaultReplicas, seed: cmp.Or(n.seed, "1"), workers: "0", replicas: cmp.Or(n.replicas, n.maxReplicas), precision: n.precision}
	given := map[string]bool{"replicas": common.replicas != "", "precision": n.precision != ""}
	plan, err := common.plan(func(flag string) bool { return given[flag] })
	if err != nil {
		return c, err
	}
	c = sweep.Config{Seed: plan.Seed, Replicas: plan.Replicas, Precision: plan.Stop.Relative, Block: min(plan.BlockSize(), plan.Replicas)}
	if n.block != "" {
		block, err := oneInt("block", n.block, values.IntRange{Min: 1, Max: int(plan.Replicas)})
		if err != nil {
			return c, err
		}
		c.Block = uint64(block)
	}
	return c, nil
}

// newSweep returns the sweep of a request, or an error as soon as ctx is done: a
// million points take seconds, and a pipe that a parameter names may never be written.
func (r request) newSweep(ctx context.Context, available []model, shard sweep.Shard) (*sweep.Sweep, model, error) {
	var m model
	s, err := promptly(ctx, func() (s *sweep.Sweep, err error) {
		s, m, err = r.buildSweep(available, shard)
		return s, err
	})
	if err != nil {
		return nil, model{}, err
	}
	return s, m, nil
}

// buildSweep returns the sweep of a request.
func (r request) buildSweep(available []model, shard sweep.Shard) (*sweep.Sweep, model, error) {
	c, points, m, err := r.config(available)
	if err != nil {
		return nil, m, err
	}
	s, err := sweep.New(m.program(), c, m.sweepColumns(), distinct(points))
	if err == nil {
		s, err = s.Part(shard)
	}
	if err != nil {
		return nil, m, usagef("%w", err)
	}
	return s, m, nil
}

// distinct returns the first of all points with the same parameters, in order: lists may
// have a value twice, such as the expressions 16 and 2*8.
func distinct(points []sweep.Point) []sweep.Point {
	seen := make(map[[sha256.Size]byte]bool, len(points))
	var text []byte
	return slices.DeleteFunc(points, func(p sweep.Point) bool {
		text = text[:0]
		for _, v := range p.Parameters {
			text = cell.AppendMember(text, "", v)
		}
		digest := sha256.Sum256(text)
		known := seen[digest]
		seen[digest] = true
		return known
	})
}

// sweepColumns returns the columns of a sweep of the model.
func (m model) sweepColumns() sweep.Columns {
	var c sweep.Columns
	for _, column := range m.keys {
		c.Parameters = append(c.Parameters, column.Key)
	}
	for _, column := range m.results {
		c.Results = append(c.Results, column.Key)
	}
	return c
}

// columns returns the columns of the rows of a model.
func (m model) columns() []table.Column {
	return slices.Concat(m.keys, m.results, columns([]string{"seed", "replicas"}))
}
