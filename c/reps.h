/*
 * reps.h: REPS, recycled entropy packet spraying, in C99 and C++.
 *
 * REPS is the part of a sender that chooses the entropy value (EV) of every packet, and with it the path onto which
 * switches hash the packet: Algorithms 1 and 2 of T. Bonato et al., EuroSys 2026. docs/vectors.md has the rules as
 * pseudocode, and test vectors. The Go package reps is the reference, to which this code is compared call by call.
 *
 *   cc -std=c99 c/reps.c your.c
 *
 * The code allocates nothing, calls no function but the compiler's own helpers (memset, memcpy, 64-bit multiplication,
 * division and the like), has no global variable, and reads no clock and no generator: times and random words are
 * arguments. Times are nanoseconds modulo 2^32 of any clock. Random words must be uniform in all 64 bits: from a 32-bit
 * generator join two words, as all EVs drawn by a word below 2^32 are 0. Pointers must not be null, except where it is
 * said. A function works on one connection alone; two threads must not use one at the same time.
 *
 * Left out: FIFO, the authors' list without a limit, and the statistics NextOrigin and AppendSlots.
 */
#ifndef REPS_H
#define REPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* major * 10000 + minor * 100 + patch. A new major version may change reps_connection, and has a new soname. */
#define REPS_VERSION 100

enum {
	REPS_MAX_RING = 1024, REPS_MAX_ENCODED = 77, /* entries; bytes of the longest encoded state */

	/* rules: Algorithms 1 and 2; the authors' simulator; the Ultra Ethernet simulator, which is the authors' with other
	 * defaults */
	REPS_PAPER = 0, REPS_ARTIFACT = 1, REPS_ULTRA_ETHERNET = 2,

	/* exit: what ends freezing mode. 0 is the default of the rules: ON_FEEDBACK of Ultra Ethernet, else ON_TIMEOUT. */
	REPS_EXIT_ON_TIMEOUT = 1,  /* the first unmarked ACK after the deadline; except for REPS_PAPER any ACK or NACK */
	REPS_EXIT_ON_PROBE = 2,    /* reps_on_probe_reply alone; for REPS_PAPER */
	REPS_EXIT_ON_FEEDBACK = 3, /* also a failure after the deadline; not for REPS_PAPER */

	/* freeze_cache: the ring takes in freezing mode every EV; if no slot has it; while a slot was never written */
	REPS_CACHE_ALL = 0, REPS_CACHE_NEW = 1, REPS_CACHE_FREE = 2
};

/* The configuration. A number of 0 is its default: a program starts from {sizeof(reps_config)} and sets the others. */
typedef struct reps_config {
	uint32_t size;                /* sizeof(reps_config): later versions may add fields at the end */
	uint32_t buffer_size;         /* entries of the ring: 1 to 1024, default 8 */
	uint32_t evs_size;            /* EVs are drawn below it: 1 to 65536, default 65536, Ultra Ethernet 64 */
	uint32_t freezing_timeout_ns; /* 1 to 2147483647, default 10000000 */
	uint32_t packets_per_window;  /* of exploration after freezing mode: 1 to 65535, default 100, Ultra Ethernet 16;
	                                 REPS_PAPER counts at most 255 */
	uint32_t reuse_count;         /* uses of a cached EV: 1 to 16, default 1; above 1 for REPS_PAPER only */
	uint32_t rules, exit, freeze_cache;
	uint32_t disable_freezing; /* 1: reps_on_failure does nothing. Needs REPS_CACHE_ALL. */
} reps_config;

/* The state of a connection, to be read by anyone and changed by the functions alone. It may be moved and kept; a
 * copy by assignment shares the ring. All bytes 0 is a connection before reps_init: it sends EV 0 and caches
 * nothing. */
