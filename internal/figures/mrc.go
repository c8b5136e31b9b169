package figures

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	sender "repslab/mrc"
)

// Groups of points in addition to [healthy], which has exact paths, and [collectives].
const (
	mrcFailures = "failures"
	mrcLosses   = "random losses"
	mrcHashed   = "hashed"
	mrcVictim   = "victim"
	mrcSingle   = "victim, one plane"
	mrcFour     = "four planes"
	mrcOne      = "one plane"
	mrcLonger   = "longer"
	mrcLongest  = "longest"
	mrcAll      = "all to all"
	mrcAllFixed = "all to all, fixed paths"
)

// The network of the comparison: hosts with a link into each plane. In a plane every ToR has one link to every
// spine.
const (
	mrcHosts                      = 64
	mrcPerToR, mrcPlanes, mrcGbps = 8, 8, 100
	mrcEVs                        = 256 // EVs of each plane
	mrcBytes                      = 16 * mebi

	longBytes = 64 * mebi // bytes of a step in an all-reduce of 4 GiB

	victimHosts, victimPerRack, victimGbps = 16, 4, 400 // network of M3, in one plane
)

// mrcSchemes lists MRC, REPS with a memory for each plane, REPS with one memory for all planes, the mixed balancer
// of Ultra Ethernet's simulator, and oblivious spraying.
func mrcSchemes() []scheme {
	return lbs("mrc", "reps-planes", "reps", "mixed", "ops")
}

// sixteenPaths sends each flow along 16 fixed paths in turn.
func sixteenPaths() scheme {
	open := func(evs int) (transport.Balancer, error) { return balance.NewMultipath(evs, 16) }
	return scheme{key: "mptcp-16", name: "16 fixed paths", color: plot.BalancerColor("mptcp"), open: open}
}

// mrcSizes returns the sizes of messages in exchanges between all pairs, in KiB: exchanges of 4, 16 and 64 MiB per
// host. ECMP's hash fixes the paths.
func mrcSizes() []int { return []int{64, 256, 1024} }

// mrcTree returns a fat tree of two tiers without oversubscription, with links of one rate in Gb/s.
func mrcTree(hosts, perToR, gbps int) topology.FatTree {
	link := fattree.Link{Gbps: float64(gbps)}
	return topology.FatTree{Hosts: hosts, HostsPerToR: perToR, UplinksPerToR: perToR, Access: link, Fabric: link}
}

// hashedMRC returns a network with MRC's hosts and switches that hash packets to ports.
func hashedMRC(t fattree.Topology) fattree.Spec {
	return fattree.Spec{Topology: t, Profile: fattree.MRC}
}

// exactMRC returns a network of planes with MRC's hosts, in which an EV names a path. The planes share the rate of
// a host.
func exactMRC(planes int) fattree.Spec {
	spec := hashedMRC(topology.Planes{Planes: planes, Cards: true, Tree: mrcTree(mrcHosts, mrcPerToR, mrcGbps*mrcPlanes/planes)})
	spec.Choose = topology.ExactPath
	return spec
}

// addMRC adds a point to a group and returns it. Without schemes, the point compares mrcSchemes.
func (c *comparison) addMRC(
	group, label, failures string, bytes int64, spec fattree.Spec, draw drawWorkload, schemes ...scheme,
) *comparedPoint {
	hosts := spec.Topology.Outline().Hosts
	p := &comparedPoint{
		group: group, x: len(c.in(group)), label: label, place: group + ", " + label, workload: "permutation", hosts: hosts,
		evs: mrcEVs, control: ultraNSCC, replicas: 10, metrics: []metric{byMeanFCT()},
		network: failing(spec, failures, draw), schemes: schemes,
		cells: cells{{"network", group}, {"setting", label}, {"failures", failures}, {"hosts", hosts},
			{"message_bytes", bytes}},
	}
	c.points = append(c.points, p)
	return p
}

