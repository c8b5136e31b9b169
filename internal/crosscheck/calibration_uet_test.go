package crosscheck

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/reps"
)

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

// uetArguments holds the arguments of a command line.
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
	a, replicas := uetArguments(strings.Fields(arguments)), uint64(40)
	if strings.Contains(id, "8m") {
		replicas = 10
	}
	return scenario{
		id: id, replicas: replicas, ultra: true, setup: strings.Join(a[1:], " "), spec: uetSpec(t, a), control: func() transport.Control { return uetControl(a) },
		open: func(t testing.TB, lb string) transport.Balancer {
			return uetBalancer(t, lb, a.number(t, "-paths", 1, 64))
		},
	}
}

// uetSpec returns the network and the workload of 128 hosts that a command line sets up.
func uetSpec(t testing.TB, a uetArguments) fattree.Spec {
	s := uetNetwork(t, 128, a)
	s.Workload = uetWorkload(t, a[1])
	return s
}

// uetNetwork returns the network that a command line sets up for a number of hosts.
func uetNetwork(t testing.TB, hosts int, a uetArguments) fattree.Spec {
	link := fattree.Link{Gbps: float64(a.number(t, "-linkspeed", 1, 100_000)) / 1000}
	tree := topology.FatTree{Hosts: hosts, Tiers: a.number(t, "-tiers", 1, 3), Access: link, Fabric: link, Core: link}
	if tree.Tiers == 2 {
		tree.HostsPerToR = 8
	}
	if a.has("-topo") {
		oversubscribe(&tree, path.Base(a.after("-topo")))
	}
	s := fattree.Spec{Topology: tree, Profile: fattree.UltraEthernet, DisableTrimming: a.has("-disable_trim")}
	options := transport.Options{Sleek: a.has("-sleek"), InitialWindow: a.number(t, "-cwnd", 1, 0)}
	s.Queue, s.KMin, s.KMax = a.number(t, "-q", 1, 0), a.number(t, "-ecn", 1, 0), a.number(t, "-ecn", 2, 0)
	if threshold := a.number(t, "-sack_threshold", 1, 0); threshold > 0 {
		options.AckRatio = transport.AckRatioOf(threshold, 4150)
	}
	s.Options = options
	s.Faults = uetFaults(t, tree, a.number(t, "-failed", 1, 0))
	if planes := a.number(t, "-planes", 1, 1); planes > 1 {
		s.Topology = topology.Planes{Tree: tree, Planes: planes}
	}
	return s
}

// oversubscribe gives a tree the ToRs of one of the topologies that its runs name.
func oversubscribe(tree *topology.FatTree, name string) {
	tors := map[string][2]int{
		"leaf_spine_128_4os_400g.topo": {8, 2}, "leaf_spine_128_8os_400g.topo": {8, 1},
		"leaf_spine_1024_oversub.topo": {32, 8}, "leaf_spine_1024_oversub_8-1.topo": {32, 4},
	}[name]
	tree.Tiers, tree.HostsPerToR, tree.UplinksPerToR = 2, tors[0], tors[1]
}

// uetFaults slows links down as -failed does: the first uplinks of every ToR in both directions, or of
// 3 tiers links from the core.
func uetFaults(t testing.TB, tree topology.FatTree, count int) []fattree.Fault {
	if count == 0 {
		return nil
	}
	terms := fmt.Sprintf("degrade=%d:0.25,dir=both,place=aligned", count)
	if tree.Tiers == 3 {
		terms = fmt.Sprintf("degrade=%d:0.25,dir=down,layer=core,place=first", count)
	}
	failures, err := topology.ParseFailures(terms)
	faults, _, err := topology.Place(tree, must(t, failures, err), nil)
	return must(t, faults, err)
}

// uetWorkload returns the workload of one of the flow lists, by its name.
func uetWorkload(t testing.TB, name string) fattree.Workload {
	pattern, size, _ := strings.Cut(strings.TrimSuffix(name, ".cm"), "_")
	message := traffic.Message{Bytes: map[string]int64{"256k": mib / 4, "1m": mib, "8m": 8 * mib}[size]}
	switch pattern {
	case "tornado":
		w, err := traffic.Tornado(128, message)
		return must(t, w, err)
	case "incast32":
		return uetIncast(fattree.Workload{}, message.Bytes, 0)
	}
	w := permutation128(t)
	for i := range w.Flows {
		w.Flows[i].Bytes = message.Bytes
	}
	if pattern == "permincast" {
		w = uetIncast(w, message.Bytes/4, 10*us)
	}
	return w
}

// uetIncast adds flows from hosts 64 to 95 to host 0.
func uetIncast(w fattree.Workload, bytes int64, start fattree.Picoseconds) fattree.Workload {
	for source := fattree.Host(64); source < 96; source++ {
		w.Flows = append(w.Flows, fattree.NewFlow(source, 0, bytes, start))
	}
	return w
}

// uetControl returns the congestion control that a command line selects.
func uetControl(a uetArguments) transport.Control {
	nscc := &congestion.NSCC{Rules: fattree.UltraEthernet}
	switch {
	case a.has("-receiver_cc_only"):
		return &congestion.RCCC{Adaptive: !a.has("-force_disable_oversubscribed_cc")}
	case a.has("-receiver_cc"):
		nscc.Credited = true
		return &congestion.WindowedRCCC{Sender: nscc}
	}
	return nscc
}

// uetBalancer returns a balancer by its name in the reference.
func uetBalancer(t testing.TB, lb string, evs int) (b transport.Balancer) {
	var err error
	switch lb {
	case "ecmp":
		b, err = balance.NewStratified(1)
	case "oblivious":
		b, err = balance.NewStratified(evs)
	case "bitmap":
		b, err = balance.NewBitmap(evs)
	case "reps":
		b, err = balance.NewRecycling(balance.UltraEthernet, reps.Config{EVSSize: evs})
	case "reps_legacy":
		b, err = balance.NewRecycling(balance.FIFO, reps.Config{EVSSize: evs})
	case "sw-ar":
		b = balance.NewSwitchAdaptive()
	case "sw-rr":
		b = balance.NewShuffledRoundRobin()
	case "mixed":
		b, err = balance.NewRecyclingBitmap(evs)
	case "sw-hostar":
		var mixed transport.Balancer
		mixed, err = balance.NewRecyclingBitmap(evs)
		b = balance.NewHostAssisted(mixed)
	}
	return must(t, b, err)
}
