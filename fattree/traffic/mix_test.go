package traffic

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/mctest"
	"repslab/mc"
)

// mixTree has 16 hosts, 4 to a ToR.
func mixTree() topology.FatTree { return topology.FatTree{Hosts: 16}.WithDefaults() }

// stream returns the stream of a replica's traffic.
func stream(seed, replica uint64) mc.Stream { return mc.NewStream(seed, mc.Workload, replica) }

// mixed returns the workload of a mix.
func mixed(t testing.TB, s mc.Stream, parts ...Part) fattree.Workload {
	t.Helper()
	w, err := Mix{Tree: mixTree(), Parts: parts}.Workload(s)
	if err == nil {
		err = w.Validate(16)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// incast returns the pattern of 3 hosts that send to the first.
func incast(hosts int, m Message, _ rand.Source) (fattree.Workload, error) {
	return Incast(hosts, 3, m)
}

// ring is a pattern with triggers.
func ring(hosts int, m Message, source rand.Source) (fattree.Workload, error) {
	return RingAllreduce(hosts, 3, m, source)
}

// TestPartAlone: a part with all hosts and one round has the flows of its pattern, or of Paced or Poisson, in first
// place also beside others.
func TestPartAlone(t *testing.T) {
	const duration = 20 * fattree.Microsecond
	a := Arrivals{Hosts: 16, HostsPerToR: 4, Sizes: Facebook(), Load: 0.5, Gbps: 400, Duration: duration}
	for name, c := range map[string]struct {
		part Part
		want func(source rand.Source) (fattree.Workload, error)
	}{
		"permutation": {Part{Pattern: Permutation, Bytes: 5}, func(s rand.Source) (fattree.Workload, error) { return Permutation(16, Message{Bytes: 5}, s) }},
		"ring":        {Part{Pattern: ring, Bytes: 5, Start: 7}, func(s rand.Source) (fattree.Workload, error) { return ring(16, Message{Bytes: 5, Start: 7}, s) }},
		"paced":       {Part{Sizes: Facebook(), Load: 0.5, Duration: duration}, func(s rand.Source) (fattree.Workload, error) { return Paced(a, s) }},
		"poisson":     {Part{Sizes: Facebook(), Load: 0.5, Duration: duration, Poisson: true}, func(s rand.Source) (fattree.Workload, error) { return Poisson(a, s) }},
	} {
		want, err := c.want(stream(5, 2).Source())
		if err != nil {
			t.Fatal(err)
		}
		if got := mixed(t, stream(5, 2), c.part); !reflect.DeepEqual(got, want) || len(got.Flows) < 5 {
			t.Errorf("%s alone: %v, want %v", name, got.Flows, want.Flows)
		}
		c.part.Name = name
		got := mixed(t, stream(5, 2), c.part, Part{Name: "other", Pattern: incast, Bytes: 3})
		if first, end := got.Part(name); !reflect.DeepEqual(got.Flows[first:end], want.Flows) || first != 0 || end != len(got.Flows)-3 {
			t.Errorf("%s beside others: %v, want %v", name, got.Flows[first:end], want.Flows)
		}
	}
}

// TestPartStreams: the first part draws from the stream itself and part i from child i+1. So no part draws from
// child 1, which places random failures. A load of 1, the whole link, is offered.
func TestPartStreams(t *testing.T) {
	parts := []Part{{Name: "first", Pattern: Permutation, Bytes: 1}, {Name: "second", Pattern: Permutation, Bytes: 1},
		{Name: "third", Sizes: Facebook(), Load: 1, Duration: 10 * fattree.Microsecond}}
	s := stream(6, 1)
	got := mixed(t, s, parts...)
	first, _ := Permutation(16, Message{Bytes: 1}, s.Source())
	second, _ := Permutation(16, Message{Bytes: 1}, s.Child(2).Source())
	third, err := Paced(Arrivals{Hosts: 16, HostsPerToR: 4, Sizes: Facebook(), Load: 1, Gbps: 400, Duration: parts[2].Duration}, s.Child(3).Source())
	if want := slices.Concat(first.Flows, second.Flows, third.Flows); err != nil || !reflect.DeepEqual(got.Flows, want) {
		t.Errorf("flows %v, want %v: %v", got.Flows, want, err)
	}
}

// TestMixes: of any parts the flows are in order of the parts, between hosts of the part, in its time and of its
// size; a change of a part changes no other part, except those with Rest.
func TestMixes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		parts := []Part{
			{Name: "a", Pattern: Permutation, Bytes: 1000, Drawn: rapid.IntRange(2, 10).Draw(t, "drawn"), Start: 5},
			{Name: "b", Pattern: ring, Bytes: 10, Hosts: []fattree.Host{3, 9, 1, 8}, Every: rapid.Custom(picoseconds).Draw(t, "every"), Duration: 3000},
			{Name: "c", Sizes: Facebook(), Load: 0.3, Duration: 2 * fattree.Microsecond, Rest: true, Poisson: rapid.Bool().Draw(t, "poisson")},
			{Name: "d", Pattern: incast, Sizes: WebSearch(), Load: 0.9, Duration: fattree.Microsecond, Hosts: []fattree.Host{0, 5, 6, 7, 15}, Drawn: 4, Start: 9},
		}
		w, err := Mix{Tree: mixTree(), Parts: parts}.Workload(stream(seed, 0))
		if err != nil || w.Validate(16) != nil {
			t.Fatal(err, w.Validate(16))
		}
		used := map[fattree.Host]bool{}
		for i, p := range parts {
			first, end := w.Part(p.Name)
			hosts := map[fattree.Host]bool{}
			for _, f := range w.Flows[first:end] {
				hosts[f.Source], hosts[f.Destination] = true, true
				last := p.Start + max(1, p.Duration)
				if late := f.StartedBy == fattree.NoTrigger && (f.Start < p.Start || f.Start >= last); late || p.Bytes > 0 && f.Bytes != p.Bytes {
					t.Fatalf("part %s: flow %+v", p.Name, f)
				}
				if p.Hosts != nil && !slices.Contains(p.Hosts, f.Source) || p.Rest && (used[f.Source] || used[f.Destination]) {
					t.Fatalf("part %s has the hosts of %+v", p.Name, f)
				}
			}
			if p.Drawn > 0 && len(hosts) > p.Drawn || i == 0 && len(hosts) != p.Drawn || i == 1 && len(hosts) < 3 {
				t.Fatalf("part %s has %d hosts", p.Name, len(hosts))
			}
			for h := range hosts {
				used[h] = true
			}
		}
		if rounds := int((3000 + parts[1].Every - 1) / parts[1].Every); w.Parts[1].Flows != 15*rounds {
			t.Fatalf("%d flows in %d rounds", w.Parts[1].Flows, rounds)
		}
		parts[0].Bytes, parts[0].Start, parts[2].Load, parts[2].Rest = 7, 0, 0.4, false
		other, err := Mix{Tree: mixTree(), Parts: parts}.Workload(stream(seed, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"b", "d"} {
			first, end := w.Part(name)
			same, sameEnd := other.Part(name)
			for i := range end - first {
				x, y := w.Flows[first+i], other.Flows[same+i]
				if x.Source != y.Source || x.Bytes != y.Bytes || x.Start != y.Start || end-first != sameEnd-same {
					t.Fatalf("part %s changed with others: %+v to %+v", name, x, y)
				}
			}
		}
	})
}

