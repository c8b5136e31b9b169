// Package leafspine models a full folded Clos network of two tiers as balls into bins in three stages, without
// feedback: it shows how the longest queue grows with the number of packets of a flow, under the rule that sprays
// them.
//
// # The process
//
//	symbol  name           unit     meaning
//	k       Config.Ports   ports    of a switch; k leaves with n hosts and n uplinks each, n spines with k ports
//	n                      ports    k/2
//	N                      hosts    k n
//	s       Config.Spread  slots    starts of hosts are uniform in 0, ..., s
//	m       Config.Packets packets  of a host so far, sent one in each slot
//	D                      hosts    destinations of a host: 1, 2 or N-1 ([Traffic])
//
// All links have the same rate, a packet in a slot, and no latency. In each slot every port with a queue sends a
// packet to the next stage: uplink of the source's leaf, downlink of the spine, port of the destination. Then
// every host that has started sends a packet; hosts of a leaf come in the order of their numbers. The rule
// ([Rule], or one of your own) chooses the spine. Packets within a leaf go to the destination's port at once. Queues
// are unbounded. As in package ballsbins, a queue counts after the arrivals of a slot.
//
// Every traffic ([Traffic]) loads every link of hosts fully, but no link of hosts more than that on average. So
// queues grow only because the rule spreads packets unevenly.
//
// # What is exact
//
// With random spraying of a slot's packets over n uplinks, the queue of an uplink is the load of a bin of package
// ballsbins at λ = 1, with its laws ([MeanUplink]). Rotations for each destination have bounded queues ([Bound]).
// Where no chance decides, the longest queue has a closed form ([Longest]). All else is estimated ([Simulate]).
//
// Left out: latency, congestion control, losses, marks; package fattree has them.
package leafspine