// newMRC returns the comparison, not yet run.
func newMRC() comparison {
	const hosts = mrcHosts
	c := comparison{schemes: mrcSchemes()}
	add := c.addMRC
	spec, permutation := exactMRC(mrcPlanes), drawPermutation(hosts, mrcBytes)
	compare := func(group, label, failures string, draw drawWorkload, schemes ...scheme) *comparedPoint {
		return add(group, label, failures, mrcBytes, spec, draw, schemes...)
	}
	three := c.schemes[:3]
	whole := compare(healthy, "Healthy", "", permutation)
	whole.trace, whole.keep = tracePlanes, keepPlanes
	compare(mrcFailures, "Slow plane", "degrade=100%:0.5,plane=0", permutation)
	compare(mrcFailures, "Flapping cable", "cables=1,plane=random,dir=both,flap=200:50", permutation)
	compare(mrcFailures, "Silent spine", "switches=1,plane=0", permutation)
	compare(mrcFailures, "1 % dead", "cables=1%,plane=random", permutation)
	compare(mrcFailures, "Dead port", "ports=1,place=first,plane=0", permutation, three...)
	compare(mrcLosses, "0.1 %", "loss=0.1%", permutation, three...)
	compare(mrcLosses, "1 %", "loss=1%", permutation, three...)
	spec.Choose = nil
	compare(mrcHashed, "Healthy", "", permutation, three...)
	compare(mrcHashed, "Silent spine", "switches=1,plane=0", permutation, three...)

	alone, four := c.schemes[0], exactMRC(4)
	others := []scheme{c.schemes[0], c.schemes[1], c.schemes[3], c.schemes[4]}
	beside := hashedMRC(mrcTree(victimHosts, victimPerRack, victimGbps))
	exact := beside
	exact.Choose = topology.ExactPath
	for i, label := range []string{"Alone", "Beside an incast"} {
		add(mrcVictim, label, "", mrcBytes, exact, victimOf(7*i)).keep = keepVictim
		add(mrcSingle, label, "", mrcBytes, beside, victimOf(7*i), lb("ecmp")).keep = keepVictim
	}
	add(mrcFour, "Healthy", "", mrcBytes, four, permutation, others...)
	add(mrcFour, "Dead port", "ports=1,place=first,plane=0", mrcBytes, four, permutation, alone)
	add(mrcFour, "4 dead ports", "ports=4,place=first,plane=0", mrcBytes, four, permutation, alone)
	add(mrcFour, "Silent spine", "switches=1,plane=0", mrcBytes, four, permutation, others...)
	add(mrcOne, "Healthy", "", mrcBytes, exactMRC(1), permutation, others...)
	add(mrcOne, "Silent spine", "switches=1", mrcBytes, exactMRC(1), permutation, others...)
	add(mrcLonger, "1 % dead", "cables=1%,plane=random", 2*mrcBytes, exactMRC(mrcPlanes), drawPermutation(hosts, 2*mrcBytes), alone)
	for _, losses := range []struct{ label, failures string }{{"No losses", ""}, {"0.1 %", "loss=0.1%"}} {
		add(mrcLongest, losses.label, losses.failures, longBytes, exactMRC(mrcPlanes), drawPermutation(hosts, longBytes), alone)
	}
	ring := func(source rand.Source) (fattree.Workload, error) {
		return traffic.RingAllreduce(hosts, hosts, traffic.Message{Bytes: 2 * mebi}, source)
	}
	add(collectives, "No losses", "", 2*mebi, exactMRC(mrcPlanes), ring, alone, sixteenPaths())
	add(collectives, "0.1 %", "loss=0.1%", 2*mebi, exactMRC(mrcPlanes), ring, alone)
	add(collectives, "1 %", "loss=1%", 2*mebi, exactMRC(mrcPlanes), ring, alone)
	for _, kib := range mrcSizes() {
		message, label := traffic.Message{Bytes: int64(kib) << 10}, fmt.Sprintf("%d KiB", kib)
		exchange := func(source rand.Source) (fattree.Workload, error) {
			return traffic.AllToAll(hosts, hosts-1, message, source)
		}
		spec := exactMRC(mrcPlanes)
		add(mrcAll, label, "", message.Bytes, spec, exchange, alone)
		add(mrcAllFixed, label, "", message.Bytes, hashedMRC(spec.Topology), exchange, lb("ecmp"))
	}
	return c
}

// victimOf returns a workload without drawing: flow 0 goes to a host of the first ToR, and some hosts send to
// another host of this ToR.
func victimOf(senders int) drawWorkload {
	w := fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(victimHosts-1, 1, mrcBytes, 0)}}
	for i := range senders {
		w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(victimPerRack+i), 0, mrcBytes, 0))
	}
	return func(rand.Source) (fattree.Workload, error) { return w, nil }
}

