package traffic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/faults"
	"repslab/internal/lists"
	"repslab/mc"
)

// Pattern returns the flows of one round of messages m among hosts 0 to hosts-1. [Permutation] and the functions of
// this package with fixed other arguments are patterns. It draws from source alone, and returns flows and triggers.
type Pattern func(hosts int, m Message, source rand.Source) (fattree.Workload, error)

// Part is a part of a [Mix].
type Part struct {
	Name string // the flows have it as the name of their [fattree.WorkloadPart]; unique, and empty only in a Mix of one part

	// Pattern returns the flows of a round. Nil means the flows of [Paced], or of [Poisson] if Poisson is set.
	Pattern Pattern
	Poisson bool
	Bytes   int64 // size of all messages, at least 1; 0 with Sizes
	Sizes   Sizes // sizes are drawn from it; the zero value means Bytes

	// Hosts are the hosts that take part, in the order in which the pattern numbers them; nil means all hosts of the
	// tree, in order. Rest leaves out the hosts of the parts before. Drawn above 0 means that this number of them take
	// part, drawn at random; each further round has these hosts in a new random order. Drawn is 0 or at least 2.
	Hosts []fattree.Host
	Rest  bool
	Drawn int

	// Start is the time of the first round; not negative. A round begins every Every picoseconds, or rounds begin as
	// a Poisson process with an offered load of Load, while less than Duration has passed since Start. If neither is
	// set, there is one round. Load is the payload of the part as a fraction of the capacity of its hosts' links, in
	// (0, 1]. A part without a pattern has a Load, and so a Duration.
	Start, Every, Duration fattree.Picoseconds
	Load                   float64
}

// Mix is a sum of parts in one network. Each part has hosts, sizes and starts of its own.
type Mix struct {
	Tree  topology.FatTree // has the hosts, their ToRs and the rate of their links
	Parts []Part           // at least one
}

// Workload returns the flows of the parts, one part after the other. The first part draws from stream, and part i,
// from 1, from child i+1 of stream, so a change of one part changes only the draws of parts with Rest besides.
// Streams of (seed, [mc.Workload], replica) give each replica new traffic, and every balancer the same. A part alone
// with all hosts and one round has the flows of its pattern, or of Paced or Poisson, with the source of stream.
//
// Errors are joined [*faults.FieldError] values; their fields begin with Parts[NAME] if the part has a name. They also
// report too many flows, and that by chance no flow starts. O(flows log flows).
func (m Mix) Workload(stream mc.Stream) (sum fattree.Workload, err error) {
	m.Tree = m.Tree.WithDefaults()
	if err := m.validate(); err != nil {
		return sum, err
	}
	taken := map[fattree.Host]bool{}
	for i, p := range m.Parts {
		d := drawing{Part: p, tree: m.Tree, source: stream.Source()}
		if i > 0 {
			d.source = stream.Child(uint64(i) + 1).Source()
		}
		before := len(sum.Flows)
		if err := d.draw(&sum, taken); err != nil {
			return fattree.Workload{}, p.named(err)
		}
		for _, h := range d.hosts {
			taken[h] = true
		}
		if p.Name != "" {
			sum.Parts = append(sum.Parts, fattree.WorkloadPart{Name: p.Name, Flows: len(sum.Flows) - before})
		}
	}
	if len(sum.Flows) == 0 {
		return fattree.Workload{}, m.Parts[0].named(faults.New("traffic", "Duration", ps(m.Parts[0].Duration), "must be longer: no flow started"))
	}
	return sum, nil
}

// validate reports the faults of m.
func (m Mix) validate() error {
	bad := faults.List{Package: "traffic"}
	bad.Add(m.Tree.Validate())
	bad.Check(len(m.Parts) > 0, "Parts", len(m.Parts), "must be at least 1")
	names := map[string]bool{}
	for _, p := range m.Parts {
		bad.Check(!names[p.Name] && (p.Name != "" || len(m.Parts) == 1), "Name", p.Name, "must be set, and no other part may have it")
		names[p.Name] = true
		bad.Add(p.named(p.validate(m.Tree.Hosts)))
	}
	return bad.Err()
}

// named adds the name of the part to the fields of an error.
func (p Part) named(err error) error {
	switch e := err.(type) {
	case *faults.FieldError:
		if p.Name != "" {
			return faults.New(e.Package, fmt.Sprintf("Parts[%s].%s", p.Name, e.Field), e.Value, "%s", e.Problem)
		}
	case interface{ Unwrap() []error }:
		return errors.Join(lists.Map(e.Unwrap(), p.named)...)
	}
	return err
}

// timed reports whether flows start over a time.
func (p Part) timed() bool { return p.Every > 0 || p.Load > 0 }

// validate reports the faults of a part in a network with a number of hosts.
func (p Part) validate(hosts int) error {
	bad := faults.List{Package: "traffic"}
	drawn := len(p.Sizes.points) > 0
	bad.Check(drawn || p.Bytes >= 1, "Bytes", p.Bytes, "must be at least 1")
	bad.Check(!drawn || p.Bytes == 0, "Bytes", p.Bytes, "must be 0 with Sizes")
	bad.Check(p.Drawn == 0 || p.Drawn >= 2, "Drawn", p.Drawn, "must be 0 or at least 2")
	bad.Check(p.Start >= 0, "Start", ps(p.Start), "must not be negative")
	bad.Check(p.Every >= 0, "Every", ps(p.Every), "must not be negative")
	bad.Check(p.Load >= 0 && p.Load <= 1, "Load", p.Load, "must be in [0, 1]")
	bad.Check(p.Every == 0 || p.Load == 0, "Every", ps(p.Every), "must be 0 with Load")
	bad.Check(p.Pattern != nil || p.Load > 0, "Load", p.Load, "must be in (0, 1] without Pattern")
	bad.Check(p.Pattern == nil || !p.Poisson, "Poisson", true, "must be false with Pattern")
	bad.Check(p.Duration >= 0 && p.Duration > 0 == p.timed(), "Duration", ps(p.Duration), "must be positive with Every or Load, and 0 otherwise")
	seen := map[fattree.Host]bool{}
	for _, h := range p.Hosts {
		if h < 0 || int(h) >= hosts || seen[h] {
			bad.Refuse("Hosts", h, "must be in [0, %d], each once", hosts-1)
			break
		}
		seen[h] = true
	}
	return bad.Err()
}

