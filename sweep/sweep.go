package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"

	"repslab/faults"
	"repslab/internal/must"
	"repslab/internal/seal"
	"repslab/mc"
)

// Sweep is a grid of points with a number of replicas for each. [New] makes it. Its fields must not be
// changed, since the keys and the rows of the file depend on them.
type Sweep struct {
	Header Header
	Points []Point

	columns Columns

	ids   []string
	byID  map[string]int
	first []uint64 // number of each point's first block; at the end the number of all blocks
}

// Header is the first line of a result file. It holds everything needed to reproduce
// the file.
type Header struct {
	Repslab string  `json:"repslab"` // Program.Version
	Schema  int     `json:"schema"`  // version of the file format
	Program Program `json:"program"` // the program that wrote the file
	Arch    string  `json:"arch"`    // GOARCH, on which floating-point results may depend
	Shard   Shard   `json:"shard,omitzero"`
	Points  int     `json:"points"` // number of points
	// Results holds [Columns].Results. It is nil for files of earlier versions, which lack it.
	Results []string `json:"results,omitempty"`
	Config  Config   `json:"config"`
}

// Config describes a sweep; result files carry it. Model and Replicas are required.
type Config struct {
	Model string `json:"model"` // name of the model; part of the identity of every point
	// Parameters maps each parameter to the list of its values, as text. Nil means the
	// values of the points.
	Parameters map[string]string `json:"parameters"`
	Zip        []string          `json:"zip,omitempty"`       // parameters with lists that advance together
	Pool       []string          `json:"pool,omitempty"`      // parameters with lists of files for the replicas of a point
	Inputs     []Input           `json:"inputs,omitempty"`    // files that parameters name
	Seed       uint64            `json:"seed"`                // seed of all random streams, the same at every point
	Replicas   uint64            `json:"replicas"`            // of every point, in [1, mc.MaxReplicas]; with Precision the most
	Precision  float64           `json:"precision,omitempty"` // see [mc.Precision]; 0 runs all replicas
	Block      uint64            `json:"block"`               // replicas of a block, in [1, Replicas]; 0 means mc.Plan.BlockSize
}

// plan returns the Monte Carlo plan of every point.
func (c Config) plan() mc.Plan {
	return mc.Plan{Seed: c.Seed, Replicas: c.Replicas, Stop: mc.Precision{Relative: c.Precision}}
}

// schema is the version of the file format that this package writes. [Read] also reads schema 1, in which
// headers name neither the program nor input files.
const schema = 2

// maxPoints bounds the points of a sweep.
const maxPoints = 1_000_000

// maxBlocks bounds the blocks of a point, and so the memory that the header of a file can demand: 24
// bytes per block.
const maxBlocks = 1 << 22

// New returns the sweep of a configuration and its points, computed by the given program.
// Invalid fields of the configuration and the columns are reported as joined *[faults.FieldError]
// values, and so is the first point with duplicate, NaN or infinite parameters. The maps and
// slices of the configuration, and the parameters of the points, must not be changed
// afterwards. O(points).
func New(program Program, c Config, columns Columns, points []Point) (*Sweep, error) {
	f := faults.List{Package: "sweep"}
	if err := c.plan().Validate(); err != nil {
		f.Add(err)
	} else {
		if c.Block == 0 {
			c.Block = min(c.plan().BlockSize(), c.Replicas)
		}
		least := (c.Replicas-1)/maxBlocks + 1
		f.Check(least <= c.Block && c.Block <= c.Replicas, "Block", c.Block,
			"must be in [%d, Replicas=%d], for at most %d blocks of a point", least, c.Replicas, maxBlocks)
	}
	f.Check(c.Model != "", "Model", c.Model, "must name the model")
	columns.check(&f)
	n := len(points)
	f.Check(n >= 1 && n <= maxPoints, "Points", n, "must be in [1, %d]", maxPoints)
	if err := f.Err(); err != nil {
		return nil, err
	}
	columns = Columns{slices.Clone(columns.Parameters), slices.Clone(columns.Results)}
	s := &Sweep{columns: columns, byID: make(map[string]int, n), Points: slices.Clone(points)}
	if err := s.number(c); err != nil {
		return nil, err
	}
	if c.Parameters == nil {
		c.Parameters = s.values()
	}
	s.Header = Header{
		Repslab: program.Version, Schema: schema, Program: program, Arch: runtime.GOARCH,
		Points: n, Results: columns.Results, Config: c,
	}
	return s, nil
}

