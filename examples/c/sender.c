/*
 * sender.c: a sender that sprays its packets over 16 paths. One path has half the usual rate; another one
 * fails in the middle. In the root of the repository:
 *
 *   cc -std=c99 c/reps.c examples/c/sender.c && ./a.out
 */
#include <stdio.h>

#include "../../c/reps.h"

enum { PATHS = 16, SLOW = 5, FAILS = 9, WINDOW = 200, STEPS = 300000, STEP_NS = 82, MARKS_FROM = 8 };

/* SplitMix64; a NIC has a generator of its own. */
static uint64_t random_word(uint64_t *state) {
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* The path onto which the switches of this toy network hash an EV. */
static unsigned path_of(uint16_t ev) { return (ev * 40503u & 0xffff) >> 12; }

int main(void) {
	struct packet { uint16_t ev; bool sent, marked, lost; int pause; } flight[WINDOW] = {{0, false, false, false, 0}};
	long queue[PATHS] = {0}, packets[2][PATHS] = {{0}}, sent = 0, lost = 0, recycled = 0;
	uint64_t generator = 1;
	reps_connection reps;
	reps_config config = {.size = sizeof config, .freezing_timeout_ns = 100000}; /* else the paper's constants */
	uint16_t ring[8];
	if (reps_init(&reps, &config, ring, 8) != 0)
		return 1;
	for (long step = 0; step < STEPS; step++) {
		uint32_t now_ns = (uint32_t)(step * STEP_NS);
		struct packet *p = &flight[step % WINDOW]; /* sent a window ago: now there is news of it */
		if (p->sent && p->lost)
			reps_on_failure(&reps, now_ns);
		else if (p->sent)
			reps_on_ack(&reps, now_ns, p->ev, p->marked);

		unsigned serves = (unsigned)(step % PATHS); /* each path sends a packet of its queue in turn */
		if (queue[serves] > 0 && (serves != SLOW || step / PATHS % 2 == 0))
			queue[serves]--;

		if (p->sent && p->marked) /* congestion control: the packet's place in the window stays empty for a while */
			p->pause = 3;
		p->sent = step % 5 != 0 && p->pause-- <= 0; /* at most 80 % of the link */
		if (!p->sent)
			continue;
		sent++;
		recycled += reps_next_ev(&reps, random_word(&generator), &p->ev);
		unsigned path = path_of(p->ev);
		p->marked = queue[path]++ >= MARKS_FROM;
		p->lost = path == FAILS && step >= STEPS / 2;
		lost += p->lost;
		packets[step >= STEPS / 2][path]++;
	}
	printf("%ld %% of the packets took a recycled entropy value\n\npath  before  after the failure of path %d\n",
		recycled * 100 / sent, FAILS);
	for (int path = 0; path < PATHS; path++)
		printf("%4d %7ld %7ld%s\n", path, packets[0][path], packets[1][path], path == SLOW ? "  half the rate" : "");
	printf("\n%ld packets were lost\n", lost);
	return 0;
}
