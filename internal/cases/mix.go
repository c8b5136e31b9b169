package cases

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/times"
	"repslab/internal/values"
)

// part is a part of the traffic, as --workload describes it: a workload with options.
type part struct {
	traffic.Part // what the options say
	kind         workload
	options      []string                     // as given, such as bytes=8MiB
	sizes        func(*Fattree) traffic.Sizes // by bytes=NAME
	degree       int
	share        float64 // of the hosts, which are drawn; per cent
}

// MixGrammar describes a value of --workload with several parts, or with options, to users.
func MixGrammar() string {
	text := "A value of --workload is a workload, or a sum of parts joined by semicolons. Each part is a workload with options:\n" +
		"  permutation: bytes=8MiB, hosts=70%; incast: bytes=200kB, degree=16, every=50us; websearch: load=0.3\n"
	for _, o := range partOptions() {
		text += fmt.Sprintf("  %-17s %s\n", o.key+"="+o.value, o.help)
	}
	return text
}

// partOption is an option of a part.
type partOption struct {
	key, value, help string
	set              func(q *part, text string) error
}

// partOptions lists the options of a part.
func partOptions() []partOption {
	time := func(field func(q *part) *fattree.Picoseconds) func(*part, string) error {
		return func(q *part, text string) (err error) {
			*field(q), err = readTime(text)
			return err
		}
	}
	return []partOption{
		{"name", "NAME", "of its row, and of the group in --lb-of and --groups; by default the workload", func(q *part, text string) error {
			if q.Name = text; !groupName.MatchString(text) {
				return fmt.Errorf("%.40q must have letters, digits, _, . and - alone, and begin without -", text)
			}
			return nil
		}},
		{"bytes", "SIZE", "of each message; or a distribution: websearch, facebook, sizes (of --sizes)", (*part).setBytes},
		{"degree", "N", "as --degree", func(q *part, text string) (err error) {
			q.degree, err = param.ReadOne(text, param.IntsIn(1, fattree.MaxHosts))
			return err
		}},
		{"hosts", "HOSTS", "70% or 16: so many, drawn anew for each replica, and in a new order in each round; 0..63 or 0,2,5: these, in this order; " +
			"rest: hosts of no part before; by default all", (*part).setHosts},
		{"at", "TIME", "of the first round, such as 20us; by default 0", time(func(q *part) *fattree.Picoseconds { return &q.Start })},
		{"every", "TIME", "from round to round", func(q *part, text string) (err error) {
			if q.Every, err = readTime(text); err == nil && q.Every == 0 {
				err = fmt.Errorf("%.40q must be above 0", text)
			}
			return err
		}},
		{"load", "L", "offered load, as a fraction of the links of its hosts: rounds start as a Poisson process; of websearch, facebook and sizes as --load",
			func(q *part, text string) (err error) {
				q.Load, err = param.ReadOne(text, func(text string) ([]float64, error) {
					return values.Floats(text, values.FloatRange{Min: 0, Max: 1, MinOpen: true})
				})
				return err
			}},
		{"arrivals", "NAME", "of websearch, facebook and sizes, as --arrivals", func(q *part, text string) error {
			name, err := param.ReadOne(text, param.NamesOf(arrivalNames()))
			q.Poisson = name == arrivalNames()[1]
			return err
		}},
		{"for", "TIME", "time during which rounds or flows start; by default --duration-us", time(func(q *part) *fattree.Picoseconds { return &q.Duration })},
	}
}

// arrivalNames lists the values of --arrivals.
func arrivalNames() []string { return []string{"paced", "poisson"} }

// readTime reads a time, in us without a unit.
func readTime(text string) (fattree.Picoseconds, error) {
	ps, err := times.Read(text, 0, 1e6)
	return fattree.Picoseconds(ps), err
}

// setBytes reads the size of the messages.
func (q *part) setBytes(text string) (err error) {
	if kind := strings.ToLower(text); slices.Contains([]string{"websearch", "facebook", sizesFile}, kind) {
		q.sizes = workloadNamed(kind).sizes
		return nil
	}
	q.Bytes, err = param.ReadOne(text, readMessages)
	return err
}