// Names of the numbers of MRC's runs.
const (
	victimFCT    = "victim FCT" // ps, of flow 0
	unevenFCTs   = "uneven"     // slowest of the other flows, divided by the fastest
	planesDiffer = "planes"     // %, packets of the busiest plane above the least busy plane
)

// keepVictim keeps a run with the times of the victim and of the other flows.
func keepVictim(r experiment.Replica) (netRun, error) {
	k, err := keepTimes(r)
	k.Numbers = map[string]float64{victimFCT: float64(r.Result.Flows[0].FCT())}
	if others := lists.Map(r.Result.Flows[1:], fattree.FlowResult.FCT); len(others) > 0 {
		k.Numbers[unevenFCTs] = float64(slices.Max(others)) / float64(slices.Min(others))
	}
	return k, err
}

// keepPlanes keeps a run with a measure of how evenly it uses the planes.
func keepPlanes(r experiment.Replica) (netRun, error) {
	k, err := keepTimes(r)
	k.Numbers = map[string]float64{planesDiffer: 100 * unevenPlanes(r.Samples[0].Packets)}
	return k, err
}

// byVictim returns the completion time of the victim as a metric.
func byVictim() metric {
	return metric{"victim_fct_us", "FCT of the victim", func(r netRun) int64 { return int64(r.Numbers[victimFCT]) }}
}

// tracePlanes records every 100 us the packets that each plane delivers to the hosts, plane by plane.
func tracePlanes(n *fattree.Network) fattree.TraceConfig {
	p := n.Spec().Topology.(topology.Planes)
	trace := fattree.TraceConfig{Every: 100 * microseconds}
	for plane := range p.Planes {
		for host := range n.Hosts() {
			part := topology.Part{Switch: host / mrcPerToR, Uplink: host % mrcPerToR, ToHost: true, Direction: topology.Down}
			trace.Ports = append(trace.Ports, p.Ports(part, plane)...)
		}
	}
	return trace
}

// unevenPlanes returns by what fraction the busiest plane exceeds the least busy one, from the packets at the
// ports of [tracePlanes].
func unevenPlanes(ports []int64) float64 {
	planes := lists.Map(slices.Collect(slices.Chunk(ports, len(ports)/mrcPlanes)), func(of []int64) (sum int64) {
		for _, packets := range of {
			sum += packets
		}
		return sum
	})
	return float64(slices.Max(planes))/float64(slices.Min(planes)) - 1
}

// mrc compares MRC with REPS in one transport, and decides published statements about MRC.
func mrc(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c := newMRC()
	row := func(_ *comparedPoint, _ scheme, runs netRuns) cells {
		return cells{{"mean_fct_us", frame.WithEnds(runs.time(netRun.meanFCT))},
			{"max_fct_us", frame.WithEnds(runs.maxFCT())}, {"end_us", frame.WithEnds(runs.time(netRun.lastEnd))},
			{"lost", runs.count(netRun.lost).Value}, {"retransmitted", runs.count(netRun.retransmitted).Value},
			{"finished_share", runs.finished()}}
	}
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables: []frame.Table{c.rows("", "", row)},
			Plot:   mrcPlot(&c),
			Notes: notes(facts{"replicas": c.points[0].replicas, "size": mrcBytes / mebi,
				"hosts": c.points[0].hosts, "planes": mrcPlanes}, "mrc"),
			Findings: mrcFindings(&c),
		}
	}, &c)
}

// mrcFindings grades the statements about MRC.
func mrcFindings(c *comparison) []claims.Finding {
	at := func(group string, x int) netRuns { return c.at(group, x, "mrc") }
	rate := func(group string, whole, x int) mc.Estimate { return inPercent(at(group, whole).over(at(group, x))) }
	return []claims.Finding{
		lostCapacity(),
		deadPort(inPercent(at(healthy, 0).over(at(mrcFailures, 4))), rate(mrcFour, 0, 1)),
		besideIncast(at(mrcVictim, 0), at(mrcVictim, 1), c.at(mrcSingle, 0, "ecmp"), c.at(mrcSingle, 1, "ecmp")),
		ringUnderLoss(c),
		allToAll(c),
		silentSpine(at(mrcFour, 3), float64(c.points[0].hosts)),
		deadTransceiver(rate(mrcFour, 0, 2)),
		claims.LeftOut("M9", "not modelled", "network cards and hosts cost no time here"),
		deadFromTheStart(at(mrcLonger, 0).lostOver(at(mrcFailures, 3))),
		equalPlanes(at(healthy, 0)),
	}
}

