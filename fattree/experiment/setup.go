package experiment

import (
	"context"
	"fmt"
	"sync"

	"repslab/fattree"
	"repslab/fattree/multipath"
	"repslab/fattree/schedule"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/internal/wrapped"
	"repslab/mc"
)

// Networks returns the network of a replica with its workload. seed is the seed of the plan, so another seed draws
// another workload.
type Networks func(seed, replica uint64) (*fattree.Network, error)

// Setup describes an experiment that is replicated. Several goroutines call its functions concurrently. Each value
// that they return is used by one run at a time.
type Setup struct {
	// Network returns the network of a replica: see [Fixed] and [Varied]. If it returns the same network each
	// time, runs reuse memory.
	Network Networks
	// Balancer and Control return a balancer and a congestion control for any number of runs, one after the other: a
	// new one at each call. If Control is nil, the balancer must bring its own control, see [transport.Traits].
	Balancer func() (transport.Balancer, error)
	Control  func() transport.Control
	// Transport returns the transport of a network's hosts, for any number of runs on it, one after the other. Nil
	// means the transport of package transport, or of package multipath under [fattree.MRC], with Balancer and
	// Control. Any other transport has its own balancing and congestion control, so Balancer and Control must be
	// nil.
	Transport func(*fattree.Network) (fattree.Transport, error)
	// Trace returns the configuration of the samples to record; nil records none.
	Trace func(*fattree.Network) fattree.TraceConfig
	// Watch says which events of a replica to record. It needs the transport of package transport. Nil records
	// none.
	Watch func(n *fattree.Network, replica uint64) transport.WatchConfig
	// Inside counts what happens inside connections, for the statistics of Inside. It excludes Watch.
	Inside bool
	// Groups are sets of flows. A [Tally] has separate statistics for each of them.
	Groups []Group
}

// Fixed returns the network of spec for every replica. The first call builds it, from copies of the lists of spec
// ([fattree.Spec.Clone]).
func Fixed(spec fattree.Spec) Networks {
	spec = spec.Clone()
	once := sync.OnceValues(func() (*fattree.Network, error) { return fattree.Build(spec) })
	return func(_, _ uint64) (*fattree.Network, error) { return once() }
}

// Varied returns networks that build a spec for each replica. If the function draws the workload, it should draw
// from mc.NewStream(seed, mc.Workload, replica), so that every setup meets the same workload.
func Varied(spec func(seed, replica uint64) (fattree.Spec, error)) Networks {
	return func(seed, replica uint64) (*fattree.Network, error) {
		if spec == nil {
			return nil, faults.New("experiment", "spec", nil, "must be set")
		}
		s, err := spec(seed, replica)
		if err != nil {
			return nil, err
		}
		return fattree.Build(s)
	}
}

// Replica holds the network and the outcome of one replica.
type Replica struct {
	Number  uint64 // number of the replica
	Network *fattree.Network
	Result  *fattree.Result
	Samples []fattree.Sample      // requested by Setup.Trace
	Events  []transport.Event     // requested by Setup.Watch, in order of time
	Missed  int64                 // events beyond the limit in Setup.Watch
	inside  []flowInside          // by flow, requested by Setup.Inside; nil if the hosts record no events
	Steps   []schedule.StepResult // for the workload of a [schedule.Job]
	cut     bool                  // a step did not end before the end of the run
}

// outcome returns the Result of a replica, and panics if it has none.
func (r Replica) outcome() *fattree.Result {
	if r.Result == nil || r.Network == nil {
		panic("experiment: a Replica without Network and Result, which Runner.Run sets")
	}
	return r.Result
}

// FCT returns the completion time of a flow. If the flow did not finish, it returns false and a lower bound: the
// time from the start of the flow to the end of the run, or 0 if the flow did not start.
func (r Replica) FCT(flow int) (fct fattree.Picoseconds, finished bool) {
	f := r.outcome().Flows[flow]
	switch {
	case f.End != fattree.Unfinished:
		return f.FCT(), true
	case f.Start == fattree.Unfinished, f.Start == 0 && r.Network.Spec().Workload.Flows[flow].StartedBy != fattree.NoTrigger:
		return 0, false // a trigger fires after the start of the run, and a script may never start the flow
	}
	return max(0, r.lasted()-f.Start), false
}

// lasted returns the length of the run.
func (r Replica) lasted() fattree.Picoseconds {
	return fattree.Picoseconds(r.Result.Slots) * r.Network.SlotTime()
}

// End returns the end of the last flow. If a flow did not finish, it returns false and a lower bound: the end of
// the run. It also returns false if a step was cut.
func (r Replica) End() (end fattree.Picoseconds, finished bool) {
	if end, finished = r.outcome().LastEnd(); !finished {
		end = r.lasted()
	}
	return end, finished && !r.cut
}

// Runner runs replicas of a Setup, one after the other. One goroutine at a time uses it.
type Runner struct {
	setup    Setup
	balancer transport.Balancer
	control  transport.Control
	network  *fattree.Network // network of the last replica
	run      *transport.Run   // run on this network
}

