package experiment

import (
	"cmp"
	"context"
	"sync"

	"repslab/fattree"
	"repslab/fattree/multipath"
	"repslab/fattree/schedule"
	"repslab/fattree/transport"
	"repslab/mc"
)

// Networks returns the network of a replica, its workload included. seed is the plan's, so
// another seed draws another workload.
type Networks func(seed, replica uint64) (*fattree.Network, error)

// Setup describes an experiment that is replicated. Several goroutines call its
// functions concurrently; one run at a time uses each value that they return.
type Setup struct {
	// Network returns the network of a replica: see [Fixed] and [Varied]. If it returns the
	// same network each time, the memory of a run is used again.
	Network Networks
	// Balancer and Control return a balancer and a congestion control for any number of
	// runs, one after the other. Without Control the balancer must bring its own, see [transport.Controlled].
	Balancer func() (transport.Balancer, error)
	Control  func() transport.Control
	// Transport returns the transport of a network's hosts, for any number of runs on it, one after the other. Nil means
	// the transport of package transport, or of package multipath under [fattree.MRC], with Balancer and Control; a
	// transport of another kind brings its own, so neither is set.
	Transport func(*fattree.Network) (fattree.Transport, error)
	// Trace returns the configuration of the samples to record; nil records none.
	Trace func(*fattree.Network) fattree.TraceConfig
	// Watch says which events of a replica to record, by the transport of package transport; nil records none.
	Watch func(n *fattree.Network, replica uint64) transport.WatchConfig
	// Inside counts what happens inside connections, see [Inside]. It excludes Watch.
	Inside bool
	// Groups are sets of flows of which a [Tally] has statistics of their own.
	Groups []Group
	// Workers is the number of goroutines that advance one run, see [fattree.Run.Workers]; 0 means
	// those that other replicas leave ([mc.Goroutines]).
	Workers int
}

// Fixed returns the network of spec for every replica. The first call builds it.
func Fixed(spec fattree.Spec) Networks {
	once := sync.OnceValues(func() (*fattree.Network, error) { return fattree.Build(spec) })
	return func(_, _ uint64) (*fattree.Network, error) { return once() }
}

