package figures

import (
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// Resolution in time of what is recorded at the uplinks of a ToR.
const (
	uplinkSample  = 996_000 // ps: 12 slots of 83 ns, about 1 us
	uplinkSamples = 20      // in a bucket, about 20 us as in the paper
)

// The defaults of the network at healthy uplinks.
const (
	uplinkGbps = 400
	uplinkMTU  = 4150
)

// settled is when REPS is taken to have converged, in us: some twelve round trips.
const settled = 100

// silence is the number of samples, about 20 us, without a packet into an uplink after
// which sending into it has stopped.
const silence = 20

// keepUplinks keeps a run with its ideal; it is an error if a flow did not finish.
func keepUplinks(r experiment.Replica) (netRun, error) {
	if run, err := keepComplete(r); err != nil {
		return run, err
	}
	return keepWithIdeal(r)
}

// ports returns the number of uplinks.
func (r netRun) ports() int { return len(r.samples[0].Queue) }

// sampleUs returns the time of a sample in us.
func sampleUs(s fattree.Sample) float64 { return float64(s.Time) / microseconds }

// bucket holds the rates at an uplink for about 20 us.
type bucket struct {
	from, to float64 // us
	arrivals float64 // Gb/s on the wire: packets for the uplink
	sent     float64 // Gb/s on the wire
}

// buckets returns the rates at an uplink, from the beginning of the run to the last
// full bucket. The arrivals are the packets sent and the growth of the queue.
func (r netRun) buckets(port int) []bucket {
	var list []bucket
	var before fattree.Sample
	queue := int32(0)
	for i := uplinkSamples; i <= len(r.samples); i += uplinkSamples {
		var sent int64
		for _, s := range r.samples[i-uplinkSamples : i] {
			sent += s.Packets[port]
		}
		last := r.samples[i-1]
		// Bits of a packet over the nanoseconds of a bucket.
		rate := uplinkMTU * 8000 / float64(last.Time-before.Time)
		list = append(list,
			bucket{sampleUs(before), sampleUs(last), rate * float64(sent+int64(last.Queue[port]-queue)),
				rate * float64(sent)})
		before, queue = last, last.Queue[port]
	}
	return list
}

// endUs returns when the last flow ended or the run was cut, in us.
func (r netRun) endUs() float64 {
	if r.complete {
		return float64(r.maxFCT()) / microseconds
	}
	return sampleUs(r.samples[len(r.samples)-1])
}

// quiet returns a round trip before the first flow finishes, in us.
func (r netRun) quiet() float64 { return float64(r.fcts[0])/microseconds - 15 }

// deviations returns by how many percent the arrivals at uplinks in buckets differ from their
// rate, ascending, from settled to a round trip before the first flow finishes.
func (r netRun) deviations() []float64 {
	var list []float64
	for port := range r.ports() {
		for _, b := range r.buckets(port) {
			if b.from >= settled && b.to <= r.quiet() {
				list = append(list, 100*math.Abs(b.arrivals/uplinkGbps-1))
			}
		}
	}
	slices.Sort(list)
	return list
}

// usualDeviation returns the deviation that 95 % of the buckets do not exceed.
func (r netRun) usualDeviation() float64 { return rank(r.deviations(), 0.95) }

// farthest returns the largest deviation.
func (r netRun) farthest() float64 { return rank(r.deviations(), 1) }

// wildest returns the mean of the largest deviation.
func (runs netRuns) wildest() mc.Estimate {
	return runs.mean(netRun.farthest, "%", "largest deviation in a bucket")
}

// above returns the share of samples of uplinks, in percent, whose queue is above a number of
// packets, from settled on.
func (r netRun) above(packets int32) float64 {
	longer, all := 0, 0
	for _, s := range r.samples {
		if sampleUs(s) >= settled {
			for _, queue := range s.Queue {
				all++
				if queue > packets {
					longer++
				}
			}
		}
	}
	return 100 * float64(longer) / float64(all)
}

// longestQueue returns the longest queue of an uplink from a time on, in packets.
func (r netRun) longestQueue(from float64) float64 {
	most := int32(0)
	for _, s := range r.samples {
		if sampleUs(s) >= from {
			most = max(most, slices.Max(s.Queue))
		}
	}
	return float64(most)
}

// busiest returns by how many percent the uplink with most packets has more than
// the mean.
func (r netRun) busiest() float64 {
	carried := make([]float64, r.ports())
	for _, s := range r.samples {
		for port, packets := range s.Packets {
			carried[port] += float64(packets)
		}
	}
	return 100 * (slices.Max(carried)/mean(carried) - 1)
}

// share returns the packets that an uplink carries from a time on, in us, to a round trip before the first flow
// finishes, as a multiple of the mean of all uplinks.
func (r netRun) share(port int, from float64) float64 {
	var carried, all float64
	for _, s := range r.samples {
		if at := sampleUs(s); at >= from && at <= r.quiet() {
			carried += float64(s.Packets[port])
			all += mean(lists.Map(s.Packets, func(packets int64) float64 { return float64(packets) }))
		}
	}
	return carried / all
}

// extreme returns the largest value over runs.
func (runs netRuns) extreme(of func(netRun) float64) float64 {
	return slices.Max(lists.Map(runs, of))
}

// uplinkScene compares schemes, OPS the first, at the uplinks of ToR 0 of a network.
type uplinkScene struct{ comparison }

// newUplinks returns schemes on a network, not yet run, with samples of the uplinks of its
// ToR 0.
func newUplinks(network experiment.Networks, replicas uint64, keep func(experiment.Replica) (netRun, error),
	schemes ...scheme) uplinkScene {
	return uplinkScene{comparison{schemes: schemes, points: []*comparedPoint{{network: network, keep: keep,
		replicas: replicas, trace: func(n *fattree.Network) fattree.TraceConfig {
			return fattree.TraceConfig{Every: uplinkSample, Ports: n.Uplinks(0)}
		}}}}}
}

// of returns the runs of a scheme.
func (u uplinkScene) of(key string) netRuns { return u.points[0].of(key) }

// drawn returns the scene of the first two schemes.
func (u uplinkScene) drawn() uplinkScene {
	u.schemes = u.schemes[:2]
	return u
}

// tables lists the runs, and rates and queues of every uplink in replica 0 of each scheme.
func (u uplinkScene) tables() []table.Table {
	main := u.rows("", "", func(_ *comparedPoint, _ scheme, runs netRuns) cells { return runs.cells(u.of("ops")) })
	rates, queues := table.Table{Name: "rates"}, table.Table{Name: "queues"}
	for _, c := range u.schemes {
		first := u.of(c.key)[0]
		for port := range first.ports() {
			for _, b := range first.buckets(port) {
				addRow(&rates, cells{{"lb", c.key}, {"uplink", port}, {"from_us", b.from}, {"to_us", b.to},
					{"arrivals_gbps", b.arrivals}, {"throughput_gbps", b.sent}, {"run", 0}, {"runs", len(u.of(c.key))},
					{"seed", u.seed}})
			}
			for _, s := range first.samples {
				addRow(&queues, cells{{"lb", c.key}, {"uplink", port}, {"time_us", sampleUs(s)},
					{"queue_packets", int(s.Queue[port])}, {"run", 0}, {"runs", len(u.of(c.key))}, {"seed", u.seed}})
			}
		}
	}
	return []table.Table{main, rates, queues}
}

// plot draws replica 0 of every scheme, as its title says, one below the other: left the arrivals at each
// uplink, right its queue, with vertical lines at some times.
func (u uplinkScene) plot(y plot.Axis, times ...plot.ReferenceLine) *plot.Plot {
	longest, highest := 0.0, 0.0
	for _, c := range u.schemes {
		r := u.of(c.key)[0]
		longest, highest = max(longest, r.endUs()), max(highest, r.longestQueue(0))
	}
	figure := &plot.Plot{Columns: plot.Double, Height: 0.15 + 1.8*float64(len(u.schemes)), SharedLegend: true,
		Title: fmt.Sprintf("The first of %d runs: uplinks of one ToR", len(u.of(u.schemes[0].key)))}
	time := from(0, 1.02*longest)
	for i, c := range u.schemes {
		r := u.of(c.key)[0]
		rates := plot.Panel{Title: fmt.Sprintf("(%c) %s: rates", 'a'+2*i, c.name),
			XLabel: "Time (us)", YLabel: "Rate in 20 us (Gb/s)", X: time,
			Y: y, References: append([]plot.ReferenceLine{{At: uplinkGbps}}, times...)}
		queues := plot.Panel{Title: fmt.Sprintf("(%c) %s: queues", 'b'+2*i, c.name), XLabel: "Time (us)",
			YLabel: "Queue (packets)", X: time,
			Y: from(0, 1.08*highest), References: append([]plot.ReferenceLine{{At: microKMin, Label: "Kmin"},
				{At: microKMax, Label: "Kmax"}}, times...)}
		for port := range r.ports() {
			rate := plot.Series{Name: fmt.Sprintf("uplink %d", port), Color: plot.NthColor(port % 8),
				Dash: plot.Solid, Mark: plot.Steps}
			queue := rate
			queue.Mark = plot.Line
			for _, b := range r.buckets(port) {
				rate.X, rate.Y = append(rate.X, b.from, b.to), append(rate.Y, b.arrivals, b.arrivals)
			}
			for _, s := range r.samples {
				appendXY(&queue, sampleUs(s), float64(s.Queue[port]))
			}
			rates.Series, queues.Series = append(rates.Series, rate), append(queues.Series, queue)
		}
		figure.Panels = append(figure.Panels, []plot.Panel{rates, queues})
	}
	return figure
}

// outage is a time during which an uplink of ToR 0 fails.
type outage struct {
	uplink   int
	from, to float64 // us; to is +Inf for good
}

// outageFaults returns outages as faults of the network: data from ToR 0 are lost, all
// else gets through.
func outageFaults(tree topology.FatTree, list []outage) []fattree.Fault {
	return lists.Map(list, func(o outage) fattree.Fault {
		f := fattree.Fault{Ports: tree.Ports(topology.Part{Uplink: o.uplink}),
			Start: fattree.Picoseconds(o.from * microseconds)}
		if !math.IsInf(o.to, 1) {
			f.End = fattree.Picoseconds(o.to * microseconds)
		}
		return f
	})
}

// outageLines marks when outages begin and end.
func outageLines(list []outage) []plot.ReferenceLine {
	var lines []plot.ReferenceLine
	for _, o := range list {
		lines = append(lines, plot.ReferenceLine{Vertical: true, At: o.from, Label: "failure"})
		if !math.IsInf(o.to, 1) {
			lines = append(lines, plot.ReferenceLine{Vertical: true, At: o.to, Label: "repair"})
		}
	}
	return lines
}

// during returns the samples that end in an outage.
func (r netRun) during(o outage) []fattree.Sample {
	return slices.DeleteFunc(slices.Clone(r.samples),
		func(s fattree.Sample) bool { return sampleUs(s) <= o.from || sampleUs(s) > o.to })
}

// swallowed returns the packets sent into an uplink during its outage.
func (r netRun) swallowed(o outage) float64 {
	sum := int64(0)
	for _, s := range r.during(o) {
		sum += s.Packets[o.uplink]
	}
	return float64(sum)
}

// stopped returns the time from an uplink's failure until nothing is sent into it
// for about 20 us, or the length of the outage if that does not happen, in us.
func (r netRun) stopped(o outage) float64 {
	last, quiet := o.from, 0
	for _, s := range r.during(o) {
		quiet++
		if s.Packets[o.uplink] > 0 {
			last, quiet = sampleUs(s), 0
		}
		if quiet == silence {
			return last - o.from
		}
	}
	return min(o.to, r.endUs()) - o.from
}

// stopping returns the mean over runs of stopped.
func (runs netRuns) stopping(o outage) mc.Estimate {
	return runs.mean(func(r netRun) float64 { return r.stopped(o) }, "us",
		fmt.Sprintf("failure of uplink %d to the first 20 us without a packet into it", o.uplink))
}

// slowest returns the largest mean over runs of stopped, of several outages.
func (runs netRuns) slowest(list []outage) mc.Estimate {
	var most mc.Estimate
	for _, o := range list {
		if e := runs.stopping(o); e.Value >= most.Value {
			most = e
		}
	}
	return most
}

// outages lists every outage under every scheme.
func (u uplinkScene) outages(list []outage) table.Table {
	return u.rowsOf("outages", "", func(_ *comparedPoint, _ scheme, runs netRuns) []cells {
		return lists.Map(list, func(o outage) cells {
			into := meanOf(runs, func(r netRun) float64 { return r.swallowed(o) })
			stop := runs.stopping(o)
			return slices.Concat(cells{{"uplink", o.uplink}, {"from_us", o.from}, {"to_us", o.to}},
				withEnds("swallowed_packets", "swallowed", into), withEnds("stopped_after_us", "stopped", stop))
		})
	})
}
