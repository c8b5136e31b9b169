package figures

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// Time resolution of the recording at a ToR's uplinks.
const (
	uplinkSample  = 996_000 // ps: 12 slots of 83 ns, about 1 us
	uplinkSamples = 20      // samples in a bucket, about 20 us as in the paper
)

// The defaults of the network for healthy uplinks.
const (
	uplinkGbps = 400
	uplinkMTU  = 4150
)

// settled is the time in us from which REPS counts as converged: some twelve round trips.
const settled = 100

// silence is the number of samples without a packet into an uplink, about 20 us, after which sending counts as
// stopped.
const silence = 20

// uplinkTrace holds the samples of a ToR's uplinks in a run.
type uplinkTrace struct {
	Times   []fattree.Picoseconds // ends of the samples
	Packets [][]int64             // by uplink and sample: packets sent
	Queues  [][]int32             // by uplink and sample: packets in the queue at the end
}

// newUplinkTrace returns the trace of some samples.
func newUplinkTrace(samples []fattree.Sample) *uplinkTrace {
	ports := len(samples[0].Packets)
	t := &uplinkTrace{Packets: make([][]int64, ports), Queues: make([][]int32, ports)}
	for _, s := range samples {
		t.Times = append(t.Times, s.Time)
		for port := range ports {
			t.Packets[port], t.Queues[port] = append(t.Packets[port], s.Packets[port]), append(t.Queues[port], s.Queue[port])
		}
	}
	return t
}

// Names of the numbers of a run with traced uplinks.
const (
	usualDeviation   = "usual deviation"   // %, not exceeded by 95 % of the buckets
	largestDeviation = "largest deviation" // %, largest of a bucket
	aboveKMin        = "above Kmin"        // %, of the samples from settled on
	longestQueue     = "longest queue"     // packets
	settledQueue     = "settled queue"     // packets, the longest from settled on
	laterQueue       = "later queue"       // packets, the longest from 250 us on
	busiestUplink    = "busiest uplink"    // % above the mean
)

// later is a time in us long after queues have settled. recovered is how long in us after the last repair all
// uplinks should be used again: two freezing modes.
const (
	later     = 250
	recovered = 200
)

// shareOfUplink names the packets of an uplink divided by the mean of all uplinks. They count from settled or,
// with outages, from recovered after the last one, until a round trip before the first flow finishes.
func shareOfUplink(uplink int) string { return fmt.Sprintf("share %d", uplink) }

// swallowed names the number of packets sent into an uplink during its outage. stopped names the time in us from
// the failure until nothing is sent into the uplink for about 20 us, or the length of the outage if this does not
// happen.
func (o outage) swallowed() string { return fmt.Sprintf("swallowed %d", o.uplink) }
func (o outage) stopped() string   { return fmt.Sprintf("stopped %d", o.uplink) }

// keepUplinks returns a function that keeps a run as keep does, with the statistics of its uplinks. outages are
// failures of uplinks.
func keepUplinks(keep func(experiment.Replica) (netRun, error), outages ...outage) func(experiment.Replica) (netRun, error) {
	return func(r experiment.Replica) (netRun, error) {
		k, err := keep(r)
		if err != nil {
			return k, err
		}
		t := newUplinkTrace(r.Samples)
		quiet := float64(k.Least)/microseconds - 15 // a round trip before the first flow finishes
		deviations := t.deviations(quiet)
		k.Numbers = map[string]float64{usualDeviation: rank(deviations, 0.95), largestDeviation: rank(deviations, 1),
			aboveKMin: t.above(microKMin), longestQueue: t.longestQueue(0), settledQueue: t.longestQueue(settled),
			laterQueue:    t.longestQueue(later),
			busiestUplink: t.busiest()}
		k.Uplinks = t
		k.Numbers[shareOfUplink(0)] = t.share(0, settled, quiet)
		for _, o := range outages {
			k.Numbers[o.swallowed()], k.Numbers[o.stopped()] = t.swallowed(o), t.stopped(o, k.endUs())
			k.Numbers[shareOfUplink(o.uplink)] = t.share(o.uplink, outages[len(outages)-1].to+recovered, quiet)
		}
		if r.Number > 0 {
			k.Uplinks = nil // only the first run is drawn
		}
		return k, nil
	}
}

