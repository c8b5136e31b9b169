package main

import (
	"context"

	"github.com/spf13/cobra"

	"repslab/fattree"
	"repslab/internal/mc"
	"repslab/internal/report"
	"repslab/internal/wholefile"
)

// fattreeFiles are the files that the fattree command can write beside its rows,
// of a single combination of parameters: what a sweep has no place for.
type fattreeFiles struct {
	flows, trace string // paths; empty where not wanted
}

// extendFattree adds the flags of the files to the fattree command.
func extendFattree(cmd *cobra.Command, texts func() map[string]string, common *commonFlags) {
	var f fattreeFiles
	flags := cmd.Flags()
	flags.StringVar(&f.flows, "flows-out", "", "write every flow of every replica to this `FILE` as CSV; for one combination of parameters")
	flags.StringVar(&f.trace, "trace", "", "write queues, throughput and windows of replica 0 over time to this `FILE` as CSV; for one combination of parameters")
	estimate := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := f.single(texts)
		if err != nil {
			return err
		}
		plan, err := common.plan(flags.Changed)
		if err != nil {
			return err
		}
		if f.flows != "" && plan.Stop.Relative > 0 {
			return usagef("--flows-out: must not be given with --precision, which leaves the replicas open")
		}
		if err := estimate(cmd, args); err != nil {
			return err
		}
		if f.flows != "" {
			if err := p.writeFlows(cmd.Context(), f.flows, plan); err != nil {
				return err
			}
		}
		if f.trace != "" {
			return p.writeTrace(cmd.Context(), f.trace, plan.Seed)
		}
		return nil
	}
}

// single returns the only combination of parameters if a file is wanted.
func (f fattreeFiles) single(texts func() map[string]string) (*fattreePoint, error) {
	for flag, path := range map[string]string{"flows-out": f.flows, "trace": f.trace} {
		if path == "" {
			continue
		}
		list, err := fattreeCombinations(&grid{texts: texts()})
		if err != nil {
			return nil, err
		}
		if len(list) != 1 {
			return nil, usagef("--%s: takes one combination of parameters, but there are %d", flag, len(list))
		}
		if err := checkFile(path); err != nil {
			return nil, usagef("--%s: %w", flag, err)
		}
		return list[0], nil
	}
	return nil, nil
}

// writeCSV writes a file of rows that is there whole or not at all.
func writeCSV(path string, list []report.Column, write func(report.RowWriter) error) error {
	file := wholefile.Lazy(path)
	rows, err := report.NewWriter(file, report.CSV, list)
	if err == nil {
		err = write(rows)
	}
	if err != nil {
		return firstError(err, file.Abort())
	}
	return firstError(rows.Close(), file.Commit())
}

// writeFlows runs the replicas once more, one after the other, and writes every
// flow. Those that did not finish have no FCT.
func (p *fattreePoint) writeFlows(ctx context.Context, path string, plan mc.Plan) error {
	list := columns([]string{"replica", "flow", "source", "destination", "start_us", "fct_us", "slowdown"})
	return writeCSV(path, list, func(rows report.RowWriter) error {
		for replica := range plan.Replicas {
			n, _, result, err := p.replica(ctx, plan.Seed, replica, fattree.TraceConfig{})
			if err != nil {
				return err
			}
			for i, flow := range result.Flows {
				source, destination := n.Pair(int32(i))
				var fct, slowdown any
				if t := flow.FCT(); t != fattree.Unfinished {
					fct, slowdown = float64(t)/1e6, float64(t)/float64(n.Unloaded(int32(i)))
				}
				if err := rows.Write([]any{replica, i, int(source), int(destination), float64(flow.Start) / 1e6, fct, slowdown}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// replica runs one replica, traced as cfg says.
func (p *fattreePoint) replica(ctx context.Context, seed, replica uint64, cfg fattree.TraceConfig) (*fattree.Network, *fattree.Run, *fattree.Result, error) {
	n, err := p.setup(seed).Network(replica)
	if err != nil {
		return nil, nil, nil, err
	}
	balancer, err := p.balancer()
	if err != nil {
		return nil, nil, nil, err
	}
	run := n.NewRun()
	run.Trace(cfg)
	result, err := run.Execute(ctx, balancer, p.control(), fattree.NewStreams(seed, replica))
	return n, run, result, err
}

// Parameters of --trace.
const (
	traceBucket = 2_000_000 // ps
	tracedFlows = 8         // the first ones
)

// writeTrace runs replica 0 once more and writes what happens over time: for
// each bucket of 2 us, the uplinks of ToR 0, the windows of the first flows, and
// counts in the whole network.
func (p *fattreePoint) writeTrace(ctx context.Context, path string, seed uint64) error {
	n, err := fattree.Build(p.spec) // of another seed's workload, with the same ports
	if err != nil {
		return err
	}
	cfg := fattree.TraceConfig{Every: traceBucket, Ports: n.Uplinks(0)}
	for flow := range min(tracedFlows, n.Flows()) {
		cfg.Flows = append(cfg.Flows, flow)
	}
	_, run, _, err := p.replica(ctx, seed, 0, cfg)
	if err != nil {
		return err
	}
	return writeCSV(path, columns([]string{"time_us", "quantity", "number", "value"}, "quantity"), func(rows report.RowWriter) error {
		for _, s := range run.Samples() {
			if err := writeSample(rows, s, p.spec); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeSample writes a row for each number of a sample.
func writeSample(rows report.RowWriter, s fattree.Sample, spec fattree.Spec) (err error) {
	bucket := float64(max(1, traceBucket/spec.SlotTime())) * float64(spec.SlotTime())
	write := func(quantity string, number, value any) {
		if err == nil {
			err = rows.Write([]any{float64(s.Time) / 1e6, quantity, number, value})
		}
	}
	for i := range s.Packets {
		write("uplink_gbps", i, float64(s.Packets[i])*float64(spec.MTU)*8000/bucket)
		write("uplink_queue_packets", i, int(s.Queue[i]))
	}
	for i, window := range s.Window {
		write("cwnd_packets", i, window)
	}
	for _, c := range []struct {
		name  string
		count int64
	}{
		{"frozen_flows", int64(s.Frozen)}, {"sent", s.Sent}, {"retransmitted", s.Retransmitted}, {"recycled", s.Recycled},
		{"marked", s.Marked}, {"dropped", s.Dropped}, {"trimmed", s.Trimmed}, {"lost", s.Lost},
	} {
		write(c.name, nil, c.count)
	}
	return err
}
