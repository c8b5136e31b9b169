package cases

import (
	"context"
	"io"
	"slices"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/fluid"
	"repslab/fattree/transport"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/rows"
	"repslab/mc"
	"repslab/sweep"
)

// ExtraWriter runs replicas of a point again, writes their rows, and reports each finished replica to
// plan.Progress.
type ExtraWriter func(p *Fattree, ctx context.Context, rows *extraRows, plan mc.Plan) error

// ExtraOutput is the destination of the rows of an extra file.
type ExtraOutput struct {
	To     io.Writer
	Format rows.Format
	Warn   func(text string)
}

// extraRows writes rows of an extra file. Each row begins with the parameters that vary.
type extraRows struct {
	*rows.RowWriter // nil before the first row
	ExtraOutput
	parameters frame.Row // varying parameters of the point of the next rows
}

// begin writes the head of a table with rows like the given one, before the first row.
func (r *extraRows) begin(row frame.Row) (err error) {
	if r.RowWriter == nil {
		r.RowWriter, err = rows.NewWriter(r.To, r.Format, param.Numbers(append(slices.Clip(r.parameters), row...)))
	}
	return err
}

// add writes a row.
func (r *extraRows) add(row frame.Row) error {
	if err := r.begin(row); err != nil {
		return err
	}
	return r.Write(append(slices.Clip(r.parameters), row...).Values())
}

// ExtraPoint is a point with the cells that differ between points.
type ExtraPoint struct {
	Fattree
	varying frame.Row
}

// ExtraPoints returns the points of a selection.
func ExtraPoints(sel param.Selection) (list []ExtraPoint, g *param.Grid, err error) {
	p := new(Fattree)
	s := FattreeSpace(p)
	s.Point = func() sweep.Point {
		list = append(list, ExtraPoint{Fattree: *p})
		return sweep.Point{}
	}
	if g, err = s.Grid(FattreeName, sel); err != nil {
		return nil, nil, err
	}
	for i, head := range s.Heads() {
		if !slices.ContainsFunc(g.Points, func(q sweep.Point) bool { return q.Parameters[i] != g.Points[0].Parameters[i] }) {
			continue
		}
		for at := range list {
			list[at].varying = append(list[at].varying, frame.Cell{head.Key, g.Points[at].Parameters[i]})
		}
	}
	return list, g, nil
}

// CheckExtra returns the first error of check for the points of a selection and the seed of their runs. check may be
// nil.
func CheckExtra(points []ExtraPoint, seed uint64, check func(*Fattree, uint64) error) error {
	for i := range points {
		if check == nil {
			return nil
		}
		if err := check(&points[i].Fattree, seed); err != nil {
			return err
		}
	}
	return nil
}

// All writes the rows of all points. Its progress covers the replicas of all points.
func (write ExtraWriter) All(ctx context.Context, to ExtraOutput, points []ExtraPoint, plan mc.Plan) error {
	rows, report := &extraRows{ExtraOutput: to}, plan.Progress
	for i := range points {
		plan.Progress = func(p mc.Progress) {
			report(mc.Progress{Done: uint64(i)*p.Total + p.Done, Total: uint64(len(points)) * p.Total})
		}
		plan.Progress(mc.Progress{Total: max(1, plan.Replicas)}) // shows the progress line before the first replica ends
		rows.parameters = points[i].varying
		if err := write(&points[i].Fattree, ctx, rows, plan); err != nil {
			return err
		}
	}
	return nil
}

// WriteFlows runs the replicas again, one after the other, and writes every flow.
func (p *Fattree) WriteFlows(ctx context.Context, rows *extraRows, plan mc.Plan) error {
	ctx = mc.WithGoroutines(ctx, plan.Workers)
	runner, err := p.Setup().NewRunner()
	if err != nil {
		return err
	}
	for replica := range plan.Replicas {
		r, err := runner.Run(ctx, plan.Seed, replica)
		if err != nil {
			return err
		}
		spec := r.Network.Spec()
		if r.Network.Flows() == 0 { // a schedule with only empty messages
			continue
		}
		if spec.Workload.Script != nil { // in the fluid model, flows start when they did in this run
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
		sorted, groups := r.Result.FCTs(), p.groupCells(r)
		for flow := range r.Result.Flows {
			row := append(frame.Row{{"replica", replica}}, flowRow(r, flow, ideal, sorted)...)
			if groups != nil {
				row = append(row, frame.Cell{"group", groups[flow]})
			}
			if err := rows.add(row); err != nil {
				return err
			}
		}
		plan.Progress(mc.Progress{Done: replica + 1, Total: plan.Replicas})
	}
	return nil
}

// runFirst runs replica 0 again.
func runFirst(ctx context.Context, setup experiment.Setup, plan mc.Plan) (experiment.Replica, error) {
	runner, err := setup.NewRunner()
	if err != nil {
		return experiment.Replica{}, err
	}
	return runner.Run(mc.WithGoroutines(ctx, plan.Workers), plan.Seed, 0)
}

// watchFirst runs replica 0 again and passes on the events of flows. Events of different hosts come concurrently.
func watchFirst(ctx context.Context, setup experiment.Setup, plan mc.Plan, flows []int, each func(transport.Event)) (experiment.Replica, error) {
	cfg := transport.WatchConfig{Each: each, Flows: lists.Map(flows, func(flow int) int32 { return int32(flow) })}
	setup.Watch = func(*fattree.Network, uint64) transport.WatchConfig { return cfg }
	return runFirst(ctx, setup, plan)
}

// flowRow returns the row of a flow in --flows-out, without the replica. fct_cdf is the fraction of the replica's
// flows that finished no later, from the sorted completion times. slowdown compares with the flow alone in the
// network, slowdown_ideal with fluids that share links fairly, both without failures.
func flowRow(r experiment.Replica, flow int, ideal fluid.Result, sorted []fattree.Picoseconds) frame.Row {
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
	return frame.Row{
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
