// Package reps is REPS, recycled entropy packet spraying: the part of a sender
// that chooses the entropy value (EV) of every data packet, and by it the path
// that the switches hash the packet onto. If the ACK of an EV carries no congestion
// mark, the EV is cached in a small ring and used for one more packet; if the ring is
// empty, the packet gets a random EV. On a suspected path failure, freezing mode
// cycles through the EVs known to be good, used or not, instead of exploring. The
// state of a connection fits into 25 bytes.
//
// The package implements Algorithms 1 and 2 of [Bonato26] as [REPS] and, for
// comparison, the two variants in the authors' packet simulator as [Artifact]
// and [FIFO]. All three have the methods OnAck, OnNack, OnFailure, OnProbeReply,
// NextEV, Frozen, Exploring and ValidEVs. Time and random words are passed in: the
// package reads no clock, takes no lock and allocates nothing after Init.
//
// # Symbols
//
//	paper              Go                            unit, range
//	REPS_BUFFER_SIZE   Config.BufferSize             entries, 1 to 32
//	EVS_SIZE           Config.EVSSize                EVs, 1 to 65536
//	FREEZING_TIMEOUT   Config.FreezingTimeout        ns, below 2^31
//	NUM_PKTS_CWND      Config.PacketsPerWindow       packets
//	now()              argument now                  ns modulo 2^32
//	rand()             argument random, a Source     64-bit words
//	onAck              REPS.OnAck                    Algorithm 1, lines 5 to 19
//	onFailureDetection REPS.OnFailure                Algorithm 1, lines 21 to 26
//	getNextEV, onSend  REPS.NextEV                   Algorithm 2
//	exploreCounter     REPS.Exploring                packets, 0 to 255
//	numberOfValidEVs   REPS.ValidEVs                 entries
//	isFreezingMode     REPS.Frozen
//	exitFreezingMode   REPS.ExitTime                 ns modulo 2^32
//	isEmpty            REPS.WrittenSlots() == 0
//	Table 1            Footprint, SumBits            bits
//
// Lines are counted as printed, including the lines that only end a block.
//
// # Open points
//
// The pseudocode leaves these open; the choices are:
//
//  1. During exploration, when the counter is not a multiple of BufferSize, the
//     packet gets its EV by the normal rule. Read literally, it would get none.
//  2. Freezing mode with fewer slots written than BufferSize reads only written
//     slots. Reading and writing share head, as in the paper: if head points to a
//     slot that was never written, the next read takes slot 0 and the next write
//     takes that new slot. With nothing written the EV is random.
//  3. An ACK that arrives while freezing mode cycles goes to the slot after the
//     one read last, since head is shared. Reading moves head only while no entry
//     is valid, so the valid entries are always the numberOfValidEVs slots before
//     head.
//  4. BufferSize is added to a negative (head - numberOfValidEVs).
//  5. A marked ACK changes nothing, so only an unmarked ACK ends freezing mode. It
//     must arrive strictly after the deadline.
//  6. The 32-bit clock wraps every 4.3 s, so times are compared by their
//     difference modulo 2^32. A connection whose first unmarked ACK comes 2^31
//     ns or more (2.1 s) after the deadline may stay frozen for up to another
//     2.1 s.
//  7. A failure is ignored in freezing mode and in the exploration after it.
//  8. isEmpty means that no slot was ever written. This takes a count of
//     written slots, which Table 1 does not have: 4 bits for 8 entries, 197
//     bits instead of 193 and 25 bytes either way.
//  9. The 8-bit exploreCounter saturates: a window above 255 packets counts
//     as 255.
//  10. A ring of 1 entry makes every explored packet random, because 1 divides
//     every counter.
//  11. Leaving freezing mode by a probe (sec. 3.2 names it, the pseudocode does
//     not have it) is the option ExitOnProbe; it starts the same exploration.
//  12. Reuse of an EV under coalesced ACKs (sec. 4.5) is ReuseCount. Entries are
//     used up oldest first, so one counter of the uses of the oldest valid entry is
//     enough; it restarts when that entry is overwritten. In freezing mode with no
//     valid entry each read takes the next slot, whatever ReuseCount is.
//
// One option departs from the pseudocode, by which ACKs go on writing the ring in freezing mode, so
// that it loses EVs: Config.FrozenCache keeps EVs out that the ring has, or all.
//
// The validity bits of the slots follow from head and numberOfValidEVs (point 3),
// so a REPS in memory does not store them; the encoding has them, as in Table 1.
//
// # Assumptions
//
// The receiver echoes the EV of the packet that it acknowledges. A random EV is
// one word of the source mapped by a multiplication; its bias is below 2^-48
// relative to 1/EVSSize, and zero if EVSSize is a power of two. The random first
// window of sec. 3.1 follows from the empty ring of a new connection; no counter
// implements it. In the pseudocode an idle connection keeps its ring. By the text it
// explores again: that is the option [REPS.OnIdle].
//
// # Left out
//
// The caller detects lost packets and failed paths (time-outs, trimming, the
// size of the RTT), sends probes, and controls congestion. The hashing of EVs
// onto paths is left to the switches.
//
// # Use
//
// The package imports only the standard library and repslab/faults, which imports nothing else. A sender makes four
// calls: Init for a connection, NextEV for a packet, and OnAck or OnFailure for
// its fate. The example Nic has them as methods of a connection; examples/nic puts
// them into the send loop of a NIC model, and docs/extending.md describes how
// another module depends on this package.
//
// C programs use c/reps.c, which gives the same answers. Implementations in other languages or
// in hardware can be checked with the test vectors of docs/vectors.md, which also
// states the open points as rules for implementers.
//
// # References
//
// [Bonato26]: REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing
// and Failure Mitigation, EuroSys 2026; Algorithms 1 and 2, Table 1, sections
// 3.1 to 3.3 and 4.5. [Bonato26-artifact]: the packet simulator published with
// it, for Artifact and FIFO. Full entries are under these keys in
// docs/references.md.
package reps