// newRun returns a run with the setup's transport, or with the usual one of the network.
func (s Setup) newRun(n *fattree.Network) (*transport.Run, error) {
	if s.Transport != nil {
		t, err := s.Transport(n)
		if err == nil && t == nil {
			err = faults.New("experiment", "Setup.Transport()", nil, "must return a transport")
		}
		if err != nil {
			return nil, err
		}
		if other, err := s.Transport(n); err == nil && wrapped.Shared(t, other) {
			return nil, faults.New("experiment", "Setup.Transport()", fmt.Sprintf("%T", t), "must return a new transport each time: it serves one run")
		}
		return &transport.Run{Run: n.NewRun(t)}, nil
	}
	if n.Spec().Profile == fattree.MRC {
		return multipath.NewRun(n)
	}
	return transport.NewRun(n), nil
}

// NewRunner returns a Runner of s. It returns the error of s.Balancer, or joined [*faults.FieldError] values about
// functions that are not set or return nil.
func (s Setup) NewRunner() (*Runner, error) {
	bad := faults.List{Package: "experiment"}
	bad.Check(s.Network != nil, "Setup.Network", nil, "must be set")
	bad.Check(!s.Inside || s.Watch == nil, "Setup.Watch", "set", "must come without Inside")
	if s.Transport != nil {
		bad.Check(s.Balancer == nil && s.Control == nil, "Setup.Transport", "set", "must come without Balancer and Control, which it would ignore")
		return &Runner{setup: s}, bad.Err()
	}
	bad.Check(s.Balancer != nil, "Setup.Balancer", nil, "must be set")
	bad.Check(s.Balancer != nil || s.Control != nil, "Setup.Control", nil, "must be set")
	if err := bad.Err(); err != nil {
		return nil, err
	}
	first, err := s.Balancer() // of another runner: two runners must not share one
	if err != nil {
		return nil, err
	}
	balancer, err := s.Balancer()
	if err != nil {
		return nil, err
	}
	bad.Check(balancer != nil, "Setup.Balancer()", nil, "must return a balancer")
	bad.Check(!wrapped.Shared(first, balancer), "Setup.Balancer()", fmt.Sprintf("%T", balancer), "must return a new balancer each time: replicas that run at the same time would share one")
	control := s.Control
	if control == nil && balancer != nil {
		control = balancer.Traits().Control
	}
	if control == nil {
		bad.Refuse("Setup.Control", nil, "must be set")
		return nil, bad.Err()
	}
	r := &Runner{setup: s, balancer: balancer, control: control()}
	bad.Check(r.control != nil, "Setup.Control()", nil, "must return a congestion control")
	if s.Control != nil {
		bad.Check(!wrapped.Shared(r.control, s.Control()), "Setup.Control()", fmt.Sprintf("%T", r.control), "must return a new congestion control each time: replicas that run at the same time would share one")
	}
	return r, bad.Err()
}

// Run runs a replica with the streams of NewStreams(seed, number), which give the same salts under every balancer.
// The caller owns the result. It returns the errors of the functions of the Setup and of [fattree.Run.Execute].
func (r *Runner) Run(ctx context.Context, seed, number uint64) (Replica, error) {
	bad := faults.List{Package: "experiment"}
	bad.Check(ctx != nil, "ctx", nil, "must be set")
	bad.Check(r.setup.Network != nil, "Runner", nil, "must be made by Setup.NewRunner")
	if err := bad.Err(); err != nil {
		return Replica{}, err
	}
	n, err := r.setup.Network(seed, number)
	if err != nil {
		return Replica{}, err
	}
	if n == nil {
		return Replica{}, faults.New("experiment", "Setup.Network()", nil, "must return a network")
	}
	if r.network != n {
		r.network, r.run = nil, nil // free the old memory before the new one is allocated
		if r.run, err = r.setup.newRun(n); err != nil {
			return Replica{}, err
		}
		r.network = n
		if r.setup.Trace != nil {
			r.run.Trace(r.setup.Trace(n))
		}
	}
	if r.setup.Watch != nil {
		r.run.Watch(r.setup.Watch(n, number))
	}
	replica := Replica{Number: number, Network: n}
	if r.setup.Inside {
		replica.inside = watchInside(n, r.run)
	}
	r.run.Workers(mc.Goroutines(ctx))
	if streams := fattree.NewStreams(seed, number); r.setup.Transport != nil {
		replica.Result, err = r.run.Run.Execute(ctx, streams)
	} else {
		replica.Result, err = r.run.Execute(ctx, r.balancer, r.control, streams)
	}
	replica.Samples = r.run.Samples()
	replica.Events, replica.Missed = r.run.Events()
	if player, is := r.run.Script().(*schedule.Player); is {
		replica.Steps, replica.cut = player.Results(n.Spec().Horizon)
	}
	return replica, err
}
