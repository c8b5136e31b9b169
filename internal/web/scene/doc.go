// Package scene answers one question: what does the live page show?
//
// A [Scene] is a switch that two processes meet: balls without memory (package
// ballsbins, OPS) and balls with memory (packages recycled and coalescing, REPS),
// of one seed, round by round. A [View] is everything that makes its picture: the
// parameters, the ports that became slow or whole and when, and the round that it
// stands at. Its text is the fragment of the page's address, so that an address
// shows every reader the same loads; [Parse] reads it.
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
//	round           that the view stands at, in [0, 100000]      0
//	paused          1 if it stands still                         0
//
// The change 3x2@500 lets port 3 serve only in rounds divisible by 2 after round
// 500; 0 is a broken port and 1 one like the others.
//
// The loads are exact runs of the processes, not estimates. At λ < 1 both throw n
// balls a round of which each is lost with probability 1-λ; only under self-clocked
// does REPS throw fewer where a port is slow.
package scene
