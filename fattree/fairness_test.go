package fattree_test

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/internal/mctest"
	"repslab/mc"
)

// TestHostNumberDecidesNothing: eight equal flows that share one link have the same
// mean FCT whatever the numbers of their hosts, both where the hosts of one ToR meet
// at its uplink and where ToRs meet at the spine's port. Each host's FCT is compared
// with the mean of the eight in the same replica. There are 32 means, judged by
// Student's t on both sides at 1e-9 / 64, so the false-alarm rate is 1e-9. The bound
// is 7.2 standard errors of 1.8 us or less. The test sees a host whose FCT is 19 us of
// 337 (6 %) off in 99.9 % of seeds; when hosts and ports took turns over the whole
// network, host 7 was 156 to 163 us off.
func TestHostNumberDecidesNothing(t *testing.T) {
	const replicas, members, perToR = 200, 8, 32
	seed := mctest.Seed(t, 1)
	for _, c := range []struct {
		name string
		ends func(i int) (source, destination int)
	}{
		{"hosts of a ToR", func(i int) (int, int) { return i, perToR * (i + 1) }},
		{"ToRs of a spine", func(i int) (int, int) { return perToR * (i + 1), i }},
	} {
		for _, drops := range []bool{false, true} {
			s := fattree.Spec{
				Topology:        topology.FatTree{Hosts: perToR * (members + 1), HostsPerToR: perToR, UplinksPerToR: 1},
				DisableTrimming: drops,
			}
			for i := range members {
				source, destination := c.ends(i)
				s.Workload.Flows = append(s.Workload.Flows, fattree.Flow{
					Source: fattree.Host(source), Destination: fattree.Host(destination), Bytes: 2 << 20,
					StartedBy: fattree.NoTrigger, Fires: fattree.NoTrigger,
				})
			}
			for i, excess := range excessFCTs(t, s, seed, replicas) {
				e := excess.Mean(mc.DefaultConfidence).Per(members * 1e6)
				t.Logf("%s, trimming off: %v: flow %d takes %+.2f us more than the mean, standard error %.2f", c.name, drops, i, e.Value, e.StdErr)
				if min(e.PAtMost(0), e.PAtLeast(0)) < 1e-9/64 {
					t.Errorf("%s, trimming off: %v, seed %d: flow %d takes %+.2f us more than the mean (standard error %.2f), want no difference",
						c.name, drops, seed, i, e.Value, e.StdErr)
				}
			}
		}
	}
}

// excessFCTs returns for each flow by how much its FCT exceeds the mean of all flows
// of its replica, in picoseconds times the number of flows, under OPS and DCTCP.
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
	run, excess := network.NewRun(), make([]mc.Moments, network.Flows())
	for replica := range replicas {
		result, err := run.Execute(context.Background(), ops, congestion.DCTCP{}, fattree.NewStreams(seed, replica))
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, f := range result.Flows {
			sum += f.FCT()
		}
		for i, f := range result.Flows {
			excess[i].Add(f.FCT()*int64(len(excess)) - sum)
		}
	}
	return excess
}
