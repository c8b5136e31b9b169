package figures

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestShuffledFlowLists: the generator of rings writes the published flow list, byte by byte.
func TestShuffledFlowLists(t *testing.T) {
	published, err := os.ReadFile("testdata/p42.cm")
	if err != nil {
		t.Fatal(err)
	}
	if got := pairing(ofRing).flowList(42, 250, 32*mebi); got != string(published) {
		t.Errorf("the list of seed 42 begins with %q, want %q", got[:60], published[:60])
	}
}

// TestShufflesArePermutations: each host sends once and receives once, never from itself, for all numbers of hosts up
// to 40 and several seeds.
func TestShufflesArePermutations(t *testing.T) {
	for name, of := range map[string]pairing{"ring": ofRing, "cycle": ofCycle, "two": ofTwo} {
		for hosts := 2; hosts <= 40; hosts++ {
			for seed := range uint32(20) {
				from, to := of(newPythonRandom(seed), hosts)
				for i := range from {
					if from[i] == to[i] {
						t.Errorf("%s, %d hosts, seed %d: %d sends to itself", name, hosts, seed, from[i])
					}
				}
				for _, list := range [][]int{from, to} {
					sorted := slices.Sorted(slices.Values(list))
					if !slices.Equal(sorted, upTo(hosts)) {
						t.Errorf("%s, %d hosts, seed %d: %v is no permutation", name, hosts, seed, list)
					}
				}
			}
		}
	}
}

// TestPythonRandom: numbers that Python 3 draws from the same seeds.
func TestPythonRandom(t *testing.T) {
	for _, c := range []struct {
		of    pairing
		seed  uint32
		hosts int
		want  string
	}{
		{ofRing, 51, 128, "94->36 36->16 16->39 39->73"},
		{ofCycle, 13, 128, "66->2 37->51 87->108 116->7"},
		{ofCycle, 17, 1024, "848->308 826->338 310->97 983->743"},
		{ofTwo, 13, 8192, "5477->3107 5105->1109 5748->289 5958->3803"},
		{ofTwo, 17, 432, "174->21 33->94 53->5 411->157"},
	} {
		list := strings.Split(c.of.flowList(c.seed, c.hosts, 1), "\n")[2:]
		var got []string
		for _, line := range list[:4] {
			got = append(got, strings.Fields(line)[0])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("seed %d, %d hosts: %v, want %s", c.seed, c.hosts, got, c.want)
		}
	}
}
