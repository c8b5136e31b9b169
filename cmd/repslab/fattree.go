package main

import "repslab/sweep"

func fattreeModel() model {
	return model{
		name:    "fattree",
		streams: 2,
		short:   "The fat-tree model: flow completion times under ECMP, OPS and REPS",
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
		parameters: fattreeParameters(),
		keys:       fattreeKeys(),
		results:    fattreeResults(),
		unit:       "packet_hop",
		replicas:   3, // a run of a large network takes seconds
		over:       fattreeOver,
		points:     fattreePoints,
		extend:     extendFattree,
	}
}

// fattreePoints returns the combinations of the parameters, all of them valid.
func fattreePoints(g *grid) ([]sweep.Point, error) {
	return pointsOf(fattreeCombinations(g))
}

// fattreeCombinations returns what the points are made from.
func fattreeCombinations(g *grid) ([]*fattreePoint, error) {
	next := fattreeAxes(g)
	return collect(g, fattreeUses(), func() (*fattreePoint, error) {
		p := next()
		return p, p.setUp()
	})
}
