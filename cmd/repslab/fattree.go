package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/traffic"
	"repslab/reps"
)

// The names of what --lb, --cc and --workload choose from.
type (
	controlName  string
	workloadName string
	arrivalName  string
	switchName   string
)

// What can be on or off.
const (
	on  switchName = "on"
	off switchName = "off"
)

var onOff = namesOf([]switchName{on, off})

func fattreeModel() model {
	return model{
		name:  "fattree",
		short: "The fat-tree model: flow completion times under ECMP, OPS and REPS",
		long: `Simulates a folded Clos network packet by packet in slotted time and estimates flow
completion times (FCT), from a flow's start until its sender has the last ACK.

--workload: permutation (random, another one for each replica), tornado (host i to
i + hosts/2), incast (degree senders of one ToR to host 0), one-tor (the hosts of
ToR 0 to those half-way round); websearch and facebook, or the sizes of --sizes, a
file with a size in bytes and the cumulated part of the flows on each line, which
come for --duration-us so that they take --load of each host's link: paced as by
the authors' generator, mostly to one partner, or poisson to uniform hosts;
allreduce-ring of degree hosts, allreduce-butterfly, alltoall with degree flows of
a host at a time; or the flow list of --flows in htsim's .cm format.
--background-every N pins every N-th flow by ECMP and tells its times apart.
--failure breaks part of the network, for good or for a time; places that are
random are drawn anew for each replica.
--hosts, --tiers and --oversubscription shape the tree, or --topology does, a file
in htsim's .topo format.

--lb reps is package reps, by the rules of the paper, of the authors' simulator
(artifact), or with their unbounded list (fifo). Defaults are those of the authors'
EVS figure. Each statistic is formed in a run and averaged over runs; those of
completion times are null if a flow did not finish within 100 ms.
slowdown_p99 compares with the same flow alone in the network.`,
		example: `  repslab fattree --hosts 128 --lb ecmp,ops,reps --message-bytes 1MiB
  repslab fattree --hosts 32 --lb ops,reps --reps artifact --evs 32,256,65536 --replicas 10
  repslab fattree --hosts 1024 --workload tornado --message-bytes 256KiB --timing
  repslab fattree --workload websearch --load 0.4..1:+0.2 --duration-us 1000 --lb ops,reps
  repslab fattree --workload alltoall --hosts 32 --degree 4 --cc dctcp,eqds,nscc
  repslab fattree --lb ops,reps --message-bytes 1MiB --failure 'none|cables=8%|cables=5%,place=random,dir=both,at=20'
  repslab fattree --flows permutation.cm --topology tree.topo --flows-out fct.csv`,
		parameters: []parameter{
			{"hosts", "", "hosts (default 128)"},
			{"tiers", "", "tiers of switches, 2 or 3 (default 2)"},
			{"oversubscription", "", "hosts to an uplink of a ToR (default 1)"},
			{"link-gbps", "", "rate of all links (default 400)"},
			{"latency-ns", "", "latency of all links (default 1000)"},
			{"topology", "", "take the tree from a file in htsim's .topo format"},
			{"workload", "", list(workloadNames()) + " (default permutation)"},
			{"sizes", "", "take the sizes of flows from a file of a cumulative distribution"},
			{"load", "0.6", "part of each host's link that flows of drawn sizes take"},
			{"arrivals", string(paced), "how flows of drawn sizes come: paced, poisson"},
			{"duration-us", "5000", "time during which flows of drawn sizes start"},
			{"degree", "", "senders of an incast (default 8), flows of a host in an alltoall (8), hosts of an allreduce-ring (half)"},
			{"message-bytes", "", "size of a message, such as 8MB (default 8MiB; allreduce-ring 4MB, -butterfly 20MB, alltoall 2MB)"},
			{"background-every", "", "let one of so many flows be background traffic pinned by ECMP"},
			{"inherit", string(off), "whether flows go on where the last one between their hosts ended: on, off"},
			{"flows", "", "take the workload from a file in htsim's .cm format"},
			{"failure", noFailure, "what fails: " + fattree.FailureGrammar + "; several to compare are separated by |"},
			{"mtu", "4150", "bytes of a full packet, 64 of header included"},
			{"queue", "100", "packets that a port's queue holds"},
			{"kmin", "", "packets left behind from which ECN marks (default 25 % of queue)"},
			{"kmax", "", "packets left behind from which ECN marks all (default 76 % of queue)"},
			{"window", "151", "initial congestion window in packets"},
			{"rto-us", "", "retransmission time-out (default: unloaded RTT and four full queues)"},
			{"trimming", string(on), "whether full queues trim packets: on, off"},
			{"ack-ratio", "1", "packets to an ACK"},
			{"ack-variant", string(ackStandard), "what a coalesced ACK teaches: standard (the EV of the last packet), carry (of all), reuse (reps uses an EV ack-ratio times)"},
			{"cc", controls()[0].name, "congestion control: " + list(controlNames())},
			{"evs", "65536", "entropy values"},
			{"freezing", string(on), "freezing mode of reps: on, off, at=US (forced at that time)"},
			{"freeze-us", "10000", "length of freezing mode"},
			{"freeze-exit", reps.ExitOnTimeout.String(), "what ends freezing mode of reps: timeout, probe (the path is probed once in an RTO)"},
			{"ring", "8", "entries of reps's ring, 1 to 32"},
			{"reps", string(balance.Paper), "rules of reps: " + list(balance.AllRules())},
			{"lb", string(lbREPS), "load balancer: " + list(balancerNames())},
		},
		keys: columns([]string{
			"hosts", "tiers", "oversubscription", "lb", "reps", "cc", "workload", "sizes", "load", "arrivals", "duration_us", "degree", "message_bytes",
			"background_every", "inherit", "failure", "evs", "ack_ratio", "ack_variant",
			"trimming", "freezing", "freeze_us", "freeze_exit", "ring", "queue", "kmin", "kmax", "window", "rto_us", "link_gbps", "latency_ns", "mtu",
		}, "lb", "reps", "cc", "workload", "sizes", "arrivals", "inherit", "failure", "trimming", "freezing", "ack_variant", "freeze_exit"),
		results: columns([]string{
			"max_fct_us", "max_fct_us_se", "mean_fct_us", "mean_fct_us_se", "p99_fct_us", "p999_fct_us", "slowdown_p99", "end_us",
			"flows", "finished", "sent", "retransmitted", "dropped", "trimmed", "lost", "corrupted", "ecn_marked_fraction", "recycled_fraction",
			"reorder_depth_p99", "reroute_us", "max_queue_packets", "packet_hops",
			"background_max_fct_us", "background_mean_fct_us",
		}),
		unit:     "packet_hop",
		replicas: 3, // a run of a large network takes seconds
		points:   fattreePoints,
		extend:   extendFattree,
	}
}