// number gives the points their IDs and their blocks.
func (s *Sweep) number(c Config) error {
	perPoint := (c.Replicas + c.Block - 1) / c.Block
	var blocks uint64
	var parameters []byte
	for i, p := range s.Points {
		var err error
		if parameters, err = s.parameters(parameters[:0], p); err != nil {
			return fmt.Errorf("%w, in the parameters of the point %s", err, p.Name)
		}
		if err := s.checkFinite(i); err != nil {
			return err
		}
		id := c.pointID(parameters)
		if first, known := s.byID[id]; known {
			return faults.New("sweep", fmt.Sprintf("Points[%d].Parameters", i), p.Parameters,
				"must differ from those of Points[%d]; the points are named %q and %q", first, s.Points[first].Name, p.Name)
		}
		s.byID[id] = i
		s.ids = append(s.ids, id)
		s.first = append(s.first, blocks)
		if !p.Exact {
			blocks += perPoint
		}
	}
	s.first = append(s.first, blocks)
	return nil
}

// checkFinite returns an error if a parameter of a point is NaN or infinite: rows would have null
// instead, so that different points would look the same.
func (s *Sweep) checkFinite(point int) error {
	p := s.Points[point]
	for k, v := range p.Parameters {
		if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return faults.New("sweep", fmt.Sprintf("Points[%d].Parameters", point), x,
				"must be finite in the column %s of the point %q; nil is written as null", s.columns.Parameters[k], p.Name)
		}
	}
	return nil
}

// Part returns the same sweep with another shard. The two sweeps share their points. Errors are
// *[faults.FieldError] values.
func (s *Sweep) Part(shard Shard) (*Sweep, error) {
	s.mustBeMade()
	f := faults.List{Package: "sweep"}
	none := shard == Shard{}
	f.Check(none || 1 <= shard.Index && shard.Index <= shard.Of && shard.Of <= MaxShards, "Shard", shard,
		"must be i/N with 1 <= i <= N <= %d", MaxShards)
	precision := s.Header.Config.Precision
	f.Check(none || precision == 0, "Precision", precision,
		"must be 0 where there are shards: a stopping rule looks at all blocks of a point")
	if err := f.Err(); err != nil {
		return nil, err
	}
	part := *s
	part.Header.Shard = shard
	return &part, nil
}

// pointID returns the ID of a point: 64 bits of a hash, so that among a million points
// two have the same ID with probability below 1e-7.
func (c Config) pointID(parameters []byte) string {
	text := fmt.Appendf(nil, "%s\n%d\n%s", c.Model, c.Seed, parameters)
	for _, in := range c.Inputs {
		text = fmt.Appendf(text, "\n%s", in.SHA256)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:idLength/2])
}

// Blocks returns the number of blocks of all points, in all shards.
func (s *Sweep) Blocks() uint64 {
	s.mustBeMade()
	return s.first[len(s.Points)]
}

// mustBeMade panics for the zero value, and after points were added or removed.
func (s *Sweep) mustBeMade() { must.BeMade(len(s.first) == len(s.Points)+1, "sweep: Sweep", "New") }

// blocksOf returns the number of blocks of a point.
func (s *Sweep) blocksOf(point int) uint64 { return s.first[point+1] - s.first[point] }

// rowsPlace and failurePlace return the places of a point's rows and failure in an
// [index], behind the places of the point's blocks.
func (s *Sweep) rowsPlace(point int) uint64    { return s.blocksOf(point) }
func (s *Sweep) failurePlace(point int) uint64 { return s.blocksOf(point) + 1 }

// place returns the place of a record with a key that ends in kind, or false if there is none.
func (s *Sweep) place(point int, kind string) (uint64, bool) {
	switch kind {
	case rowsKind:
		return s.rowsPlace(point), true
	case failedKind:
		return s.failurePlace(point), true
	}
	block, ok := parseBlock(kind)
	k := block.First / s.Header.Config.Block
	return k, ok && k < s.blocksOf(point) && s.block(k) == block
}