// inPercent returns a ratio of times in percent; the times in its basis keep their unit.
func inPercent(e mc.Estimate) mc.Estimate {
	times := e.Basis
	e = e.Per(0.01)
	e.Basis = times
	return e
}

// lostCapacity grades M1, from the uplinks of a ToR with a 51.2 Tb/s switch.
func lostCapacity() claims.Finding {
	one := func(gbps int) float64 { return 100 / float64(51_200/gbps/2) }
	eight, single := one(100), one(800)
	return claims.InParts("M1", []claims.Part{
		claims.Met("M1", "8 planes", claims.Exact(eight)), claims.Met("M1", "one plane", claims.Exact(single)),
	}, fmt.Sprintf("%.2f %% of 256 uplinks of 100 Gb/s, %.1f %% of 32 of 800 Gb/s", eight, single), "arithmetic")
}

// deadPort grades M2, from the remaining rate in percent.
func deadPort(ofEight, ofFour mc.Estimate) claims.Finding {
	return claims.InParts("M2", []claims.Part{
		claims.Met("M2", "8 planes", ofEight), claims.Met("M2", "4 planes", ofFour),
	}, fmt.Sprintf("%s %% with 8 planes, %s %% with 4", withBounds(ofEight, "%.1f"), withBounds(ofFour, "%.1f")), "of messages of 16 MiB")
}

// besideIncast grades M3, from a flow alone and next to an incast, with MRC and on a single path.
func besideIncast(alone, beside, singleAlone, singleBeside netRuns) claims.Finding {
	slower := beside.ratio(alone, byVictim().of).Percent()
	uneven := listedAs(inSupport(beside, kept(unevenFCTs), atLeast(1)), "", "slowest over fastest flow of the incast, "+beside.by())
	single := singleBeside.ratio(singleAlone, byVictim().of)
	return claims.InParts("M3", []claims.Part{
		claims.Met("M3", "the flow by MRC", slower), claims.Met("M3", "even sharing", uneven),
		claims.Met("M3", "the flow on a single path", single),
	}, fmt.Sprintf("%s %% longer by MRC, slowest over fastest of the incast %s; on a single path %s times as long",
		withBounds(slower, "%.2f"), withBounds(uneven, "%.2f"), withBounds(single, "%.2f")), "no switch pauses others here, as with RoCE")
}

// ringUnderLoss grades M4.
func ringUnderLoss(c *comparison) claims.Finding {
	at := func(x int) netRuns { return c.at(collectives, x, "mrc") }
	others := c.at(collectives, 0, "mptcp-16").ratio(at(0), netRun.lastEnd)
	seldom, often := inPercent(at(0).ratio(at(1), netRun.lastEnd)), inPercent(at(0).ratio(at(2), netRun.lastEnd))
	step := inPercent(c.at(mrcLongest, 0, "mrc").ratio(c.at(mrcLongest, 1, "mrc"), netRun.lastEnd))
	return claims.InParts("M4", []claims.Part{
		claims.Met("M4", "16 fixed paths", others), claims.Met("M4", "0.1 % of losses, 128 MiB", seldom),
		claims.Met("M4", "0.1 % of losses, 4 GiB", step), claims.Met("M4", "1 % of losses", often),
	}, fmt.Sprintf("of 128 MiB: 16 fixed paths take %s times as long; %s %% of the rate at 0.1 %% of losses, %s %% at 1 %%; a step of 4 GiB: %s %% at 0.1 %%",
		withBounds(others, "%.3f"), withBounds(seldom, "%.1f"), withBounds(often, "%.1f"), withBounds(step, "%.1f")),
		"a lost packet waits for 131 us, six times as long as a step of 128 MiB takes")
}