// Varied returns networks that build a spec for each replica. A function that draws the workload should
// draw from mc.NewStream(seed, mc.Workload, replica): then every setup meets the same workload.
func Varied(spec func(seed, replica uint64) (fattree.Spec, error)) Networks {
	return func(seed, replica uint64) (*fattree.Network, error) {
		if spec == nil {
			return nil, mc.NewFieldError("experiment", "spec", nil, "must be set")
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
	Number  uint64 // of the replica
	Network *fattree.Network
	Result  *fattree.Result
	Samples []fattree.Sample      // as Setup.Trace asked for
	Events  []transport.Event     // as Setup.Watch asked for, in the order of their times
	Missed  int64                 // events beyond the most that Setup.Watch allowed
	Inside  []Inside              // by flow, as Setup.Inside asked for; nil without it, and of hosts that record no events
	Steps   []schedule.StepResult // of the workload of a [schedule.Job]
	Cut     bool                  // a step did not end before the end of the run
}

// FCT returns the completion time of a flow. Of one that did not finish it returns a lower bound and
// false: the time from its start to the end of the run, or 0 if it did not start.
func (r Replica) FCT(flow int) (fct fattree.Picoseconds, finished bool) {
	f := r.Result.Flows[flow]
	switch {
	case f.End != fattree.Unfinished:
		return f.FCT(), true
	case f.Start == fattree.Unfinished, f.Start == 0 && r.Network.Spec().Workload.Flows[flow].StartedBy != fattree.NoTrigger:
		return 0, false // a trigger fires after the start of the run, and a script may start it never
	}
	return max(0, r.lasted()-f.Start), false
}

// lasted returns the length of the run.
func (r Replica) lasted() fattree.Picoseconds {
	return fattree.Picoseconds(r.Result.Slots) * r.Network.SlotTime()
}

// End returns the end of the last flow. If a flow did not finish it returns a lower bound and false: the
// end of the run. It returns false too if a step was cut.
func (r Replica) End() (end fattree.Picoseconds, finished bool) {
	if end, finished = r.Result.LastEnd(); !finished {
		end = r.lasted()
	}
	return end, finished && !r.Cut
}

// Runner runs replicas of a Setup, one after the other. One goroutine at a time uses it.
type Runner struct {
	setup    Setup
	balancer transport.Balancer
	control  transport.Control
	network  *fattree.Network // of the last replica
	run      *transport.Run   // of it
}

// newRun returns a run of the setup's transport, or else of the network's.
func (s Setup) newRun(n *fattree.Network) (*transport.Run, error) {
	if s.Transport != nil {
		t, err := s.Transport(n)
		if err == nil && t == nil {
			err = mc.NewFieldError("experiment", "Setup.Transport()", nil, "must return a transport")
		}
		if err != nil {
			return nil, err
		}
		return &transport.Run{Run: n.NewRun(t)}, nil
	}
	if n.Spec().Transport == fattree.MRC {
		return multipath.NewRun(n)
	}
	return transport.NewRun(n), nil
}

// NewRunner returns a Runner of s. Errors are that of s.Balancer, and joined
// [*mc.FieldError] values about functions that are not set or return nil.
func (s Setup) NewRunner() (*Runner, error) {
	faults := mc.Faults{Package: "experiment"}
	faults.Check(s.Network != nil, "Setup.Network", nil, "must be set")
	faults.Check(!s.Inside || s.Watch == nil, "Setup.Watch", "set", "must come without Inside")
	if s.Transport != nil {
		faults.Check(s.Balancer == nil && s.Control == nil, "Setup.Transport", "set", "must come without Balancer and Control, which it would ignore")
		return &Runner{setup: s}, faults.Err()
	}
	faults.Check(s.Balancer != nil, "Setup.Balancer", nil, "must be set")
	faults.Check(s.Balancer != nil || s.Control != nil, "Setup.Control", nil, "must be set")
	if err := faults.Err(); err != nil {
		return nil, err
	}
	balancer, err := s.Balancer()
	if err != nil {
		return nil, err
	}
	faults.Check(balancer != nil, "Setup.Balancer()", nil, "must return a balancer")
	control := s.Control
	if own, brings := transport.As[transport.Controlled](balancer); brings && control == nil {
		control = own.Control
	}
	if control == nil {
		faults.Refuse("Setup.Control", nil, "must be set")
		return nil, faults.Err()
	}
	r := &Runner{setup: s, balancer: balancer, control: control()}
	faults.Check(r.control != nil, "Setup.Control()", nil, "must return a congestion control")
	return r, faults.Err()
}

// Run runs a replica with the streams of NewStreams(seed, number), which give the same
// salts under every balancer. The caller owns the result. Errors are those of the
// functions of the Setup and of [fattree.Run.Execute].
func (r *Runner) Run(ctx context.Context, seed, number uint64) (Replica, error) {
	n, err := r.setup.Network(seed, number)
	if err != nil {
		return Replica{}, err
	}
	if n == nil {
		return Replica{}, mc.NewFieldError("experiment", "Setup.Network()", nil, "must return a network")
	}
	if r.network != n {
		r.network, r.run = nil, nil // before the memory of the next one is asked for
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
		replica.Inside = watchInside(n, r.run)
	}
	r.run.Workers(cmp.Or(r.setup.Workers, mc.Goroutines(ctx)))
	if streams := fattree.NewStreams(seed, number); r.setup.Transport != nil {
		replica.Result, err = r.run.Run.Execute(ctx, streams)
	} else {
		replica.Result, err = r.run.Execute(ctx, r.balancer, r.control, streams)
	}
	replica.Samples = r.run.Samples()
	replica.Events, replica.Missed = r.run.Events()
	if player, is := r.run.Script().(*schedule.Player); is {
		replica.Steps, replica.Cut = player.Results(n.Spec().Horizon)
	}
	return replica, err
}