// drawing is a part while its flows are drawn.
type drawing struct {
	Part
	tree   topology.FatTree
	source rand.Source
	hosts  []fattree.Host // that take part, in the order of the round
}

// draw adds the flows of the part to a workload. taken are the hosts of the parts before.
func (d *drawing) draw(sum *fattree.Workload, taken map[fattree.Host]bool) error {
	if d.hosts = slices.Clone(d.Hosts); d.Hosts == nil {
		for h := range d.tree.Hosts {
			d.hosts = append(d.hosts, fattree.Host(h))
		}
	}
	if d.Rest {
		d.hosts = slices.DeleteFunc(d.hosts, func(h fattree.Host) bool { return taken[h] })
	}
	if least := max(2, d.Drawn); len(d.hosts) < least {
		return faults.New("traffic", "Hosts", len(d.hosts), "must be at least %d", least)
	}
	if d.Drawn > 0 {
		d.shuffle()
		d.hosts = d.hosts[:d.Drawn]
	}
	if d.Pattern == nil {
		return d.arrive(sum)
	}
	return d.repeat(sum)
}

// shuffle puts the hosts into a new random order.
func (d *drawing) shuffle() {
	rand.New(d.source).Shuffle(len(d.hosts), func(i, j int) { d.hosts[i], d.hosts[j] = d.hosts[j], d.hosts[i] })
}

// arrive adds flows that each host starts by itself.
func (d *drawing) arrive(sum *fattree.Workload) (err error) {
	a := Arrivals{
		Hosts: len(d.hosts), HostsPerToR: d.tree.HostsPerToR, Sizes: d.Sizes, Load: d.Load, Gbps: d.tree.Access.Gbps, Duration: d.Duration,
		numbers: d.hosts,
	}
	if d.Bytes > 0 {
		if a.Sizes, err = NewSizes([]SizePoint{{Bytes: float64(d.Bytes)}, {float64(d.Bytes), 1}}); err != nil {
			return err
		}
	}
	var w fattree.Workload
	if d.Poisson {
		w, err = a.poisson(d.source)
	} else {
		w, err = Paced(a, d.source)
	}
	d.add(sum, w, 0)
	return err
}

// repeat adds the rounds of the pattern.
func (d *drawing) repeat(sum *fattree.Workload) error {
	random, at := rand.New(d.source), 0.0
	for round := 0; round == 0 || d.timed(); round++ {
		if round > 0 && d.Drawn > 0 {
			d.shuffle()
		}
		w, err := d.round()
		if err != nil {
			return err
		}
		gap := float64(d.Every)
		if d.Load > 0 {
			gap = Arrivals{Gbps: d.tree.Access.Gbps, Load: d.Load}.gap(d.mean()*float64(len(w.Flows))) / float64(len(d.hosts))
		}
		if all := float64(d.Duration) / gap * float64(len(w.Flows)); d.timed() && all > fattree.MaxFlows/2 {
			return faults.New("traffic", "Duration", ps(d.Duration), "must be shorter: about %.3g flows would start, of at most %d", all, fattree.MaxFlows/2)
		}
		switch {
		case d.Load > 0:
			at += exponential(gap, random)
		case round > 0:
			at += gap
		}
		if d.timed() && at >= float64(d.Duration) {
			break
		}
		d.add(sum, w, fattree.Picoseconds(at))
	}
	return nil
}

// mean returns the mean size of messages in bytes.
func (d *drawing) mean() float64 {
	if d.Bytes > 0 {
		return float64(d.Bytes)
	}
	return d.Sizes.Mean()
}

// round returns the flows of a round.
func (d *drawing) round() (fattree.Workload, error) {
	w, err := d.Pattern(len(d.hosts), Message{Bytes: max(1, d.Bytes)}, d.source)
	if err == nil {
		err = w.Validate(len(d.hosts))
	}
	more := w.Script != nil || w.BackgroundEvery > 0 || w.Parts != nil || slices.ContainsFunc(w.Flows, func(f fattree.Flow) bool { return f.Connection > 0 })
	if err == nil && more {
		err = faults.New("traffic", "Pattern()", faults.Text("more"), "must return flows and triggers alone, without connections")
	}
	return w, err
}

// add adds flows between the part's hosts, which they name by their places, at a time after Start.
func (d *drawing) add(sum *fattree.Workload, w fattree.Workload, at fattree.Picoseconds) {
	random, triggers := rand.New(d.source), len(sum.Triggers)
	for _, f := range w.Flows {
		f.Source, f.Destination = d.hosts[f.Source], d.hosts[f.Destination]
		if f.StartedBy == fattree.NoTrigger {
			f.Start += d.Start + at
		} else {
			f.StartedBy += triggers
		}
		if f.Fires != fattree.NoTrigger {
			f.Fires += triggers
		}
		if d.Pattern != nil && d.Bytes == 0 {
			f.Bytes = d.Sizes.draw(random)
		}
		sum.Flows = append(sum.Flows, f)
	}
	sum.Triggers = append(sum.Triggers, w.Triggers...)
}
