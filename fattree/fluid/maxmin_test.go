package fluid

import (
	"math"
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// checkMaxMin fails unless the rates of all flows satisfy equations 1 and 2, up
// to rounding.
func checkMaxMin(t *testing.T, seed uint64, s *solver) {
	t.Helper()
	const tolerance = 1e-9
	load, most := make([]float64, len(s.capacity)), make([]float64, len(s.capacity))
	for f, p := range s.paths {
		for _, l := range p.over() {
			load[l] += s.rate[f]
			most[l] = max(most[l], s.rate[f])
		}
	}
	for l := range load {
		if load[l] > s.capacity[l]*(1+tolerance) {
			t.Errorf("seed %d: link %d carries %v of %v", seed, l, load[l], s.capacity[l])
		}
	}
	for f, p := range s.paths {
		bottleneck := false
		for _, l := range p.over() {
			bottleneck = bottleneck || load[l] >= s.capacity[l]*(1-tolerance) && s.rate[f] >= most[l]*(1-tolerance)
		}
		if !bottleneck || s.rate[f] <= 0 {
			t.Errorf("seed %d: flow %d at rate %v has no bottleneck", seed, f, s.rate[f])
		}
	}
}

// TestMaxMin: the rates are max-min fair, for sprayed and for hashed flows on
// random networks.
func TestMaxMin(t *testing.T) {
	for seed := range uint64(300) {
		c := randomConfig(rand.New(rand.NewPCG(seed, 1)))
		c.Spreading = Spreading(seed % 2)
		p, err := c.prepared()
		if err != nil {
			t.Fatalf("seed %d: %+v: %v", seed, c, err)
		}
		p.solver.solve(everyFlow(len(p.solver.paths)))
		checkMaxMin(t, seed, p.solver)
		h := newHashed(c.withDefaults())
		for i := range h.solver.paths {
			h.solver.paths[i] = h.route(i)
		}
		h.solver.solve(everyFlow(len(h.solver.paths)))
		checkMaxMin(t, seed, h.solver)
	}
}

// weights returns the fraction of a flow that each link of the expanded network carries if the flow is
// spread evenly over all paths. It walks all paths. Links have the same numbers as in hashed.
func weights(c Config, l *layout, f fattree.Flow) map[int]float64 {
	t := c.Topology
	from, to := int(f.Source)/t.HostsPerToR, int(f.Destination)/t.HostsPerToR
	w := map[int]float64{int(f.Source): 1, t.Hosts + int(f.Destination): 1}
	climb := t.Climb(f.Source, f.Destination)
	if climb == 0 {
		return w
	}
	paths := 0.0
	var walked [][]int
	for up := range t.UplinksPerToR {
		for down := range t.UplinksPerToR {
			if up/t.CablesPerPair != down/t.CablesPerPair {
				continue // another aggregation switch
			}
			ends := []int{l.base[0][0] + from*t.UplinksPerToR + up, l.base[0][1] + to*t.UplinksPerToR + down}
			if climb == 1 {
				walked = append(walked, ends)
				continue
			}
			agg := up / t.CablesPerPair
			for i := range t.UplinksPerAgg * t.CoreCablesPerPair {
				rise := i / t.CoreCablesPerPair
				fall := rise/t.CoreCablesPerPair*t.CoreCablesPerPair + i%t.CoreCablesPerPair // from the same core
				a, b := from/t.ToRsPerPod*t.AggsPerPod()+agg, to/t.ToRsPerPod*t.AggsPerPod()+agg
				walked = append(walked, append([]int{l.base[1][0] + a*t.UplinksPerAgg + rise, l.base[1][1] + b*t.UplinksPerAgg + fall}, ends...))
			}
		}
	}
	paths = float64(len(walked))
	for _, links := range walked {
		for _, link := range links {
			w[link] += 1 / paths
		}
	}
	return w
}

// slowFilling is the textbook's progressive filling: raise all rates together until a link is full.
func slowFilling(capacity []float64, weight []map[int]float64) []float64 {
	rates, frozen := make([]float64, len(weight)), make([]bool, len(weight))
	for {
		load, rising := make([]float64, len(capacity)), make([]float64, len(capacity))
		for f, w := range weight {
			for l, part := range w {
				load[l] += part * rates[f]
				if !frozen[f] {
					rising[l] += part
				}
			}
		}
		step := math.Inf(1)
		for l := range capacity {
			if rising[l] > 0 {
				step = min(step, (capacity[l]-load[l])/rising[l])
			}
		}
		if math.IsInf(step, 1) {
			return rates
		}
		for f, w := range weight {
			if frozen[f] {
				continue
			}
			rates[f] += step
			for l := range w {
				frozen[f] = frozen[f] || load[l]+rising[l]*step >= capacity[l]*(1-1e-12)
			}
		}
	}
}

// TestEvenEqualsEveryPath: the stages of Even give the same rates as every link of
// the network with every path enumerated.
func TestEvenEqualsEveryPath(t *testing.T) {
	for seed := range uint64(200) {
		c := randomConfig(rand.New(rand.NewPCG(seed, 2))).withDefaults()
		rates, err := Rates(c)
		if err != nil {
			t.Fatal(err)
		}
		h := newHashed(c)
		var all []map[int]float64
		for _, f := range c.Workload.Flows {
			all = append(all, weights(c, h.layout, f))
		}
		for f, want := range slowFilling(h.layout.capacity, all) {
			if want *= 1e12; math.Abs(rates[f]-want) > 1e-9*want {
				t.Fatalf("seed %d: rate of flow %d = %v, want %v B/s (%+v)", seed, f, rates[f], want, c)
			}
		}
	}
}

// TestSolverDoesNotAllocate: the solver does not allocate once its memory suffices.
func TestSolverDoesNotAllocate(t *testing.T) {
	p, err := Config{Topology: topology.FatTree{Hosts: 128}, Workload: permutation(128, 1)}.prepared()
	if err != nil {
		t.Fatal(err)
	}
	all := everyFlow(128)
	p.solver.solve(all)
	if allocs := testing.AllocsPerRun(10, func() { p.solver.solve(all) }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
