package main

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/traffic"
	"repslab/mc"
	"repslab/reps"
	"repslab/sweep"
)

// fattreePoint is a combination of parameters of the fattree command.
type fattreePoint struct {
	hosts, tiers, oversubscription int
	topology                       *input[fattree.Topology] // nil where none is given
	workload                       workloadName
	sizes                          *input[traffic.Sizes] // nil where none is given
	load                           float64
	arrivals                       arrivalName
	duration                       int
	degree                         int   // 0 where it means nothing
	message                        int64 // 0 where it means nothing
	background                     int   // 0 none
	inherit                        switchName
	flows                          *input[flowsInput] // nil where none is given
	failure                        failureSpec
	gbps, latency, mtu             int
	queue, kmin, kmax, window, rto int
	trimming                       switchName
	ackRatio                       int
	cc                             controlName
	evs                            int
	freezing                       freezingMode
	exit                           reps.Exit
	ring                           int
	variant                        ackVariant
	freeze                         int
	rules                          balance.Rules
	lb                             balancerName

	spec fattree.Spec // with defaults applied; the workload is that of replica 0
}

// setUp checks the point and completes it from the files.
func (p *fattreePoint) setUp() error {
	link := fattree.Link{Gbps: float64(p.gbps), LatencyNs: float64(p.latency)}
	topology := fattree.Topology{Hosts: p.hosts, Tiers: p.tiers, Access: link, Fabric: link, Core: link}
	if p.topology != nil {
		topology = p.topology.data
	}
	topology = topology.WithDefaults()
	if p.oversubscription > 1 {
		if topology.HostsPerToR%p.oversubscription != 0 {
			return usagef("--oversubscription: %d must divide the %d hosts of a ToR", p.oversubscription, topology.HostsPerToR)
		}
		topology.UplinksPerToR = topology.HostsPerToR / p.oversubscription
	}
	if err := topology.Validate(); err != nil {
		return p.refused(err)
	}
	if p.sizes != nil {
		p.workload = sizesFile
	}
	if p.flows != nil {
		p.workload = flowList
		if p.flows.data.hosts > topology.Hosts {
			return usagef("--flows: its %d hosts must be at most the %d of the tree", p.flows.data.hosts, topology.Hosts)
		}
	}
	p.hosts, p.tiers = topology.Hosts, topology.Tiers
	p.completeWorkload()
	if p.lb == lbBitmap {
		p.evs = balance.BitmapEVs(p.evs)
	}
	if _, err := p.balancer(); err != nil {
		return p.refused(err)
	}
	if _, memoryless := p.control().(fattree.Memoryless); p.lb == lbSubflows && !memoryless {
		return usagef("--cc: %s must be dctcp or none with --lb %s, whose subflows have a window each", p.cc, lbSubflows)
	}
	p.spec = fattree.Spec{
		Topology: topology, MTU: p.mtu, Queue: p.queue, KMin: p.kmin, KMax: p.kmax, InitialWindow: p.window,
		AckRatio: p.ackRatio, CarryEVs: p.variant == ackCarry, DisableTrimming: p.trimming == off, InheritConnections: p.inherit == on, RTO: fattree.Picoseconds(p.rto) * 1_000_000,
	}
	p.spec = p.spec.WithDefaults()
	p.kmin, p.kmax = p.spec.KMin, p.spec.KMax
	var err error
	if p.spec.Workload, err = p.workloadOf(1, 0); err != nil {
		return p.refused(err)
	}
	if p.spec, err = p.specOf(1, 0); err != nil {
		return p.refused(err)
	}
	if err := p.spec.Validate(); err != nil || len(p.failure.list) == 0 {
		return p.refused(err)
	}
	_, err = fattree.Build(p.spec)
	return p.refused(err)
}

// workloadOf returns the workload of a replica.
func (p *fattreePoint) workloadOf(seed, replica uint64) (fattree.Workload, error) {
	w, err := p.kind().make(p, mc.NewStream(seed, mc.Workload, replica).Source())
	w.BackgroundEvery = p.background
	return w, err
}

// completeWorkload applies the workload's defaults and clears parameters it does not use.
func (p *fattreePoint) completeWorkload() {
	kind := p.kind()
	switch {
	case kind.message == 0:
		p.message = 0
	case p.message == 0:
		p.message = kind.message
	}
	switch {
	case kind.degree == nil:
		p.degree = 0
	case p.degree == 0:
		p.degree = kind.degree(p.hosts)
	}
}

// setup returns the setup of the point.
func (p *fattreePoint) setup() fattree.Setup {
	network := fattree.Fixed(p.spec)
	if p.kind().drawn || p.failure.random() {
		network = fattree.Varied(p.specOf)
	}
	return fattree.Setup{Network: network, Balancer: p.balancer, Control: p.control}
}

// point returns the point of a sweep.
func (p *fattreePoint) point() sweep.Point {
	e := mc.Experiment[*fattree.Tally]{
		NewTally: fattree.Setup{}.NewExperiment().NewTally,
		NewWorker: func(seed uint64) mc.Worker[*fattree.Tally] { // a network is built with its worker: a sweep has many points
			return p.setup().NewExperiment().NewWorker(seed)
		},
	}
	return sweep.Estimated(p.String(), p.keys(), e, func(_ context.Context, tally *fattree.Tally, _ uint64) (sweep.Results, error) {
		return p.results(tally.Summary()), nil
	})
}

// balancer returns the load balancer of all flows, background traffic included.
func (p *fattreePoint) balancer() (fattree.Balancer, error) {
	main, err := p.mainBalancer()
	if err != nil || p.background == 0 {
		return main, err
	}
	background, err := balance.NewECMP(p.evs)
	return balance.NewMixed(main, background), err
}

// String names the point where the program speaks of it: in warnings and progress.
func (p *fattreePoint) String() string {
	return fmt.Sprintf("hosts=%d lb=%s workload=%s failure=%s evs=%d", p.hosts, p.lb, p.workload, p.failure, p.evs)
}
