package traffic

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/mctest"
)

// message returns the message of the tests.
func message() Message { return Message{Bytes: 8 << 20, Start: 3} }

// pairs returns sources and destinations of a workload, which must be valid and have message in every
// flow.
func pairs(t *testing.T, w fattree.Workload, err error, hosts int) [][2]int {
	t.Helper()
	if err == nil {
		err = w.Validate(hosts)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all [][2]int
	for _, f := range w.Flows {
		if f.Bytes != message().Bytes || f.Start != message().Start || f.StartedBy != fattree.NoTrigger || f.Fires != fattree.NoTrigger {
			t.Fatalf("flow %+v does not carry %+v", f, message())
		}
		all = append(all, [2]int{int(f.Source), int(f.Destination)})
	}
	return all
}

// TestPermutation: every host sends once and receives once, never to itself; the
// draw is a function of seed and replica.
func TestPermutation(t *testing.T) {
	for _, hosts := range []int{2, 3, 5, 128, 1000} {
		for replica := range uint64(20) {
			w, err := Permutation(hosts, message(), source(1, replica))
			sends, receives := make([]bool, hosts), make([]bool, hosts)
			for _, p := range pairs(t, w, err, hosts) {
				if sends[p[0]] || receives[p[1]] {
					t.Fatalf("hosts %d, replica %d: %v is not the only flow of its hosts", hosts, replica, p)
				}
				sends[p[0]], receives[p[1]] = true, true
			}
			if slices.Contains(sends, false) || slices.Contains(receives, false) {
				t.Errorf("hosts %d, replica %d: %v has idle hosts", hosts, replica, w)
			}
			if again, _ := Permutation(hosts, message(), source(1, replica)); !reflect.DeepEqual(w, again) {
				t.Errorf("hosts %d, replica %d drawn twice differs", hosts, replica)
			}
		}
	}
	a, _ := Permutation(128, message(), source(1, 0))
	b, _ := Permutation(128, message(), source(1, 1))
	if reflect.DeepEqual(a, b) {
		t.Error("replicas 0 and 1 have one workload")
	}
}

// TestPermutationLaw counts the two derangements of three hosts, which are equally likely by symmetry,
// and the place in which host 0 sends, which is uniform. 20,000 draws detect an error of 0.015 in a
// probability, or under REPSLAB_RESEED of 0.022 at a false-alarm rate of 1e-9.
func TestPermutationLaw(t *testing.T) {
	const draws = 20_000
	seed := mctest.Seed(t, 7)
	clockwise, first := 0, 0
	for replica := range uint64(draws) {
		w, err := Permutation(3, message(), source(seed, replica))
		for place, p := range pairs(t, w, err, 3) {
			if p == [2]int{0, 1} {
				clockwise++
			}
			if p[0] == 0 && place == 0 {
				first++
			}
		}
	}
	for _, c := range []struct {
		what  string
		count int
		p     float64
	}{{"0 -> 1", clockwise, 1. / 2}, {"host 0 first", first, 1. / 3}} {
		got, bound := float64(c.count)/draws, mctest.Z(t)*math.Sqrt(c.p*(1-c.p)/draws)
		if math.Abs(got-c.p) > bound {
			t.Errorf("%s in %v of %d draws, want %v within %.3g (seed %d)", c.what, got, draws, c.p, bound, seed)
		}
	}
}

func TestFixedPatterns(t *testing.T) {
	check := func(name string, w fattree.Workload, err error, hosts int, want [][2]int) {
		t.Helper()
		if got := pairs(t, w, err, hosts); !reflect.DeepEqual(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	w, err := Tornado(4, message())
	check("Tornado(4)", w, err, 4, [][2]int{{0, 2}, {1, 3}, {2, 0}, {3, 1}})
	w, err = Tornado(5, message())
	check("Tornado(5)", w, err, 5, [][2]int{{0, 2}, {1, 3}, {2, 4}, {3, 0}, {4, 1}})
	w, err = Incast(128, 3, message())
	check("Incast(128, 3)", w, err, 128, [][2]int{{64, 0}, {65, 0}, {66, 0}})
	w, err = Incast(5, 4, message())
	check("Incast(5, 4)", w, err, 5, [][2]int{{2, 0}, {3, 0}, {4, 0}, {1, 0}})
	w, err = OneToR(topology.FatTree{Hosts: 12, HostsPerToR: 3}, message())
	check("OneToR of 12", w, err, 12, [][2]int{{0, 6}, {1, 7}, {2, 8}})
}

func TestPatternErrors(t *testing.T) {
	_, tooFew := Tornado(1, message())
	_, tooMany := Permutation(fattree.MaxHosts+1, message(), source(1, 0))
	_, empty := Tornado(4, Message{})
	_, early := Incast(4, 2, Message{Bytes: 1, Start: -1})
	_, degree := Incast(5, 5, message())
	_, none := Incast(5, 0, message())
	_, oneTier := OneToR(topology.FatTree{Hosts: 4, Tiers: 1}, message())
	_, oneToR := OneToR(topology.FatTree{Hosts: 4, HostsPerToR: 4}, message())
	for _, c := range []struct {
		err  error
		want string
	}{
		{tooFew, "traffic: hosts (1) must be in [2, 2097152]"},
		{tooMany, "traffic: hosts (2097153) must be in [2, 2097152]"},
		{empty, "traffic: Bytes (0) must be at least 1"},
		{early, "traffic: Start (-1 ps) must not be negative"},
		{degree, "traffic: degree (5) must be in [1, 4]"},
		{none, "traffic: degree (0) must be in [1, 4]"},
		{oneTier, "traffic: Tiers (1) must be 2 or 3"},
		{oneToR, "traffic: Hosts (4) must be more than the 4 of one ToR"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}
