package topology

import "testing"

// TestHostsThatMeet: two hosts meet in a plane in which one can send and the other receive, both ways and below ToRs
// that reach each other. A host need not meet itself; another host with the same ports must be met.
func TestHostsThatMeet(t *testing.T) {
	const none, first, second, both = 0b00, 0b01, 0b10, 0b11
	all, crossed := hostPorts{both, both}, hostPorts{first, second} // crossed sends in one plane and receives in the other
	for name, c := range map[string]struct {
		whole planeSet
		hosts map[hostPorts]int
		want  bool
	}{
		"all":                    {both, map[hostPorts]int{all: 9}, true},
		"one crossed":            {both, map[hostPorts]int{all: 9, crossed: 1}, true},
		"two crossed":            {both, map[hostPorts]int{all: 9, crossed: 2}, false},
		"one of each cross":      {both, map[hostPorts]int{all: 9, crossed: 1, {second, first}: 1}, true},
		"hosts of one plane":     {both, map[hostPorts]int{all: 9, {first, first}: 3}, true},
		"hosts of two planes":    {both, map[hostPorts]int{{first, first}: 1, {second, second}: 1}, false},
		"a plane that is cut":    {second, map[hostPorts]int{all: 9, {first, first}: 1}, false},
		"a host that is alone":   {both, map[hostPorts]int{{none, none}: 1}, true},
		"a host that is cut off": {both, map[hostPorts]int{all: 1, {none, none}: 1}, false},
		"none left of a kind":    {both, map[hostPorts]int{all: 9, {none, none}: 0}, true},
	} {
		if got := (&site{whole: c.whole, hosts: c.hosts}).allMeet(); got != c.want {
			t.Errorf("%s: all hosts meet: %v, want %v", name, got, c.want)
		}
	}
}
