package figures

import (
	"fmt"
	"math/bits"
	"strings"

	"gonum.org/v1/gonum/mathext/prng"
)

// pythonRandom draws whole numbers like Python's module random after a seed below 2^32, because others publish the
// seeds of their flow lists and not the lists. Versions from 3.2 on draw alike.
type pythonRandom struct{ prng.MT19937 }

// newPythonRandom returns a source with a seed.
func newPythonRandom(seed uint32) *pythonRandom {
	var p pythonRandom
	p.SeedFromKeys([]uint32{seed})
	return &p
}

// below returns a number from 0 to n - 1: the highest bits of as many draws as it takes.
func (p *pythonRandom) below(n int) int {
	for {
		if x := int(p.Uint32() >> (32 - bits.Len(uint(n)))); x < n {
			return x
		}
	}
}

// shuffle permutes a list, from its end on. The element at i is exchanged with one of those up to i - apart: with
// apart = 1 the result is a single cycle.
func (p *pythonRandom) shuffle(list []int, apart int) {
	for i := len(list) - 1; i > 0; i-- {
		j := p.below(i + 1 - apart)
		list[i], list[j] = list[j], list[i]
	}
}

// sample returns the numbers below n in random order, like random.sample.
func (p *pythonRandom) sample(n int) []int {
	pool, drawn := upTo(n), make([]int, n)
	for i := range drawn {
		last := n - 1 - i
		j := p.below(last + 1)
		drawn[i], pool[j] = pool[j], pool[last]
	}
	return drawn
}

// upTo returns the numbers below n.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// pairing draws the senders and the receivers of a permutation, flow by flow.
type pairing func(p *pythonRandom, hosts int) (from, to []int)

// ofRing shuffles hosts; each sends to the next. The generators gen_perm_*.py of ItamarMeir/REPS_EuroSys_Artifact.
func ofRing(p *pythonRandom, hosts int) (from, to []int) {
	from = upTo(hosts)
	p.shuffle(from, 0)
	return from, append(from[1:hosts:hosts], from[0])
}

// ofCycle shuffles senders to a single cycle of receivers. prism_eval/common/gen/permutation.py of LeoLongmay/HTSIM.
func ofCycle(p *pythonRandom, hosts int) (from, to []int) {
	from = p.sample(hosts)
	to = append(to, from...)
	p.shuffle(to, 1)
	return from, to
}

// ofTwo shuffles senders and receivers; a host that would send to itself exchanges receivers with the next flow.
// connection_matrices/gen_permutation.py of Broadcom/csg-htsim.
func ofTwo(p *pythonRandom, hosts int) (from, to []int) {
	from, to = upTo(hosts), upTo(hosts)
	p.shuffle(from, 0)
	p.shuffle(to, 0)
	for i := range to {
		if next := (i + 1) % hosts; from[i] == to[i] {
			to[i], to[next] = to[next], to[i]
		}
	}
	return from, to
}

// flowList returns the flow list of a permutation in htsim's format, all flows at once.
func (of pairing) flowList(seed uint32, hosts int, bytes int64) string {
	from, to := of(newPythonRandom(seed), hosts)
	var text strings.Builder
	fmt.Fprintf(&text, "Nodes %d\nConnections %d\n", hosts, hosts)
	for i := range from {
		fmt.Fprintf(&text, "%d->%d id %d start 0 size %d\n", from[i], to[i], i+1, bytes)
	}
	return text.String()
}
