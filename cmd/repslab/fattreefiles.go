package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/fluid"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/sweep"
)

// extraFile is a CSV file that a command that runs the fattree model can write beside its rows.
type extraFile struct {
	flag, path string // path is empty where the file is not wanted
	// write runs replicas again, and reports each that is done to plan.Progress.
	write func(p *fattreePoint, ctx context.Context, rows *extraRows, plan mc.Plan) error
}

// extraRows writes rows of an extra file, behind the parameters that vary.
type extraRows struct {
	*table.RowWriter // nil before the first row
	to               io.Writer
	parameters       []member // of the point that the next rows belong to
}

// add writes a row.
func (r *extraRows) add(row []member) (err error) {
	row = append(slices.Clip(r.parameters), row...)
	if r.RowWriter == nil {
		if r.RowWriter, err = table.NewWriter(r.to, table.CSV, numbers(row)); err != nil {
			return err
		}
	}
	return r.Write(cellsOf(row))
}

// extraPoint is a combination of parameters, with the cells that differ between combinations.
type extraPoint struct {
	fattreePoint
	varying []member
}

// extraPoints returns the combinations of a selection.
func extraPoints(sel selection) (list []extraPoint, g *grid, err error) {
	p := new(fattreePoint)
	s := fattreeSpace(p)
	s.point = func() sweep.Point {
		list = append(list, extraPoint{fattreePoint: *p})
		return sweep.Point{}
	}
	if g, err = s.grid("fattree", sel); err != nil {
		return nil, nil, err
	}
	for i, head := range s.heads() {
		if !slices.ContainsFunc(g.points, func(q sweep.Point) bool { return q.Parameters[i] != g.points[0].Parameters[i] }) {
			continue
		}
		for at := range list {
			list[at].varying = append(list[at].varying, member{head.Key, g.points[at].Parameters[i]})
		}
	}
	return list, g, nil
}

// running is how a command runs its points, and where it writes.
type running struct {
	plan          mc.Plan
	output, place string // as given, and in words
	force, quiet  bool
}

// extendFattree adds the flags of the extra files and --list to a command that runs the fattree model.
func extendFattree(cmd *cobra.Command, selected func() selection, how func() (running, error)) {
	flags := cmd.Flags()
	flowFile := &extraFile{flag: "flows-out", write: (*fattreePoint).writeFlows}
	traceFile := &extraFile{flag: "trace", write: (*fattreePoint).writeTrace}
	flags.StringVar(&flowFile.path, flowFile.flag, "",
		"write every flow of every replica to this `FILE` as CSV\nbehind the parameters that vary")
	flags.StringVar(&traceFile.path, traceFile.flag, "",
		"write queues, rates and windows over time to this `FILE` as CSV\n"+
			"those of replica 0, behind the parameters that vary")
	estimate := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		files := slices.DeleteFunc([]*extraFile{flowFile, traceFile}, func(f *extraFile) bool { return f.path == "" })
		if len(files) == 0 {
			return estimate(cmd, args)
		}
		run, err := how()
		if err != nil {
			return err
		}
		points, g, err := extraPoints(selected())
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := cmp.Or(g.spareInputs("--"+f.flag, f.path), checkOutput("--"+f.flag, f.path, run.force)); err != nil {
				return err
			}
		}
		if err := distinct(append([]*extraFile{{flag: "output", path: run.output}}, files...)); err != nil {
			return err
		}
		if flowFile.path != "" && run.plan.Stop.Relative > 0 {
			return usagef("--flows-out: must not be given with --precision, which leaves the number of replicas open")
		}
		err = estimate(cmd, args)
		for err == nil && len(files) > 0 {
			f := files[0]
			line := newProgressLine(cmd.ErrOrStderr(), run.quiet)
			run.plan.Progress = func(p mc.Progress) { line.draw("writing --"+f.flag, float64(p.Done), float64(p.Total)) }
			if err = writeFile("--"+f.flag, f.path, run.force, func(w io.Writer) error {
				return f.writeAll(cmd.Context(), w, points, run.plan)
			}); err == nil {
				files = files[1:]
			}
			line.clear()
		}
		return unwritten(cmd.Context(), err, run.place, files)
	}
	addList(cmd)
}

// writeAll writes the rows of all points. It reports the replicas of all of them.
func (f *extraFile) writeAll(ctx context.Context, w io.Writer, points []extraPoint, plan mc.Plan) error {
	rows, report := &extraRows{to: w}, plan.Progress
	for i := range points {
		plan.Progress = func(p mc.Progress) {
			report(mc.Progress{Done: uint64(i)*p.Total + p.Done, Total: uint64(len(points)) * p.Total})
		}
		plan.Progress(mc.Progress{Total: max(1, plan.Replicas)}) // shows the line before the first replica ends
		rows.parameters = points[i].varying
		if err := f.write(&points[i].fattreePoint, ctx, rows, plan); err != nil {
			return err
		}
	}
	return nil
}

// distinct returns a usage error if two flags name the same file. No file is an empty path.
func distinct(files []*extraFile) error {
	for i, f := range files {
		for _, other := range files[:i] {
			if other.path != "" && sameFile(other.path, f.path) {
				return usagef("--%s: %q must not be the file of --%s", f.flag, f.path, other.flag)
			}
		}
	}
	return nil
}

