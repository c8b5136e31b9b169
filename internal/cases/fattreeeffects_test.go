package cases

import (
	"io"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/transport"
	"repslab/internal/param"
	"repslab/sweep"
)

// madeFattree holds what a point of fattree passes to the libraries.
type madeFattree struct {
	Point    Fattree
	Spec     fattree.Spec // of replica 0, with its flows and places of failures
	MRC      balance.MRCConfig
	Balancer transport.Balancer
	Control  transport.Control

	First, Second, Last fattree.Flow
	Flows               int
	Bytes               int64 // of all flows
	Own                 int   // group of --lb-of that flow 0 is in
	Fault               fattree.Fault
	Corruption          fattree.Corruption
	Inside              bool
}

// TestNetworksGetValues: every parameter of fattree sets what it names in the libraries' unit, such as
// picoseconds or nanoseconds, and shows the value in its column.
func TestNetworksGetValues(t *testing.T) {
	open := func() (param.Space, func() any) {
		p := new(Fattree)
		return FattreeSpace(p), func() any {
			m := madeFattree{Point: *p, MRC: p.mrcConfig(), Control: p.control(), Inside: p.countsInside()}
			var err error
			if m.Balancer, err = p.balancer(); err != nil {
				t.Error(err)
			}
			if m.Spec, err = p.SpecOf(1, 0); err != nil {
				t.Error(err)
			}
			flows := m.Spec.Workload.Flows
			m.Flows, m.First, m.Second, m.Last = len(flows), flows[0], flows[1%len(flows)], flows[len(flows)-1]
			for _, f := range flows {
				m.Bytes += f.Bytes
			}
			m.Own = p.numberIn(p.lbOf, m.Spec.Workload, 0)
			for _, f := range m.Spec.Faults {
				m.Fault = f
			}
			for _, f := range m.Spec.Errors {
				m.Corruption = f
			}
			return m
		}
	}
	var inputs []sweep.Input
	for path, text := range map[string]string{
		"tree": "Nodes 8\nTiers 2\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\nRadix_Up 2\nRadix_Down 4\nDownlink_Latency_ns 500\n" +
			"Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nDownlink_Latency_ns 500\n",
		"list":  "Nodes 8\nConnections 2\n0->1 start 2 size 1000\n2->3 start 3 size 3000\n",
		"cdf":   "0 0\n5000000 1\n",
		"goal":  "num_ranks 2\nrank 0 {\nl1: send 1000b to 1 tag 1\n}\nrank 1 {\nl1: recv 1000b from 0 tag 1\n}\n",
		"ranks": "5\n3\n",
	} {
		in, err := sweep.ReadInput(path, strings.NewReader(text), func(io.Reader) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, in)
	}
	effects{fattreeModel(), open, inputs, fattreeEffects()}.check(t)
}

// fattreeEffects are the effects of the parameters of fattree.
func fattreeEffects() []effect { return slices.Concat(packetEffects(), memoryEffects()) }

