/*
 * mrc.h: the entropy values (EVs) of MRC, Multipath Reliable Connection, in C99 and C++: the part of a sender that
 * chooses a plane of the network, and a path in the plane, for every packet.
 *
 * mrc/testdata/README.md has the rules and the test vectors, go doc ./mrc their sources. The Go package mrc is the
 * reference, to which this code is compared call by call.
 *
 *   cc -std=c99 c/mrc.c your.c
 *
 * As reps.c, the code allocates nothing, and calls no function but the compiler's own helpers and the generator given
 * to mrc_init; it has no global variable and no clock. mrc_init comes before all other functions. Pointers must not be
 * null, except where it is said. Costs name P, the planes, and S, the EVs of a plane's set. An EV that is not in the
 * set may be given; it changes nothing.
 *
 * The states of an EV, which begins GOOD; an EV that is GOOD or SKIP can be active:
 *
 *   GOOD               to SKIP         on a mark, or a packet trimmed before the last hop
 *   SKIP               to GOOD         when the rotation passes the EV over, which is not sent then
 *   GOOD, SKIP         to ASSUMED_BAD  on a loss; to SKIP if fewer than min_active EVs were then active
 *   ASSUMED_BAD        to GOOD         on probe_replies replies in a row; to SKIP if the last one is marked
 *   any                to DENIED       by mrc_deny, which also leads from DENIED to GOOD
 *
 * The caller must drive the probes, or an EV stays ASSUMED_BAD for ever: ask mrc_probe from time to time, send a probe
 * with the EV that it names, and report the reply or its loss.
 *
 * Left out, of the Go package: SkipHeld, and OrderDrawn.
 */
#ifndef MRC_H
#define MRC_H

#include "reps.h" /* for REPS_VERSION and the types */