// block returns the replicas of the k-th block of a point.
func (s *Sweep) block(k uint64) mc.Block {
	c := s.Header.Config
	return mc.Block{First: k * c.Block, End: min((k+1)*c.Block, c.Replicas)}
}

// mine reports whether the k-th block of a point is in the sweep's shard.
func (s *Sweep) mine(point int, k uint64) bool {
	shard := s.Header.Shard
	return shard.Of == 0 || (s.first[point]+k)%uint64(shard.Of) == uint64(shard.Index-1)
}

// whole reports whether the sweep has rows: it is not one of several shards.
func (s *Sweep) whole() bool { return s.Header.Shard.Of <= 1 }

// Shard identifies the part of a sweep that a file holds; the zero value is all of it.
type Shard struct {
	Index int `json:"index"` // in [1, Of]
	Of    int `json:"of"`    // shards, in [1, MaxShards]; 0 means no shards
}

// MaxShards bounds the shards of a sweep.
const MaxShards = 1_000_000

// line returns the header's line.
func (h Header) line() []byte {
	data, err := json.Marshal(h)
	if err != nil {
		panic("sweep: a header cannot be encoded: " + err.Error()) // strings and numbers always can
	}
	return seal.Line(data[:len(data)-1])
}

// differences lists values that differ "there" and "here".
type differences []string

// compare adds a value if it differs.
func (d *differences) compare(key string, there, here any) {
	if x, y := fmt.Sprint(there), fmt.Sprint(here); x != y {
		*d = append(*d, fmt.Sprintf("%s is %s there and %s here", key, shorten(x), shorten(y)))
	}
}

// compareResults adds the first result column that differs.
func (d *differences) compareResults(there, here []string) {
	column := func(columns []string, i int) string {
		if i < len(columns) {
			return strconv.Quote(columns[i])
		}
		return "missing"
	}
	for i := range max(len(there), len(here)) {
		if x, y := column(there, i), column(here, i); x != y {
			d.compare(fmt.Sprintf("result column %d", i+1), x, y)
			return
		}
	}
}

// differences lists the fields in which two headers differ, with h's value as "there" and the
// other's as "here". Of the result columns it names the first that differs, if both headers have
// them.
func (h Header) differences(other Header) []string {
	a, b := h.Config, other.Config
	var d differences
	for _, path := range a.ChangedInputs(b) {
		d = append(d, fmt.Sprintf("the input file %s has other contents", path))
	}
	d.compare("model", a.Model, b.Model)
	if a.Model == b.Model { // Streams counts per model
		d = append(d, h.Program.Differences(other.Program)...)
	}
	d.compare("schema", h.Schema, other.Schema)
	d.compare("arch", h.Arch, other.Arch)
	keys := map[string]string{}
	maps.Copy(keys, a.Parameters)
	maps.Copy(keys, b.Parameters)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		d.compare(key, valueOf(a.Parameters, key), valueOf(b.Parameters, key))
	}
	d.compare("zip", a.Zip, b.Zip)
	d.compare("pool", a.Pool, b.Pool)
	d.compare("seed", a.Seed, b.Seed)
	d.compare("replicas", a.Replicas, b.Replicas)
	d.compare("precision", a.Precision, b.Precision)
	d.compare("block", a.Block, b.Block)
	d.compare("points", h.Points, other.Points)
	if len(h.Results) > 0 && len(other.Results) > 0 {
		d.compareResults(h.Results, other.Results)
	}
	d.compare("shard", h.Shard, other.Shard)
	return d
}

// valueOf returns the value of a parameter for a message.
func valueOf(parameters map[string]string, key string) string {
	if v, ok := parameters[key]; ok {
		return v
	}
	return "not given"
}

// ChangedInputs returns the paths of the input files that both configurations name with different
// contents.
func (c Config) ChangedInputs(other Config) []string {
	var paths []string
	for _, in := range c.Inputs {
		changed := func(there Input) bool { return there.Path == in.Path && there.SHA256 != in.SHA256 }
		if slices.ContainsFunc(other.Inputs, changed) {
			paths = append(paths, in.Path)
		}
	}
	return paths
}

// String returns "i/N", or "none".
func (s Shard) String() string {
	if s.Of == 0 {
		return "none"
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// shorten limits the length of a value in a message.
func shorten(text string) string {
	if len(text) > 60 {
		return text[:57] + "..."
	}
	return text
}
