package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/report"
)

// ECN thresholds of the microscopic figures, packets.
const (
	microKMin = 20
	microKMax = 80
)

// thresholds returns the lines that mark them.
func thresholds() []report.Rule {
	return []report.Rule{{At: microKMin, Label: "Kmin"}, {At: microKMax, Label: "Kmax"}}
}

// settled is when REPS is taken to have converged, in us: some twelve round trips.
const settled = 100

// fig02 re-makes the uplinks of a ToR during a tornado.
func fig02() Figure {
	return Figure{
		ID:    "fig02",
		Title: "Rates and queues of the uplinks of a ToR, tornado of 16 MiB messages",
		Rules: []Rule{
			{"N027", "under OPS the farthest that the packets arriving at an uplink in 20 us are from its 400 Gb/s, between 100 us and a round trip before the first flow ends, is 13.5 to 16.5 % in the mean over runs, or 15 % is in its 95 % interval"},
			{"N028", "under OPS the queue of an uplink exceeds Kmax = 80 packets in at least one run"},
			{"N029", "under REPS no uplink's queue is above Kmin = 20 packets from 100 us on, in any run"},
			{"N030", "under REPS the packets arriving at an uplink in 20 us are within 5 % of 400 Gb/s at every uplink between 100 us and a round trip before the first flow ends, in the mean over runs of the farthest"},
			{"N031", "the maximum FCT of OPS over that of REPS, replicas paired, is 1.036 to 1.044, or 1.04 is in its 95 % interval"},
			{"N032", "under OPS and under REPS the uplink that carries most packets in the whole run carries at most 5 % more than the mean, in every run"},
		},
		build: buildFig02,
	}
}

func buildFig02(ctx context.Context, s Settings) (Output, error) {
	replicas := s.Scale.choose(3, 20)
	topology := fattree.Topology{Hosts: 128}
	spec := fattree.Spec{Topology: topology, KMin: microKMin, KMax: microKMax}
	network := fixed(spec)(traffic.OneToR(topology, traffic.Message{Bytes: 16 * mib}))
	scene, err := simulateUplinks(ctx, s, network, replicas, keepUplinks, ops(), repsPaper())
	if err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  scene.tables(s.Seed),
		Formats: []report.Format{report.CSV},
		Plot:    scene.plot(uplinkView{rates: report.Axis{Min: new(250.0), Max: new(520.0)}, queues: thresholds(), slow: -1}),
		Notes: []string{
			"The 8 hosts of ToR 0 of a tree of 128 hosts send 16 MiB each to another ToR: a tornado seen by one ToR, as ToR pairs of a tornado share no link but for ACKs. Queue 100, ECN 20/80, trimming, DCTCP variant. So did the authors.",
			"Left: packets that arrive for an uplink, sent or queued, in buckets of 20 us: above 400 Gb/s a queue grows, as the paper explains its axis. Trimmed packets are left out. Right: queues, every microsecond. One line an uplink, replica 0.",
			"Only the 8 flows' data are there, no ACKs of others, so the full rate is 400 Gb/s.",
			fmt.Sprintf("Findings over %d replicas. The authors' simulator, 5 seeds: maximum FCT of OPS 368.9 us, of REPS 350.7 us, 5.2 %% more.", replicas),
		},
		Findings: fig02Findings(scene.runs[0], scene.runs[1]),
	}, nil
}

// farthest returns by how many percent, at most, what arrived at an uplink in a
// bucket was off its rate.
func (r uplinkRun) farthest() float64 {
	most := 0.0
	for port := range r.ports() {
		for _, b := range r.buckets(port) {
			if b.from >= settled && b.to <= r.quiet() {
				most = max(most, 100*math.Abs(b.arrivals/r.gbps-1))
			}
		}
	}
	return most
}

// longestQueue returns the longest queue of an uplink from a time on, in packets.
func (r uplinkRun) longestQueue(from float64) float64 {
	most := int32(0)
	for _, s := range r.samples {
		if microsecondsOf(s) >= from {
			most = max(most, slices.Max(s.Queue))
		}
	}
	return float64(most)
}

// busiest returns by how many percent the uplink with most packets has more than
// the mean.
func (r uplinkRun) busiest() float64 {
	carried := r.carried()
	sum := int64(0)
	for _, packets := range carried {
		sum += packets
	}
	return 100 * (float64(slices.Max(carried))*float64(len(carried))/float64(sum) - 1)
}

// extreme returns the largest value over runs.
func (runs uplinkRuns) extreme(of func(uplinkRun) float64) float64 {
	most := math.Inf(-1)
	for _, r := range runs {
		most = max(most, of(r))
	}
	return most
}

// fig02Findings judges the claims.
func fig02Findings(sprayed, recycled uplinkRuns) []Finding {
	swing, steady := sprayed.estimate(uplinkRun.farthest), recycled.estimate(uplinkRun.farthest)
	all := func(r uplinkRun) float64 { return r.longestQueue(0) }
	late := func(r uplinkRun) float64 { return r.longestQueue(settled) }
	high, low := sprayed.estimate(all), recycled.estimate(late)
	highest, lowest := sprayed.extreme(all), recycled.extreme(late)
	ratio := sprayed.networkRuns().over(recycled.networkRuns())
	busySprayed, busyRecycled := sprayed.extreme(uplinkRun.busiest), recycled.extreme(uplinkRun.busiest)
	return []Finding{
		{"N027", judge(near(swing, 15)), "farthest of an uplink from 400 Gb/s: " + interval(swing, "%.1f") + " %", swing.Lo, swing.Hi, "the largest of all buckets and uplinks of a run"},
		{"N028", judge(highest > microKMax), fmt.Sprintf("longest queue of a run %s packets, of all runs %.0f", interval(high, "%.0f"), highest), high.Lo, high.Hi, ""},
		{"N029", judge(lowest <= microKMin), fmt.Sprintf("longest queue of a run from 100 us on %s packets, of all runs %.0f", interval(low, "%.1f"), lowest), low.Lo, low.Hi, "queues settle around Kmin rather than below: just above it hardly a packet is marked, as marking rises slowly from there to Kmax"},
		{"N030", judge(steady.Value <= 5), "farthest of an uplink from 400 Gb/s: " + interval(steady, "%.1f") + " %", steady.Lo, steady.Hi, "a packet is 1 % of a bucket"},
		{"N031", judge(ratio.Value >= 1.036 && ratio.Value <= 1.044 || ratio.Lo <= 1.04 && 1.04 <= ratio.Hi), "OPS takes " + interval(ratio, "%.3f") + " times as long", ratio.Lo, ratio.Hi, "the authors' simulator over 5 seeds: 1.052"},
		inWords("N032", busySprayed <= 5 && busyRecycled <= 5, fmt.Sprintf("the busiest uplink carries up to %.1f %% more than the mean under OPS, %.1f %% under REPS", busySprayed, busyRecycled), ""),
	}
}
