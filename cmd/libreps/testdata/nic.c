#include <stdio.h>
#include "reps.h"

int main(void)
{
	reps_connection c;
	char why[200];
	uint64_t word = 0x9e3779b97f4a7c15; /* from your generator, a new one for each packet */
	uint16_t good, bad, next;
	if (reps_init(&c, NULL, why, sizeof why) != 0) { /* NULL: 8 entries, 65,536 EVs, 10 ms */
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	reps_next_ev(&c, word, &good);
	reps_next_ev(&c, ~word, &bad);
	reps_on_ack(&c, 8000, good, false);
	reps_on_ack(&c, 8083, bad, true); /* congested: not used again */
	reps_on_failure(&c, 50000);       /* freezing: only EVs that are known to work */
	int result = reps_next_ev(&c, word, &next);
	printf("%d %d %d\n", result == REPS_RECYCLED, next == good, reps_frozen(&c));
	return 0;
}