// picoseconds draws a time.
func picoseconds(t *rapid.T) fattree.Picoseconds {
	return fattree.Picoseconds(rapid.IntRange(100, 4000).Draw(t, "ps"))
}

// TestRounds: rounds with Every begin at its multiples; drawn hosts are the same in all rounds of a replica, in another
// order.
func TestRounds(t *testing.T) {
	w := mixed(t, stream(mctest.Seed(t, 3), 0), Part{Pattern: incast, Bytes: 1, Drawn: 5, Start: 100, Every: 70, Duration: 350})
	receivers := map[fattree.Host]bool{}
	for i, f := range w.Flows {
		if receivers[f.Destination] = true; f.Start != 100+fattree.Picoseconds(i/3*70) {
			t.Errorf("flow %d starts at %d", i, f.Start)
		}
	}
	hosts := map[fattree.Host]bool{}
	for _, f := range w.Flows {
		hosts[f.Source], hosts[f.Destination] = true, true
	}
	if len(w.Flows) != 15 || len(receivers) < 2 || len(hosts) > 5 { // one receiver in 5 rounds: by chance once in 625
		t.Errorf("%d flows to %d receivers among %d hosts", len(w.Flows), len(receivers), len(hosts))
	}
}

// TestPoissonRounds: rounds with Load begin as a Poisson process of the rate that offers it: their number in a
// replica has this mean and variance, and starts are uniform. Each test fails by chance once in 10^9 reseeds: the
// number of 3000 rounds in mean is within z of its standard error, sqrt(3000), and the variance of 100 counts, which
// are nearly normal, within z sqrt(2/100) of its mean. The least error of the load that is seen is 11 %.
func TestPoissonRounds(t *testing.T) {
	const replicas, mean, bytes, hosts = 100, 30.0, 1000, 8
	// 30 rounds of 3 kB in 10 us are 9 kB/us: 72 Gb/s of the 3200 of 8 hosts.
	p := Part{Pattern: incast, Bytes: bytes, Load: mean * 3 * bytes * 8 / 10_000 / 400 / hosts, Duration: 10 * fattree.Microsecond, Drawn: hosts}
	sum, squares, early, seed, z := 0.0, 0.0, 0, mctest.Seed(t, 7), mctest.Z(t)
	for r := range uint64(replicas) {
		w := mixed(t, stream(seed, r), p)
		n := float64(len(w.Flows) / 3)
		sum, squares = sum+n, squares+(n-mean)*(n-mean)
		for i := 0; i < len(w.Flows); i += 3 {
			if w.Flows[i].Start < p.Duration/4 {
				early++
			}
		}
	}
	if math.Abs(sum-replicas*mean) > z*math.Sqrt(replicas*mean) {
		t.Errorf("%v rounds, want about %v", sum, replicas*mean)
	}
	if v := squares / replicas / mean; math.Abs(v-1) > z*math.Sqrt(2.0/replicas) {
		t.Errorf("the variance of the number is %v of its mean", v)
	}
	if share := float64(early) / sum; math.Abs(share-0.25) > z*math.Sqrt(0.25*0.75/sum) {
		t.Errorf("%v of the rounds begin in the first quarter", share)
	}
}

