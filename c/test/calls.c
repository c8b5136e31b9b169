/*
 * calls reps|mrc SEED BLOCKS CALLS
 *     makes BLOCKS blocks of CALLS random calls, the first with SEED, the next with SEED + 1 and so on, and writes a
 *     digest of each block's answers: 8 bytes, the lowest first. internal/ctest makes the same calls in Go.
 * calls reps|mrc SEED
 *     writes the digest after each call of a block, without end.
 * calls speed PAIRS
 *     makes PAIRS calls each of reps_on_ack and reps_next_ev, and prints the nanoseconds of processor time, and the
 *     bytes of a connection, of its ring and of its encoded state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../mrc.h"
#include "../reps.h"

enum { CONNECTIONS = 4, RECENT = 8 };

typedef struct {
	uint64_t state, digest;
	bool trace;
} block;

/* splitmix64 */
static uint64_t draw(void *state) {
	uint64_t z = *(uint64_t *)state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Adds an answer to the digest. */
static void add(block *b, uint64_t answer) {
	b->digest = (b->digest ^ answer) * 0x100000001b3;
	b->digest ^= b->digest >> 29;
}

static void add_bytes(block *b, const uint8_t *data, size_t size) {
	add(b, size);
	for (size_t i = 0; i < size; i++)
		add(b, data[i]);
}

static void write_digest(const block *b) {
	for (int i = 0; i < 64; i += 8)
		putchar((int)(b->digest >> i & 0xff));
}

/* A configuration; about one in eight has a value out of range. */
static reps_config random_config(uint64_t *state) {
	uint64_t r = draw(state);
	reps_config c = {sizeof c, 0, 0, 0, 0, 0, REPS_PAPER, 0, REPS_CACHE_ALL, 0};
	c.rules = r & 1 ? REPS_PAPER : r >> 1 & 1 ? REPS_ARTIFACT : REPS_ULTRA_ETHERNET;
	c.buffer_size = (uint32_t)(r >> 2 & 7 ? (r >> 5 & 63) % 34 : draw(state) % 1030);
	c.evs_size = r >> 11 & 1 ? 0 : (uint32_t)(draw(state) % 65538);
	c.freezing_timeout_ns = r >> 12 & 1 ? 0 : (uint32_t)draw(state) >> (r >> 13 & 31);
	c.packets_per_window = r >> 18 & 1 ? 0 : (uint32_t)(r >> 19 & 511);
	c.packets_per_window <<= (r >> 28 & 15) == 0 ? 7 : 0;
	c.reuse_count = (r >> 33 & 31) == 0 ? 2 : 0;
	if (c.rules == REPS_PAPER && (r >> 32 & 1))
		c.reuse_count = (uint32_t)((r >> 33 & 255) % 18);
	c.exit = (uint32_t)((r >> 41 & 7) < 4 ? 0 : (r >> 41 & 7) - 3);
	c.freeze_cache = (uint32_t)((r >> 44 & 15) < 8 ? 0 : (r >> 44 & 15) < 15 ? 1 + (r >> 44 & 1) : 3);
	c.disable_freezing = (r >> 48 & 15) == 0;
	return c;
}

/* Adds the slots in the order in which ACKs overwrite them, with their validity where the rules keep it. */
static void add_slots(block *b, const reps_connection *r) {
	uint32_t first = r->head < r->written ? r->head : 0;
	for (uint32_t i = 0; i < r->written; i++) {
		uint32_t slot = (first + i) % r->written, behind = (r->head + r->buffer_size - slot - 1u) % r->buffer_size;
		add(b, r->ring[slot] * 2u + (behind < r->valid && !(r->artifact && r->frozen)));
	}
}

/* Loads the state of another connection, or one with a bit inverted, which may be wrong. */
static bool transfer(reps_connection *to, const reps_connection *from, bool invert, uint64_t bit) {
	uint8_t data[REPS_MAX_ENCODED] = {0};
	size_t size = reps_encode(from, data, sizeof data);
	if (invert && size > 0)
		data[bit / 8 % size] = (uint8_t)(data[bit / 8 % size] ^ 1 << bit % 8);
	return reps_decode(to, data, size);
}

static uint64_t reps_call(reps_connection *all, uint16_t rings[][REPS_MAX_RING], uint64_t r, uint64_t *state,
	uint32_t now) {
	uint64_t argument = draw(state), which = r % CONNECTIONS;
	reps_connection *c = &all[which];
	reps_config config;
	uint16_t ev;
	bool recycled;
	switch (r >> 8 & 15) {
	case 0:
		if (r >> 12 & 63) {
			reps_on_nack(c, now);
			return 0;
		}
		config = random_config(state);
		return reps_init(c, &config, rings[which], REPS_MAX_RING);
	case 1:
		if ((r >> 12 & 15) == 0)
			reps_reset(c);
		else if ((r >> 12 & 15) == 1)
			reps_on_idle(c, now);
		else
			reps_on_probe_reply(c);
		return 0;
	case 2:
		reps_on_failure(c, now);
		return 0;
	case 3:
		return r >> 12 & 3 ? 0 : transfer(c, &all[argument % CONNECTIONS], (argument >> 8 & 1) != 0, argument >> 9);
	case 4:
		reps_on_ack(c, now, (uint16_t)(argument % 20), true);
		return 0;
	case 5: case 6: case 7: case 8: case 9:
		reps_on_ack(c, now, (uint16_t)(argument & 64 ? argument % 20 : argument >> 8), false);
		return 0;
	default:
		recycled = reps_next_ev(c, argument, &ev);
		return ev * 2u + recycled;
	}
}

static void reps_block(block *b, long calls) {
	static uint16_t rings[CONNECTIONS][REPS_MAX_RING];
	reps_connection all[CONNECTIONS];
	uint32_t now = (uint32_t)draw(&b->state);
	for (int i = 0; i < CONNECTIONS; i++) {
		reps_config config = random_config(&b->state);
		uint32_t fault = reps_init(&all[i], &config, rings[i], REPS_MAX_RING);
		add(b, fault);
		if (fault != 0)
			reps_init(&all[i], NULL, rings[i], REPS_MAX_RING);
	}
	for (long i = 0; i < calls; i++) {
		uint64_t r = draw(&b->state);
		reps_connection *c = &all[r % CONNECTIONS];
		if ((r >> 40 & 15) == 0)
			now = c->exit_time_ns + (uint32_t)(r >> 44 & 3) - 1;
		else
			now += r >> 40 & 12 ? (uint32_t)(r >> 44 & 0xfff) : (uint32_t)(r >> 32) >> (r & 31);
		add(b, reps_call(all, rings, r, &b->state, now) * 2 + c->frozen);
		if ((r >> 16 & 15) == 0) {
			uint8_t data[REPS_MAX_ENCODED];
			add_bytes(b, data, reps_encode(c, data, sizeof data));
			if (reps_encoded_size(c) == 0)
				add_slots(b, c);
		}
		if (b->trace)
			write_digest(b);
	}
}

/* A configuration of MRC; some have a value out of range. */
static mrc_config random_mrc(uint64_t *state) {
	uint64_t r = draw(state);
	mrc_config c = {sizeof c, 0, 0, 0, 0, 0, 0, 0};
	c.planes = (uint32_t)(r % 19);
	c.values = (uint32_t)(r >> 5 & 3 ? (r >> 7 & 0xffff) >> (r >> 23 & 15) : r >> 7 & 1 ? 65537 : 0);
	c.active = (uint32_t)(r >> 27 & 1 ? 0 : (r >> 28 & 0x1ff) >> (r >> 37 & 7));
	if (c.active > 0 && (r >> 40 & 3) != 0)
		c.set = c.active + (uint32_t)(r >> 42 & 63) - ((r >> 42 & 63) == 63 ? 64 : 0);
	c.min_active = (uint32_t)(r >> 48 & 1 ? 0 : r >> 49 & 31);
	c.probe_replies = (uint32_t)(r >> 54 & 3);
	c.skip_one = r >> 56 & 1;
	return c;
}

static uint64_t mrc_call(mrc_connection *m, uint64_t r, uint64_t argument, mrc_ev recent[RECENT]) {
	mrc_ev ev = recent[r >> 8 & 7], *next = &recent[r >> 11 & 7];
	bool flag = r >> 14 & 1;
	uint8_t data[MRC_MAX_ENCODED];
	if ((r >> 15 & 15) == 0)
		ev = (mrc_ev){(uint16_t)argument, (uint8_t)(argument >> 16 & 15)};
	switch (r & 15) {
	case 0: mrc_on_ack(m, ev, flag); break;
	case 1: mrc_on_trimmed(m, ev, flag); break;
	case 2: case 3: mrc_on_loss(m, ev); break;
	case 4: mrc_deny(m, ev, flag); break;
	case 5: mrc_on_probe_reply(m, ev, flag); break;
	case 6: mrc_on_probe_loss(m, ev); break;
	case 7: mrc_on_ports(m, (uint16_t)(argument | argument >> 16), (uint16_t)(argument >> 32 | argument >> 48)); break;
	case 8: case 9: case 10:
		if (!mrc_probe(m, &ev))
			return 1;
		mrc_on_probe_reply(m, ev, flag);
		return (uint64_t)ev.port << 16 | ev.value;
	case 11:
		if ((r >> 19 & 15) != 0)
			break;
		mrc_encode(m, data, sizeof data);
		data[argument % mrc_encoded_size(m)] ^= (uint8_t)(flag << (argument >> 32 & 7));
		return mrc_decode(m, data, mrc_encoded_size(m) - ((argument >> 40 & 7) == 7));
	default:
		return mrc_next_ev(m, (uint16_t)(argument | argument >> 16), next) ? (uint64_t)next->port << 16 | next->value : 1;
	}
	return (uint64_t)mrc_state(m, ev);
}

static void mrc_block(block *b, long calls) {
	mrc_plane planes[MRC_MAX_PLANES];
	mrc_connection m;
	mrc_ev recent[RECENT];
	uint8_t data[MRC_MAX_ENCODED];
	mrc_config config = random_mrc(&b->state);
	uint32_t fault = mrc_init(&m, &config, planes, MRC_MAX_PLANES, draw, &b->state);
	add(b, fault);
	if (fault != 0)
		mrc_init(&m, NULL, planes, MRC_MAX_PLANES, draw, &b->state);
	memset(recent, 0, sizeof recent);
	for (long i = 0; i < calls; i++) {
		uint64_t r = draw(&b->state), argument = draw(&b->state);
		add(b, mrc_call(&m, r, argument, recent));
		if ((r >> 24 & 15) == 0) {
			add_bytes(b, data, mrc_encode(&m, data, sizeof data));
		}
		if (b->trace)
			write_digest(b);
	}
}

static void speed(long pairs) {
	uint16_t ring[8], ev = 1;
	reps_connection r;
	reps_init(&r, NULL, ring, 8);
	clock_t begin = clock();
	for (long i = 0; i < pairs; i++) {
		reps_on_ack(&r, (uint32_t)(83 * i), ev, false);
		reps_next_ev(&r, 0, &ev);
	}
	printf("%.0f ns; connection %zu bytes, ring %zu, encoded %zu\n", (double)(clock() - begin) * 1e9 / CLOCKS_PER_SEC,
		sizeof r, sizeof ring, reps_encoded_size(&r));
}

int main(int argc, char **argv) {
	bool mrc = argc > 1 && strcmp(argv[1], "mrc") == 0;
	if (argc == 3 && strcmp(argv[1], "speed") == 0) {
		speed(atol(argv[2]));
		return 0;
	}
	if (argc != 3 && argc != 5)
		return 2;
	for (long i = 0; i < (argc == 5 ? atol(argv[3]) : 1); i++) {
		block b = {strtoull(argv[2], NULL, 10) + (uint64_t)i, 0xcbf29ce484222325, argc == 3};
		(mrc ? mrc_block : reps_block)(&b, argc == 5 ? atol(argv[4]) : 1000000000L);
		write_digest(&b);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
