package fattree

import (
	"context"
	"sync"
)

// Setup is what is run many times. The functions are called by several goroutines
// at a time; what they return is used by one.
type Setup struct {
	// Network returns what replica number replica runs on: see [Fixed] and
	// [Varied]. Where it returns the same network each time, its memory is used
	// again.
	Network func(replica uint64) (*Network, error)
	// Balancer and Control return what steers the flows of any number of runs, one
	// after the other.
	Balancer func() (Balancer, error)
	Control  func() Control
	// Trace says what is recorded over time; nil is nothing.
	Trace func(*Network) TraceConfig
}

// Fixed returns a Network of a Setup in which all replicas have the workload of
// spec. It is built when it is first asked for.
func Fixed(spec Spec) func(replica uint64) (*Network, error) {
	once := sync.OnceValues(func() (*Network, error) { return Build(spec) })
	return func(uint64) (*Network, error) { return once() }
}

// Varied returns a Network of a Setup in which each replica has a spec of its own.
func Varied(spec func(replica uint64) (Spec, error)) func(replica uint64) (*Network, error) {
	return func(replica uint64) (*Network, error) {
		s, err := spec(replica)
		if err != nil {
			return nil, err
		}
		return Build(s)
	}
}

// Replica is what a replica of a Setup gave.
type Replica struct {
	Network *Network
	Result  *Result
	Samples []Sample // as Setup.Trace asked for
}

// Runner runs replicas of a Setup, one after the other. It is for one goroutine
// at a time.
type Runner struct {
	setup    Setup
	balancer Balancer
	control  Control
	run      *Run // of the last replica
}

// NewRunner returns a Runner of s. The error is that of s.Balancer.
func (s Setup) NewRunner() (*Runner, error) {
	balancer, err := s.Balancer()
	if err != nil {
		return nil, err
	}
	return &Runner{setup: s, balancer: balancer, control: s.Control()}, nil
}

// Run runs a replica with the streams of NewStreams(seed, replica): the same
// salts and workload under every balancer. What it returns is the caller's.
// Errors are those of the functions of the Setup and of [Run.Execute].
func (r *Runner) Run(ctx context.Context, seed, replica uint64) (Replica, error) {
	n, err := r.setup.Network(replica)
	if err != nil {
		return Replica{}, err
	}
	if r.run == nil || r.run.net != n {
		r.run = nil // before the memory of the next one is asked for
		r.run = n.NewRun()
		if r.setup.Trace != nil {
			r.run.Trace(r.setup.Trace(n))
		}
	}
	result, err := r.run.Execute(ctx, r.balancer, r.control, NewStreams(seed, replica))
	return Replica{n, result, r.run.Samples()}, err
}
