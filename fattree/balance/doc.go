// Package balance holds the load balancers of the fat-tree model: each chooses
// the entropy value (EV) of every packet, and by it the path that the switches
// hash the packet onto.
//
//	ECMP       one EV for all packets of a flow [Bonato26] sec. 4.1
//	Spraying   OPS, oblivious packet spraying: a uniform EV for each packet
//	Recycling  REPS: package reps in the model, by the paper's rules or those of
//	           the authors' simulator
//	Mixed      one balancer for background traffic, another for the rest
//
// A balancer is a value for one run at a time; [fattree.Run.Execute] resets it.
//
// # References
//
// Keys are those of docs/references.md.
package balance
