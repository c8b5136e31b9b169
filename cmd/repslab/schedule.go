package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"repslab/fattree/schedule"
	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/values"
)

// quantity is a flag of a subcommand that makes schedules.
type quantity struct {
	value              *int64
	name, preset, help string
}

// newSchedule returns the command that writes schedules.
func newSchedule() *cobra.Command {
	cmd := newCommand("schedule")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return console.Usagef("schedule needs a kind: %s", strings.Join(subcommands(cmd), ", "))
	}
	var count, bytes, chunks, parallel int64
	var c schedule.Pipeline
	var t schedule.Training
	ranks := quantity{&count, "ranks", "8", "ranks"}
	size := quantity{&bytes, "bytes", "1MiB", "bytes that each rank has, in all-gather at the end, or sends to each other in alltoall"}
	cmd.AddCommand(
		newMaker("ring-allreduce", func() (*schedule.Schedule, error) { return schedule.RingAllreduce(count, bytes) }, ranks, size),
		newMaker("reduce-scatter", func() (*schedule.Schedule, error) { return schedule.ReduceScatter(count, bytes) }, ranks, size),
		newMaker("all-gather", func() (*schedule.Schedule, error) { return schedule.AllGather(count, bytes) }, ranks, size),
		newMaker("tree-allreduce", func() (*schedule.Schedule, error) { return schedule.TreeAllreduce(count, chunks, bytes) }, ranks, size,
			quantity{&chunks, "chunks", "8", "parts in which a tree moves its half"}),
		newMaker("alltoall", func() (*schedule.Schedule, error) { return schedule.AllToAll(count, parallel, bytes) }, ranks, size,
			quantity{&parallel, "parallel", "4", "sends of a rank that are open at a time"}),
		newMaker("pipeline", func() (*schedule.Schedule, error) { return c.Schedule() },
			quantity{&c.Stages, "stages", "4", "stages, each a rank"},
			quantity{&c.Microbatches, "microbatches", "8", "micro-batches"},
			quantity{&c.ForwardNs, "forward-ns", "1e6", "nanoseconds of a micro-batch on a stage, forward"},
			quantity{&c.BackwardNs, "backward-ns", "2e6", "the same backward"},
			quantity{&c.Bytes, "bytes", "1MiB", "bytes of a message between stages"}),
		newMaker("training", func() (*schedule.Schedule, error) { return t.Schedule() }, quantitiesOf(&t)...),
	)
	return cmd
}

// quantitiesOf returns the flags of a training step.
func quantitiesOf(t *schedule.Training) []quantity {
	return []quantity{
		{&t.DataParallel, "data-parallel", "8", "replicas of the model, D"},
		{&t.PipelineParallel, "pipeline-parallel", "4", "stages, P; a divisor of the layers"},
		{&t.TensorParallel, "tensor-parallel", "8", "GPUs in a server that share a stage, T"},
		{&t.NICs, "nics", "1", "NICs of a server, N, each a rank; a divisor of T\nrank i D P + d P + s is NIC i of stage s of replica d"},
		{&t.ExpertParallel, "expert-parallel", "1", "replicas that share experts, E; 1 for a dense model\na divisor of --data-parallel"},
		{&t.Microbatches, "microbatches", "8", "micro-batches of a replica, M"},
		{&t.Buckets, "buckets", "1", "parts in which gradients are reduced while the last pass goes on; 1 for no overlap\na divisor of the layers of a stage"},
		{(*int64)(&t.Shard), "shard", "none", "what replicas divide: none, zero (state of the optimizer), fsdp (parameters)"},
		{&t.Parameters, "parameters", "8e9", "parameters that a token uses"},
		{&t.Layers, "layers", "32", "layers of the model, L"},
		{&t.Hidden, "hidden", "4096", "numbers of a token's activation, h"},
		{&t.Tokens, "tokens", "2097152", "tokens of a step, B, in all replicas"},
		{&t.TopK, "top-k", "1", "experts that a token goes to"},
		{&t.GradientBytes, "gradient-bytes", "2", "bytes of a gradient, or of a parameter that --shard gathers"},
		{&t.ActivationBytes, "activation-bytes", "2", "bytes of a number of an activation"},
		{&t.TFLOPS, "tflops", "400", "10^12 FLOP/s that a GPU achieves"},
	}
}

// newMaker returns the subcommand that writes schedules of a kind, with its flags.
func newMaker(kind string, run func() (*schedule.Schedule, error), quantities ...quantity) *cobra.Command {
	var output string
	var force bool
	cmd := newCommand(kind)
	flagOf := map[string]string{} // flag by field
	for _, q := range quantities {
		flagOf[strings.ReplaceAll(q.name, "-", "")] = q.name
		unit, read := "int", wholes(0)
		switch q.name {
		case "nics": // to the package 0 is the default
			read = wholes(1)
		case "bytes":
			unit, read = "size", sizes
		case "shard":
			unit, read = "name", shardings
		}
		addKind(cmd.Flags(), q.value, q.name, unit, q.preset, q.help, read)
	}
	addOutput(cmd.Flags(), &output, &force)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cmp.Or(console.MustBeOpen(cmd.OutOrStdout(), output), console.CheckOutput("-o", output, force)); err != nil {
			return err
		}
		_, err := console.Promptly(cmd.Context(), func() (*schedule.Schedule, error) {
			s, err := run()
			switch {
			case err != nil:
				return nil, param.AsFlags(err, func(field string) (flag string, known bool) {
					flag, known = flagOf[strings.ToLower(field)]
					return flag, known
				})
			case output == "":
				return s, schedule.Write(cmd.OutOrStdout(), s)
			}
			write := schedule.Write
			if filepath.Ext(output) == ".bin" {
				write = schedule.WriteBinary
			}
			return s, console.WriteFile("-o", output, force, func(w io.Writer) error { return write(w, s) })
		})
		return err
	}
	return cmd
}

// sizes reads sizes of messages.
func sizes(text string) ([]int64, error) {
	return values.Sizes(text, values.SizeRange{Max: schedule.MaxBytes})
}

// shardings reads values of --shard.
func shardings(text string) ([]int64, error) {
	list, err := values.Names(text, []schedule.Sharding{schedule.Replicated, schedule.ZeRO, schedule.FSDP})
	return lists.Map(list, func(s schedule.Sharding) int64 { return int64(s) }), err
}

// wholes reads whole numbers, also in forms such as 8e9.
func wholes(least float64) func(text string) ([]int64, error) {
	return func(text string) ([]int64, error) {
		list, err := values.Floats(text, values.FloatRange{Min: least, Max: schedule.MaxCalc})
		for _, v := range list {
			if v != math.Trunc(v) {
				return nil, fmt.Errorf("%.60q must be a whole number", text)
			}
		}
		return lists.Map(list, func(v float64) int64 { return int64(v) }), err
	}
}
