/*
 * calls trace SEED CALLS THREADS
 *     makes CALLS random calls in each of THREADS threads, each on CONNECTIONS
 *     connections of its own, and writes a record for each call, thread by thread.
 *     libreps_test.go makes the same calls on package reps.
 *
 * calls speed PAIRS THREADS
 *     makes PAIRS calls each of reps_on_ack and reps_next_ev in every thread and
 *     prints the nanoseconds that all threads together took.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reps.h"

enum { CONNECTIONS = 8, FIELDS = 6, MOST_THREADS = 64 };

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t digest(const uint8_t *data, int length)
{
	uint64_t h = 0xcbf29ce484222325;
	for (int i = 0; i < length; i++)
		h = (h ^ data[i]) * 0x100000001b3;
	return h;
}

/* A configuration; about one in 15 has a value out of range. */
static reps_config random_config(uint64_t *state)
{
	reps_config c;
	uint64_t r = draw(state);
	c.buffer_size = r % 34;
	c.evs_size = r >> 8 & 1 ? 0 : (uint32_t)(draw(state) % 65538);
	c.freezing_timeout_ns = r >> 9 & 1 ? 0 : (uint32_t)draw(state) >> (r >> 10 & 31);
	c.packets_per_window = r >> 16 & 1 ? 0 : (uint32_t)(r >> 17 & 511);
	c.reuse_count = r >> 26 & 1 ? 0 : (uint32_t)((r >> 27 & 255) % 18);
	c.exit_on_probe = (r >> 36 & 3) == 0;
	c.disable_freezing = (r >> 38 & 7) == 0;
	return c;
}

struct thread {
	uint64_t state;
	long calls;
	uint32_t *records;
	pthread_t id;
};

/* Sets c to the state of from, or with a bit flipped to one that may be wrong. */
static int transfer(reps_connection *c, const reps_connection *from, int flip, uint64_t bit)
{
	uint8_t data[REPS_MAX_ENCODED];
	int length = reps_encode(from, data, sizeof data);
	if (flip)
		data[bit / 8 % length] ^= 1 << bit % 8;
	return reps_decode(c, data, length, NULL, 0);
}

static int call(reps_connection *all, uint64_t r, uint64_t *state, uint32_t now, uint16_t *ev)
{
	reps_connection *c = all + r % CONNECTIONS;
	uint64_t argument = draw(state);
	reps_config config;
	switch (r >> 8 & 15) {
	case 0:
		if (r >> 12 & 15)
			return reps_on_nack(c, now);
		config = random_config(state);
		return reps_init(c, &config, NULL, 0);
	case 1:
		return r >> 12 & 15 ? reps_on_probe_reply(c) : reps_reset(c);
	case 2:
		return reps_on_failure(c, now);
	case 3:
		return transfer(c, all + argument % CONNECTIONS, 0, 0);
	case 4:
		return transfer(c, c, 1, argument);
	case 5: case 6: case 7: case 8: case 9:
		return reps_on_ack(c, now, (uint16_t)argument, false);
	case 10:
		return reps_on_ack(c, now, (uint16_t)argument, true);
	default:
		return reps_next_ev(c, argument, ev);
	}
}

static void *trace(void *argument)
{
	struct thread *t = argument;
	reps_connection all[CONNECTIONS];
	uint32_t now = (uint32_t)draw(&t->state);
	for (int i = 0; i < CONNECTIONS; i++)
		if (reps_init(all + i, NULL, NULL, 0) != 0)
			abort();
	for (long i = 0; i < t->calls; i++) {
		uint8_t data[REPS_MAX_ENCODED];
		uint16_t ev = 0;
		uint32_t *record = t->records + FIELDS * i;
		uint64_t r = draw(&t->state);
		now += r >> 40 & 15 ? (uint32_t)(r >> 44 & 0xfffff) : (uint32_t)(r >> 32);
		record[0] = (uint32_t)call(all, r, &t->state, now, &ev);
		record[1] = ev;
		const reps_connection *c = all + r % CONNECTIONS;
		record[2] = (uint32_t)(reps_frozen(c) << 16 | reps_exploring(c) << 8 | reps_valid_evs(c));
		int length = reps_encode(c, data, sizeof data);
		uint64_t h = digest(data, length);
		record[3] = (uint32_t)length;
		record[4] = (uint32_t)h;
		record[5] = (uint32_t)(h >> 32);
	}
	return NULL;
}

static uint64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *speed(void *argument)
{
	struct thread *t = argument;
	reps_connection c;
	uint16_t ev = 1;
	if (reps_init(&c, NULL, NULL, 0) != 0)
		abort();
	for (long i = 0; i < t->calls; i++) {
		reps_on_ack(&c, (uint32_t)(83 * i), ev, false);
		reps_next_ev(&c, 0, &ev);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct thread threads[MOST_THREADS];
	int tracing = argc == 5 && strcmp(argv[1], "trace") == 0;
	if (!tracing && !(argc == 4 && strcmp(argv[1], "speed") == 0))
		return 2;
	uint64_t seed = tracing ? strtoull(argv[2], NULL, 10) : 0;
	long calls = atol(argv[argc - 2]);
	int n = atoi(argv[argc - 1]);
	if (n < 1 || n > MOST_THREADS)
		return 2;
	uint64_t begin = clock_ns();
	for (int i = 0; i < n; i++) {
		threads[i].state = seed + (uint64_t)i;
		threads[i].calls = calls;
		if (tracing && !(threads[i].records = malloc(sizeof(uint32_t) * FIELDS * (size_t)calls)))
			return 1;
		if (pthread_create(&threads[i].id, NULL, tracing ? trace : speed, threads + i) != 0)
			return 1;
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i].id, NULL);
	if (!tracing)
		printf("%" PRIu64 "\n", clock_ns() - begin);
	for (int i = 0; tracing && i < n; i++)
		fwrite(threads[i].records, sizeof(uint32_t) * FIELDS, (size_t)calls, stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}
