package multipath_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/multipath"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/mctest"
	"repslab/mc"
	"repslab/mrc"
)

// scenario is a network, its failures, and a workload.
type scenario struct {
	name, pattern string // single, incast, tornado, permutation, or two permutations
	packets       int
	rules         rules
}

const gbps = 400

// spec returns the scenario for package fattree.
func (s scenario) spec(seed, replica uint64) (spec fattree.Spec, err error) {
	r := s.rules
	picoseconds := func(bytes int64) fattree.Picoseconds { return fattree.Picoseconds(bytes * 8000 / gbps) }
	// In the independent program headers may take no time.
	header := max(1, r.header)
	m := traffic.Message{Bytes: int64(s.packets) * (r.mtu - header)}
	var load fattree.Workload
	switch s.pattern {
	case "single":
		load.Flows = []fattree.Flow{fattree.NewFlow(4, 0, m.Bytes, 0)}
	case "incast":
		for _, source := range []fattree.Host{4, 8, 12, 5} {
			load.Flows = append(load.Flows, fattree.NewFlow(source, 0, m.Bytes, 0))
		}
	case "tornado":
		load, err = traffic.Tornado(r.hosts, m)
	default:
		for i := range uint64(strings.Count(s.pattern, "permutation")) {
			var more fattree.Workload
			more, err = traffic.Permutation(r.hosts, m, mc.NewStream(seed, mc.Workload, 2*replica+i).Source())
			load.Flows = append(load.Flows, more.Flows...)
		}
	}
	link := fattree.Link{Gbps: gbps, LatencyNs: float64(picoseconds(r.latency)) / 1000}
	tree := topology.FatTree{Hosts: r.hosts, Tiers: 2, HostsPerToR: r.perToR, UplinksPerToR: r.spines, Access: link, Fabric: link}
	planes := topology.Planes{Tree: tree, Planes: r.planes, Cards: true}
	spec = fattree.Spec{Topology: planes, Workload: load, Profile: fattree.MRC, MTU: int(r.mtu), HeaderBytes: int(header),
		Queue: r.queue, KMin: r.kMin, KMax: r.kMax, Options: transport.Options{InitialWindow: r.window, AckRatio: r.ackRatio, RTO: picoseconds(r.rto)},
		Horizon: picoseconds(1_000_000 * r.mtu)}
	if !r.hashed {
		spec.Choose = topology.ExactPath
	}
	if r.perCable+r.perSwitch > 0 {
		spec.Errors = []fattree.Corruption{{PerCable: r.perCable, PerSwitch: r.perSwitch}}
	}
	if r.silent {
		ports := planes.Ports(topology.Part{Tier: 1, Switch: 1, WholeSwitch: true}, 0)
		for tor := range tree.ToRs() {
			ports = append(ports, planes.Ports(topology.Part{Switch: tor, Uplink: 1, Direction: topology.Up}, 0)...)
		}
		spec.Faults = []fattree.Fault{{Ports: ports}}
	}
	return spec, err
}

// both returns the numbers of a replica in both programs, for the same workload; times are in packets.
// With headers, lower has the independent program's numbers with thresholds one packet lower.
func (s scenario) both(seed, replica uint64) (network, independent, lower numbers, err error) {
	spec, err := s.spec(seed, replica)
	if err != nil {
		return network, independent, lower, err
	}
	n, err := fattree.Build(spec)
	if err != nil {
		return network, independent, lower, err
	}
	run, err := multipath.NewRun(n)
	if err != nil {
		return network, independent, lower, err
	}
	b, err := balance.MRCConfig{MRC: mrc.Config{Values: s.rules.values, Active: s.rules.active, Backup: cmp.Or(s.rules.backup, -1), ProbeReplies: 1}}.New()
	if err != nil {
		return network, independent, lower, err
	}
	streams := fattree.NewStreams(seed, replica)
	streams.Salts = mc.NewStream(seed, mc.Salts, replica)
	result, err := run.Execute(context.Background(), b, congestion.None{}, streams)
	if err != nil {
		return network, independent, lower, err
	}
	if unfinished := len(result.Flows) - result.Finished(); unfinished > 0 {
		return network, independent, lower, fmt.Errorf("%d flows have not finished", unfinished)
	}
	var messages []message
	for i, f := range result.Flows {
		fct := float64(f.FCT()) / float64(n.SlotTime())
		network[meanFCT] += fct / float64(len(result.Flows))
		network[maxFCT] = max(network[maxFCT], fct)
		from, to := n.Pair(int32(i))
		messages = append(messages, message{int(from), int(to), s.packets})
	}
	for i, count := range []int64{retransmitted: result.Retransmitted, trimmed: result.Trimmed, marked: result.Marked,
		lost: result.Lost, corrupted: result.Corrupted, duplicates: result.Duplicates} {
		if i > maxFCT {
			network[i] = float64(count)
		}
	}
	independent = s.rules.independent(messages, seed+replica)
	if s.rules.header > 0 {
		earlier := s.rules
		earlier.kMin--
		earlier.kMax--
		lower = earlier.independent(messages, seed+replica)
	}
	return network, independent, lower, nil
}

// independent returns the independent program's numbers; times are in packets.
func (r rules) independent(messages []message, seed uint64) numbers {
	result := simulate(r, messages, seed)
	result[meanFCT] /= float64(r.mtu)
	result[maxFCT] /= float64(r.mtu)
	return result
}

