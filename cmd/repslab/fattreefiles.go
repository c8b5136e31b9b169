package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"repslab/fattree"
	"repslab/fattree/fluid"
	"repslab/internal/table"
	"repslab/internal/wholefile"
	"repslab/mc"
)

// fattreeFiles are the files that the fattree command can write beside its rows,
// of a single combination of parameters: what a sweep has no place for.
type fattreeFiles struct {
	flows, trace string // paths; empty where not wanted
}

// extendFattree adds the flags of the files to the fattree command.
func extendFattree(cmd *cobra.Command, newGrid func() (*grid, error), common *commonFlags) {
	var f fattreeFiles
	flags := cmd.Flags()
	flags.StringVar(&f.flows, "flows-out", "", "write every flow of every replica to this `FILE` as CSV; for one combination of parameters")
	flags.StringVar(&f.trace, "trace", "", "write queues, throughput and windows of replica 0 over time to this `FILE` as CSV; for one combination of parameters")
	defer addList(cmd)
	estimate := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		p, err := f.single(newGrid, common.force)
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
			file, err := outputFile("--flows-out", f.flows, common.force)
			if err == nil {
				err = p.writeFlows(cmd.Context(), file, plan)
			}
			if err != nil {
				return err
			}
		}
		if f.trace == "" {
			return nil
		}
		file, err := outputFile("--trace", f.trace, common.force)
		if err != nil {
			return err
		}
		return p.writeTrace(cmd.Context(), file, plan.Seed)
	}
}

// single returns the only combination of parameters if a file is wanted.
func (f fattreeFiles) single(newGrid func() (*grid, error), force bool) (p *fattreePoint, err error) {
	for _, file := range []struct{ flag, path string }{{"flows-out", f.flows}, {"trace", f.trace}} {
		if file.path == "" {
			continue
		}
		g, err := newGrid()
		if err != nil {
			return nil, err
		}
		list, err := fattreeCombinations(g)
		if err != nil {
			return nil, err
		}
		if len(list) != 1 {
			return nil, usagef("--%s: takes one combination of parameters, but there are %d", file.flag, len(list))
		}
		if err := checkOutput("--"+file.flag, file.path, force); err != nil {
			return nil, err
		}
		p = list[0]
	}
	return p, nil
}

// writeCSV writes a file of rows, which appears whole or not at all.
func writeCSV(file *wholefile.File, list []table.Column, write func(table.RowWriter) error) error {
	rows, err := table.NewWriter(file, table.CSV, list)
	if err == nil {
		err = write(rows)
	}
	if err != nil {
		return firstError(err, file.Abort())
	}
	return firstError(rows.Close(), file.Commit())
}

// writeFlows runs the replicas once more, one after the other, and writes every
// flow. Those that did not finish have no FCT. fct_cdf is the share of the
// replica's flows that finished no later; slowdown compares with the flow alone in
// the network, slowdown_ideal with fluids that share links fairly, both healthy.
func (p *fattreePoint) writeFlows(ctx context.Context, file *wholefile.File, plan mc.Plan) error {
	list := columns([]string{"replica", "flow", "source", "destination", "bytes", "start_us", "fct_us", "fct_cdf", "slowdown", "ideal_us", "slowdown_ideal"})
	runner, err := p.setup().NewRunner()
	if err != nil {
		return err
	}
	return writeCSV(file, list, func(rows table.RowWriter) error {
		for replica := range plan.Replicas {
			r, err := runner.Run(ctx, plan.Seed, replica)
			if err != nil {
				return err
			}
			if err := writeReplica(rows, replica, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeReplica writes the flows of a replica.
func writeReplica(rows table.RowWriter, replica uint64, r fattree.Replica) error {
	spec := r.Network.Spec()
	ideal, err := fluid.Ideal(fluid.Config{Topology: spec.Topology, Workload: spec.Workload, MTU: spec.MTU, HeaderBytes: spec.HeaderBytes})
	if err != nil {
		return err
	}
	sorted := r.Result.FCTs()
	for i, flow := range r.Result.Flows {
		source, destination := r.Network.Pair(int32(i))
		var fct, cdf, slowdown, over any
		if t := flow.FCT(); t != fattree.Unfinished {
			after, _ := slices.BinarySearch(sorted, t+1)
			fct, cdf = float64(t)/1e6, float64(after)/float64(len(r.Result.Flows))
			slowdown, over = float64(t)/float64(r.Network.Unloaded(int32(i))), ideal.Slowdown(i, t)
		}
		best, _ := ideal.FCT(i)
		if err := rows.Write([]any{replica, i, int(source), int(destination), spec.Workload.Flows[i].Bytes,
			float64(flow.Start) / 1e6, fct, cdf, slowdown, float64(best) / 1e6, over}); err != nil {
			return err
		}
	}
	return nil
}

// Parameters of --trace.
const (
	traceBucket = 2_000_000 // ps
	tracedFlows = 8         // the first ones
)

// writeTrace runs replica 0 once more and writes what happens over time: for
// each bucket of 2 us, the uplinks of ToR 0, the windows of the first flows, and
// counts in the whole network.
func (p *fattreePoint) writeTrace(ctx context.Context, file *wholefile.File, seed uint64) error {
	setup := p.setup()
	setup.Trace = func(n *fattree.Network) fattree.TraceConfig {
		cfg := fattree.TraceConfig{Every: traceBucket, Ports: n.Uplinks(0)}
		for flow := range min(tracedFlows, n.Flows()) {
			cfg.Flows = append(cfg.Flows, flow)
		}
		return cfg
	}
	runner, err := setup.NewRunner()
	if err != nil {
		return err
	}
	r, err := runner.Run(ctx, seed, 0)
	if err != nil {
		return err
	}
	return writeCSV(file, columns([]string{"time_us", "quantity", "number", "value"}, "quantity"), func(rows table.RowWriter) error {
		for _, s := range r.Samples {
			if err := writeSample(rows, s, p.spec); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeSample writes a row for each number of a sample.
func writeSample(rows table.RowWriter, s fattree.Sample, spec fattree.Spec) (err error) {
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