// packetEffects are the effects of the parameters of trees, links and packets.
func packetEffects() []effect {
	const mrc, uet, drawn = "lb=mrc", "profile=uet", "hosts=8 workload=websearch duration-us=2000"
	return []effect{
		{"hosts", "64", "", "Spec.Topology.Hosts", "128", "64", "[2, 2097152]", ""},
		{"tiers", "3", "", "Spec.Topology.Tiers", "2", "3", "[2, 3]", ""},
		{"oversubscription", "4", "", "Spec.Topology.UplinksPerToR", "8", "2", "[0.000001, 1000000000]", ""},
		{"hosts-per-tor", "16", "", "Spec.Topology.HostsPerToR", "8", "16", "[1, 2097152]", ""},
		{"uplinks-per-tor", "4", "", "Spec.Topology.UplinksPerToR", "8", "4", "[1, 1024]", ""},
		{"radix", "8", "", "Spec.Topology.Hosts", "128", "32", "[2, 4096]", ""},
		{"radix", "8", "", "Spec.Topology.HostsPerToR", "8", "4", "[2, 4096]", ""},
		{"planes", "2", "", "Spec.Topology.Planes", "none", "2", "[1, 8]", ""},
		{"profile", "uet", "", "Spec.Profile", "0", "1", "", ""},
		{"profile", "mrc", "", "Spec.Profile", "0", "2", "", ""},
		{"lb", "path-round-robin", "", "Point.Lb", "reps", "path-round-robin", "", ""},
		{"lb-of", "bytes<1MB: ops; bytes>1MB: ecmp", "", "Own", "0", "2", "", ""},
		{"reps", "fifo", "", "Point.Recycling.Rules", "paper", "fifo", "", ""},
		{"cc", "none", "", "Point.Cc", "dctcp", "none", "", ""},
		{"workload", "tornado", "", "First.Destination", "59", "64", "", ""},
		{"sizes", "cdf", "hosts=8", "First.Bytes", "8388608", "567237", "", ""},
		{"load", "0.3", drawn, "Bytes", "535871914", "289561981", "(0, 1]", ""},
		{"arrivals", "poisson", drawn, "Second.Start", "0", "21828339", "", ""},
		{"duration-us", "500", "hosts=8 workload=websearch", "Last.Start", "4944564500", "481006900", "[1, 90000]", ""},
		{"degree", "4", "workload=incast", "Flows", "8", "4", "[1, 2097152]", ""},
		{"degree", "4", "workload=allreduce-ring hosts=16", "Flows", "120", "28", "[1, 2097152]", ""},
		{"message-bytes", "3kB", "", "First.Bytes", "8388608", "3000", "", "3000"},
		{"background-every", "5", "", "Spec.Workload.BackgroundEvery", "0", "5", "[2, 16777216]", ""},
		{"inherit", "on", "workload=allreduce-ring hosts=16", "Spec.Options.InheritConnections", "false", "true", "", ""},
		{"inherit", "queue", "schedule=goal steps=3", "Last.Connection", "0", "1", "", ""},
		{"burst", "on=20,off=30.5", "", "Spec.Options.BurstOn", "0", "20000000", "", ""},
		{"burst", "on=20,off=30.5", "", "Spec.Options.BurstOff", "0", "30500000", "", ""},
		{"failure", "cables=1,place=first,at=20,for=30", "", "Fault.Start", "0", "20000000", "", ""},
		{"failure", "cables=1,place=first,at=20,for=30", "", "Fault.End", "0", "50000000", "", ""},
		{"failure", "degrade=1:0.25,place=first", "", "Fault.Rate", "0", "0.25", "", ""},
		{"failure", "loss=1%", "", "Corruption.PerPacket", "0", "0.01", "", ""},
		{"reroute-us", "0", "failure=cables=1", "Spec.Reroutes", "false", "true", "[0, 10000000]", ""},
		{"reroute-us", "20.5", "failure=cables=1", "Spec.RerouteAfter", "0", "20500000", "[0, 10000000]", ""},
		{"failure-seed", "7", "failure=cables=2", "Fault.Ports", "[159]", "[57]", "[1, 2147483647]", "none"},
		{"evs", "64", "", "Point.Recycling.REPS.EVSSize", "65536", "64", "[1, 65536]", ""},
		{"evs", "32", uet + " lb=ops", "Point.Recycling.REPS.EVSSize", "64", "32", "[1, 65536]", ""},
		{"evs", "32", mrc + " profile=mrc", "MRC.MRC.Values", "256", "32", "[1, 65536]", ""},
		{"ev-routing", "exact", "lb=ops evs=8", "Spec.Choose", "nil", "set", "", ""},
		{"ack-routing", "exact", "ev-routing=exact evs=8", "Spec.HashAnswers", "true", "false", "", ""},
		{"ack-ratio", "3", "", "Spec.Options.AckRatio", "1", "3", "[1, 64]", ""},
		{"ack-bytes", "64000", uet, "Spec.Options.AckRatio", "4", "63", "[1, 65536]", "none"},
		{"ack-variant", "carry", "ack-ratio=2", "Spec.Options.CarryEVs", "false", "true", "", ""},
		{"ack-variant", "reuse", "ack-ratio=2", "Point.Recycling.REPS.ReuseCount", "0", "2", "", ""},
		{"slips", "requests", "", "Spec.Options.RequestsForRetransmission", "false", "true", "", ""},
		{"slips", "turns", "", "Spec.Options.DoubleTurns", "false", "true", "", ""},
		{"slips", "both", "", "Spec.Options.RequestsForRetransmission", "false", "true", "", ""},
		{"slips", "both", "", "Spec.Options.DoubleTurns", "false", "true", "", ""},
		{"trimming", "off", "", "Spec.DisableTrimming", "false", "true", "", ""},
		{"trimming", "sleek", uet, "Spec.Options.Sleek", "false", "true", "", ""},
	}
}

