// Package scene simulates the content of the live pages.
//
// A [Scene] runs two processes on one switch, round by round and with one seed: balls without memory
// (package ballsbins, OPS) and balls with memory (packages recycled and coalescing, REPS). A [View]
// determines the picture: the parameters, the changes of ports with their rounds, and the round shown.
// The text of a view is the fragment of the page's address, so that an address shows the same loads to
// every reader. [Parse] reads it.
//
//	key             meaning                                      without it
//	bins            n in [1, 256]                                32
//	threshold       τ in [1, 10000]                              ceil(4 ln n)
//	lambda          λ in (0, 1], 1 where ack_ratio is above 1    1
//	clocking        of package recycled                          self-clocked
//	colors_per_bin  b in [1, 256]; round-robin                   ceil(2.4 ln n)
//	delay           d in [0, 1000]; per-flow, ack_ratio 1        0
//	ack_ratio       r in [1, 64]; 1 is package recycled          1
//	ack_variant     of package coalescing, where r is above 1    its clocking's first
//	seed            of all random streams                        1
//	ports           changes of ports, as 3x0@500,3x1@900         none
//	speed           rounds a second, in [1, 10000]               200
//	round           shown, in [0, 100000]                        0
//	paused          1 if paused                                 0
//
// The change 3x2@500 lets port 3 serve only in rounds divisible by 2 after round
// 500; 0 fails the port and 1 repairs it.
//
// A [Network] runs one workload in a fat tree of two tiers under two load balancers, slot by
// slot, with the engine of package fattree: the same flows, failures and hash salts on both
// sides, and all defaults of repslab fattree. When the flows of a side have finished, they start
// again, on the same connections. The [NetworkView] has the keys
//
//	hosts           8, 16, 32, 64 or 128                         32
//	workload        permutation, tornado or incast               permutation
//	message_bytes   of a flow, in [1, 33554432]                  8388608
//	left, right     load balancers, of package balance           ops, reps
//	flow            its ring is shown                            0
//	seed            of all random streams                        1
//	links           changes of cables, as 5x0@500,5x1@900        none
//	speed           slots a second, in [1, 10000]                400
//	slot            shown, in [0, 60000]                         0
//	paused          1 if paused                                  0
//
// The change 5x0@500 breaks cable 5 in both directions after slot 500; 1 repairs it. Since links can
// fail, ACKs report all packets that receivers have, as under --failure: at any slot the numbers equal
// the numbers of a run of the command with the same failure.
//
// The loads come from actual runs; they are not estimates. At λ < 1 both processes throw n balls per
// round, and each ball is lost with probability 1-λ. Only self-clocked REPS throws fewer balls if a port
// is slow.
package scene
