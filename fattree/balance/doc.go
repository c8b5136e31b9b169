// Package balance holds the load balancers of the fat-tree model: each chooses
// the entropy value (EV) of every packet, and by it the path that the switches
// hash the packet onto.
//
//	ECMP            one EV for all packets of a flow [Bonato26] sec. 4.1
//	Spraying        OPS, oblivious packet spraying: a uniform EV for each packet [Dixit13]
//	PLB             another EV after congested rounds or a time-out [Qureshi22]
//	Flowlet         another EV after a gap [Vanini17]
//	MPRDMA          the EV of the last ACK that gave room, else uniform [Lu18]
//	Multipath       a few fixed EVs in turn, packet by packet [Raiciu11]
//	Subflows        a few subflows with an EV and a window each, as in the paper's text
//	Bitmap          all EVs in turn but for those with penalties, like STrack [Le24]
//	Recycling       REPS: package reps in the model, by the paper's rules or those of
//	                the authors' simulator
//	Mixed           one balancer for background traffic, another for the rest
//	Adaptive        each switch takes the shortest queue: adaptive RoCE
//	SwitchSpraying  each switch takes a uniform port: a control
//	RoundRobin      each switch takes its ports in turn: a control
//
// All follow what [Bonato26-artifact] runs, which differs from the papers that
// they are named after; each says where. Balancers that choose for each packet
// take random words from a stream of their flow alone.
//
// [New] returns each by its name on the command line, with the parameters of the
// authors' runs. A balancer serves one run at a time; [fattree.Run.Execute] resets it.
//
// examples/balancer is a balancer of a user's own; docs/extending.md explains it.
//
// # References
//
// [Bonato26], [Bonato26-artifact], [Dixit13], [Qureshi22], [Vanini17], [Lu18],
// [Raiciu11], [Le24]; full entries are under these keys in docs/references.md.
package balance
