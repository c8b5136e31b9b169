package traffic

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/mctest"
	"repslab/mc"
)

// webSearch is the authors' set-up of 128 hosts at 60 %.
func webSearch() Arrivals {
	return Arrivals{Hosts: 128, HostsPerToR: 8, Sizes: WebSearch(), Load: 0.6, Gbps: 400, Duration: 5_000_000_000}
}

// TestPaced: the gaps between flows of a host match their sizes at its share of the link. Each host keeps
// one partner, under another ToR, except in 5 of 101 flows.
func TestPaced(t *testing.T) {
	a := webSearch()
	w, err := Paced(a, source(mctest.Seed(t, 1), 0))
	if err == nil {
		err = w.Validate(a.Hosts)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(w.Flows, func(x, y fattree.Flow) int { return int(x.Start - y.Start) }) {
		t.Error("flows are not in order of their start")
	}
	next := make([]float64, a.Hosts)
	count := make([]map[fattree.Host]int, a.Hosts)
	for i, f := range w.Flows {
		if math.Abs(float64(f.Start)-next[f.Source]) > 1000 {
			t.Fatalf("flow %d of host %d starts at %d ps, want %.0f", i, f.Source, f.Start, next[f.Source])
		}
		next[f.Source] += float64(f.Bytes) * 8 * 1000 / (0.6 * 400)
		if count[f.Source] == nil {
			count[f.Source] = map[fattree.Host]int{}
		}
		count[f.Source][f.Destination]++
	}
	partners, elsewhere := map[fattree.Host]bool{}, uint64(0)
	for host, times := range count {
		if next[host] < float64(a.Duration) {
			t.Errorf("host %d stops at %.0f ps", host, next[host])
		}
		partner, most := fattree.Host(-1), 0
		for to, n := range times {
			if n > most {
				partner, most = to, n
			}
		}
		partners[partner] = true
		if int(partner)/8 == host/8 {
			t.Errorf("the partner of host %d is %d, of its own ToR", host, partner)
		}
		for to, n := range times {
			if to != partner {
				elsewhere += uint64(n)
			}
		}
	}
	if len(partners) != a.Hosts {
		t.Errorf("%d hosts are partners, want all %d", len(partners), a.Hosts)
	}
	// 5/101 of the flows draw a uniform host, which is the partner in one of 127 cases.
	got := mc.Proportion(elsewhere, uint64(len(w.Flows)), mc.DefaultConfidence)
	want := 5.0 / 101 * 126 / 127
	mctest.Agree(t, "flows to others", got, want, math.Sqrt(want*(1-want)/float64(len(w.Flows))), 0)
}

// TestPacedByHand: flows of 1,000 bytes at half of 8 Gb/s start every 2 us from 0 on, all before the end: five within
// 10 us, and a sixth within a picosecond more.
func TestPacedByHand(t *testing.T) {
	sizes, err := NewSizes([]SizePoint{{1000, 0}, {1000, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for duration, want := range map[fattree.Picoseconds]int{10_000_000: 5, 10_000_001: 6} {
		a := Arrivals{Hosts: 3, HostsPerToR: 1, Sizes: sizes, Load: 0.5, Gbps: 8, Duration: duration}
		w, err := Paced(a, source(1, 0))
		if err != nil || len(w.Flows) != a.Hosts*want {
			t.Fatalf("%d ps: %d flows of 3 hosts, want %d of each: %v", duration, len(w.Flows), want, err)
		}
		for i, f := range w.Flows {
			if f.Start != fattree.Picoseconds(i/a.Hosts)*2_000_000 {
				t.Errorf("flow %d starts at %d ps", i, f.Start)
			}
		}
	}
}

// TestPoisson: gaps are exponential, receivers are uniform, and the bytes match the load.
// Kolmogorov-Smirnov tests at alpha 1e-9; the load within Z standard errors.
func TestPoisson(t *testing.T) {
	a := webSearch()
	a.Sizes, a.Duration = Facebook(), 1_000_000_000
	w, err := Poisson(a, source(mctest.Seed(t, 1), 0))
	if err == nil {
		err = w.Validate(a.Hosts)
	}
	if err != nil {
		t.Fatal(err)
	}
	mean := Facebook().Mean() * 8000 / 400 / 0.6
	last := make([]fattree.Picoseconds, a.Hosts)
	var gaps, distances []float64
	var perHost mc.Moments
	bytes := make([]int64, a.Hosts)
	for _, f := range w.Flows {
		gaps = append(gaps, float64(f.Start-last[f.Source]))
		last[f.Source] = f.Start
		distances = append(distances, float64((int(f.Destination)-int(f.Source)+a.Hosts)%a.Hosts))
		bytes[f.Source] += f.Bytes
	}
	for _, b := range bytes {
		perHost.Add(b)
	}
	slices.Sort(gaps)
	slices.Sort(distances)
	// The end of the duration cuts off one of about 250 gaps per host.
	kolmogorovSmirnov(t, "gaps", gaps, func(x float64) float64 { return 1 - math.Exp(-x/mean) })
	kolmogorovSmirnov(t, "distances", distances, func(x float64) float64 { return x / 127 })
	mctest.Agree(t, "bytes of a host", perHost.Mean(mc.DefaultConfidence), 0.6*400/8000*float64(a.Duration), 0, 0)
}

// TestArrivalsAreAFunctionOfTheSeed: the same seed and replica give the same
// flows, and others give others.
func TestArrivalsAreAFunctionOfTheSeed(t *testing.T) {
	for name, generate := range map[string]func(Arrivals, rand.Source) (fattree.Workload, error){"Paced": Paced, "Poisson": Poisson} {
		first, err := generate(webSearch(), source(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		again, _ := generate(webSearch(), source(1, 0))
		other, _ := generate(webSearch(), source(1, 1))
		if !reflect.DeepEqual(first, again) || reflect.DeepEqual(first, other) {
			t.Errorf("%s: the same draw differs, or another is the same", name)
		}
	}
}

// TestPartners: no host is its own partner. If the sizes of the ToRs allow it, no partner is under the
// same ToR.
func TestPartners(t *testing.T) {
	for replica := range uint64(50) {
		for _, c := range []struct {
			hosts, perToR int
			near          bool
		}{{2, 1, false}, {3, 3, true}, {8, 8, true}, {16, 8, false}, {32, 8, false}, {12, 7, true}} {
			a := Arrivals{Hosts: c.hosts, HostsPerToR: c.perToR}
			seen := make([]bool, c.hosts)
			for host, to := range a.partners(rand.New(source(1, replica))) {
				if host == to || seen[to] || !c.near && host/c.perToR == to/c.perToR {
					t.Fatalf("%+v, replica %d: host %d has partner %d", c, replica, host, to)
				}
				seen[to] = true
			}
		}
	}
}

func TestArrivalErrors(t *testing.T) {
	for want, change := range map[string]func(*Arrivals){
		"Hosts (1) must be in [2, ":                          func(a *Arrivals) { a.Hosts = 1 },
		"HostsPerToR (0) must be at least 1":                 func(a *Arrivals) { a.HostsPerToR = 0 },
		"Sizes ([]) must be a distribution":                  func(a *Arrivals) { a.Sizes = Sizes{} },
		"Load (1.5) must be in (0, 1]":                       func(a *Arrivals) { a.Load = 1.5 },
		"Load (NaN) must be in (0, 1]":                       func(a *Arrivals) { a.Load = math.NaN() },
		"Gbps (0) must be positive":                          func(a *Arrivals) { a.Gbps = 0 },
		"must be shorter: about 1.72e+301 flows would start": func(a *Arrivals) { a.Gbps = 1e300 },
		"Duration (0 ps) must be positive":                   func(a *Arrivals) { a.Duration = 0 },
		"Duration (40000000000000 ps) must be shorter: about 5.51e+07 flows would start, of at most 8388608": func(a *Arrivals) { a.Duration = 40_000_000_000_000 },
	} {
		a := webSearch()
		change(&a)
		for _, generate := range []func(Arrivals, rand.Source) (fattree.Workload, error){Paced, Poisson} {
			if _, err := generate(a, source(1, 0)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
	a := webSearch()
	a.Hosts, a.Duration = 2, 1
	if _, err := Poisson(a, source(1, 0)); err == nil || !strings.Contains(err.Error(), "Duration (1 ps) must be longer: no flow started") {
		t.Errorf("error %v of a duration in which nothing comes", err)
	}
}