// TestDrawnHosts: each host is as likely as any other to take part, and to be the receiver of an incast; sizes of a
// pattern have the distribution. By chance a count is off once in 10^9 reseeds: z standard errors of a binomial.
func TestDrawnHosts(t *testing.T) {
	const replicas = 2000
	var takes, receives [16]float64
	seed, z, small, sizes := mctest.Seed(t, 9), mctest.Z(t), 0.0, Facebook()
	median := sizes.Quantile(0.5)
	for r := range uint64(replicas) {
		w := mixed(t, stream(seed, r), Part{Pattern: incast, Sizes: sizes, Drawn: 4})
		receives[w.Flows[0].Destination]++
		takes[w.Flows[0].Destination]++
		for _, f := range w.Flows {
			if takes[f.Source]++; float64(f.Bytes) <= median {
				small++
			}
		}
	}
	within := func(what string, count, n, p float64) {
		if math.Abs(count-n*p) > z*math.Sqrt(n*p*(1-p)) {
			t.Errorf("%s: %v of %v, want %v", what, count, n, n*p)
		}
	}
	for h := range takes {
		within("part in it", takes[h], replicas, 4.0/16)
		within("receivers", receives[h], replicas, 1.0/16)
	}
	within("below the median", small, 3*replicas, 0.5)
}

// TestPacedPartners: partners of drawn hosts are under other ToRs of the tree, whatever the order of the hosts. Only
// 5 of 101 flows go elsewhere; one flow in 8 by chance has a probability below 10^-9.
func TestPacedPartners(t *testing.T) {
	w := mixed(t, stream(mctest.Seed(t, 4), 0), Part{Sizes: Facebook(), Load: 0.9, Duration: 1000 * fattree.Microsecond, Hosts: []fattree.Host{0, 4, 1, 5, 2, 6, 3, 7}})
	near := 0
	for _, f := range w.Flows {
		if f.Source/4 == f.Destination/4 {
			near++
		}
	}
	if len(w.Flows) < 500 || near*8 > len(w.Flows) || near == 0 {
		t.Errorf("%d of %d flows stay below their ToR", near, len(w.Flows))
	}
}