// setHosts reads the hosts of the part.
func (q *part) setHosts(text string) error {
	percent, share := strings.CutSuffix(text, "%")
	if share {
		v, err := strconv.ParseFloat(percent, 64)
		if q.share = v; err != nil || !(v > 0 && v <= 100) {
			return fmt.Errorf("%.40q must be above 0%% and at most 100%%", text)
		}
		return nil
	}
	if q.Rest = text == "rest"; q.Rest {
		return nil
	}
	list, err := values.Ints(text, values.IntRange{Min: 0, Max: fattree.MaxHosts})
	if err == nil && len(list) == 1 && !strings.Contains(text, "..") {
		if q.Drawn = list[0]; q.Drawn < 2 {
			err = fmt.Errorf("%s is a number of hosts, and must be at least 2", text)
		}
		return err
	}
	q.Hosts = lists.Map(list, func(h int) fattree.Host { return fattree.Host(h) })
	return err
}

// continues matches an item after a comma that belongs to the part before: an option, or a number of a list.
var continues = regexp.MustCompile(`^\s*([A-Za-z]+\s*=|[0-9])`)

// workloadSpecs reads values of --workload in their canonical form. They are separated by commas or bars.
func workloadSpecs(text string) (list []string, err error) {
	for mix := range strings.SplitSeq(text, "|") {
		first := len(list)
		for _, item := range strings.Split(mix, ",") {
			if last := len(list) - 1; last >= first && continues.MatchString(item) {
				list[last] += "," + item
			} else {
				list = append(list, item)
			}
		}
	}
	for i, one := range list {
		parts, err := parseParts(one)
		if err != nil {
			return nil, err
		}
		list[i] = strings.Join(lists.Map(parts, part.String), "; ")
	}
	return list, nil
}

// String returns the part in the grammar of --workload.
func (q part) String() string {
	if q.options == nil {
		return q.kind.name
	}
	return q.kind.name + ": " + strings.Join(q.options, ", ")
}

// parseParts reads a value of --workload. A workload alone is a part without a name.
func parseParts(text string) ([]part, error) {
	parts, err := values.Each(text, ";", parsePart)
	if err != nil || len(parts) == 1 && parts[0].options == nil {
		return parts, err
	}
	names := map[string]bool{allFlows: true, otherFlows: true}
	for i := range parts {
		q := &parts[i]
		if q.Name = cmp.Or(q.Name, q.kind.name); names[q.Name] {
			return nil, fmt.Errorf("%.60q must have another name by name=NAME: %q is taken", q, q.Name)
		}
		names[q.Name] = true
	}
	return parts, nil
}

// parsePart reads a part.
func parsePart(text string) (q part, err error) {
	name, options, has := strings.Cut(text, ":")
	kinds := lists.Map(workloads(), func(w workload) string { return w.name })
	if name, err = param.ReadOne(name, param.NamesOf(kinds)); err != nil {
		return q, err
	}
	q.kind = workloadNamed(name)
	const comma = "\x1f" // a comma between numbers
	var list []string
	if has {
		list = strings.Split(numberComma.ReplaceAllString(options, comma+"$1"), ",")
	}
	for _, o := range list {
		if err := q.set(strings.ReplaceAll(strings.Join(strings.Fields(o), ""), comma, ",")); err != nil {
			return q, fmt.Errorf("%s: %w", name, err)
		}
	}
	switch {
	case q.Every > 0 && q.Load > 0:
		err = fmt.Errorf("%s: every= and load= exclude each other", name)
	case q.has("for") && !q.timed():
		err = fmt.Errorf("%s: for= needs every= or load=", name)
	}
	return q, err
}

// numberComma matches a comma before a number, which belongs to a list.
var numberComma = regexp.MustCompile(`,\s*([0-9])`)

