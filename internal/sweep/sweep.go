package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"repslab/mc"
)

// Point is one combination of parameters.
type Point struct {
	Name       string          // in messages
	Parameters json.RawMessage // a JSON object, the same bytes for the same combination
	// Exact says that the point is computed: it has no replicas, no blocks and no
	// Experiment.
	Exact      bool
	Experiment mc.Experiment[mc.Tally]
	// Fold turns the tally of replicas, nil for an exact point, into rows. It must
	// be a function of its arguments alone.
	Fold func(ctx context.Context, tally mc.Tally, replicas uint64) (Rows, error)
}

// Sweep is a list of points and how many replicas they get. Make it with [New].
type Sweep struct {
	Header Header
	Points []Point

	ids   []string
	byID  map[string]int
	first []uint64 // number of each point's first block, and of all blocks at the end
}

// Header is the first line of a result file: everything needed to reproduce it.
type Header struct {
	Repslab string  `json:"repslab"` // the program's version
	Schema  int     `json:"schema"`
	Program Program `json:"program"`
	Arch    string  `json:"arch"` // floating-point results are the same on one processor architecture
	Shard   Shard   `json:"shard,omitzero"`
	Points  int     `json:"points"`
	Config  Config  `json:"config"`
}

// Origin returns the program that wrote the file.
func (h Header) Origin() Program {
	p := h.Program
	p.Version = h.Repslab
	return p
}

// Config is what a sweep was asked to do, in canonical form.
type Config struct {
	Model      string            `json:"model"`
	Parameters map[string]string `json:"parameters"`       // key to list of values
	Zip        []string          `json:"zip,omitempty"`    // keys that run together
	Inputs     []Input           `json:"inputs,omitempty"` // files that parameters name
	Seed       uint64            `json:"seed"`
	Replicas   uint64            `json:"replicas"` // with a precision the most that are run
	Precision  float64           `json:"precision,omitempty"`
	Block      uint64            `json:"block"` // replicas of a block
}

// plan returns the Monte Carlo plan of every point.
func (c Config) plan() mc.Plan {
	return mc.Plan{Seed: c.Seed, Replicas: c.Replicas, Stop: mc.Precision{Relative: c.Precision}}
}

// Schema is the version of the file format that this package writes. [Read] also
// reads schema 1, whose headers name neither the program nor input files.
const Schema = 2

// maxPoints bounds the points of a sweep.
const maxPoints = 1_000_000

// MaxBlocks bounds the blocks of a point, and by that the memory that a file's
// header can ask for: 24 bytes each.
const MaxBlocks = 1 << 22

// New returns the sweep that a configuration asks for, computed by the given
// program. Of points with the same parameters the first stays.
func New(program Program, c Config, shard Shard, points []Point) (*Sweep, error) {
	errs := []error{c.plan().Validate(), shard.validate()}
	if c.Block < 1 || c.Block > c.Replicas {
		errs = append(errs, fmt.Errorf("sweep: Block (%d) must be in [1, Replicas=%d]", c.Block, c.Replicas))
	} else if least := (c.Replicas-1)/MaxBlocks + 1; c.Block < least {
		errs = append(errs, fmt.Errorf("sweep: Block (%d) must be at least %d of %d replicas, for at most %d blocks of a point", c.Block, least, c.Replicas, MaxBlocks))
	}
	if shard.Of > 0 && c.Precision > 0 {
		errs = append(errs, errPrecise)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	n := len(points)
	s := &Sweep{byID: make(map[string]int, n), ids: make([]string, 0, n), Points: make([]Point, 0, n), first: make([]uint64, 0, n+1)}
	perPoint := (c.Replicas + c.Block - 1) / c.Block
	var blocks uint64
	for _, p := range points {
		id := c.pointID(p.Parameters)
		if _, known := s.byID[id]; known {
			continue
		}
		s.byID[id] = len(s.Points)
		s.ids = append(s.ids, id)
		s.Points = append(s.Points, p)
		s.first = append(s.first, blocks)
		if !p.Exact {
			blocks += perPoint
		}
	}
	if len(s.Points) < 1 || len(s.Points) > maxPoints {
		return nil, fmt.Errorf("sweep: Points (%d) must be in [1, %d]", len(s.Points), maxPoints)
	}
	s.first = append(s.first, blocks)
	s.Header = Header{Repslab: program.Version, Schema: Schema, Program: program, Arch: runtime.GOARCH, Shard: shard, Points: len(s.Points), Config: c}
	return s, nil
}

// Part returns the same sweep with another shard; they share their points.
func (s *Sweep) Part(shard Shard) (*Sweep, error) {
	err := shard.validate()
	if err == nil && shard.Of > 0 && s.Header.Config.Precision > 0 {
		err = errPrecise
	}
	if err != nil {
		return nil, err
	}
	part := *s
	part.Header.Shard = shard
	return &part, nil
}

// errPrecise reports shards of a sweep with a stopping rule.
var errPrecise = errors.New("sweep: Precision must be 0 where there are shards: a stopping rule looks at all blocks of a point")

// pointID returns the ID of a point: 64 bits of a hash, so that two of a million
// points have the same with probability below 1e-7.
func (c Config) pointID(parameters []byte) string {
	text := fmt.Appendf(nil, "%s\n%d\n%s", c.Model, c.Seed, parameters)
	for _, in := range c.Inputs {
		text = fmt.Appendf(text, "\n%s", in.SHA256)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:idLength/2])
}