// keepWhole keeps a run with its ideal; it is an error if a flow did not finish.
func keepWhole(r experiment.Replica) (netRun, error) {
	if run, err := keepComplete(r); err != nil {
		return run, err
	}
	return keepWithIdeal(r)
}

// us returns the time of a sample in us.
func (t *uplinkTrace) us(sample int) float64 { return float64(t.Times[sample]) / microseconds }

// bucket holds the rates at an uplink for about 20 us.
type bucket struct {
	from, to float64 // us
	arrivals float64 // Gb/s on the wire: packets that arrive for the uplink
	sent     float64 // Gb/s on the wire
}

// buckets returns the rates at an uplink, from the beginning of the run to the last full bucket. Arrivals are the
// packets sent plus the growth of the queue.
func (t *uplinkTrace) buckets(port int) []bucket {
	var list []bucket
	before, queue := fattree.Picoseconds(0), int32(0)
	for i := uplinkSamples; i <= len(t.Times); i += uplinkSamples {
		var sent int64
		for _, packets := range t.Packets[port][i-uplinkSamples : i] {
			sent += packets
		}
		last, waiting := t.Times[i-1], t.Queues[port][i-1]
		// Bits of a packet, divided by the nanoseconds of a bucket.
		rate := uplinkMTU * 8000 / float64(last-before)
		list = append(list, bucket{float64(before) / microseconds, float64(last) / microseconds,
			rate * float64(sent+int64(waiting-queue)), rate * float64(sent)})
		before, queue = last, waiting
	}
	return list
}

// deviations returns the deviation of arrivals from the uplink's rate in each bucket, in percent, ascending. It
// covers the time from settled to quiet, in us, when all flows still send.
func (t *uplinkTrace) deviations(quiet float64) []float64 {
	var list []float64
	for port := range t.Packets {
		for _, b := range t.buckets(port) {
			if b.from >= settled && b.to <= quiet {
				list = append(list, 100*math.Abs(b.arrivals/uplinkGbps-1))
			}
		}
	}
	slices.Sort(list)
	return list
}

// wildest returns the mean of the largest deviation.
func (runs netRuns) wildest() mc.Estimate {
	return runs.mean(kept(largestDeviation), "%", "largest deviation in a bucket")
}

// sampleAt returns the first sample from a time on, in us.
func (t *uplinkTrace) sampleAt(us float64) int {
	return sort.Search(len(t.Times), func(i int) bool { return t.us(i) >= us })
}

// queuesFrom returns the queues of all uplinks in the samples from a time on, in us.
func (t *uplinkTrace) queuesFrom(from float64) (all []int32) {
	first := t.sampleAt(from)
	for _, queues := range t.Queues {
		all = append(all, queues[first:]...)
	}
	return all
}

// above returns the percentage of uplink samples, from settled on, with a queue above a number of packets.
func (t *uplinkTrace) above(packets int32) float64 {
	all := t.queuesFrom(settled)
	longer := lists.Where(all, func(queue int32) bool { return queue > packets })
	return 100 * float64(len(longer)) / float64(len(all))
}

// longestQueue returns the longest queue of an uplink from a time on, in packets.
func (t *uplinkTrace) longestQueue(from float64) float64 {
	return float64(slices.Max(append(t.queuesFrom(from), 0)))
}

// busiest returns by how many percent the busiest uplink has more packets than the mean.
func (t *uplinkTrace) busiest() float64 {
	carried := lists.Map(t.Packets, func(packets []int64) float64 {
		sum := 0.0
		for _, n := range packets {
			sum += float64(n)
		}
		return sum
	})
	return 100 * (slices.Max(carried)/mean(carried) - 1)
}

