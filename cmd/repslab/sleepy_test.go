package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"repslab/internal/cases"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/sweep"
)

// sleepyTally counts replicas.
type sleepyTally struct{ replicas mc.Sample }

func (s *sleepyTally) Parts() []mc.NamedPart {
	return []mc.NamedPart{{Name: "replicas", Part: &s.replicas}}
}

func (s *sleepyTally) StoppingStatistic() mc.Estimate { return s.replicas.Mean(mc.DefaultConfidence) }

// sleepyModel is a model with replicas that take milliseconds and do nothing, but replicas
// of 13 ms fail and replicas of 14 ms panic.
func sleepyModel() param.Model {
	return param.New(param.Model{
		Name:    "sleepy",
		Results: frame.Numbers("index_mean", "index_se"),
	}, func() param.Space {
		ms := 1
		return param.NewSpace(&ms, func(*int) error { return nil }, func(ms *int) sweep.Point { return sleepyPoint(*ms) },
			[]param.Parameter{param.Integer("ms", "milliseconds of a replica", 0, 1_000_000, &ms)})
	})
}

func sleepyPoint(ms int) sweep.Point {
	newTally := func() *sleepyTally { return new(sleepyTally) }
	experiment := mc.EachReplica(newTally, func(uint64) (func(context.Context, *sleepyTally, uint64) error, error) {
		return func(ctx context.Context, t *sleepyTally, replica uint64) error {
			switch ms {
			case 13:
				return fmt.Errorf("thirteen")
			case 14:
				panic("fourteen")
			}
			time.Sleep(time.Duration(ms) * time.Millisecond)
			t.replicas.Add(int64(replica))
			return ctx.Err()
		}, nil
	})
	return sweep.Estimated(fmt.Sprintf("ms=%d", ms), nil, experiment, func(_ context.Context, t *sleepyTally, _ uint64) (sweep.Results, error) {
		e := t.StoppingStatistic()
		return sweep.Results{Rows: [][]any{{e.Value, e.StdErr}}}, nil
	})
}

// childVariable holds the arguments of a child, one a line.
const childVariable = "REPSLAB_TEST_SWEEP"

// TestSweepChild is no test: in a child process it is the program, with the sleepy
// model beside the others.
func TestSweepChild(t *testing.T) {
	if text := os.Getenv(childVariable); text != "" {
		os.Exit(runInterruptible(append(cases.All(), sleepyModel()), strings.Split(text, "\n")))
	}
}

// child returns a process that runs a command line.
func child(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestSweepChild$")
	cmd.Env = append(os.Environ(), childVariable+"="+strings.Join(args, "\n"))
	return cmd
}

// sleepy runs a command line in this process with the sleepy model.
func sleepy(args ...string) outcome {
	return withModels(append(cases.All(), sleepyModel()), args...)
}

// firstDifference describes the first line in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q, want %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}

// mustSweep runs a command line that must succeed and returns the bytes of a file.
func mustSweep(t *testing.T, path string, args ...string) []byte {
	t.Helper()
	if o := sleepy(args...); o.code != exitDone || o.stdout != "" {
		t.Fatalf("%v: %+v", args, o)
	}
	return fileBytes(t, path)
}

func fileBytes(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestMain makes a copy of the test binary the program, with the sleepy model
// beside the others, where it bears the program's name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "repslab" {
		os.Exit(runInterruptible(append(cases.All(), sleepyModel()), os.Args[1:]))
	}
	debug.SetGCPercent(800) // a tenth of the time would go to garbage: commands make much and keep little
	os.Exit(m.Run())
}