// TestIndependent compares means over replicas of both programs, by Student's t for the differences of
// pairs with the same workload. The chance of a false alarm is 1e-4 for all comparisons together, or 1e-9
// for each under REPSLAB_RESEED. Latencies are whole slots. Except in the last scenarios, headers take a
// millionth of a slot, or no time in the independent program, so that nothing is rounded. The test
// detects one more slot in a round trip and, with a silent T1, 3 % more lost packets. With random loss,
// which scatters more, it detects 50 % more lost packets, or 20 % of the mean FCT.
//
// With headers of 64 bytes packets no longer arrive at the same times as in slots. Completion times may
// then differ by a slot. If two packets arrive in one slot, the first leaves one behind, but in
// continuous time it may not. So the marks must lie between the marks with the given thresholds and the
// marks with thresholds one packet lower.
func TestIndependent(t *testing.T) {
	const million = 1 << 20
	with := func(changes ...func(*rules)) rules {
		r := rules{hosts: 16, planes: 1, perToR: 4, spines: 4, mtu: million, latency: 2 * million, rto: 300 * million,
			queue: 20, kMin: 4, kMax: 16, window: 30, ackRatio: 1, values: 64, active: 16, backup: 16}
		for _, change := range changes {
			change(&r)
		}
		return r
	}
	four := func(r *rules) { r.planes, r.window = 4, 120 }
	two := func(r *rules) { r.planes, r.window = 2, 60 }
	small := func(r *rules) { r.queue, r.kMin, r.kMax = 8, 1, 6 }
	unmarked := func(r *rules) { r.queue, r.kMin, r.kMax = 6, 100, 100 }
	slow := func(r *rules) { r.window = 10 }
	hashed := func(r *rules) { r.hashed = true }
	silent := func(r *rules) { r.silent = true }
	cables := func(r *rules) { r.perCable = 0.0025 }
	switches := func(r *rules) { r.perSwitch = 0.0033 }
	seldom := func(r *rules) { r.ackRatio = 4 }
	few := func(r *rules) { r.active, r.backup, r.perCable, r.rto = 4, 0, 0.005, 60*r.mtu }
	lossy := func(r *rules) { r.active, r.backup, r.perCable, r.rto = 4, 0, 0.06, 60*r.mtu }
	headers := func(r *rules) { r.mtu, r.header, r.latency, r.rto, r.kMin, r.kMax = 4096, 64, 2*4096, 300*4096, 2, 8 }
	list := []scenario{
		{"one flow", "single", 64, with(slow)},
		{"healthy", "permutation", 128, with()},
		{"healthy, 4 planes", "permutation", 128, with(four)},
		{"healthy, 2 flows a host", "permutation, permutation", 64, with(two)},
		{"small queues", "tornado", 128, with(small)},
		{"small queues, hashed", "tornado", 128, with(small, hashed)},
		{"trimming without marks", "tornado", 128, with(unmarked, hashed)},
		{"incast", "incast", 64, with(small)},
		{"silent T1", "permutation", 128, with(silent)},
		{"silent T1, 4 planes", "permutation", 160, with(silent, four)},
		{"silent T1, hashed", "permutation", 64, with(silent, hashed)},
		{"silent T1, 4 packets a SACK", "permutation", 128, with(silent, seldom)},
		{"random loss", "permutation", 128, with(cables)},
		{"random loss, 4 planes", "permutation", 128, with(switches, four)},
		{"random loss, 4 packets a SACK", "permutation", 128, with(cables, seldom)},
		{"random loss, few EVs", "tornado", 256, with(small, few)},
		{"loss that takes EVs out of use down to ev_min_active", "tornado", 256, with(lossy)},
		{"headers", "tornado", 128, with(headers)},
		{"headers, random loss", "permutation", 128, with(headers, cables)},
	}
	replicas := 6
	if os.Getenv("REPSLAB_LONG") != "" {
		replicas = 100
	}
	confidence := 1 - 1e-4/float64(len(list)*len(measured))
	if mctest.Z(t) == mctest.ReseededZ {
		confidence = 1 - 1e-9
	}
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) { s.compare(t, replicas, confidence) })
	}
}

// compare runs both programs and fails if the interval of a difference does not reach the allowed range.
func (s scenario) compare(t *testing.T, replicas int, confidence float64) {
	seed := mctest.Seed(t, 37)
	var network, independent, lower, squares, squaresOfLower numbers
	n := float64(replicas)
	for replica := range uint64(replicas) {
		a, b, c, err := s.both(seed, replica)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a {
			network[i] += a[i] / n
			independent[i] += b[i] / n
			lower[i] += c[i] / n
			squares[i] += (a[i] - b[i]) * (a[i] - b[i]) / n
			squaresOfLower[i] += (a[i] - c[i]) * (a[i] - c[i]) / n
		}
	}
	for i, what := range measured {
		interval := func(other, squares float64) (mean, stdErr, lo, hi float64) {
			mean = network[i] - other
			stdErr = math.Sqrt(max(0, squares-mean*mean) / (n - 1))
			lo, hi = mc.StudentInterval(mean, stdErr, uint64(replicas), confidence)
			return mean, stdErr, lo, hi
		}
		mean, stdErr, lo, hi := interval(independent[i], squares[i])
		slack := 0.0
		if i <= maxFCT {
			if slack = 1e-3; s.rules.header > 0 {
				slack = 1
			}
		} else if i == marked && s.rules.header > 0 {
			_, _, lo, _ = interval(lower[i], squaresOfLower[i])
		}
		if network[i] != 0 || independent[i] != 0 {
			t.Logf("%-14s %9.3f, independent program %9.3f, difference %8.3f, standard error %.3f",
				what, network[i], independent[i], mean, stdErr)
		}
		if lo > slack || hi < -slack {
			t.Errorf("%s = %.3f, want %.3f of the independent program: the difference is in [%.3f, %.3f] (seed %d, %d replicas)",
				what, network[i], independent[i], lo, hi, seed, replicas)
		}
	}
}