typedef struct reps_connection {
	uint16_t *ring; /* buffer_size EVs in the caller's memory; slots from `written` on have no meaning */
	uint32_t evs_size, freezing_timeout_ns;
	uint32_t exit_time_ns; /* deadline of the last freezing mode; 0 before the first */
	uint16_t buffer_size, packets_per_window;
	uint16_t explore; /* packets of exploration left */
	uint16_t head;    /* slot that the next good ACK is written to */
	uint16_t valid;   /* the slots before head that are not used up; without meaning while the artifact's rules freeze */
	uint16_t written; /* slots ever written; of the artifact's rules since freezing mode ended */
	uint16_t pointer; /* of the artifact's rules: slot to read next in freezing mode */
	uint8_t reuse_count, artifact, exit, freeze_cache, disable_freezing;
	uint8_t frozen, uses; /* 1 in freezing mode; uses of the oldest valid slot */
} reps_connection;

/* reps_version returns the REPS_VERSION that the library was built with. O(1). */
uint32_t reps_version(void);

/* reps_init gives *r a configuration, a ring and the state of a new connection. A null configuration has all
 * defaults. The ring is memory for `room` EVs, at least buffer_size, which *r uses from now on; its content does not
 * matter. Returns 0, or the number of the first wrong field of reps_config, from 1; *r is then unchanged. O(1). */
uint32_t reps_init(reps_connection *r, const reps_config *config, uint16_t *ring, uint32_t room);

/* reps_reset gives *r the state of a new connection and keeps configuration and ring. O(1). */
void reps_reset(reps_connection *r);

/* reps_next_ev stores the EV of the packet to be sent in *ev. Returns true if the EV came from the ring; random, a word
 * that is uniform in all 64 bits, was then not used and may be passed again. O(1), a division only during
 * exploration. */
bool reps_next_ev(reps_connection *r, uint64_t random, uint16_t *ev);

/* reps_on_ack reports an ACK at a time: the EV of the acknowledged packet, any of 16 bits, and whether the packet met
 * congestion. Call it for each EV that an ACK carries. The clock wraps, so a deadline counts as passed from 1 to
 * 2^31 - 1 ns (2.147 s) after it: the first ACK after a longer silence may leave freezing mode on, for up to 2.147 s
 * more. O(1); O(buffer_size) in freezing mode with REPS_CACHE_NEW. */
void reps_on_ack(reps_connection *r, uint32_t now_ns, uint16_t ev, bool marked);

/* reps_on_nack reports a NACK at a time; under REPS_PAPER nothing changes. O(1). */
void reps_on_nack(reps_connection *r, uint32_t now_ns);

/* reps_on_failure reports at a time that a path may have failed, usually a retransmission time-out. Freezing mode
 * begins, unless it is disabled, already on, or followed by an exploration that is not over. O(1). */
void reps_on_failure(reps_connection *r, uint32_t now_ns);

/* reps_on_probe_reply reports the reply to a probe of the suspected path; see REPS_EXIT_ON_PROBE. O(1). */
void reps_on_probe_reply(reps_connection *r);

/* reps_on_idle reports before the first packet after a pause that the connection was idle: it explores again. In
 * freezing mode nothing changes, except with REPS_EXIT_ON_TIMEOUT from 1 ns to 2.147 s after the deadline (see
 * reps_on_ack), which ends it; after longer pauses call reps_reset. Only REPS_PAPER has this rule. O(1). */
void reps_on_idle(reps_connection *r, uint32_t now_ns);

/* reps_encoded_size returns the bytes of the encoded state: 25 by default, 10 to REPS_MAX_ENCODED. Returns 0 if there
 * is no encoding: before reps_init, with more than 32 entries, or other rules than REPS_PAPER. O(1). */
size_t reps_encoded_size(const reps_connection *r);

/* reps_encode writes the state, without the configuration, to reps_encoded_size bytes at data (docs/vectors.md has
 * the layout) and returns their number; it writes and returns 0 if that is more than room. O(bits of the state). */
size_t reps_encode(const reps_connection *r, uint8_t *data, size_t room);

/* reps_decode sets the state to the one in the size bytes at data, from a connection with the same configuration.
 * Returns false for bytes that no such connection writes; *r and its ring are then unchanged. O(bits of the state). */
bool reps_decode(reps_connection *r, const uint8_t *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
