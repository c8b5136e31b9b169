package cases

import (
	"math"
	"testing"

	"repslab/mc"
)

// TestOfferedLoad: the share is of the bytes that all hosts can send while flows start.
func TestOfferedLoad(t *testing.T) {
	p := pointOf(t, "hosts=4 workload=websearch duration-us=2000 load=0.5 link-gbps=100")
	runner, err := p.Setup().NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.Run(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0.0
	for _, f := range r.Network.Spec().Workload.Flows {
		bytes += float64(f.Bytes)
	}
	s := p.Setup()
	tally, _, err := s.NewExperiment().Run(t.Context(), mc.Plan{Seed: 1, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.offeredLoads(tally.Summary())[0].Value, bytes/(4*100e9/8*2e-3); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("an offered load of %v, want %v", got, want)
	}
}
