package repslab

import (
	"fmt"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/traffic"
)

// balancerOf returns a balancer by its name in the reference, with 65,535 EVs as
// the authors run them, bitmap apart. The reference does not know the last two.
func balancerOf(t testing.TB, name string, bitmapEVs int) (b fattree.Balancer) {
	t.Helper()
	const evs = 65535
	var err error
	switch name {
	case "oblivious":
		b, err = balance.NewSpraying(evs)
	case "ecmp":
		b, err = balance.NewECMP(evs)
	case "freezing":
		b = recycledBy(t, balance.Artifact, evs)
	case "plb":
		b, err = balance.NewPLB(evs, 0)
	case "flowlet":
		b, err = balance.NewFlowlet(evs)
	case "mprdma":
		b, err = balance.NewMPRDMA(evs)
	case "mp":
		b, err = balance.NewMultipath(evs, 8)
	case "bitmap":
		b, err = balance.NewBitmap(bitmapEVs)
	case "nvidia":
		b = balance.NewAdaptive()
	case "switch-ops":
		b = balance.NewSwitchSpraying()
	case "round-robin":
		b = balance.NewRoundRobin()
	default:
		t.Fatalf("no balancer %q", name)
	}
	return must(t, b, err)
}

// scenario is a set-up that the reference has for several balancers.
type scenario struct {
	prefix    string // of the reference's rows, before the balancer's name
	spec      fattree.Spec
	balancers []string
	short     bool // part of the short suite
}

// balancerBound returns the part of the reference that a balancer may miss: those
// that choose for each flow scatter more.
func balancerBound(name string) float64 {
	switch name {
	case "plb", "flowlet", "ecmp":
		return 0.25
	case "nvidia", "mp":
		return 0.12
	}
	return 0.05
}

// balancerScenarios lists the set-ups, configured as the authors' scripts do.
func balancerScenarios(t *testing.T) []scenario {
	const mib = 1 << 20
	synthetic := func(w fattree.Workload, err error) fattree.Spec {
		return fattree.Spec{Topology: fattree.Topology{Hosts: 128}, Workload: must(t, w, err), DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	}
	permutation := synthetic(permutation128(t), nil)
	tornado := synthetic(traffic.Tornado(128, traffic.Message{Bytes: 8 * mib}))
	incast := synthetic(traffic.Incast(128, 8, traffic.Message{Bytes: 8 * mib}))
	slow := permutation
	for _, tor := range []int{0, 4, 8, 12} {
		slow.Faults = append(slow.Faults, fattree.Fault{Switch: tor, Rate: 0.5})
	}
	others := []string{"mprdma", "bitmap", "nvidia", "mp", "plb", "flowlet"}
	all := append([]string{"oblivious", "freezing", "ecmp"}, others...)
	return []scenario{
		{"f2_perm_n128_8MiB_", permutation, others, true},
		{"f2_tornado_n128_8MiB_", tornado, others, false},
		{"f2_incast8_n128_8MiB_", incast, others, false},
		{"f4_perm_n128_8MiB_", slow, all, false},
	}
}

// balancerCalibrations lists what holds the balancers against the reference.
func balancerCalibrations(t *testing.T) []calibration {
	list := coalescedCalibrations(t)
	for _, s := range balancerScenarios(t) {
		for _, name := range s.balancers {
			bound := balancerBound(name)
			list = append(list, calibration{s.prefix + name + "_", bound, bound, balancerOf(t, name, 256), s.spec, s.short})
		}
	}
	return list
}

// coalescedCalibrations lists the set-ups with several packets to an ACK: healthy,
// and with one uplink of eight dead at every ToR. The reference counts the bytes
// since the last ACK in 16 bits: 15 packets of 4150 bytes are short of a threshold
// of 64000, with 16 the count wraps, and it is only after 15 + 3 * 16 = 63 packets
// that it comes between 64000 and 65535.
func coalescedCalibrations(t *testing.T) []calibration {
	var list []calibration
	for _, ratio := range []int{1, 2, 4, 8, 16} {
		healthy := fattree.Spec{Topology: fattree.Topology{Hosts: 128}, Workload: permutation128(t), AckRatio: ratio}
		if ratio == 16 {
			healthy.AckRatio = 63
		}
		failed := healthy
		for tor := range 16 {
			failed.Faults = append(failed.Faults, fattree.Fault{Switch: tor})
		}
		for name, bound := range map[string]float64{"oblivious": 0.25, "freezing": 0.06} {
			if ratio == 16 {
				bound = 0.25
			}
			b := balancerOf(t, name, 256)
			list = append(list, calibration{fmt.Sprintf("f11_%s_ack%d_", name, 4000*ratio), 0.04, 0.04, b, healthy, false})
			if ratio > 1 { // 1 is among the other rows
				list = append(list, calibration{fmt.Sprintf("f11fail_%s_ack%d_", name, 4000*ratio), bound, bound, b, failed, false})
			}
		}
	}
	return list
}
