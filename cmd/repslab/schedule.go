package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/fattree/schedule"
	"repslab/internal/lists"
	"repslab/internal/values"
)

// newSchedule returns the command that writes schedules.
func newSchedule() *cobra.Command {
	var n struct {
		ranks, chunks, parallel int
		bytes                   int64
	}
	var pipeline schedule.Pipeline
	var step schedule.Training
	ranks := func(f *pflag.FlagSet) { addWhole(f, &n.ranks, "ranks", "8", "ranks") }
	size := func(f *pflag.FlagSet) {
		addBytes(f, &n.bytes, "bytes that each rank has, or sends to each other in alltoall")
	}
	chunks := func(f *pflag.FlagSet) { addWhole(f, &n.chunks, "chunks", "8", "parts in which a tree moves its half") }
	parallel := func(f *pflag.FlagSet) {
		addWhole(f, &n.parallel, "parallel", "4", "sends of a rank that are open at a time")
	}
	cmd := newCommand("schedule")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return usagef("schedule needs a kind: %s", strings.Join(subcommands(cmd), ", "))
	}
	cmd.AddCommand(
		newMaker("ring-allreduce", func() (*schedule.Schedule, error) { return schedule.RingAllreduce(n.ranks, n.bytes) }, ranks, size),
		newMaker("tree-allreduce", func() (*schedule.Schedule, error) { return schedule.TreeAllreduce(n.ranks, n.chunks, n.bytes) }, ranks, size, chunks),
		newMaker("alltoall", func() (*schedule.Schedule, error) { return schedule.AllToAll(n.ranks, n.parallel, n.bytes) }, ranks, size, parallel),
		newMaker("pipeline", func() (*schedule.Schedule, error) { return pipeline.Schedule() }, func(f *pflag.FlagSet) { addPipeline(f, &pipeline) }),
		newMaker("training", func() (*schedule.Schedule, error) { return step.Schedule() }, func(f *pflag.FlagSet) { addTraining(f, &step) }),
	)
	return cmd
}

// newMaker returns the command that writes schedules of a kind, with the flags that some functions add.
func newMaker(kind string, run func() (*schedule.Schedule, error), add ...func(*pflag.FlagSet)) *cobra.Command {
	var output string
	var force bool
	cmd := newCommand(kind)
	flags := cmd.Flags()
	for _, f := range add {
		f(flags)
	}
	addOutput(flags, &output, &force)
	write := func(stdout io.Writer) error {
		s, err := run()
		switch {
		case err != nil:
			return asFlags(err, func(field string) (string, bool) { return flagLike(flags, field) })
		case output == "":
			return schedule.Write(stdout, s)
		}
		return writeFile("-o", output, force, func(w io.Writer) error { return schedule.Write(w, s) })
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := promptly(cmd.Context(), func() (struct{}, error) { return struct{}{}, write(cmd.OutOrStdout()) })
		return err
	}
	return cmd
}

// flagLike returns the flag of a field: data-parallel is that of DataParallel.
func flagLike(flags *pflag.FlagSet, field string) (name string, known bool) {
	flags.VisitAll(func(f *pflag.Flag) {
		if strings.ReplaceAll(f.Name, "-", "") == strings.ToLower(field) {
			name, known = f.Name, true
		}
	})
	return name, known
}

// addWhole adds a flag of a whole number, which may be written as 8e9.
func addWhole[T int | int64](flags *pflag.FlagSet, value *T, name, preset, help string) {
	addKind(flags, value, name, "int", preset, help, func(text string) ([]T, error) {
		list, err := values.Floats(text, values.FloatRange{Min: 0, Max: schedule.MaxCalc})
		for _, v := range list {
			if v != math.Trunc(v) {
				return nil, fmt.Errorf("%.60q must be a whole number", text)
			}
		}
		return lists.Map(list, func(v float64) T { return T(v) }), err
	})
}

// addBytes adds a flag of a size.
func addBytes(flags *pflag.FlagSet, bytes *int64, help string) {
	addValue(flags, bytes, "bytes", "1MiB", help, func(text string) ([]int64, error) {
		return values.Sizes(text, values.SizeRange{Max: schedule.MaxBytes})
	})
}

// addPipeline adds the flags of a pipeline.
func addPipeline(flags *pflag.FlagSet, c *schedule.Pipeline) {
	addWhole(flags, &c.Stages, "stages", "4", "stages, each a rank")
	addWhole(flags, &c.Microbatches, "microbatches", "8", "micro-batches")
	addWhole(flags, &c.ForwardNs, "forward-ns", "1e6", "nanoseconds of a micro-batch on a stage, forward")
	addWhole(flags, &c.BackwardNs, "backward-ns", "2e6", "the same backward")
	addBytes(flags, &c.Bytes, "bytes of a message between stages")
}

// addTraining adds the flags of a step of training.
func addTraining(flags *pflag.FlagSet, c *schedule.Training) {
	addWhole(flags, &c.DataParallel, "data-parallel", "8", "replicas of the model, D")
	addWhole(flags, &c.PipelineParallel, "pipeline-parallel", "4", "stages, P; a divisor of the layers")
	addWhole(flags, &c.TensorParallel, "tensor-parallel", "8", "GPUs in a server that share a stage, T\nthey are one rank")
	addWhole(flags, &c.ExpertParallel, "expert-parallel", "1", "replicas that share experts, E; 1 for a dense model\na divisor of --data-parallel")
	addWhole(flags, &c.Microbatches, "microbatches", "8", "micro-batches of a replica, M")
	addWhole(flags, &c.Buckets, "buckets", "1", "parts in which gradients are reduced while the last pass goes on; 1 for no overlap\na divisor of the layers of a stage")
	addWhole(flags, &c.Parameters, "parameters", "8e9", "parameters that a token uses")
	addWhole(flags, &c.Layers, "layers", "32", "layers of the model, L")
	addWhole(flags, &c.Hidden, "hidden", "4096", "numbers of a token's activation, h")
	addWhole(flags, &c.Tokens, "tokens", "2097152", "tokens of a step, B, in all replicas")
	addWhole(flags, &c.TopK, "top-k", "1", "experts that a token goes to")
	addWhole(flags, &c.GradientBytes, "gradient-bytes", "2", "bytes of a gradient")
	addWhole(flags, &c.ActivationBytes, "activation-bytes", "2", "bytes of a number of an activation")
	addWhole(flags, &c.TFLOPS, "tflops", "400", "10^12 FLOP/s that a GPU achieves")
}