// unwritten adds to an interruption the files that it left unwritten; the rows are at a place, unless the
// interruption says otherwise.
func unwritten(ctx context.Context, err error, place string, files []*extraFile) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	text := "the rows are written to " + place
	var i *interruption
	if errors.As(err, &i) {
		text = i.written
	}
	for _, f := range files {
		text += fmt.Sprintf("; --%s %s is not written", f.flag, f.path)
	}
	return &interruption{text, err}
}

// writeFlows runs the replicas again, one after the other, and writes every flow.
func (p *fattreePoint) writeFlows(ctx context.Context, rows *extraRows, plan mc.Plan) error {
	ctx = mc.WithGoroutines(ctx, plan.Workers)
	runner, err := p.setup().NewRunner()
	if err != nil {
		return err
	}
	for replica := range plan.Replicas {
		r, err := runner.Run(ctx, plan.Seed, replica)
		if err != nil {
			return err
		}
		spec := r.Network.Spec()
		if r.Network.Flows() == 0 { // a schedule whose messages have 0 bytes
			continue
		}
		if spec.Workload.Script != nil { // fluids start when these flows did
			spec.Workload = fattree.Workload{Flows: slices.Clone(spec.Workload.Flows)}
			for i := range spec.Workload.Flows {
				spec.Workload.Flows[i].Start = max(0, r.Result.Flows[i].Start)
			}
		}
		ideal, err := fluid.Ideal(fluid.Config{
			Topology: p.fluidTree(), Workload: spec.Workload, MTU: spec.MTU, HeaderBytes: spec.HeaderBytes,
		})
		if err != nil {
			return err
		}
		sorted := r.Result.FCTs()
		for flow := range r.Result.Flows {
			if err := rows.add(append([]member{{"replica", replica}}, flowRow(r, flow, ideal, sorted)...)); err != nil {
				return err
			}
		}
		plan.Progress(mc.Progress{Done: replica + 1, Total: plan.Replicas})
	}
	return nil
}

// flowRow returns the row of a flow in --flows-out, but the replica. fct_cdf is the fraction of
// the replica's flows that finished no later, by the sorted completion times; slowdown compares
// with the flow alone in the network, slowdown_ideal with fluids that share links fairly, both
// without failures.
func flowRow(r experiment.Replica, flow int, ideal fluid.Result, sorted []fattree.Picoseconds) []member {
	f := r.Result.Flows[flow]
	fct := f.FCT()
	ifFinished := func(v float64) any {
		if fct == fattree.Unfinished {
			return nil
		}
		return v
	}
	source, destination := r.Network.Pair(int32(flow))
	best, _ := ideal.FCT(flow)
	after, _ := slices.BinarySearch(sorted, fct+1)
	return []member{
		{"flow", flow},
		{"source", int(source)},
		{"destination", int(destination)},
		{"bytes", r.Network.Spec().Workload.Flows[flow].Bytes},
		{"start_us", float64(f.Start) / 1e6},
		{"fct_us", ifFinished(float64(fct) / 1e6)},
		{"fct_cdf", ifFinished(float64(after) / float64(len(r.Result.Flows)))},
		{"slowdown", ifFinished(float64(fct) / float64(r.Network.Unloaded(int32(flow))))},
		{"ideal_us", float64(best) / 1e6},
		{"slowdown_ideal", ifFinished(ideal.Slowdown(flow, fct))},
	}
}

// Parameters of --trace.
const (
	traceBucket = 2_000_000 // ps
	tracedFlows = 8         // the first ones
)

// writeTrace runs replica 0 again and writes, for each bucket of 2 us, the uplinks of
// ToR 0, the windows of the first flows, and counts in the whole network.
func (p *fattreePoint) writeTrace(ctx context.Context, rows *extraRows, plan mc.Plan) error {
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
	r, err := runner.Run(mc.WithGoroutines(ctx, plan.Workers), plan.Seed, 0)
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
func writeSample(rows *extraRows, s fattree.Sample, spec fattree.Spec) (err error) {
	bucket := float64(max(1, traceBucket/spec.SlotTime())) * float64(spec.SlotTime())
	write := func(quantity string, number, value any) {
		if err == nil {
			err = rows.add([]member{{"time_us", float64(s.Time) / 1e6}, {"quantity", quantity}, {"number", number}, {"value", value}})
		}
	}
	for i := range s.Packets {
		write("uplink_gbps", i, float64(s.Packets[i])*float64(spec.MTU)*8000/bucket)
		write("uplink_queue_packets", i, int(s.Queue[i]))
	}
	for i, window := range s.Window {
		write("cwnd_packets", i, window)
	}
	for _, m := range []member{
		{"frozen_flows", s.Frozen}, {"sent", s.Sent}, {"retransmitted", s.Retransmitted}, {"recycled", s.Recycled},
		{"marked", s.Marked}, {"dropped", s.Dropped}, {"trimmed", s.Trimmed}, {"lost", s.Lost},
	} {
		write(m.key, nil, m.cell)
	}
	return err
}
