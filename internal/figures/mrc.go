package figures

import (
	"context"
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// Groups of points beside [healthy], which is that with exact paths.
const (
	mrcFailures = "failures"
	mrcLosses   = "random losses"
	mrcHashed   = "hashed"
	mrcVictim   = "victim"
)

// The network of the comparison: hosts with a link into each plane, whose ToRs and spines see each other once.
const (
	mrcPerToR, mrcPlanes, mrcGbps = 8, 8, 100
	mrcEVs                        = 256 // of each plane
	mrcBytes                      = 16 * mebi
)

// mrcSchemes lists MRC, REPS, the mixture of Ultra Ethernet's simulator, and oblivious spraying.
func mrcSchemes() []scheme {
	return []scheme{named("mrc", "MRC"), named("mixed", "Mixed"), lb("ops"), lb("reps")}
}

// newMRC returns the comparison, not yet run. Quick runs have half the hosts, and MRC and REPS alone.
func newMRC(s Settings) comparison {
	c := comparison{schemes: mrcSchemes()}
	if s.Scale == Quick {
		c.schemes = []scheme{c.schemes[0], c.schemes[3]}
	}
	hosts := choose(s.Scale, 32, 64)
	link := fattree.Link{Gbps: mrcGbps}
	spec := fattree.Spec{
		Topology: topology.Planes{Planes: mrcPlanes, Tree: topology.FatTree{
			Hosts: hosts, HostsPerToR: mrcPerToR, UplinksPerToR: mrcPerToR, Access: link, Fabric: link,
		}},
		Transport: fattree.MRC, Choose: topology.ExactPath,
	}
	add := func(group, label, failures string, spec fattree.Spec, draw drawWorkload) {
		c.points = append(c.points, &comparedPoint{
			group: group, x: len(c.in(group)), label: label, place: label, workload: "permutation", hosts: hosts, evs: mrcEVs,
			control: ultraNSCC, replicas: s.Scale.replicas(fewest, 10), metrics: []metric{byMeanFCT()},
			network: failing(spec, failures, draw),
			cells:   cells{{"network", group}, {"setting", label}, {"failures", failures}, {"hosts", hosts}, {"message_bytes", mrcBytes}},
		})
	}
	permutation := drawPermutation(hosts, mrcBytes)
	add(healthy, "Healthy", "", spec, permutation)
	add(mrcFailures, "Slow plane", "degrade=100%:0.5,plane=0", spec, permutation)
	add(mrcFailures, "Flapping cable", "cables=1,plane=random,dir=both,flap=200:50", spec, permutation)
	add(mrcFailures, "Silent spine", "switches=1,plane=0", spec, permutation)
	add(mrcFailures, "1 % dead", "cables=1%,plane=random", spec, permutation)
	add(mrcFailures, "Dead port", "ports=1,place=first,plane=0", spec, permutation)
	add(mrcLosses, "0.1 %", "loss=0.1%", spec, permutation)
	add(mrcLosses, "1 %", "loss=1%", spec, permutation)
	add(mrcVictim, "Alone", "", spec, victimOf(0))
	add(mrcVictim, "Beside an incast", "", spec, victimOf(7))
	spec.Choose = nil
	add(mrcHashed, "Healthy", "", spec, permutation)
	add(mrcHashed, "Silent spine", "switches=1,plane=0", spec, permutation)
	return c
}

// victimOf draws nothing: flow 0 goes to a host of the first ToR, to another of which a number of hosts send.
func victimOf(senders int) drawWorkload {
	w := fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(2*mrcPerToR-1, 1, mrcBytes, 0)}}
	for i := range senders {
		w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(mrcPerToR+i), 0, mrcBytes, 0))
	}
	return func(rand.Source) (fattree.Workload, error) { return w, nil }
}

// byVictim is the completion time of the victim.
func byVictim() metric {
	return metric{"victim_fct_us", "FCT of the victim", func(r netRun) int64 { return r.Flows[0].FCT() }}
}

