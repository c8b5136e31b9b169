// Package repslab is a laboratory for the theory and simulation of packet
// spraying in data-centre networks, built around REPS (Recycled Entropy Packet
// Spraying, EuroSys '26). The package itself is empty; in reading order its
// parts are
//
//	reps                REPS itself: Algorithms 1 and 2, 25 bytes of state
//	ballsbins           balls into bins without memory: oblivious packet spraying
//	recycled            balls into bins with memory: recycled packet spraying
//	coalescing          what is left of it when not every packet is acknowledged
//	internal/fifo       the queues of bins and the rings of flows
//	internal/rates      slow and broken ports
//	evsimbalance        entropy values on uplinks: load imbalance
//	internal/ecmphash   the switch's hash of addresses and entropy value
//	internal/mc         streams, replicas, estimates with intervals
//	internal/paper      which experiment re-makes which figure or claim
//	internal/report     tables and plots
//	internal/sweep      blocks, result files, resume, shard, merge
//	internal/web/scene  what the live page shows
//	internal/web/live   the live page, compiled and served
//	internal/values     the text of a parameter: ranges, sizes, expressions
//	internal/wholefile  files that appear whole or not at all
//	cmd/repslab         the command line
//
// Who may import whom is written in imports_test.go and enforced there. The
// glossary and the references that comments cite by keys such as [Bonato26] are
// in docs.
package repslab
