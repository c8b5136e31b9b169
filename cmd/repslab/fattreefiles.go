package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"repslab/fattree"
	"repslab/fattree/fluid"
	"repslab/internal/table"
	"repslab/mc"
)

// fattreeFiles are the files that the fattree command can write beside its rows, for a single
// combination of parameters.
type fattreeFiles struct {
	flows, trace string // paths; empty where not wanted
}

// extendFattree adds the flags of the files to the fattree command.
func extendFattree(cmd *cobra.Command, selected func() selection, common *commonFlags) {
	var f fattreeFiles
	flags := cmd.Flags()
	flags.StringVar(&f.flows, "flows-out", "",
		"write every flow of every replica to this `FILE` as CSV; for one combination of parameters")
	flags.StringVar(&f.trace, "trace", "",
		"write queues, throughput and windows of replica 0 over time to this `FILE` as CSV; "+
			"for one combination of parameters")
	defer addList(cmd)
	estimate := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.flows == "" && f.trace == "" {
			return estimate(cmd, args)
		}
		p, err := f.single(selected(), common.force)
		if err != nil {
			return err
		}
		plan, err := common.plan(flags.Changed)
		if err != nil {
			return err
		}
		if f.flows != "" && plan.Stop.Relative > 0 {
			return usagef("--flows-out: must not be given with --precision, which leaves the number of replicas open")
		}
		if err := estimate(cmd, args); err != nil {
			return err
		}
		err = writeCSV("--flows-out", f.flows, common.force, numbers(flowColumns()), func(rows table.RowWriter) error {
			return p.writeFlows(cmd.Context(), rows, plan)
		})
		if err != nil {
			return err
		}
		return writeCSV("--trace", f.trace, common.force, traceColumns(), func(rows table.RowWriter) error {
			return p.writeTrace(cmd.Context(), rows, plan.Seed)
		})
	}
}

// single returns the only combination of parameters and checks the paths.
func (f fattreeFiles) single(sel selection, force bool) (*fattreePoint, error) {
	list, _, err := fattreeSpace().combinations(sel, new(inputFiles))
	if err != nil {
		return nil, err
	}
	for _, file := range []struct{ flag, path string }{{"--flows-out", f.flows}, {"--trace", f.trace}} {
		if file.path == "" {
			continue
		}
		if len(list) != 1 {
			return nil, usagef("%s: takes one combination of parameters, but there are %d", file.flag, len(list))
		}
		if err := checkOutput(file.flag, file.path, force); err != nil {
			return nil, err
		}
	}
	return list[0], nil
}

// writeCSV writes the file of a flag, if the flag is given.
func writeCSV(flag, path string, force bool, list []table.Column, write func(table.RowWriter) error) error {
	if path == "" {
		return nil
	}
	return writeFile(flag, path, force, func(w io.Writer) error {
		rows, err := table.NewWriter(w, table.CSV, list)
		if err == nil {
			err = write(rows)
		}
		if err != nil {
			return err
		}
		return rows.Close()
	})
}

// writeFlows runs the replicas again, one after the other, and writes every flow.
func (p *fattreePoint) writeFlows(ctx context.Context, rows table.RowWriter, plan mc.Plan) error {
	runner, err := p.setup().NewRunner()
	if err != nil {
		return err
	}
	list := flowColumns()
	for replica := range plan.Replicas {
		r, err := runner.Run(ctx, plan.Seed, replica)
		if err != nil {
			return err
		}
		spec := r.Network.Spec()
		ideal, err := fluid.Ideal(fluid.Config{
			Topology: spec.Topology, Workload: spec.Workload, MTU: spec.MTU, HeaderBytes: spec.HeaderBytes,
		})
		if err != nil {
			return err
		}
		sorted := r.Result.FCTs()
		for i := range r.Result.Flows {
			if err := rows.Write(cellsOf(list, flowRow{r, replica, i, ideal, sorted})); err != nil {
				return err
			}
		}
	}
	return nil
}

// flowRow is a flow of a replica.
type flowRow struct {
	fattree.Replica
	replica uint64
	flow    int
	ideal   fluid.Result
	sorted  []fattree.Picoseconds // completion times of the replica
}

// FCT returns the completion time of the flow.
func (r flowRow) FCT() fattree.Picoseconds { return r.Result.Flows[r.flow].FCT() }

// flowColumns returns the columns of --flows-out. fct_cdf is the fraction of the replica's
// flows that finished no later; slowdown compares with the flow alone in the network,
// slowdown_ideal with fluids that share links fairly, both without failures.
func flowColumns() []column[flowRow] {
	type row = flowRow
	ifFinished := func(cell func(r row) float64) func(row) any {
		return func(r row) any {
			if r.FCT() == fattree.Unfinished {
				return nil
			}
			return cell(r)
		}
	}
	pair := func(r row) (source, destination fattree.Host) { return r.Network.Pair(int32(r.flow)) }
	return []column[row]{
		{"replica", func(r row) any { return r.replica }},
		{"flow", func(r row) any { return r.flow }},
		{"source", func(r row) any { source, _ := pair(r); return int(source) }},
		{"destination", func(r row) any { _, destination := pair(r); return int(destination) }},
		{"bytes", func(r row) any { return r.Network.Spec().Workload.Flows[r.flow].Bytes }},
		{"start_us", func(r row) any { return float64(r.Result.Flows[r.flow].Start) / 1e6 }},
		{"fct_us", ifFinished(func(r row) float64 { return float64(r.FCT()) / 1e6 })},
		{"fct_cdf", ifFinished(func(r row) float64 {
			after, _ := slices.BinarySearch(r.sorted, r.FCT()+1)
			return float64(after) / float64(len(r.Result.Flows))
		})},
		{"slowdown", ifFinished(func(r row) float64 {
			return float64(r.FCT()) / float64(r.Network.Unloaded(int32(r.flow)))
		})},
		{"ideal_us", func(r row) any { best, _ := r.ideal.FCT(r.flow); return float64(best) / 1e6 }},
		{"slowdown_ideal", ifFinished(func(r row) float64 { return r.ideal.Slowdown(r.flow, r.FCT()) })},
	}
}

// Parameters of --trace.
const (
	traceBucket = 2_000_000 // ps
	tracedFlows = 8         // the first ones
)

// traceColumns returns the columns of --trace.
func traceColumns() []table.Column {
	return []table.Column{table.Number("time_us"), table.Text("quantity"), table.Number("number"), table.Number("value")}
}

// writeTrace runs replica 0 again and writes, for each bucket of 2 us, the uplinks of
// ToR 0, the windows of the first flows, and counts in the whole network.
func (p *fattreePoint) writeTrace(ctx context.Context, rows table.RowWriter, seed uint64) error {
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
	for _, s := range r.Samples {
		if err := writeSample(rows, s, p.spec); err != nil {
			return err
		}
	}
	return nil
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
