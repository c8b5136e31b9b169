package figures

import (
	"math"

	"repslab/fattree"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// Outage is a time during which an uplink of ToR 0 is dead.
type Outage struct {
	Uplink   int
	From, To float64 // us; to is +Inf for good
}

// fault returns the outage as the network has it: data from ToR 0 are lost, all
// else gets through.
func (o Outage) fault() fattree.Fault {
	f := fattree.Fault{Uplink: o.Uplink, Start: fattree.Picoseconds(o.From * Microseconds)}
	if !math.IsInf(o.To, 1) {
		f.End = fattree.Picoseconds(o.To * Microseconds)
	}
	return f
}

// Faults returns several outages.
func OutageFaults(list []Outage) []fattree.Fault {
	var faults []fattree.Fault
	for _, o := range list {
		faults = append(faults, o.fault())
	}
	return faults
}

// Lines marks when outages begin and end.
func OutageLines(list []Outage) []plot.ReferenceLine {
	var lines []plot.ReferenceLine
	for _, o := range list {
		lines = append(lines, plot.ReferenceLine{Vertical: true, At: o.From})
		if !math.IsInf(o.To, 1) {
			lines = append(lines, plot.ReferenceLine{Vertical: true, At: o.To})
		}
	}
	return lines
}

// silence is for how many samples, about 20 us, nothing must be sent into an
// uplink for the sending to have stopped.
const silence = 20

// during returns what an uplink did in the samples that lie in an outage.
func (r UplinkRun) during(o Outage) (ends []float64, packets []int64) {
	for _, s := range r.samples {
		if at := microsecondsOf(s); at > o.From && at <= o.To {
			ends, packets = append(ends, at), append(packets, s.Packets[o.Uplink])
		}
	}
	return ends, packets
}

// swallowed returns the packets sent into an uplink during its outage.
func (r UplinkRun) swallowed(o Outage) float64 {
	_, packets := r.during(o)
	sum := int64(0)
	for _, n := range packets {
		sum += n
	}
	return float64(sum)
}

// stopped returns the time from an uplink's death until nothing is sent into it
// for about 20 us, or the length of the outage if that does not happen, in us.
func (r UplinkRun) stopped(o Outage) float64 {
	ends, packets := r.during(o)
	last, quiet := o.From, 0
	for i, n := range packets {
		if n > 0 {
			last, quiet = ends[i], 0
			continue
		}
		if quiet++; quiet == silence {
			return last - o.From
		}
	}
	return min(o.To, r.end()) - o.From
}

// Slowest returns the mean over runs of stopped, of the outage among several for
// which it is longest.
func (runs UplinkRuns) Slowest(list []Outage) mc.Estimate {
	var most mc.Estimate
	for _, o := range list {
		if e := MeanOf(runs, func(r UplinkRun) float64 { return r.stopped(o) }); e.Value >= most.Value {
			most = e
		}
	}
	return most
}

// OutagesTable lists what became of every outage under every contender.
func (u UplinkScene) OutagesTable(setup string, list []Outage, seed uint64) table.Table {
	t := table.Table{Name: "outages", Columns: append([]table.Column{table.Text("setup"), table.Text("lb")},
		table.Numbers("uplink", "from_us", "to_us", "swallowed_packets", "swallowed_lo", "swallowed_hi", "stopped_after_us", "stopped_lo", "stopped_hi", "seed", "replicas")...)}
	for i, runs := range u.Runs {
		for _, o := range list {
			into := MeanOf(runs, func(r UplinkRun) float64 { return r.swallowed(o) })
			stop := MeanOf(runs, func(r UplinkRun) float64 { return r.stopped(o) })
			t.Rows = append(t.Rows, []any{setup, u.Compared[i].Key, o.Uplink, o.From, o.To, into.Value, into.Lo, into.Hi, stop.Value, stop.Lo, stop.Hi, seed, len(runs)})
		}
	}
	return t
}
