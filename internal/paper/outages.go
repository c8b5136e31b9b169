package paper

import (
	"math"

	"repslab/fattree"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// outage is a time during which an uplink of ToR 0 is dead.
type outage struct {
	uplink   int
	from, to float64 // us; to is +Inf for good
}

// fault returns the outage as the network has it: data from ToR 0 are lost, all
// else gets through.
func (o outage) fault() fattree.Fault {
	f := fattree.Fault{Uplink: o.uplink, Start: fattree.Picoseconds(o.from * microseconds)}
	if !math.IsInf(o.to, 1) {
		f.End = fattree.Picoseconds(o.to * microseconds)
	}
	return f
}

// faultsOf returns several outages.
func faultsOf(list []outage) []fattree.Fault {
	var faults []fattree.Fault
	for _, o := range list {
		faults = append(faults, o.fault())
	}
	return faults
}

// outageLines marks when outages begin and end.
func outageLines(list []outage) []report.Rule {
	var lines []report.Rule
	for _, o := range list {
		lines = append(lines, report.Rule{Vertical: true, At: o.from})
		if !math.IsInf(o.to, 1) {
			lines = append(lines, report.Rule{Vertical: true, At: o.to})
		}
	}
	return lines
}

// silence is for how many samples, about 20 us, nothing must be sent into an
// uplink for the sending to have stopped.
const silence = 20

// during returns what an uplink did in the samples that lie in an outage.
func (r uplinkRun) during(o outage) (ends []float64, packets []int64) {
	for _, s := range r.samples {
		if at := microsecondsOf(s); at > o.from && at <= o.to {
			ends, packets = append(ends, at), append(packets, s.Packets[o.uplink])
		}
	}
	return ends, packets
}

// swallowed returns the packets sent into an uplink during its outage.
func (r uplinkRun) swallowed(o outage) float64 {
	_, packets := r.during(o)
	sum := int64(0)
	for _, n := range packets {
		sum += n
	}
	return float64(sum)
}

// stopped returns the time from an uplink's death until nothing is sent into it
// for about 20 us, or the length of the outage if that does not happen, in us.
func (r uplinkRun) stopped(o outage) float64 {
	ends, packets := r.during(o)
	last, quiet := o.from, 0
	for i, n := range packets {
		if n > 0 {
			last, quiet = ends[i], 0
			continue
		}
		if quiet++; quiet == silence {
			return last - o.from
		}
	}
	return min(o.to, r.end()) - o.from
}

// slowest returns the mean over runs of stopped, of the outage among several for
// which it is longest.
func (runs uplinkRuns) slowest(list []outage) mc.Estimate {
	var most mc.Estimate
	for _, o := range list {
		if e := runs.estimate(func(r uplinkRun) float64 { return r.stopped(o) }); e.Value >= most.Value {
			most = e
		}
	}
	return most
}

// lost returns the packets lost under some runs as a multiple of those under
// others, replicas paired.
func (runs networkRuns) lost(other networkRuns) mc.Estimate {
	var p mc.PairedMoments
	for i, r := range runs {
		p.Add(r.result.Lost, other[i].result.Lost)
	}
	return p.Ratio(mc.DefaultConfidence)
}

// outagesTable lists what became of every outage under every contender.
func (u uplinkScene) outagesTable(setup string, list []outage, seed uint64) Table {
	t := Table{Name: "outages", Columns: append([]report.Column{text("setup"), text("lb")},
		numbers("uplink", "from_us", "to_us", "swallowed_packets", "swallowed_lo", "swallowed_hi", "stopped_after_us", "stopped_lo", "stopped_hi", "seed", "replicas")...)}
	for i, runs := range u.runs {
		for _, o := range list {
			into := runs.estimate(func(r uplinkRun) float64 { return r.swallowed(o) })
			stop := runs.estimate(func(r uplinkRun) float64 { return r.stopped(o) })
			t.Rows = append(t.Rows, []any{setup, u.compared[i].key, o.uplink, o.from, o.to, into.Value, into.Lo, into.Hi, stop.Value, stop.Lo, stop.Hi, seed, len(runs)})
		}
	}
	return t
}
