package figures

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// panics says whether a function panics.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// TestTrials: trials that differ in replicas come back under their keys, replicas in
// order, whatever the number of workers; keys that are unknown or used twice are faults.
func TestTrials(t *testing.T) {
	keep := func(r experiment.Replica) (string, error) {
		spec := r.Network.Spec()
		return fmt.Sprint(len(spec.Workload.Flows), spec.Workload.Flows[0].Destination), nil
	}
	replicas := map[int]uint64{16: 3, 32: 1, 64: 2} // by hosts
	of := func(all ...int) (list trials[int, string]) {
		for _, hosts := range all {
			network := permuted(fattree.Spec{Topology: topology.FatTree{Hosts: hosts}}, 10_000)
			list.addNetwork(hosts, replicas[hosts], lb("ops").setup(256, network), keep)
		}
		return list
	}
	for _, workers := range []int{1, 3} {
		got, err := of(16, 32, 64).run(context.Background(), Settings{Seed: 1, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for hosts, n := range replicas {
			if len(got.at(hosts)) != int(n) {
				t.Fatalf("%d hosts have %d replicas, want %d", hosts, len(got.at(hosts)), n)
			}
			for replica, kept := range got.at(hosts) {
				w, err := traffic.Permutation(hosts, traffic.Message{Bytes: 10_000}, workloadSource(1, uint64(replica)))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprint(hosts, w.Flows[0].Destination); kept != want {
					t.Errorf("%d hosts, replica %d: %s, want %s", hosts, replica, kept, want)
				}
			}
		}
		if !panics(func() { got.at(17) }) {
			t.Error("an unknown key has a result")
		}
	}
	if !panics(func() { of(16, 16).run(context.Background(), Settings{Seed: 1}) }) {
		t.Error("two trials of one key are accepted")
	}
}

// TestEstimations: each estimation has its own replicas and result.
func TestEstimations(t *testing.T) {
	var list estimations[string, uint64]
	for key, n := range map[string]uint64{"few": 3, "many": 1000} {
		list.add(key, n,
			func(_ context.Context, plan mc.Plan) (uint64, error) { return plan.Replicas + plan.Seed, nil })
	}
	got, err := list.run(context.Background(), Settings{Seed: 5})
	if err != nil || got.at("few") != 8 || got.at("many") != 1005 {
		t.Errorf("results %v, error %v", got, err)
	}
	list.add("bad", 1, func(context.Context, mc.Plan) (uint64, error) { return 0, context.Canceled })
	if _, err := list.run(context.Background(), Settings{}); err == nil {
		t.Error("an error is lost")
	}
}

// TestErrorsNameTheirPoint: the error of a trial or an estimation names its key, unless the
// run was cancelled.
func TestErrorsNameTheirPoint(t *testing.T) {
	broken := errors.New("broken")
	opens := func() (replicaRunner[int], error) {
		return func(context.Context, uint64, uint64) (int, error) { return 0, broken }, nil
	}
	refuses := func() (replicaRunner[int], error) { return nil, broken }
	estimates := func(context.Context, mc.Plan) (int, error) { return 0, broken }
	type key struct {
		network string
		x       int
	}
	point := key{"few-evs", 32}
	for name, run := range map[string]func(context.Context) error{
		"trial": func(ctx context.Context) error {
			_, err := trials[key, int]{{point, 1, opens}}.run(ctx, Settings{})
			return err
		},
		"opening": func(ctx context.Context) error {
			_, err := trials[key, int]{{point, 1, refuses}}.run(ctx, Settings{})
			return err
		},
		"estimation": func(ctx context.Context) error {
			_, err := estimations[key, int]{{point, 1, estimates}}.run(ctx, Settings{})
			return err
		},
	} {
		err := run(context.Background())
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "{network:few-evs x:32}: ") {
			t.Errorf("%s: error %v", name, err)
		}
		cancelled, cancel := context.WithCancel(context.Background())
		cancel()
		if err := run(cancelled); err == nil || strings.Contains(err.Error(), "few-evs") {
			t.Errorf("%s: error %v of a cancelled run", name, err)
		}
	}
}

// TestMillionths: numbers are rounded to the nearest millionth, those below 0 too.
func TestMillionths(t *testing.T) {
	for x, want := range map[float64]int64{0: 0, 1: 1e6, 0.0000016: 2, -0.0000016: -2, 29.8116666: 29_811_667} {
		if got := millionths(x); got != want {
			t.Errorf("%v is %d millionths, want %d", x, got, want)
		}
	}
	if e := meanOf([]float64{0.25, 0.75}, func(x float64) float64 { return x }); e.Value != 0.5 {
		t.Errorf("mean %v, want 0.5", e.Value)
	}
}