// memoryEffects are the effects of the parameters of freezing mode, and of all behind them in the help.
func memoryEffects() []effect {
	const mrc = "lb=mrc"
	return []effect{
		{"freezing", "off", "", "Point.Recycling.REPS.DisableFreezing", "false", "true", "", ""},
		{"freezing", "at=30", "", "Point.Recycling.FreezeAt", "0", "30000000", "", ""},
		{"freeze-us", "20", "", "Point.Recycling.REPS.FreezingTimeout", "10000000", "20000", "[1, 2000000]", ""},
		{"freeze-exit", "probe", "", "Point.Recycling.REPS.Exit", "timeout", "probe", "", ""},
		{"freeze-cache", "new", "", "Point.Recycling.REPS.FrozenCache", "all", "new", "", ""},
		{"ring", "5", "", "Point.Recycling.REPS.BufferSize", "8", "5", "[1, 1024]", ""},
		{"idle-us", "60", "", "Point.Recycling.Idle", "0", "60000000", "[0, 10000000]", ""},
		{"share-state", "on", "workload=allreduce-ring hosts=16", "Point.shares", "false", "true", "", ""},
		{"share-state", "on", "workload=websearch hosts=1024 load=0.01 duration-us=20", "Point.shares", "false", "true", "", ""},
		{"explore-every", "5", "", "Balancer.every", "none", "5", "[0, 1048576]", ""},
		{"last-hop-trims", "good", "", "Spec.Options.LastHopGood", "false", "true", "", ""},
		{"active-evs", "5", "lb=hklb", "Balancer.active", "8", "5", "[1, 128]", ""},
		{"exclude-us", "60", "lb=reps-exclude", "Balancer.length", "200000000000", "60000000", "[1, 10000000]", ""},
		{"path-start", "source", "lb=path-round-robin", "Balancer.start", "zero", "source", "", ""},
		{"mrc-active", "20", mrc, "MRC.MRC.Active", "0", "20", "[1, 256]", ""},
		{"mrc-backup", "20", mrc, "MRC.MRC.Backup", "0", "20", "[-1, 256]", ""},
		{"mrc-min-active", "20", mrc, "MRC.MRC.MinActive", "0", "20", "[1, 2048]", ""},
		{"mrc-replies", "5", mrc, "MRC.MRC.ProbeReplies", "0", "5", "[1, 255]", ""},
		{"mrc-probe-us", "20", mrc, "MRC.ProbePeriod", "0", "20000000", "[1, 1000000]", ""},
		{"mrc-skip", "one-per-packet", mrc, "MRC.MRC.Skip", "0", "1", "", ""},
		{"mrc-skip", "time=20", mrc, "MRC.MRC.Skip", "0", "2", "", ""},
		{"mrc-skip", "time=20", mrc, "MRC.SkipTime", "0", "20000000", "", ""},
		{"mrc-order", "drawn", mrc, "MRC.MRC.Order", "stride", "drawn", "", ""},
		{"mrc-timer", "connection", "profile=mrc", "Spec.Options.ConnectionTimer", "false", "true", "", ""},
		{"mrc-resend", "first", "profile=mrc", "Spec.RetransmissionsFirst", "false", "true", "", ""},
		{"queue", "70", "", "Spec.Queue", "100", "70", "[1, 65536]", ""},
		{"last-hop-queue", "70", "", "Spec.LastHopQueue", "0", "70", "[1, 65536]", ""},
		{"mark-last-hop", "on", "", "Spec.LastHopMarks", "0", "1", "", ""},
		{"mark-last-hop", "off", "", "Spec.LastHopMarks", "0", "2", "", ""},
		{"kmin", "7", "", "Spec.KMin", "25", "7", "[0, 1073741824]", ""},
		{"kmax", "70", "", "Spec.KMax", "76", "70", "[1, 1073741824]", ""},
		{"pmax", "0.25", "", "Spec.PMax", "1", "0.25", "(0, 1]", ""},
		{"window", "70", "", "Spec.Options.InitialWindow", "0", "70", "[1, 1048576]", ""},
		{"rto-us", "70.5", "", "Spec.Options.RTO", "41537120", "70500000", "[0.001, 10000000]", ""},
		{"rto-us", "16.002", "", "Spec.Options.RTO", "41537120", "16002000", "[0.001, 10000000]", ""},
		{"target-us", "5.347", "cc=nscc", "Control.Target", "0", "5347000", "[0.001, 1000000]", ""},
		{"target-us", "5.5", "cc=nscc", "Control.Target", "0", "5500000", "[0.001, 1000000]", ""},
		{"target-us", "5.5", "cc=nscc-uet", "Control.Target", "0", "5500000", "[0.001, 1000000]", ""},
		{"horizon-us", "5000.5", "", "Spec.Horizon", "100000000000", "5000500000", "[0.001, 1000000000]", ""},
		{"horizon-us", "5.347", "hosts=16", "Spec.Horizon", "100000000000", "5347000", "[0.001, 1000000000]", ""},
		{"burst", "on=5.347,off=5.347", "", "Spec.Options.BurstOn", "0", "5347000", "", ""},
		{"burst", "on=5.347,off=5.347", "", "Spec.Options.BurstOff", "0", "5347000", "", ""},
		{"link-gbps", "100", "", "Spec.Topology.Access.Gbps", "400", "100", "[1, 100000]", ""},
		{"link-gbps", "100", "", "Spec.Topology.Fabric.Gbps", "400", "100", "[1, 100000]", ""},
		{"fabric-gbps", "100", "", "Spec.Topology.Fabric.Gbps", "400", "100", "[1, 100000]", ""},
		{"fabric-gbps", "100", "tiers=3", "Spec.Topology.Core.Gbps", "400", "100", "[1, 100000]", ""},
		{"core-gbps", "100", "tiers=3", "Spec.Topology.Core.Gbps", "400", "100", "[1, 100000]", ""},
		{"latency-ns", "700", "", "Spec.Topology.Access.LatencyNs", "1000", "700", "[0.001, 1000000]", ""},
		{"latency-ns", "700", "", "Spec.Topology.Fabric.LatencyNs", "1000", "700", "[0.001, 1000000]", ""},
		{"latency-ns", "700", "tiers=3", "Spec.Topology.Core.LatencyNs", "1000", "700", "[0.001, 1000000]", ""},
		{"mtu", "1500", "", "Spec.MTU", "4150", "1500", "[2, 1048576]", ""},
		{"header-bytes", "1", "", "Spec.HeaderBytes", "64", "1", "[1, 65536]", ""},
		{"topology", "tree", "workload=tornado", "Spec.Topology.Access.Gbps", "400", "100", "", ""},
		{"flows", "list", "", "Second.Bytes", "8388608", "3000", "", ""},
		{"flows", "list", "profile=uet", "First.Start", "0", "2000000", "", ""},
		{"flows", "list", "", "First.Start", "0", "2", "", ""},
		{"flows", "list", "", "Spec.Topology.Hosts", "128", "8", "", ""},
		{"schedule", "goal", "", "Flows", "128", "1", "", ""},
		{"placement", "ranks", "schedule=goal", "First.Source", "0", "5", "", ""},
		{"steps", "3", "schedule=goal", "Flows", "1", "3", "[1, 65536]", ""},
		{"inside", "on", "", "Inside", "false", "true", "", ""},
		{"groups", "odd: source=1", "", "Inside", "false", "true", "", ""},
	}
}
