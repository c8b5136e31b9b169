package crosscheck

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/internal/mctest"
	"repslab/mc"
	"repslab/reps"
)

// ultraEthernet is the name of Ultra Ethernet's public simulator in the document.
const ultraEthernet = "uet-htsim"

// uetBalancers lists the balancers of its runs, as their names have them; a longer name comes before
// one that begins it.
var uetBalancers = []string{"oblivious", "bitmap", "reps_legacy", "reps", "mixed", "ecmp", "sw-ar", "sw-rr", "sw-hostar"}

// uetScenarios lists the runs of Ultra Ethernet's simulator, set up as their command lines say. Their
// bounds were set before the model was compared.
func uetScenarios(t testing.TB) (list []scenario) {
	seen := map[string]int{} // the place of a scenario, by id
	for _, row := range uetRuns(t) {
		run, _, _ := strings.Cut(row["scenario_id"], "_s1") // the seeds are 13 and more
		lb := uetBalancers[slices.IndexFunc(uetBalancers, func(lb string) bool { return strings.Contains(run, "_"+lb+"_") })]
		id := strings.Replace(run, "_"+lb+"_", "_*_", 1)
		at, known := seen[id]
		if !known {
			at = len(list)
			seen[id] = at
			list = append(list, uetScenario(t, id, row["arguments"]))
		}
		s := &list[at]
		if !slices.ContainsFunc(s.systems, func(sys system) bool { return sys.lb == lb }) {
			s.systems = append(s.systems, system{lb: lb, bounds: uetBounds(id, lb), short: uetShort(id, lb)})
		}
	}
	return list
}

// uetRuns returns the rows of the reference.
func uetRuns(t testing.TB) []mctest.Row {
	return mctest.Reference(t, "internal/crosscheck/testdata/uet_runs.csv")
}

// uetBounds returns how far the maximum and the mean FCT may be off.
func uetBounds(id, lb string) map[string]float64 {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(id, p) })
	}
	switch {
	case lb == "ecmp":
		return fcts(0.25, 0.10)
	case lb == "sw-rr" && has("tornado"):
		return fcts(0.005, 0.005)
	case has("planes", "drop", "os_"):
		return fcts(0.06, 0.04)
	case has("incast"):
		return fcts(0.04, 0.03)
	case has("_f1_", "_f2_", "_f4_", "_f8_", "_sack"):
		return fcts(0.05, 0.02)
	}
	return fcts(0.03, 0.015)
}

// uetShort reports whether a system is part of the short suite: one of each kind.
func uetShort(id, lb string) bool {
	return slices.Contains([]string{
		"tornado1m_*_nscc sw-rr", "perm1m_*_nscc oblivious", "perm1m_*_nscc mixed", "perm1m_*_rccc reps",
		"incast256k_*_nscc mixed", "incast256k_*_rccc mixed", "perm1m_f1_*_nscc mixed", "perm1m_*_nscc_sack4000 reps",
		"perm1m_3t_f8_*_nscc mixed", "perm1m_*_nscc_planes2 mixed", "perm1m_4os_*_rccc_oscc mixed",
		"perm1m_f2_q60drop_*_sleek mixed",
	}, id+" "+lb)
}

// uetArguments are those of a command line.
type uetArguments []string

// has reports whether an option is given.
func (a uetArguments) has(option string) bool { return slices.Contains(a, option) }

// number returns the k-th number after an option, or otherwise.
func (a uetArguments) number(t testing.TB, option string, k, otherwise int) int {
	i := slices.Index(a, option)
	if i < 0 {
		return otherwise
	}
	v, err := strconv.Atoi(a[i+k])
	return must(t, v, err)
}

// uetScenario sets a scenario up.
func uetScenario(t testing.TB, id, arguments string) scenario {
	a := uetArguments(strings.Fields(arguments))
	return scenario{
		id: id, simulator: ultraEthernet, setup: strings.Join(a[1:], " "), spec: uetSpec(t, a), control: func() fattree.Control { return uetControl(t, a) },
		open: func(t testing.TB, lb string) fattree.Balancer { return uetBalancer(t, lb, a.number(t, "-paths", 1, 64)) },
	}
}

// uetSpec returns the network that a command line sets up, with the simulator's rules for what it does
// not say: 400 ns of packets in a base RTT decide queues, marks, windows and time-outs.
func uetSpec(t testing.TB, a uetArguments) fattree.Spec {
	link := fattree.Link{Gbps: float64(a.number(t, "-linkspeed", 1, 100_000)) / 1000}
	tree := topology.FatTree{Hosts: 128, Tiers: a.number(t, "-tiers", 1, 2), Access: link, Fabric: link, Core: link}
	if tree.Tiers == 2 {
		tree.HostsPerToR = 8
	}
	for _, oversubscription := range []int{4, 8} {
		if a.has("leaf_spine_128_" + strconv.Itoa(oversubscription) + "os_400g.topo") {
			tree.UplinksPerToR = tree.HostsPerToR / oversubscription
		}
	}
	w := uetWorkload(t, a[1])
	return fattree.Spec{Topology: tree, Workload: w}
}
