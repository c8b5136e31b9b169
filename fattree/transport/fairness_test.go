package transport_test

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/mctest"
	"repslab/mc"
)

// TestHostNumberDecidesNothing: of 1,024 hosts at 32:1, eight that send equal messages over one link have
// the same mean FCT whatever their numbers. The link is an uplink where the hosts of one ToR meet, a port
// of the spine where ToRs meet, or the port of a host where the hosts of a ToR meet. Each FCT is compared
// with the mean of the eight in the same replica. There are 72 means, tested by Student's t on both sides
// at 1e-9 / 144, so the false-alarm rate is 1e-9. With 100 replicas the bound is 7.7 standard errors. A
// standard error is at most 2.6 us, but 4 us by the rules of UltraEthernet and 6 us at the port of a host
// with drops. In 99.9 % of seeds the test detects a host with an FCT that is off by 28 us of 337 (8 %), in
// these two cases by 43 and 65 us. Turns that rotate over the whole network would put host 7 off by 160 us.
// Without REPSLAB_LONG=1 each of the three places has one of the three rules. With it there are 400
// replicas, which halve the standard errors, and all rules at each place.
func TestHostNumberDecidesNothing(t *testing.T) {
	const members, perToR = 8, 32
	replicas := uint64(100)
	if mctest.Long() {
		replicas = 400
	}
	seed := mctest.Seed(t, 1)
	ruled := []string{"UltraEthernet", "trims", "drops"} // rules at each place
	for place, c := range []struct {
		name string
		ends func(i int) (source, destination int)
	}{
		{"hosts of a ToR", func(i int) (int, int) { return i, perToR * (i + 1) }},
		{"ToRs of a spine", func(i int) (int, int) { return perToR * (i + 1), i }},
		{"hosts to a host", func(i int) (int, int) { return i, perToR - 1 }},
	} {
		for name, s := range map[string]fattree.Spec{
			"trims": {}, "drops": {DisableTrimming: true}, "UltraEthernet": {Profile: fattree.UltraEthernet, DisableTrimming: true, Options: transport.Options{Sleek: true}},
		} {
			if name != ruled[place] && !mctest.Long() {
				continue
			}
			s.Topology = topology.FatTree{Hosts: 1024, HostsPerToR: perToR, UplinksPerToR: 1}
			for i := range members {
				source, destination := c.ends(i)
				s.Workload.Flows = append(s.Workload.Flows, fattree.NewFlow(fattree.Host(source), fattree.Host(destination), 2<<20, 0))
			}
			t.Run(c.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				for i, excess := range excessFCTs(t, s, seed, replicas) {
					e := excess.Mean(mc.DefaultConfidence).Per(members * 1e6)
					t.Logf("flow %d takes %+.2f us more than the mean, standard error %.2f", i, e.Value, e.StdErr)
					if min(e.PAtMost(0), e.PAtLeast(0)) < 1e-9/144 {
						t.Errorf("seed %d: flow %d takes %+.2f us more than the mean (standard error %.2f), want no difference",
							seed, i, e.Value, e.StdErr)
					}
				}
			})
		}
	}
}

// excessFCTs returns, for each flow, the excess of its FCT over the mean of all flows of its replica, in
// picoseconds times the number of flows, under OPS and DCTCP.
func excessFCTs(t *testing.T, s fattree.Spec, seed, replicas uint64) []mc.Moments {
	t.Helper()
	network, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	ops, err := balance.NewSpraying(balance.MaxEVS)
	if err != nil {
		t.Fatal(err)
	}
	run, excess := transport.NewRun(network), make([]mc.Moments, network.Flows())
	for replica := range replicas {
		result, err := run.Execute(context.Background(), ops, congestion.DCTCP{}, fattree.NewStreams(seed, replica))
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, f := range result.Flows {
			sum += int64(f.FCT())
		}
		for i, f := range result.Flows {
			excess[i].Add(int64(f.FCT())*int64(len(excess)) - sum)
		}
	}
	return excess
}