// set reads an option.
func (q *part) set(text string) error {
	key, value, _ := strings.Cut(text, "=")
	options := partOptions()
	at := slices.IndexFunc(options, func(o partOption) bool { return o.key == key })
	arrives := q.kind.sizes != nil
	switch {
	case at < 0:
		return fmt.Errorf("option %.40q %s", key, values.MustBeOneOf(key, lists.Map(options, func(o partOption) string { return o.key })))
	case q.has(key):
		return fmt.Errorf("%s= must be given once", key)
	case q.kind.pattern == nil && !arrives:
		return errors.New("must be without options: its file has the flows")
	case key == "degree" && q.kind.degree == nil, key == "arrivals" && !arrives, key == "every" && arrives, key == "hosts" && q.kind.name == oneToR:
		return fmt.Errorf("%s= is no option of this workload", key)
	}
	q.options = append(q.options, text)
	if err := options[at].set(q, value); err != nil {
		return fmt.Errorf("%s= %w", key, err)
	}
	return nil
}

// has reports whether the part has an option.
func (q *part) has(key string) bool {
	return slices.ContainsFunc(q.options, func(o string) bool { return strings.HasPrefix(o, key+"=") })
}

// The part takes the value of a flag if it has no such option.
func (q part) takesMessage() bool  { return q.kind.message > 0 && !q.has("bytes") }
func (q part) takesDegree() bool   { return q.kind.degree != nil && !q.has("degree") }
func (q part) takesLoad() bool     { return q.kind.sizes != nil && !q.has("load") }
func (q part) takesArrivals() bool { return q.kind.sizes != nil && !q.has("arrivals") }
func (q part) takesDuration() bool { return q.timed() && !q.has("for") }

// timed reports whether flows of the part start over a time.
func (q part) timed() bool { return q.kind.sizes != nil || q.Every > 0 || q.Load > 0 }

// random reports whether each replica has other flows.
func (q part) random() bool {
	return q.kind.random || q.sizes != nil || q.Load > 0 || q.Drawn > 0 || q.share > 0
}

// takes reports whether some part of the point takes the value of a flag.
func (p *Fattree) takes(flag func(part) bool) bool { return slices.ContainsFunc(p.parts, flag) }

// namesSizes reports whether a part has the sizes of the file of --sizes.
func (q part) namesSizes() bool {
	return q.kind.name == sizesFile || slices.ContainsFunc(q.options, func(o string) bool { return strings.EqualFold(o, "bytes="+sizesFile) })
}

// hostsOf returns the number of hosts of a part; of one with hosts=rest it is the most that it can have.
func (p *Fattree) hostsOf(q part) int {
	if q.share > 0 {
		return int(math.Round(q.share / 100 * float64(p.hosts())))
	}
	return cmp.Or(q.Drawn, len(q.Hosts), p.hosts())
}

// checkShares returns an error for a share of the hosts that makes fewer than two, and for more hosts than there are.
func (p *Fattree) checkShares() error {
	for _, q := range p.parts {
		if n := p.hostsOf(q); q.share > 0 && n < 2 {
			return param.Usagef("--workload: part %s: hosts=%v%% are %d of %d hosts, must be at least 2", q.Name, q.share, n, p.hosts())
		}
		if q.Drawn > p.hosts() {
			return param.Usagef("--workload: part %s: hosts=%d must be at most %d, the hosts of the network", q.Name, q.Drawn, p.hosts())
		}
	}
	return nil
}

// completed returns the part with the values of flags and defaults that it takes.
func (p *Fattree) completed(q part) traffic.Part {
	t := q.Part
	if q.share > 0 {
		t.Drawn = p.hostsOf(q)
	}
	if q.kind.pattern != nil {
		degree := 0
		if q.kind.degree != nil {
			degree = cmp.Or(q.degree, p.degree, q.kind.degree(p.hostsOf(q)))
		}
		t.Pattern = q.kind.pattern(p, degree)
	}
	switch {
	case q.sizes != nil:
		t.Sizes = q.sizes(p)
	case q.takesMessage():
		t.Bytes = cmp.Or(p.Message, q.kind.message)
	case q.kind.sizes != nil && !q.has("bytes"):
		t.Sizes = q.kind.sizes(p)
	}
	if q.takesLoad() {
		t.Load = p.load
	}
	if q.takesArrivals() {
		t.Poisson = p.poisson
	}
	if q.takesDuration() {
		t.Duration = p.duration
	}
	return t
}

// mix returns the traffic of the parts.
func (p *Fattree) mix() traffic.Mix {
	return traffic.Mix{Tree: p.Tree, Parts: lists.Map(p.parts, p.completed)}
}
