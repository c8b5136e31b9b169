package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/mc"
	"repslab/reps"
)

// TestWarningsBegin: warnings begin where they say: a window below the product, more packets for an ACK
// than a flow alone fills its link with, a round trip that is 2 % too long.
func TestWarningsBegin(t *testing.T) {
	for flags, want := range map[string]string{
		"hosts=16 window=100":                           "--window: 100 packets are less than the bandwidth-delay product of 100.4",
		"hosts=16 window=101":                           "",
		"hosts=16 ack-ratio=25":                         "--ack-ratio: with more than 24 packets per ACK",
		"hosts=16 ack-ratio=24":                         "",
		"hosts=16 ack-ratio=50 cc=eqds":                 "",
		"hosts=16 profile=uet planes=2":                 "has windows for one of the 2 planes",
		"hosts=16 latency-ns=1 fabric-gbps=10 mtu=9000": "a round trip is 2.1 % too long, because links take whole slots of",
		"hosts=16 latency-ns=0.001 mtu=9000":            "",
	} {
		if got := strings.Join(pointOf(t, flags).warnings(), "; "); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", flags, got, want)
		}
	}
}

// TestWarningsOfResults: an offered load that is more than 10 % beside --load, and a failure that begins
// when all flows have ended, are warned of.
func TestWarningsOfResults(t *testing.T) {
	p := pointOf(t, "hosts=4 workload=websearch duration-us=100 link-gbps=100 failure=degrade=1:0.5,place=first,at=1")
	tally, _, err := p.Setup().NewExperiment().Run(t.Context(), mc.Plan{Seed: 1, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := tally.Summary()
	offered, end := p.offeredLoads(s)[0].Value, s.Of("end_us").Value
	for _, c := range []struct {
		load, start float64 // times what is offered, and the time of the end
		want        []string
	}{
		{1, 0.1, nil}, {0.92, 0.9, nil}, {1.1, 0.99, nil}, {0.9, 0.5, []string{"--load "}}, {1.13, 0.5, []string{"--load "}}, {1, 1.001, []string{"--failure: "}},
	} {
		p.load, p.Failure[0].Start = offered*c.load, fattree.Picoseconds(end*c.start*1e6)
		warnings := p.results(s).Warnings
		for _, want := range []string{"--load ", "--failure: "} {
			if got := strings.Contains(strings.Join(warnings, "\n"), want); got != slices.Contains(c.want, want) {
				t.Errorf("load of %v times what is offered, failure at %v of the time: warnings %q", c.load, c.start, warnings)
			}
		}
	}
}

// TestPairsRepeat: a pair of hosts has several flows in one direction.
func TestPairsRepeat(t *testing.T) {
	flow := func(from, to fattree.Host) fattree.Flow { return fattree.NewFlow(from, to, 1, 0) }
	for _, c := range []struct {
		flows []fattree.Flow
		want  bool
	}{{nil, false}, {[]fattree.Flow{flow(0, 1)}, false}, {[]fattree.Flow{flow(0, 1), flow(1, 0), flow(0, 2)}, false}, {[]fattree.Flow{flow(0, 1), flow(1, 0), flow(0, 1)}, true}} {
		if got := pairsRepeat(c.flows); got != c.want {
			t.Errorf("%v repeat pairs: %v", c.flows, got)
		}
	}
}

// TestLargeNetworksRunAlone: replicas of networks from 10,000 hosts on run one after the other.
func TestLargeNetworksRunAlone(t *testing.T) {
	for hosts, want := range map[int]bool{9801: false, 10_000: true} {
		if got := pointOf(t, fmt.Sprintf("hosts=%d workload=tornado", hosts)).point().Experiment.Alone; got != want {
			t.Errorf("replicas of %d hosts run alone: %v", hosts, got)
		}
	}
}

// TestPathsOfTheOracle: the oracle has an EV for each path: the uplinks of a ToR, with 3 tiers times
// those of an aggregation switch.
func TestPathsOfTheOracle(t *testing.T) {
	for flags, want := range map[string]int{"hosts=128": 8, "hosts=128 tiers=3": 16, "hosts=1024 tiers=3": 64, "hosts=128 uplinks-per-tor=3": 3} {
		if got := pointOf(t, flags+" lb=oracle").Recycling.REPS.EVSSize; got != want {
			t.Errorf("%s: %d EVs, want %d", flags, got, want)
		}
	}
}

// TestCachingWithoutFreezing: in a grid with and without freezing mode, the caching of frozen rings is used where there
// is one.
func TestCachingWithoutFreezing(t *testing.T) {
	points := pointsOf(t, "hosts=4 freezing=on,off freeze-cache=new")
	if len(points) != 2 || points[0].Recycling.REPS.FrozenCache != reps.CacheNew || points[1].Recycling.REPS.FrozenCache != reps.CacheAll {
		t.Errorf("%d points: %+v", len(points), points)
	}
}
