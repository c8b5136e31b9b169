/*
 * reps.h: REPS, recycled entropy packet spraying, for C and C++.
 *
 * REPS is the part of a sender that chooses the entropy value (EV) of every data
 * packet, and with it the path onto which switches hash the packet: Algorithms 1
 * and 2 of T. Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive
 * Load Balancing and Failure Mitigation", EuroSys 2026. `go doc ./reps` describes
 * the rules and the points that the paper leaves open.
 *
 * In the root of the repository, with Go and gcc, these two lines build a static
 * library and a program in the folder $DIR (-buildmode=c-shared and libreps.so
 * build a shared one):
 *
 *   go build -buildmode=c-archive -o "$DIR/libreps.a" ./cmd/libreps && cp cmd/libreps/reps.h "$DIR"
 *   gcc -I"$DIR" -o "$DIR/nic" "$DIR/nic.c" "$DIR/libreps.a" -pthread
 *
 * The first also writes libreps.h, which the Go tool generates. It is not needed:
 * this header declares everything.
 *
 * Memory. The state of a connection lives in a reps_connection of the caller: on
 * the stack, inside another struct, in an array. It holds no pointer, needs no
 * clean-up and may be copied by assignment. No function allocates memory, except
 * for the message of an error, or keeps a pointer.
 *
 * Threads. Any number of threads may call at the same time, each for other
 * connections. Two threads must not use one connection at the same time.
 *
 * Time and randomness are passed in. Times are nanoseconds modulo 2^32 of any
 * clock; they are compared by their difference modulo 2^32.
 *
 * Errors. A negative result is an error and has changed nothing. reps_init and
 * reps_decode also explain it in the buffer `message` of `message_size` bytes: a
 * text that ends with '\0' and is cut if it is too long. The buffer may be NULL. It
 * is written only on an error.
 *
 * The library contains the runtime of Go, which starts threads of its own when the
 * program starts and installs signal handlers (`go doc os/signal`). It does not
 * survive fork() without exec().
 */
#ifndef REPS_H
#define REPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* cgo, which compiles against this header, has no const. */
#ifndef REPS_CONST
#define REPS_CONST const
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
	REPS_MAX_ENCODED = 77, /* bytes of the longest encoded state */

	/* results of reps_next_ev */
	REPS_DRAWN = 0,    /* the EV was drawn from the random word */
	REPS_RECYCLED = 1, /* the EV came from the ring; the random word was not used */

	/* errors */
	REPS_NULL = -1,            /* a pointer that must not be NULL is NULL */
	REPS_MISALIGNED = -2,      /* the address is not aligned as a reps_connection must be */
	REPS_NOT_INITIALISED = -3, /* reps_init has not succeeded for this connection */
	REPS_BAD_CONFIG = -4,      /* reps_init: a value is out of its range */
	REPS_BAD_STATE = -5,       /* reps_decode: not an encoded state of this configuration */
	REPS_TOO_SMALL = -6        /* reps_encode: the buffer is too small */
};

/* The state of a connection. Its contents are private. */
typedef struct reps_connection {
	uint64_t opaque[13];
} reps_connection;

/* The configuration of a connection. A number of 0 means its default. */
typedef struct reps_config {
	uint32_t buffer_size;         /* entries of the ring: 1 to 32, default 8 */
	uint32_t evs_size;            /* EVs are drawn from 0 to evs_size-1: 1 to 65536, default 65536 */
	uint32_t freezing_timeout_ns; /* 1 to 2147483647, default 10000000 (10 ms) */
	uint32_t packets_per_window;  /* packets of exploration after freezing mode: 1 to 65535,
	                                 default 100; values above 255 count as 255 */
	uint32_t reuse_count;         /* uses of a cached EV: 1 to 16, default 1 */
	bool exit_on_probe;           /* freezing mode ends with reps_on_probe_reply, not by time */
	bool disable_freezing;        /* reps_on_failure does nothing */
} reps_config;

/* reps_size returns sizeof(reps_connection) as the library has it, for languages
 * that cannot read this header. The memory must be aligned as a uint64_t is. */
size_t reps_size(void);

/* reps_init gives *connection a configuration and the state of a new connection.
 * NULL for config is the default configuration. Returns 0, REPS_NULL,
 * REPS_MISALIGNED or REPS_BAD_CONFIG; the message lists every value out of range. */
int reps_init(reps_connection *connection, REPS_CONST reps_config *config,
	char *message, size_t message_size);

/* reps_reset returns *connection to the state of a new connection and keeps its
 * configuration. Returns 0 or an error, as all functions below. */
int reps_reset(reps_connection *connection);

/* reps_next_ev stores the EV of the packet to be sent in *ev and returns REPS_DRAWN
 * or REPS_RECYCLED. random is a uniform 64-bit word; a word that was not used
 * (REPS_RECYCLED) may be passed again. */
int reps_next_ev(reps_connection *connection, uint64_t random, uint16_t *ev);

/* reps_on_ack reports an ACK that echoes ev, the EV of the acknowledged packet;
 * marked means that the packet met congestion (ECN). */
int reps_on_ack(reps_connection *connection, uint32_t now_ns, uint16_t ev, bool marked);

/* reps_on_nack reports a NACK. REPS has no rule for it: nothing changes. */
int reps_on_nack(reps_connection *connection, uint32_t now_ns);

/* reps_on_failure reports a suspected path failure, usually a retransmission
 * time-out. It starts freezing mode, unless that is disabled,
 * already on, or followed by an exploration that is not over yet. */
int reps_on_failure(reps_connection *connection, uint32_t now_ns);

/* reps_on_probe_reply reports the reply to a probe of the suspected path. With
 * exit_on_probe it ends freezing mode; otherwise nothing changes. */
int reps_on_probe_reply(reps_connection *connection);

/* reps_frozen returns 1 in freezing mode and 0 otherwise. */
int reps_frozen(REPS_CONST reps_connection *connection);

/* reps_exploring returns the packets left of the exploration that follows freezing
 * mode: 0 to 255. */
int reps_exploring(REPS_CONST reps_connection *connection);

/* reps_valid_evs returns the number of cached EVs that are not used up: 0 to
 * buffer_size. */
int reps_valid_evs(REPS_CONST reps_connection *connection);

/* reps_encode writes the encoded state (docs/vectors.md has its layout) to the
 * size bytes at data and returns its length: 25 by default, 10 to
 * REPS_MAX_ENCODED in general. The configuration is not part of it. */
int reps_encode(REPS_CONST reps_connection *connection, uint8_t *data, size_t size);

/* reps_decode sets the state of *connection to the one encoded in the size bytes at
 * data, by a connection with the same configuration. Bytes that no such connection
 * could have written are refused; the message names the first faulty variable. */
int reps_decode(reps_connection *connection, REPS_CONST uint8_t *data, size_t size,
	char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