#ifdef __cplusplus
extern "C" {
#endif

enum {
	/* the second: a plane's EVs, active and backup; the last: bytes of the longest encoded state */
	MRC_MAX_PLANES = 16, MRC_MAX_SET = 256, MRC_MAX_ENCODED = 1110,
	MRC_GOOD = 0, MRC_SKIP = 1, MRC_ASSUMED_BAD = 2, MRC_DENIED = 3 /* states of an EV */
};

/* The configuration. A number of 0 is its default. */
typedef struct mrc_config {
	uint32_t size;          /* sizeof(mrc_config): later versions may add fields at the end */
	uint32_t planes;        /* 1 to 16, default 1 */
	uint32_t values;        /* EVs of a plane are drawn below it: 1 to 65536, default 65536 */
	uint32_t active;        /* EVs of a plane in use: at least 1, default 128 / planes, at most values */
	uint32_t set;           /* EVs of a plane, with backups: active to 256 and values; default twice active, if possible */
	uint32_t min_active;    /* active EVs of all planes that losses leave: 1 to planes * active, default a quarter */
	uint32_t probe_replies; /* in a row that bring an EV back: 1 to 255, default 3 */
	uint32_t skip_one;      /* 1: at most one skipped EV becomes good for each packet sent */
} mrc_config;

typedef struct mrc_ev {
	uint16_t value;
	uint8_t port; /* of the NIC: the plane */
} mrc_ev;

/* A plane: EV k of its set is start + k stride, modulo the values. */
typedef struct mrc_plane {
	uint16_t start, stride, inverse; /* inverse: 1 / stride, modulo the values */
	uint16_t position;               /* in the set: where the rotation goes on */
	uint16_t end, active;            /* place after the last active EV; number of active EVs */
	uint8_t states[MRC_MAX_SET / 4]; /* four EVs to a byte, the first in the lowest bits */
} mrc_plane;

/* The state of a connection, to be read by anyone and changed by the functions alone. A copy by assignment shares the
 * planes. */
typedef struct mrc_connection {
	mrc_plane *planes; /* the caller's memory */
	uint32_t values;
	uint16_t active, set, min_active, ports;  /* ports: bit i is 1 if port i works at both ends */
	uint8_t count, probe_replies, skip_one;   /* count: of planes */
	uint8_t last, plane, place, replies;      /* plane of the last packet; the EV under test, its replies in a row */
} mrc_connection;

/* mrc_init gives *m a configuration, memory for `room` planes, at least as many as the configuration has, and a new
 * state: all EVs good, all ports at work. A null configuration has all defaults. random(context) returns words that are
 * uniform in all 64 bits: from a 32-bit generator join two words. It is called for a plane until a word gives a stride
 * that is prime to values: at most seven times on average, and never more than 257 times. Only a broken generator comes
 * so far; the stride is then 1. Returns 0, or the number of the first wrong field of mrc_config, from 1; *m is then
 * unchanged. O(P S). */
uint32_t mrc_init(mrc_connection *m, const mrc_config *config, mrc_plane *planes, uint32_t room,
	uint64_t (*random)(void *context), void *context);

/* mrc_next_ev stores the EV of the next packet in *ev. free_ports is a mask: bit i is 1 if port i can send. Returns
 * false, and leaves *ev as it is, if no port that works and is free has an active EV. O(P), and a step for each EV
 * passed over, at most 2 S. */
bool mrc_next_ev(mrc_connection *m, uint16_t free_ports, mrc_ev *ev);

/* mrc_on_ack reports an ACK for a packet with an EV, and whether the packet met congestion. O(1). */
void mrc_on_ack(mrc_connection *m, mrc_ev ev, bool marked);

/* mrc_on_trimmed reports that a switch trimmed a packet, and whether at the last hop. O(1). */
void mrc_on_trimmed(mrc_connection *m, mrc_ev ev, bool last_hop);

/* mrc_on_loss reports a packet that was neither acknowledged nor trimmed in time, or that the receiver wants the EV to
 * be avoided. O(P + S). */
void mrc_on_loss(mrc_connection *m, mrc_ev ev);

/* mrc_on_ports reports the ports that work, of this NIC and of its peer: bit i is port i. O(1). */
void mrc_on_ports(mrc_connection *m, uint16_t own, uint16_t peer);

/* mrc_deny takes an EV out of use, or makes it good again if it is denied. O(S). */
void mrc_deny(mrc_connection *m, mrc_ev ev, bool denied);

/* mrc_probe stores the EV to probe next in *ev. Returns false if no EV is assumed bad; *ev then means nothing.
 * O(P S). */
bool mrc_probe(mrc_connection *m, mrc_ev *ev);

/* mrc_on_probe_reply reports the reply to the probe of the EV that mrc_probe returned, and whether it is marked; a
 * reply for another EV changes nothing. O(S). */
void mrc_on_probe_reply(mrc_connection *m, mrc_ev ev, bool marked);

/* mrc_on_probe_loss reports that the probe of the EV that mrc_probe returned was not answered. O(1). */
void mrc_on_probe_loss(mrc_connection *m, mrc_ev ev);

/* mrc_state returns the state of an EV; MRC_DENIED if it is not in the set. O(1). */
int mrc_state(const mrc_connection *m, mrc_ev ev);

/* mrc_encoded_size returns the bytes of the encoded state (mrc/testdata/README.md has its layout), at most
 * MRC_MAX_ENCODED. O(1). */
size_t mrc_encoded_size(const mrc_connection *m);

/* mrc_encode writes the state to mrc_encoded_size bytes at data and returns their number; it writes and returns 0 if
 * that is more than room. O(P S). */
size_t mrc_encode(const mrc_connection *m, uint8_t *data, size_t room);

/* mrc_decode sets the state to the one in the size bytes at data, from a connection with the same configuration.
 * Returns false for bytes that no such connection writes; *m and its planes are then unchanged. Bits that no EV has,
 * where S is no multiple of 4, are ignored. O(P S). */
bool mrc_decode(mrc_connection *m, const uint8_t *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