// statement is what is published of MRC and which numbers agree with it.
type statement struct {
	id, published string
	least, most   float64 // that agree
	here          mc.Estimate
}

// grade says whether a measured number agrees with what is published.
func (m statement) grade() string {
	switch e := m.here; {
	case e.Lo >= m.least && e.Hi <= m.most:
		return "agrees"
	case e.Hi < m.least || e.Lo > m.most:
		return "disagrees"
	}
	return "undecided"
}

// statementTable lists statements with their grades.
func statementTable(list []statement) table.Table {
	t := table.Table{Name: "statements", Columns: []table.Column{
		table.Text("id"), table.Text("published"), table.Number("least"), table.Number("most"), table.Number("here"),
		table.Number("here_lo"), table.Number("here_hi"), table.Text("grade"),
	}}
	for _, m := range list {
		t.Rows = append(t.Rows, []any{m.id, m.published, m.least, m.most, m.here.Value, m.here.Lo, m.here.Hi, m.grade()})
	}
	return t
}

// mrcStatements returns the statements that the comparison can grade. Packets lost are those of a connection that
// crosses the spines, over rate times time-out over all spines.
func mrcStatements(c *comparison) []statement {
	at := func(group string, x int) netRuns { return c.at(group, x, "mrc") }
	whole, silent := at(healthy, 0), at(mrcFailures, 2)
	hosts := float64(c.points[0].hosts)
	crossing := hosts * (hosts - mrcPerToR) / (hosts - 1)
	const inTimeout = 65.536e-6 * mrcPlanes * mrcGbps * 1e9 / (8 * 4150)
	lost := silent.mean(func(r netRun) float64 { return float64(r.Lost) / (crossing * inTimeout / (mrcPlanes * mrcPerToR)) }, "", "packets lost")
	return []statement{
		{"M2", "87.5 % of the rate with one of 8 ports dead", 85, 90, whole.over(at(mrcFailures, 4)).Per(0.01)},
		{"M3", "a victim beside an incast is not slower, in percent", -1, 1, at(mrcVictim, 1).ratio(at(mrcVictim, 0), byVictim().of).Percent()},
		{"M6", "a flapping cable has no effect, in percent of the mean FCT", -1, 1, at(mrcFailures, 1).ratio(whole, netRun.meanFCT).Percent()},
		{"M7", "packets lost to a silent spine, over rate x time-out / spines", 0.316, 3.16, lost},
	}
}

// mrc compares MRC with REPS in one transport. It decides no claim of the paper.
func mrc(ctx context.Context, s Settings) (Output, error) {
	c := newMRC(s)
	if err := c.run(ctx, s); err != nil {
		return Output{}, err
	}
	main := c.rows("", "", func(p *comparedPoint, _ scheme, runs netRuns) cells {
		return append(append(withEnds("mean_fct_us", "mean_fct_us", runs.time(netRun.meanFCT)), withEnds("max_fct_us", "max_fct_us", runs.maxFCT())...),
			cells{{"lost", runs.count(netRun.lost).Value}, {"retransmitted", runs.count(func(r netRun) int64 { return r.Retransmitted }).Value},
				{"finished_runs", runs.finished()}}...)
	})
	return Output{
		Tables: []table.Table{main, statementTable(mrcStatements(&c))},
		Plot:   mrcPlot(&c),
		Notes: notes(facts{"replicas": c.points[0].replicas, "size": mrcBytes / mebi,
			"hosts": c.points[0].hosts, "planes": mrcPlanes, "quick": s.Scale == Quick}, "mrc"),
	}, nil
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
	return stacked(
		[]plot.Panel{panel("(a) Paths by entropy value", healthy, mean), panel("(b) Paths by hash", mrcHashed, mean)},
		[]plot.Panel{wide(panel("(c) Failures", mrcFailures, mean))},
		[]plot.Panel{wide(gone)},
		[]plot.Panel{victim, panel("(f) Random losses", mrcLosses, mean)},
	)
}
