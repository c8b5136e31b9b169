package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"repslab/mc"
)

// TestEstimations: each estimation has its own replicas and result.
func TestEstimations(t *testing.T) {
	var list Estimations[string, uint64]
	for key, n := range map[string]uint64{"few": 3, "many": 1000} {
		list.Add(key, n,
			func(_ context.Context, plan mc.Plan) (uint64, error) { return plan.Replicas + plan.Seed, nil })
	}
	got, err := list.Run(context.Background(), Settings{Seed: 5})
	if err != nil || got.At("few") != 8 || got.At("many") != 1005 {
		t.Errorf("results %v, error %v", got, err)
	}
	list.Add("bad", 1, func(context.Context, mc.Plan) (uint64, error) { return 0, context.Canceled })
	if _, err := list.Run(context.Background(), Settings{}); err == nil {
		t.Error("an error is lost")
	}
}

// TestErrorsNameTheirPoint: the error of a trial or an estimation names its key, unless the
// run was cancelled.
func TestErrorsNameTheirPoint(t *testing.T) {
	broken := errors.New("broken")
	opens := func() (ReplicaRunner[int], error) {
		return func(context.Context, uint64, uint64) (int, error) { return 0, broken }, nil
	}
	refuses := func() (ReplicaRunner[int], error) { return nil, broken }
	estimates := func(context.Context, mc.Plan) (int, error) { return 0, broken }
	type key struct {
		network string
		x       int
	}
	point := key{"few-evs", 32}
	for name, run := range map[string]func(context.Context) error{
		"trial": func(ctx context.Context) error {
			_, err := Trials[key, int]{{Key: point, Replicas: 1, Open: opens}}.Run(ctx, Settings{})
			return err
		},
		"opening": func(ctx context.Context) error {
			_, err := Trials[key, int]{{Key: point, Replicas: 1, Open: refuses}}.Run(ctx, Settings{})
			return err
		},
		"estimation": func(ctx context.Context) error {
			_, err := Estimations[key, int]{{Key: point, Replicas: 1, Run: estimates}}.Run(ctx, Settings{})
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
