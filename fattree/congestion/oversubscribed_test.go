package congestion

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestLoad follows the rate of a receiver by hand, period by period.
func TestLoad(t *testing.T) {
	l := load{rate: 1, growth: rateStep}
	for i, c := range []struct {
		packets, marked, cut, inNet int32
		congestion, rate            float64
	}{
		{100, 0, 0, 0, 0, 1},                              // at its upper bound
		{100, 0, 10, 10, 0, 0.9},                          // a tenth trimmed before the last hop
		{110, 100, 10, 0, 0.5, 0.9 * 0.9},                 // all marked: g = 0.5, a cut of 0.1
		{0, 0, 0, 0, 0.25, 0.82},                          // nothing came
		{100, 10, 0, 0, 0.175, 0.83},                      // few marks
		{100, 0, 0, 0, 0.0875, 0.87},                      // none: 0.01 times 2^2
		{100, 80, 50, 40, 0.04375 + 0.8, 0.47 * 0.728125}, // more marked than arrived whole
		{100, 20, 0, 80, 0.421875 + 0.1, 0.225},           // at its lower bound
	} {
		l.packets, l.marked, l.cut, l.inNet = c.packets, c.marked, c.cut, c.inNet
		l.adjust(0.225)
		if math.Abs(l.congestion-c.congestion) > 1e-9 || math.Abs(l.rate-c.rate) > 1e-9 {
			t.Errorf("period %d: g %.6f, rate %.6f, want %.6f and %.6f", i, l.congestion, l.rate, c.congestion, c.rate)
		}
	}
}

// TestPeriods: the periods of a receiver are uniform in 1.5 RTTs, give or take a quarter, of the network's longest
// RTT. That 2,000 of them miss a hundredth of the range at either end has a chance of 4e-9.
func TestPeriods(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16},
		Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 1, 1, 0)}}})
	if err != nil {
		t.Fatal(err)
	}
	var l loads
	l.reset(n, mc.NewStream(1, mc.Algorithm, 0), 0.5)
	least, most := math.Inf(1), 0.0
	for range 2000 {
		rtts := float64(l.nextPeriod(&l.all[3])) / float64(n.LongestRTT())
		least, most = min(least, rtts), max(most, rtts)
	}
	const low, high, slack = 1.5 * 0.75, 1.5 * 1.25, 0.0075
	if least < low-1e-6 || least > low+slack || most > high || most < high-slack {
		t.Errorf("periods of %.4f to %.4f RTTs, want %v to %v", least, most, low, high)
	}
}

// TestEQDSOversubscribed: with four hosts for each uplink receivers that pace more slowly make
// queues trim at most half as many packets, and flows end earlier.
func TestEQDSOversubscribed(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 128, HostsPerToR: 8, UplinksPerToR: 2}}
	for i := range 128 {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.NewFlow(fattree.Host(i), fattree.Host((i+64)%128), 1<<20, 0))
	}
	without, with := executeEQDS(t, spec), executeControl(t, spec, &EQDS{Oversubscription: 4})
	if with.Trimmed > without.Trimmed/2 {
		t.Errorf("%d packets trimmed, %d without", with.Trimmed, without.Trimmed)
	}
	if fattree.Mean(with.FCTs()) >= fattree.Mean(without.FCTs()) {
		t.Errorf("mean FCT %d ps, %d without", fattree.Mean(with.FCTs()), fattree.Mean(without.FCTs()))
	}
}

// TestObserveAfterTheEnd: an arrival after the end of every run is refused at once; one at the end is counted.
func TestObserveAfterTheEnd(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Horizon: 1000 * fattree.Microsecond,
		Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 15, 1, 0)}}})
	if err != nil {
		t.Fatal(err)
	}
	c := &EQDS{Oversubscription: 4}
	c.Reset(n, mc.Stream{})
	c.Observe(0, transport.Arrival{Now: 1000 * fattree.Microsecond})
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "congestion: now (9223372036854775807) must be at most 10") {
			t.Errorf("panics with %q", got)
		}
	}()
	c.Observe(0, transport.Arrival{Now: math.MaxInt64})
}
