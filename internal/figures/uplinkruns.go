package figures

import (
	"math"
	"slices"

	"repslab/fattree"
)

// Resolution of what is seen of the uplinks of a ToR.
const (
	uplinkSample  = 996_000 // ps: 12 slots of 83 ns, about 1 us
	uplinkSamples = 20      // to a bucket, about 20 us as in the paper
)

// Run is a run with what happened at the uplinks of ToR 0.
type UplinkRun struct {
	Run
	samples []fattree.Sample
	mtu     int
	gbps    float64 // of a healthy uplink
}

// Keep keeps a run, an error if a flow did not finish.
func KeepUplinks(r fattree.Replica) (UplinkRun, error) {
	run, err := KeepCutUplinks(r)
	if err == nil && !run.Complete {
		err = Unfinished(r)
	}
	return run, err
}

// KeepCut keeps a run that may have been cut short.
func KeepCutUplinks(r fattree.Replica) (UplinkRun, error) {
	run, err := KeepWithIdeal(r)
	spec := r.Network.Spec()
	return UplinkRun{run, r.Samples, spec.MTU, spec.Topology.Fabric.Gbps}, err
}

// ports returns the number of uplinks.
func (r UplinkRun) ports() int { return len(r.samples[0].Queue) }

// microsecondsOf returns the time of a sample in us.
func microsecondsOf(s fattree.Sample) float64 { return float64(s.Time) / Microseconds }

// bucket is what an uplink did for about 20 us.
type bucket struct {
	from, to float64 // us
	arrivals float64 // Gb/s on the wire: packets for the uplink
	sent     float64 // Gb/s on the wire
}

// buckets returns what an uplink did, from the beginning of the run to the last
// full bucket. What arrives is what is sent and what the queue grows by.
func (r UplinkRun) buckets(port int) []bucket {
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
		rate := float64(r.mtu) * 8000 / float64(last.Time-before.Time)
		list = append(list, bucket{microsecondsOf(before), microsecondsOf(last), rate * float64(sent+int64(last.Queue[port]-queue)), rate * float64(sent)})
		before, queue = last, last.Queue[port]
	}
	return list
}

// carried returns the packets that each uplink sent in the whole run.
func (r UplinkRun) carried() []int64 {
	all := make([]int64, r.ports())
	for _, s := range r.samples {
		for port, packets := range s.Packets {
			all[port] += packets
		}
	}
	return all
}

// end returns when the last flow ended or the run was cut, in us.
func (r UplinkRun) end() float64 {
	if r.Complete {
		return float64(r.MaxFCT()) / Microseconds
	}
	return microsecondsOf(r.samples[len(r.samples)-1])
}

// quiet returns when senders begin to run dry, in us: a round trip before the
// first flow finishes.
func (r UplinkRun) quiet() float64 { return float64(r.FCTs[0])/Microseconds - 15 }

// Runs are the replicas of a set-up.
type UplinkRuns []UplinkRun

// NetworkRuns returns the runs without their uplinks.
func (runs UplinkRuns) NetworkRuns() Runs {
	var list Runs
	for _, r := range runs {
		list = append(list, r.Run)
	}
	return list
}

// Settled is when REPS is taken to have converged, in us: some twelve round trips.
const Settled = 100

// Farthest returns by how many percent, at most, what arrived at an uplink in a
// bucket was off its rate.
func (r UplinkRun) Farthest() float64 {
	most := 0.0
	for port := range r.ports() {
		for _, b := range r.buckets(port) {
			if b.from >= Settled && b.to <= r.quiet() {
				most = max(most, 100*math.Abs(b.arrivals/r.gbps-1))
			}
		}
	}
	return most
}

// LongestQueue returns the longest queue of an uplink from a time on, in packets.
func (r UplinkRun) LongestQueue(from float64) float64 {
	most := int32(0)
	for _, s := range r.samples {
		if microsecondsOf(s) >= from {
			most = max(most, slices.Max(s.Queue))
		}
	}
	return float64(most)
}

// Busiest returns by how many percent the uplink with most packets has more than
// the mean.
func (r UplinkRun) Busiest() float64 {
	carried := r.carried()
	sum := int64(0)
	for _, packets := range carried {
		sum += packets
	}
	return 100 * (float64(slices.Max(carried))*float64(len(carried))/float64(sum) - 1)
}

// Extreme returns the largest value over runs.
func (runs UplinkRuns) Extreme(of func(UplinkRun) float64) float64 {
	most := math.Inf(-1)
	for _, r := range runs {
		most = max(most, of(r))
	}
	return most
}
