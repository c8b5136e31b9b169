package paper

import (
	"context"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// Resolution of what is seen of the uplinks of a ToR.
const (
	uplinkSample  = 996_000 // ps: 12 slots of 83 ns, about 1 us
	uplinkSamples = 20      // to a bucket, about 20 us as in the paper
)

// uplinkRun is a run with what happened at the uplinks of ToR 0.
type uplinkRun struct {
	networkRun
	samples []fattree.Sample
	mtu     int
	gbps    float64 // of a healthy uplink
}

// keepUplinks is a keep of simulate for runs in which all flows finish.
func keepUplinks(r fattree.Replica) (uplinkRun, error) {
	run, err := keepCutUplinks(r)
	if err == nil && !run.complete {
		err = unfinished(r)
	}
	return run, err
}

// keepCutUplinks is a keep of simulate for runs that may be cut short.
func keepCutUplinks(r fattree.Replica) (uplinkRun, error) {
	run, err := keepRun(r)
	spec := r.Network.Spec()
	return uplinkRun{run, r.Samples, spec.MTU, spec.Topology.Fabric.Gbps}, err
}

// traced returns what runs a contender on a network and looks at the uplinks of
// its ToR 0.
func (c contender) traced(network func(uint64) (*fattree.Network, error)) fattree.Setup {
	setup := c.setup(fullEVS, network)
	setup.Trace = func(n *fattree.Network) fattree.TraceConfig {
		return fattree.TraceConfig{Every: uplinkSample, Ports: n.Uplinks(0)}
	}
	return setup
}

// uplinkScene is contenders on one network whose ToR 0 is looked at.
type uplinkScene struct {
	compared []contender
	runs     []uplinkRuns // by contender; OPS is the first
}

// simulateUplinks runs contenders on a network and looks at the uplinks of its
// ToR 0.
func simulateUplinks(ctx context.Context, s Settings, network func(uint64) (*fattree.Network, error), replicas uint64, keep func(fattree.Replica) (uplinkRun, error), compared ...contender) (uplinkScene, error) {
	var setups []fattree.Setup
	for _, c := range compared {
		setups = append(setups, c.traced(network))
	}
	all, err := simulate(ctx, s, setups, replicas, keep)
	scene := uplinkScene{compared: compared}
	for _, runs := range all {
		scene.runs = append(scene.runs, runs)
	}
	return scene, err
}

// ports returns the number of uplinks.
func (r uplinkRun) ports() int { return len(r.samples[0].Queue) }

// microsecondsOf returns the time of a sample.
func microsecondsOf(s fattree.Sample) float64 { return float64(s.Time) / microseconds }

// bucket is what an uplink did for about 20 us.
type bucket struct {
	from, to float64 // us
	arrivals float64 // Gb/s on the wire: packets for the uplink
	sent     float64 // Gb/s on the wire
}

// buckets returns what an uplink did, from the beginning of the run to the last
// full bucket. What arrives is what is sent and what the queue grows by.
func (r uplinkRun) buckets(port int) []bucket {
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
func (r uplinkRun) carried() []int64 {
	all := make([]int64, r.ports())
	for _, s := range r.samples {
		for port, packets := range s.Packets {
			all[port] += packets
		}
	}
	return all
}

// end returns when the last flow ended or the run was cut, in us.
func (r uplinkRun) end() float64 {
	if r.complete {
		return float64(r.maxFCT()) / microseconds
	}
	return microsecondsOf(r.samples[len(r.samples)-1])
}

// quiet returns when senders begin to run dry, in us: a round trip before the
// first flow finishes.
func (r uplinkRun) quiet() float64 { return float64(r.fcts[0])/microseconds - 15 }

// uplinkRuns are the replicas of a set-up.
type uplinkRuns []uplinkRun

// networkRuns returns the runs without their uplinks.
func (runs uplinkRuns) networkRuns() networkRuns {
	var list networkRuns
	for _, r := range runs {
		list = append(list, r.networkRun)
	}
	return list
}

// estimate returns the mean over runs of a number that is kept in thousandths.
func (runs uplinkRuns) estimate(of func(uplinkRun) float64) mc.Estimate {
	var m mc.Moments
	for _, r := range runs {
		m.Add(int64(1000 * of(r)))
	}
	return m.Mean(mc.DefaultConfidence).Per(1000)
}

// tables lists the runs, and what replica 0 of each did at every uplink.
func (u uplinkScene) tables(seed uint64) []Table {
	main := Table{Columns: append([]report.Column{text("lb")}, networkColumns()...)}
	rates := Table{Name: "rates", Columns: append([]report.Column{text("lb")}, numbers("uplink", "from_us", "to_us", "arrivals_gbps", "throughput_gbps", "seed")...)}
	queues := Table{Name: "queues", Columns: append([]report.Column{text("lb")}, numbers("uplink", "time_us", "queue_packets", "seed")...)}
	for i, runs := range u.runs {
		key := u.compared[i].key
		main.Rows = append(main.Rows, append([]any{key}, runs.networkRuns().cells(u.runs[0].networkRuns(), seed)...))
		for port := range runs[0].ports() {
			for _, b := range runs[0].buckets(port) {
				rates.Rows = append(rates.Rows, []any{key, port, b.from, b.to, b.arrivals, b.sent, seed})
			}
			for _, s := range runs[0].samples {
				queues.Rows = append(queues.Rows, []any{key, port, microsecondsOf(s), int(s.Queue[port]), seed})
			}
		}
	}
	return []Table{main, rates, queues}
}

// uplinkView says how a scene is drawn.
type uplinkView struct {
	rates  report.Axis
	queues []report.Rule // levels
	times  []report.Rule // vertical lines in all panels
	slow   int           // uplink that runs at half its rate, or -1
}

// plot draws replica 0 of every contender, one below the other: left what arrives
// at each uplink, right its queue.
func (u uplinkScene) plot(view uplinkView) *report.Figure {
	longest, highest := 0.0, 0.0
	for _, runs := range u.runs {
		longest = max(longest, runs[0].end())
		highest = max(highest, runs[0].longestQueue(0))
	}
	figure := &report.Figure{Columns: report.Double, Height: 1.8 * float64(len(u.runs)), SharedLegend: true}
	time := report.Axis{Min: new(0.0), Max: new(1.02 * longest)}
	for i, runs := range u.runs {
		r := runs[0]
		name := u.compared[i].name
		rates := report.Panel{Title: fmt.Sprintf("(%c) %s: packets arriving, 20 us buckets", 'a'+2*i, name), XLabel: "Time (us)", YLabel: "Rate (Gb/s)", X: time,
			Y: view.rates, Rules: append([]report.Rule{{At: r.gbps}}, view.times...)}
		queues := report.Panel{Title: fmt.Sprintf("(%c) %s: queues", 'b'+2*i, name), XLabel: "Time (us)", YLabel: "Queue (packets)", X: time,
			Y: report.Axis{Min: new(0.0), Max: new(1.08 * highest)}, Rules: append(slices.Clone(view.queues), view.times...)}
		for port := range r.ports() {
			rate, queue := r.curves(port)
			for _, series := range []*report.Series{&rate, &queue} {
				series.Color, series.Dash = port%8+1, report.Solid
				series.Name = fmt.Sprintf("uplink %d", port)
				if port == view.slow {
					series.Name += ", half rate"
				}
			}
			rates.Series, queues.Series = append(rates.Series, rate), append(queues.Series, queue)
		}
		figure.Panels = append(figure.Panels, []report.Panel{rates, queues})
	}
	return figure
}

// curves returns what arrives at an uplink, as a staircase, and its queue.
func (r uplinkRun) curves(port int) (rate, queue report.Series) {
	rate.Mark = report.Steps
	for _, b := range r.buckets(port) {
		rate.X, rate.Y = append(rate.X, b.from, b.to), append(rate.Y, b.arrivals, b.arrivals)
	}
	for _, s := range r.samples {
		queue.X, queue.Y = append(queue.X, microsecondsOf(s)), append(queue.Y, float64(s.Queue[port]))
	}
	return rate, queue
}