// fattreePoints returns the combinations of the parameters, all of them valid.
func fattreePoints(g *grid) ([]point, error) {
	list, err := fattreeCombinations(g)
	points := make([]point, len(list))
	for i, p := range list {
		points[i] = p.point()
	}
	return points, err
}

// fattreeCombinations returns what the points are made from.
func fattreeCombinations(g *grid) ([]*fattreePoint, error) {
	for _, file := range []struct {
		flag     string
		replaces []string
	}{
		{"topology", []string{"hosts", "tiers", "oversubscription", "link-gbps", "latency-ns"}},
		{"sizes", []string{"workload", "degree", "message-bytes"}},
		{"flows", []string{"workload", "sizes", "degree", "message-bytes"}},
	} {
		for _, flag := range file.replaces {
			if g.has(file.flag) && g.has(flag) {
				return nil, usagef("--%s: must not be given with --%s, whose file says it", flag, file.flag)
			}
		}
	}
	next := fattreeAxes(g)
	var points []*fattreePoint
	err := g.each(func() error {
		p := next()
		if err := p.setUp(); err != nil {
			return err
		}
		points = append(points, p)
		return nil
	})
	return points, err
}

// fattreeAxes adds the parameters to a grid and returns what gives their current
// combination.
func fattreeAxes(g *grid) func() *fattreePoint {
	hosts := orPreset(g, "hosts", "128", intsIn(2, fattree.MaxHosts))
	tiers := orPreset(g, "tiers", "2", intsIn(2, 3))
	over := orPreset(g, "oversubscription", "1", intsIn(1, 1<<10))
	gbps := orPreset(g, "link-gbps", "400", intsIn(1, 100_000))
	latency := orPreset(g, "latency-ns", "1000", intsIn(1, 1_000_000))
	topology := optional(g, "topology", filesBy(traffic.ReadTopology))
	workload := orPreset(g, "workload", workloads()[0].name, namesOf(workloadNames()))
	sizes := optional(g, "sizes", filesBy(traffic.ReadSizes))
	load := axis(g, "load", probabilities)
	arrivals := axis(g, "arrivals", namesOf([]arrivalName{paced, poisson}))
	duration := axis(g, "duration-us", intsIn(1, 90_000)) // flows must start before the horizon
	degree := optional(g, "degree", intsIn(1, fattree.MaxHosts))
	message := optional(g, "message-bytes", sizesUpTo(1<<40))
	background := optional(g, "background-every", intsIn(2, fattree.MaxFlows))
	inherit := axis(g, "inherit", onOff)
	flows := optional(g, "flows", filesBy(readFlowList))
	failure := axis(g, "failure", failureSpecs)
	mtu := axis(g, "mtu", intsIn(65, 1<<20))
	queue := axis(g, "queue", intsIn(1, fattree.MaxQueue))
	kmin := optional(g, "kmin", intsIn(0, 1<<30))
	kmax := optional(g, "kmax", intsIn(1, 1<<30))
	window := axis(g, "window", intsIn(1, 1<<20))
	rto := optional(g, "rto-us", intsIn(1, 1_000_000))
	trimming := axis(g, "trimming", onOff)
	ackRatio := axis(g, "ack-ratio", intsIn(1, fattree.MaxAckRatio))
	cc := axis(g, "cc", namesOf(controlNames()))
	evs := axis(g, "evs", intsIn(1, balance.MaxEVS))
	freezing := axis(g, "freezing", freezings)
	exit := axis(g, "freeze-exit", exits)
	ring := axis(g, "ring", intsIn(1, reps.MaxBufferSize))
	variant := axis(g, "ack-variant", namesOf([]ackVariant{ackStandard, ackCarry, ackReuse}))
	freeze := axis(g, "freeze-us", intsIn(1, 2_000_000))
	rules := axis(g, "reps", namesOf(balance.AllRules()))
	lb := axis(g, "lb", namesOf(balancerNames()))
	return func() *fattreePoint {
		p := &fattreePoint{
			hosts: hosts(), tiers: tiers(), oversubscription: over(), workload: workload(),
			load: load(), arrivals: arrivals(), duration: duration(), inherit: inherit(), failure: failure(),
			gbps: gbps(), latency: latency(), mtu: mtu(), queue: queue(), window: window(), trimming: trimming(), ackRatio: ackRatio(),
			cc: cc(), evs: evs(), freezing: freezing(), exit: exit(), ring: ring(), variant: variant(), freeze: freeze(), rules: rules(), lb: lb(),
		}
		p.kmin, _ = kmin()
		p.kmax, _ = kmax()
		p.rto, _ = rto()
		p.topology, _ = topology()
		p.flows, _ = flows()
		p.sizes, _ = sizes()
		p.degree, _ = degree()
		p.message, _ = message()
		p.background, _ = background()
		return p
	}
}

// orPreset is an axis whose text is the preset where none is given.
func orPreset[T any](g *grid, flag, preset string, read func(string) ([]T, error)) func() T {
	if !g.has(flag) {
		g.texts[flag] = preset
	}
	return axis(g, flag, read)
}

// has reports whether a flag has a text.
func (g *grid) has(flag string) bool {
	_, ok := g.texts[flag]
	return ok
}

// input is a file that a parameter names, and what it holds.
type input[T any] struct {
	path string
	data T
}

// String returns the path.
func (i *input[T]) String() string { return i.path }

// filesBy reads a list of files.
func filesBy[T any](read func(io.Reader) (T, error)) func(string) ([]*input[T], error) {
	return func(text string) ([]*input[T], error) {
		var list []*input[T]
		for path := range strings.SplitSeq(text, ",") {
			file, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			data, err := read(file)
			file.Close()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			list = append(list, &input[T]{path, data})
		}
		return list, nil
	}
}

// flowsInput is what a flow list holds.
type flowsInput struct {
	hosts    int
	workload fattree.Workload
}

func readFlowList(r io.Reader) (f flowsInput, err error) {
	f.hosts, f.workload, err = traffic.ReadFlows(r)
	return f, err
}
