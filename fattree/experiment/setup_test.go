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

// TestNilIsRefused: a required field that is not set is an error that names the field, not a panic.
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

// paired is a balancer with a congestion control of its own.
type paired struct{ transport.Balancer }

func (p paired) Traits() transport.Traits {
	t := p.Balancer.Traits()
	t.Control = func() transport.Control { return new(congestion.NSCC) }
	return t
}

// TestControlOfBalancer: without Control a setup uses the congestion control of its balancer.
func TestControlOfBalancer(t *testing.T) {
	var incast fattree.Workload
	for i := range fattree.Host(7) {
		incast.Flows = append(incast.Flows, fattree.NewFlow(1+i, 0, 1<<20, 0))
	}
	var sent []int64
	for _, control := range []func() transport.Control{nil, func() transport.Control { return new(congestion.NSCC) }, func() transport.Control { return congestion.None{} }} {
		runner, err := Setup{
			Network: Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: 8}, Workload: incast}), Control: control,
			Balancer: func() (transport.Balancer, error) {
				b, err := balance.NewSpraying(1 << 16)
				return paired{b}, err
			},
		}.NewRunner()
		if err != nil {
			t.Fatal(err)
		}
		replica, err := runner.Run(context.Background(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, replica.Result.Sent)
	}
	if sent[0] != sent[1] || sent[0] == sent[2] {
		t.Errorf("%v packets sent without Control, with the same one, and with none: want the first two equal", sent)
	}
}

// TestFixedCopies: Fixed keeps the flows that it is given, although its caller changes them before the first run.
func TestFixedCopies(t *testing.T) {
	flows := []fattree.Flow{fattree.NewFlow(0, 15, 0, 0)}
	var networks []Networks
	for _, bytes := range []int64{1000, 2000, 3000} {
		flows[0].Bytes = bytes
		networks = append(networks, Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{Flows: flows}}))
	}
	for i, network := range networks {
		n, err := network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := n.Spec().Workload.Flows[0].Bytes, int64(1000*(i+1)); got != want {
			t.Errorf("network %d has a flow of %d bytes, want %d", i, got, want)
		}
	}
}

// TestSharedInstances: a constructor that returns one balancer, control or transport each time is refused, whatever the
// number of workers; it gave other numbers for 1, 2 and 4 workers.
func TestSharedInstances(t *testing.T) {
	b, err := balance.New("reps", 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	whole := Setup{
		Network:  Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: 8}, Workload: tornado(8, 1000)}),
		Balancer: func() (transport.Balancer, error) { return balance.New("reps", 1<<16) }, Control: func() transport.Control { return congestion.None{} },
	}
	control := new(congestion.NSCC)
	for name, c := range map[string]struct {
		change func(*Setup)
		want   string
	}{
		"new":                   {func(*Setup) {}, ""},
		"balancer":              {func(s *Setup) { s.Balancer = func() (transport.Balancer, error) { return b, nil } }, "Setup.Balancer()"},
		"balancer's part":       {func(s *Setup) { s.Balancer = func() (transport.Balancer, error) { return &paired{b}, nil } }, "Setup.Balancer()"},
		"control":               {func(s *Setup) { s.Control = func() transport.Control { return control } }, "Setup.Control()"},
		"control without state": {func(s *Setup) { s.Control = func() transport.Control { return new(congestion.DCTCP) } }, ""},
	} {
		s := whole
		c.change(&s)
		for workers := 1; workers <= 2; workers++ {
			_, _, err := s.NewExperiment().Run(context.Background(), mc.Plan{Seed: 1, Replicas: 4, Workers: workers})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want+" (")) {
				t.Errorf("%s: error %v, want %q", name, err, c.want)
			}
		}
	}
}
