package experiment

import (
	"context"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// TestNilIsRefused: what must be set and is not is an error that names it, not a panic.
func TestNilIsRefused(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 8}, Workload: tornado(8, 1000)}
	whole := Setup{Network: Fixed(spec), Balancer: func() (transport.Balancer, error) { return balance.NewSpraying(1 << 16) }, Control: func() transport.Control { return congestion.None{} }}
	setup := func(change func(*Setup)) func() error {
		return func() error {
			s := whole
			change(&s)
			_, _, err := Compare(s, whole).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 2})
			return err
		}
	}
	for want, try := range map[string]func() error{
		"Setup.Network (<nil>) must be set\nexperiment: Setup.Balancer (<nil>) must be set\nexperiment: Setup.Control (<nil>) must be set": setup(func(s *Setup) { *s = Setup{} }),
		"Setup.Network (<nil>) must be set":                        setup(func(s *Setup) { s.Network = nil }),
		"Setup.Balancer (<nil>) must be set":                       setup(func(s *Setup) { s.Balancer = nil }),
		"Setup.Control (<nil>) must be set":                        setup(func(s *Setup) { s.Control = nil }),
		"Setup.Balancer() (<nil>) must return a balancer":          setup(func(s *Setup) { s.Balancer = func() (transport.Balancer, error) { return nil, nil } }),
		"Setup.Control() (<nil>) must return a congestion control": setup(func(s *Setup) { s.Control = func() transport.Control { return nil } }),
		"Setup.Network() (<nil>) must return a network":            setup(func(s *Setup) { s.Network = func(uint64, uint64) (*fattree.Network, error) { return nil, nil } }),
		"spec (<nil>) must be set":                                 setup(func(s *Setup) { s.Network = Varied(nil) }),
	} {
		if err := try(); err == nil || !strings.HasSuffix(err.Error(), "experiment: "+want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := whole.NewRunner(); err != nil {
		t.Error(err)
	}
}
