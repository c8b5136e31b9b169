// Package balance holds the load balancers of the fat-tree model: each chooses the entropy
// value (EV) of every packet, which the switches hash to a path.
//
//	ECMP            one EV for all packets of a flow [Bonato26] sec. 4.1
//	Spraying        OPS, oblivious packet spraying: a uniform EV for each packet [Dixit13]
//	PLB             a new EV after congested rounds or a time-out [Qureshi22]
//	Flowlet         a new EV after a gap [Vanini17]
//	MPRDMA          the EV of the last ACK that gave room, else uniform [Lu18]
//	Multipath       a few fixed EVs in turn, packet by packet [Raiciu11]
//	Subflows        a few subflows with an EV and a window each, as in the paper's text
//	Bitmap          all EVs in turn except those with penalties, like STrack [Le24]
//	Recycling       REPS: package reps in the model, by the paper's rules or those of
//	                the authors' simulator
//	Mixed           one balancer for background traffic, another for the rest
//	Adaptive        each switch picks the shortest queue: adaptive RoCE
//	SwitchSpraying  each switch picks a uniform port, for comparison
//	RoundRobin      each switch uses its ports in turn, for comparison
//
// All follow [Bonato26-artifact], which differs from the papers after which they are
// named; each doc comment says how. Balancers that choose per packet draw from a random
// stream per flow.
//
// [New] returns each by its name on the command line, with the parameters of the
// authors' runs. A balancer serves one run at a time; [fattree.Run.Execute] resets it.
//
// examples/balancer implements a balancer outside this module; docs/extending.md explains it.
//
// # References
//
// [Bonato26], [Bonato26-artifact], [Dixit13], [Qureshi22], [Vanini17], [Lu18],
// [Raiciu11], [Le24]; full entries are under these keys in docs/references.md.
package balance