// TestMixErrors: parts that are wrong are refused, and the error names the part.
func TestMixErrors(t *testing.T) {
	permutation := Part{Name: "p", Pattern: Permutation, Bytes: 1}
	with := func(change func(p *Part)) []Part {
		p := permutation
		change(&p)
		return []Part{permutation, func() Part { p.Name = "q"; return p }()}
	}
	empty := func(int, Message, rand.Source) (fattree.Workload, error) { return fattree.Workload{}, nil }
	connected := func(_ int, m Message, _ rand.Source) (fattree.Workload, error) {
		return fattree.Workload{Flows: []fattree.Flow{{Destination: 1, Bytes: m.Bytes, Connection: 1}}}, nil
	}
	for want, parts := range map[string][]Part{
		"traffic: Parts (0) must be at least 1":                                      nil,
		`traffic: Name ("p") must be set, and no other`:                              {permutation, permutation},
		`traffic: Name ("") must be set`:                                             {permutation, {Pattern: Permutation, Bytes: 1}},
		"traffic: Parts[q].Bytes (0) must be at least 1":                             with(func(p *Part) { p.Bytes = 0 }),
		"traffic: Parts[q].Bytes (1) must be 0 with Sizes":                           with(func(p *Part) { p.Sizes = Facebook() }),
		"traffic: Parts[q].Drawn (1) must be 0 or at least 2":                        with(func(p *Part) { p.Drawn = 1 }),
		"traffic: Parts[q].Start (-1 ps) must not be negative":                       with(func(p *Part) { p.Start = -1 }),
		"traffic: Parts[q].Every (-1 ps) must not be negative":                       with(func(p *Part) { p.Every = -1 }),
		"traffic: Parts[q].Load (1.5) must be in [0, 1]":                             with(func(p *Part) { p.Load, p.Duration = 1.5, 1 }),
		"traffic: Parts[q].Every (1 ps) must be 0 with Load":                         with(func(p *Part) { p.Load, p.Every, p.Duration = 0.5, 1, 1 }),
		"traffic: Parts[q].Load (0) must be in (0, 1] without Pattern":               with(func(p *Part) { p.Pattern = nil }),
		"traffic: Parts[q].Poisson (true) must be false with Pattern":                with(func(p *Part) { p.Poisson = true }),
		"traffic: Parts[q].Duration (0 ps) must be positive with":                    with(func(p *Part) { p.Every = 1 }),
		"traffic: Parts[q].Duration (2 ps) must be positive with":                    with(func(p *Part) { p.Duration = 2 }),
		"traffic: Parts[q].Hosts (16) must be in [0, 15], each once":                 with(func(p *Part) { p.Hosts = []fattree.Host{1, 16, 17} }),
		"traffic: Parts[q].Hosts (1) must be in [0, 15], each once":                  with(func(p *Part) { p.Hosts = []fattree.Host{1, 1} }),
		"traffic: Parts[q].Hosts (0) must be at least 2":                             with(func(p *Part) { p.Rest = true }),
		"traffic: Parts[q].Hosts (16) must be at least 17":                           with(func(p *Part) { p.Drawn = 17 }),
		"Parts[q].Flows (0) must be in":                                              with(func(p *Part) { p.Pattern = empty }),
		"traffic: Parts[q].Pattern() (more) must return flows":                       with(func(p *Part) { p.Pattern = connected }),
		"traffic: Parts[q].Duration (1000000000000 ps) must be shorter: about 1.6e+": with(func(p *Part) { p.Every, p.Duration = 1, 1_000_000_000_000 }),
		"traffic: Parts[q].degree (3) must be in [1, 1]":                             with(func(p *Part) { p.Pattern, p.Drawn = incast, 2 }),
		"traffic: Duration (1 ps) must be longer: no flow started":                   {{Sizes: WebSearch(), Load: 0.01, Duration: 1, Poisson: true}},
	} {
		if _, err := (Mix{Tree: mixTree(), Parts: parts}).Workload(stream(1, 0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