// allToAll grades M5.
func allToAll(c *comparison) claims.Finding {
	var all rule
	for x, p := range c.in(mrcAll) {
		e := c.at(mrcAllFixed, x, "ecmp").ratio(c.at(mrcAll, x, "mrc"), netRun.lastEnd)
		all.part(p.label, claims.Met("M5", "each size", e).Condition, "%s times at %s", withBounds(e, "%.3f"), p.label)
	}
	return all.inParts("M5", "one fixed path in each plane takes ", ", ", "paths fixed by ECMP's hash")
}

// silentSpine grades M7. A connection that crosses the spines of 4 planes loses about rate times time-out over all
// these spines. This is extrapolated from the simulated network to 75,000 network cards and 128 spines per plane.
// The EVs of a connection use a quarter of the spines.
func silentSpine(silent netRuns, hosts float64) claims.Finding {
	const planes, far = 4, 4 * 128
	crossing := hosts * (hosts - mrcPerToR) / (hosts - 1)
	lost := silent.mean(func(r netRun) float64 {
		return 75_000 / float64(far) * float64(r.Lost) / (crossing / (planes * mrcPerToR))
	}, "packets", "lost by 75,000 network cards")
	set, err := sender.New(sender.Config{Planes: planes, Values: 128}, rand.NewPCG(1, 1))
	share := 0.0
	if err == nil {
		share = 100 * float64(set.Active()) / far
	}
	return claims.InParts("M7", []claims.Part{
		claims.Met("M7", "connections hit", claims.Exact(share)),
		claims.Met("M7", "packets lost", lost),
		claims.Met("M7", "flows that finish", claims.Exact(silent.finished())),
	}, fmt.Sprintf("%.0f %% of the connections, %s packets for 75,000 network cards", share, withBounds(lost, "%.0f")),
		"extrapolated by rate times time-out over all spines").With(lost)
}

// deadTransceiver grades M8, from the remaining rate in percent.
func deadTransceiver(left mc.Estimate) claims.Finding {
	return claims.Estimated("M8", "rate left", left, withBounds(left, "%.1f")+" % of the rate is left",
		"for microseconds, not a minute")
}

// deadFromTheStart grades M10, from the packets lost by messages of twice the size.
func deadFromTheStart(more mc.Estimate) claims.Finding {
	return claims.Estimated("M10", "twice the message", more, "twice the message loses "+withBounds(more, "%.2f")+" times as many packets",
		"minutes are extrapolated")
}

// equalPlanes grades M11.
func equalPlanes(whole netRuns) claims.Finding {
	differ := whole.mean(kept(planesDiffer), "%", "busiest over least busy plane")
	return claims.Estimated("M11", "busiest plane", differ, withBounds(differ, "%.2f")+" % more packets", "each flow takes the planes in turn")
}

// mrcPlot draws mean completion times and lost packets.
func mrcPlot(c *comparison) *plot.Plot {
	mean := func(p *comparedPoint, key string) mc.Estimate { return p.of(key).time(netRun.meanFCT) }
	lost := func(p *comparedPoint, key string) mc.Estimate { return p.of(key).count(netRun.lost) }
	panel := func(title, group string, of func(*comparedPoint, string) mc.Estimate) plot.Panel {
		return c.bars(plot.Panel{Title: title, YLabel: "Mean FCT (µs)", Y: from(0)}, group, of)
	}
	gone := panel("(d) Packets lost on dead links", mrcFailures, lost)
	gone.YLabel = "Packets"
	victim := panel("(e) A flow beside an incast of 7", mrcVictim, func(p *comparedPoint, key string) mc.Estimate {
		return p.of(key).time(byVictim().of)
	})
	victim.YLabel = "FCT of the flow (µs)"
	four := panel("(g) Four planes (line: MRC, healthy)", mrcFour, mean)
	four.References = level(mean(c.in(mrcFour)[0], "mrc").Value, "")
	return stacked(
		[]plot.Panel{panel("(a) Paths by entropy value", healthy, mean), panel("(b) Paths by hash", mrcHashed, mean)},
		[]plot.Panel{wide(panel("(c) Failures", mrcFailures, mean))},
		[]plot.Panel{wide(gone)},
		[]plot.Panel{victim, panel("(f) Random losses", mrcLosses, mean)},
		[]plot.Panel{four, panel("(h) One plane", mrcOne, mean)},
	)
}