// Blocks returns the number of blocks of all points, in all shards.
func (s *Sweep) Blocks() uint64 { return s.first[len(s.Points)] }

// blocksOf returns the number of blocks of a point.
func (s *Sweep) blocksOf(point int) uint64 { return s.first[point+1] - s.first[point] }

// block returns the replicas of the k-th block of a point.
func (s *Sweep) block(k uint64) mc.Block {
	c := s.Header.Config
	return mc.Block{First: k * c.Block, End: min((k+1)*c.Block, c.Replicas)}
}

// mine says whether the k-th block of a point is in the sweep's shard.
func (s *Sweep) mine(point int, k uint64) bool {
	shard := s.Header.Shard
	return shard.Of == 0 || (s.first[point]+k)%uint64(shard.Of) == uint64(shard.Index-1)
}

// whole says whether the sweep makes rows: it is not one of several shards.
func (s *Sweep) whole() bool { return s.Header.Shard.Of <= 1 }

// Shard says which part of a sweep a file holds; the zero value is all.
type Shard struct {
	Index int `json:"index"` // in [1, Of]
	Of    int `json:"of"`    // shards, in [1, MaxShards]; 0 means no shards
}

// MaxShards bounds the shards of a sweep.
const MaxShards = 1_000_000

func (s Shard) validate() error {
	if s == (Shard{}) {
		return nil
	}
	if s.Of < 1 || s.Of > MaxShards || s.Index < 1 || s.Index > s.Of {
		return fmt.Errorf("sweep: Shard (%d/%d) must be i/N with 1 <= i <= N <= %d", s.Index, s.Of, MaxShards)
	}
	return nil
}

// line returns the header's line.
func (h Header) line() []byte {
	data, err := json.Marshal(h)
	if err != nil {
		panic("sweep: a header cannot be encoded: " + err.Error()) // strings and numbers always can
	}
	return seal(data[:len(data)-1])
}

// Differences says in which values two headers differ, one a string, shards apart.
func (h Header) Differences(other Header) []string { return h.differences(other, false) }

// differences lists values that differ there and here.
type differences []string

// compare adds a value if it differs.
func (d *differences) compare(key string, there, here any) {
	if x, y := fmt.Sprint(there), fmt.Sprint(here); x != y {
		*d = append(*d, fmt.Sprintf("%s is %s there and %s here", key, shorten(x), shorten(y)))
	}
}

// differences is Differences, with shards if they matter.
func (h Header) differences(other Header, shardsToo bool) []string {
	a, b := h.Config, other.Config
	var d differences
	for _, path := range a.ChangedInputs(b) {
		d = append(d, fmt.Sprintf("the input file %s has other contents", path))
	}
	d.compare("model", a.Model, b.Model)
	if a.Model == b.Model { // each model has its own number of streams
		d = append(d, h.Origin().Differences(other.Origin())...)
	}
	d.compare("schema", h.Schema, other.Schema)
	d.compare("arch", h.Arch, other.Arch)
	keys := map[string]bool{}
	for _, parameters := range []map[string]string{a.Parameters, b.Parameters} {
		for key := range parameters {
			keys[key] = true
		}
	}
	var sorted []string
	for key := range keys {
		sorted = append(sorted, key)
	}
	slices.Sort(sorted)
	value := func(parameters map[string]string, key string) string {
		if v, ok := parameters[key]; ok {
			return v
		}
		return "not given"
	}
	for _, key := range sorted {
		d.compare(key, value(a.Parameters, key), value(b.Parameters, key))
	}
	d.compare("zip", a.Zip, b.Zip)
	d.compare("seed", a.Seed, b.Seed)
	d.compare("replicas", a.Replicas, b.Replicas)
	d.compare("precision", a.Precision, b.Precision)
	d.compare("block", a.Block, b.Block)
	d.compare("points", h.Points, other.Points)
	if shardsToo {
		d.compare("shard", h.Shard, other.Shard)
	}
	return d
}

// ChangedInputs returns the paths of the input files that both configurations name and
// whose contents differ.
func (c Config) ChangedInputs(other Config) []string {
	var paths []string
	for _, in := range c.Inputs {
		if there, ok := other.input(in.Path); ok && there.SHA256 != in.SHA256 {
			paths = append(paths, in.Path)
		}
	}
	return paths
}

// input returns the input with a path.
func (c Config) input(path string) (Input, bool) {
	i := slices.IndexFunc(c.Inputs, func(in Input) bool { return in.Path == path })
	if i < 0 {
		return Input{}, false
	}
	return c.Inputs[i], true
}

// String writes a shard as its flag takes it.
func (s Shard) String() string {
	if s.Of == 0 {
		return "none"
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// shorten keeps a value readable in a message.
func shorten(text string) string {
	if len(text) > 60 {
		return text[:57] + "..."
	}
	return text
}