// share returns the packets that an uplink carries in a range of time, in us, divided by the mean of all uplinks.
func (t *uplinkTrace) share(uplink int, from, to float64) float64 {
	var carried, all float64
	for port, list := range t.Packets {
		for i, packets := range list {
			if at := t.us(i); at >= from && at <= to {
				all += float64(packets) / float64(len(t.Packets))
				if port == uplink {
					carried += float64(packets)
				}
			}
		}
	}
	return carried / all
}

// extreme returns the largest value over runs.
func (runs netRuns) extreme(of func(netRun) float64) float64 {
	return slices.Max(lists.Map(runs, of))
}

// endUs returns the time in us at which the last flow ended or a traced run was cut.
func (r netRun) endUs() float64 {
	if r.Complete() {
		return float64(r.Most) / microseconds
	}
	return r.Uplinks.us(len(r.Uplinks.Times) - 1)
}

// uplinkScene compares schemes at the uplinks of ToR 0. OPS is the first scheme.
type uplinkScene struct{ comparison }

// uplinkRuns is the number of replicas.
const uplinkRuns = 20

// newUplinks returns schemes on a network, not yet run, with samples of the uplinks of ToR 0.
func newUplinks(network experiment.Networks, keep func(experiment.Replica) (netRun, error),
	schemes ...scheme) uplinkScene {
	return uplinkScene{comparison{schemes: schemes, points: []*comparedPoint{{network: network, keep: keep,
		replicas: uplinkRuns, trace: func(n *fattree.Network) fattree.TraceConfig {
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

// tables lists the runs, and the rates and queues of every uplink in replica 0 of each scheme.
func (u uplinkScene) tables() []frame.Table {
	main := u.rows("", "", func(_ *comparedPoint, _ scheme, runs netRuns) cells { return runs.cells(u.of("ops")) })
	rates, queues := frame.Table{Name: "rates"}, frame.Table{Name: "queues"}
	for _, c := range u.schemes {
		first := u.of(c.key)[0].Uplinks
		for port := range first.Packets {
			for _, b := range first.buckets(port) {
				rates.Add(cells{{"lb", c.key}, {"uplink", port}, {"from_us", b.from}, {"to_us", b.to},
					{"arrivals_gbps", b.arrivals}, {"throughput_gbps", b.sent}, {"run", 0}, {"runs", len(u.of(c.key))},
					{"seed", u.seed}})
			}
			for i, queue := range first.Queues[port] {
				queues.Add(cells{{"lb", c.key}, {"uplink", port}, {"time_us", first.us(i)},
					{"queue_packets", int(queue)}, {"run", 0}, {"runs", len(u.of(c.key))}, {"seed", u.seed}})
			}
		}
	}
	return []frame.Table{main, rates, queues}
}

// plot draws replica 0 of every scheme, one below the other: on the left the arrivals at each uplink, on the right
// its queue, with vertical lines at some times.
func (u uplinkScene) plot(y plot.Axis, times ...plot.ReferenceLine) *plot.Plot {
	longest, highest := 0.0, 0.0
	for _, c := range u.schemes {
		r := u.of(c.key)[0]
		longest, highest = max(longest, r.endUs()), max(highest, r.Numbers[longestQueue])
	}
	figure := &plot.Plot{Columns: plot.Double, Height: 0.15 + 1.8*float64(len(u.schemes)), SharedLegend: true,
		Title: fmt.Sprintf("The first of %d runs: uplinks of one ToR", len(u.of(u.schemes[0].key)))}
	time := from(0, 1.02*longest)
	for i, c := range u.schemes {
		r := u.of(c.key)[0].Uplinks
		rates := plot.Panel{Title: fmt.Sprintf("(%c) %s: rates", 'a'+2*i, c.name),
			XLabel: "Time (us)", YLabel: "Rate in 20 us (Gb/s)", X: time,
			Y: y, References: append([]plot.ReferenceLine{{At: uplinkGbps}}, times...)}
		queues := plot.Panel{Title: fmt.Sprintf("(%c) %s: queues", 'b'+2*i, c.name), XLabel: "Time (us)",
			YLabel: "Queue (packets)", X: time,
			Y: from(0, 1.08*highest), References: append([]plot.ReferenceLine{{At: microKMin, Label: "Kmin"},
				{At: microKMax, Label: "Kmax"}}, times...)}
		for port := range r.Packets {
			rate := plot.Series{Name: fmt.Sprintf("uplink %d", port), Color: plot.NthColor(port % 8),
				Dash: plot.Solid, Mark: plot.Steps}
			queue := rate
			queue.Mark = plot.Line
			for _, b := range r.buckets(port) {
				rate.X, rate.Y = append(rate.X, b.from, b.to), append(rate.Y, b.arrivals, b.arrivals)
			}
			for i, packets := range r.Queues[port] {
				appendXY(&queue, r.us(i), float64(packets))
			}
			rates.Series, queues.Series = append(rates.Series, rate), append(queues.Series, queue)
		}
		figure.Panels = append(figure.Panels, []plot.Panel{rates, queues})
	}
	return figure
}

// outage is a time during which an uplink of ToR 0 has failed.
type outage struct {
	uplink   int
	from, to float64 // us; to is +Inf if permanent
}

// outageFaults returns outages as faults of the network: data from ToR 0 are lost, everything else gets through.
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

// outageLines marks the beginnings and ends of outages. The legend names them, because data leave no space next to
// the lines.
func outageLines(list []outage) []plot.ReferenceLine {
	var lines []plot.ReferenceLine
	for _, o := range list {
		lines = append(lines, plot.ReferenceLine{Vertical: true, At: o.from, Label: "failure", InLegend: true, Dash: plot.Dashed})
		if !math.IsInf(o.to, 1) {
			lines = append(lines, plot.ReferenceLine{Vertical: true, At: o.to, Label: "repair", InLegend: true, Dash: plot.Dotted})
		}
	}
	return lines
}

// during reports whether a sample ends during an outage.
func (t *uplinkTrace) during(o outage, sample int) bool {
	return t.us(sample) > o.from && t.us(sample) <= o.to
}

// swallowed returns the packets sent into an uplink during its outage.
func (t *uplinkTrace) swallowed(o outage) float64 {
	sum := int64(0)
	for i, packets := range t.Packets[o.uplink] {
		if t.during(o, i) {
			sum += packets
		}
	}
	return float64(sum)
}

// stopped returns the time in us from an uplink's failure until nothing is sent into it for about 20 us. If this
// does not happen, it returns the length of the outage in a run with the given end.
func (t *uplinkTrace) stopped(o outage, end float64) float64 {
	last, quiet := o.from, 0
	for i, packets := range t.Packets[o.uplink] {
		if !t.during(o, i) {
			continue
		}
		quiet++
		if packets > 0 {
			last, quiet = t.us(i), 0
		}
		if quiet == silence {
			return last - o.from
		}
	}
	return min(o.to, end) - o.from
}

// stopping returns the mean of stopped over runs.
func (runs netRuns) stopping(o outage) mc.Estimate {
	e := inSupport(runs, kept(o.stopped()), positive(uplinkSample/float64(microseconds)))
	return listedAs(e, "us",
		fmt.Sprintf("failure of uplink %d to the first 20 us without a packet into it, %s", o.uplink, runs.by()))
}

// slowest returns the largest of the means of stopped over several outages.
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
func (u uplinkScene) outages(list []outage) frame.Table {
	return u.rowsOf("outages", "", func(_ *comparedPoint, _ scheme, runs netRuns) []cells {
		return lists.Map(list, func(o outage) cells {
			into := inSupport(runs, kept(o.swallowed()), counted(1))
			stop := runs.stopping(o)
			return cells{{"uplink", o.uplink}, {"from_us", o.from}, {"to_us", o.to},
				{"swallowed_packets", frame.WithEnds(into)}, {"stopped_after_us", frame.WithEnds(stop)}}
		})
	})
}
