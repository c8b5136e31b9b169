/*
 * vectors REPS MRC
 *     replays the test vectors in two files (docs/vectors.md) and checks how configurations are read. Prints how many
 *     lines agree; the first one that does not ends the program with code 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mrc.h"
#include "../reps.h"

enum { LONGEST = 4096 };

/* The value of a field of a line, or of its config; null pointer if it is null. No other field has the same name. */
static const char *field(const char *line, const char *name) {
	char key[40];
	snprintf(key, sizeof key, "\"%s\":", name);
	const char *at = strstr(line, key);
	if (at == NULL)
		return NULL;
	at += strlen(key);
	return strncmp(at, "null", 4) == 0 ? NULL : at;
}

static uint32_t number(const char *line, const char *name) {
	const char *at = field(line, name);
	return at == NULL ? 0 : (uint32_t)strtoul(at, NULL, 10);
}

static bool truth(const char *line, const char *name) {
	const char *at = field(line, name);
	return at != NULL && *at == 't';
}

/* The bytes of a field in hexadecimal, and their number. */
static size_t bytes(const char *line, const char *name, uint8_t *data) {
	const char *at = field(line, name);
	unsigned byte;
	size_t size = 0;
	for (; at != NULL && sscanf(at + 1 + 2 * size, "%2x", &byte) == 1; size++)
		data[size] = (uint8_t)byte;
	return size;
}

static bool is(const char *line, const char *name, const char *text) {
	const char *at = field(line, name);
	return at != NULL && strncmp(at + 1, text, strlen(text)) == 0 && at[1 + strlen(text)] == '"';
}

/* Whether the code chooses the EV that the line demands. */
static bool sends(reps_connection *r, const char *line) {
	uint16_t ev;
	bool recycled = reps_next_ev(r, strtoull(field(line, "random") + 1, NULL, 16), &ev);
	return ev == number(line, "next_ev") && recycled == truth(line, "recycled") && recycled != truth(line, "random_used");
}

static bool reps_line(const char *line) {
	uint8_t data[LONGEST], after[LONGEST];
	uint16_t ring[REPS_MAX_RING];
	reps_connection r;
	memset(&r, 0, sizeof r);
	memset(ring, 0xff, sizeof ring);
	if (field(line, "config") != NULL) {
		reps_config c = {sizeof c, number(line, "buffer_size"), number(line, "evs_size"),
			number(line, "freezing_timeout_ns"), number(line, "packets_per_window"), number(line, "reuse_count"), REPS_PAPER,
			truth(line, "exit_on_probe") ? REPS_EXIT_ON_PROBE : REPS_EXIT_ON_TIMEOUT, REPS_CACHE_ALL,
			truth(line, "disable_freezing")};
		if (reps_init(&r, &c, ring, REPS_MAX_RING) != 0)
			return false;
	}
	uint32_t now = number(line, "now_ns");
	bool loaded = is(line, "event", "encode") || reps_decode(&r, data, bytes(line, "before", data)), good = true;
	if (!loaded)
		return field(line, "refused") != NULL;
	if (is(line, "event", "ack"))
		reps_on_ack(&r, now, (uint16_t)number(line, "ev"), truth(line, "marked"));
	else if (is(line, "event", "nack"))
		reps_on_nack(&r, now);
	else if (is(line, "event", "failure"))
		reps_on_failure(&r, now);
	else if (is(line, "event", "probe_reply"))
		reps_on_probe_reply(&r);
	else if (is(line, "event", "reset"))
		reps_reset(&r);
	else if (is(line, "event", "next_ev"))
		good = sends(&r, line);
	size_t size = reps_encode(&r, after, sizeof after);
	if (field(line, "refused") != NULL)
		return size == 0;
	return good && size > 0 && size == bytes(line, "after", data) && memcmp(after, data, size) == 0;
}

static uint64_t zeros(void *context) {
	(void)context;
	return 0;
}

/* The EV in a field, which is an object. */
static mrc_ev ev_of(const char *line, const char *name) {
	const char *at = field(line, name);
	mrc_ev ev = {0, 0};
	if (at != NULL)
		ev = (mrc_ev){(uint16_t)number(at, "Value"), (uint8_t)number(at, "Port")};
	return ev;
}

static bool mrc_event(mrc_connection *m, const char *line) {
	mrc_ev ev = ev_of(line, "ev"), wanted = ev_of(line, "result"), got = {0, 0};
	const char *ports = field(line, "ports"), *second = ports == NULL ? NULL : strchr(ports, ',');
	bool flag = truth(line, "flag"), found = false;
	uint16_t first = ports == NULL ? 0 : (uint16_t)strtoul(ports + 1, NULL, 10);
	if (is(line, "event", "next_ev"))
		found = mrc_next_ev(m, first, &got);
	else if (is(line, "event", "probe"))
		found = mrc_probe(m, &got);
	else if (is(line, "event", "ack"))
		mrc_on_ack(m, ev, flag);
	else if (is(line, "event", "trimmed"))
		mrc_on_trimmed(m, ev, flag);
	else if (is(line, "event", "loss") || is(line, "event", "always_skip"))
		mrc_on_loss(m, ev);
	else if (is(line, "event", "deny"))
		mrc_deny(m, ev, flag);
	else if (is(line, "event", "ports"))
		mrc_on_ports(m, first, (uint16_t)strtoul(second + 1, NULL, 10));
	else if (is(line, "event", "probe_reply"))
		mrc_on_probe_reply(m, ev, flag);
	else if (is(line, "event", "probe_loss"))
		mrc_on_probe_loss(m, ev);
	return found == (field(line, "result") != NULL) && (!found || (got.port == wanted.port && got.value == wanted.value));
}

static bool mrc_line(const char *line) {
	uint8_t data[LONGEST], after[LONGEST];
	mrc_plane planes[MRC_MAX_PLANES];
	mrc_connection m;
	mrc_config c = {sizeof c, number(line, "planes"), number(line, "values"), number(line, "active"),
		number(line, "active") + number(line, "backup"), number(line, "min_active"), number(line, "probe_replies"), 0};
	if (mrc_init(&m, &c, planes, MRC_MAX_PLANES, zeros, NULL) != 0)
		return false;
	if (!mrc_decode(&m, data, bytes(line, "before", data)) || !mrc_event(&m, line))
		return false;
	size_t size = mrc_encode(&m, after, sizeof after);
	return size == bytes(line, "after", data) && memcmp(after, data, size) == 0;
}

/* Applies a function to each line of a file. */
static void replay(const char *path, bool (*agrees)(const char *line)) {
	char line[LONGEST];
	FILE *file = fopen(path, "r");
	int lines = 0;
	if (file == NULL) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof line, file) != NULL) {
		lines++;
		if (!agrees(line)) {
			printf("%s, line %d: the code does something else\n", path, lines);
			exit(1);
		}
	}
	fclose(file);
	printf("%s: %d lines agree\n", path, lines);
	if (lines == 0)
		exit(1);
}

static void must(bool good, const char *what) {
	if (!good) {
		printf("wrong: %s\n", what);
		exit(1);
	}
}

/* Each number of a configuration at its limit, and above it. */
static void limits(void) {
	static uint16_t ring[REPS_MAX_RING];
	const uint32_t most[10] = {0, REPS_MAX_RING, 65536, 0x7fffffff, 65535, 16, 0, REPS_EXIT_ON_PROBE, 2, 1};
	reps_connection r;
	reps_config c;
	for (uint32_t i = 1; i < 10; i++) {
		uint32_t numbers[10] = {sizeof c, 0, 0, 0, 0, 0, 0, 0, 0, 0};
		numbers[i] = most[i];
		memcpy(&c, numbers, sizeof c);
		must(reps_init(&r, &c, ring, REPS_MAX_RING + 1) == 0, "a number at its limit");
		numbers[i] = i == 6 ? 3 : most[i] + 1;
		memcpy(&c, numbers, sizeof c);
		must(reps_init(&r, &c, ring, REPS_MAX_RING + 1) == i + 1, "a number above its limit");
	}
}

/* The exit that each exit of the configuration gives under all rules; 9 if it is refused. */
static void exits(void) {
	const uint8_t want[3][5] = {{1, 1, 2, 9, 9}, {1, 1, 9, 3, 9}, {3, 1, 9, 3, 9}};
	uint16_t ring[8];
	for (uint32_t rules = 0; rules < 3; rules++)
		for (uint32_t exit = 0; exit < 5; exit++) {
			reps_config c = {sizeof c, 0, 0, 0, 0, 0, rules, exit, 0, 0};
			reps_connection r;
			uint32_t fault = reps_init(&r, &c, ring, 8);
			must(fault == (want[rules][exit] == 9 ? 8 : 0) && (fault != 0 || r.exit == want[rules][exit]), "an exit");
		}
}

/* A state that no vector has. */
static void around(void) {
	reps_connection r;
	uint16_t ring[8];
	uint8_t state[REPS_MAX_ENCODED];
	reps_init(&r, NULL, ring, 8);
	reps_on_ack(&r, 0, 1, false);
	reps_on_ack(&r, 0, 2, false);
	size_t size = reps_encode(&r, state, sizeof state);
	must(reps_decode(&r, state, size), "a state of its own");
	state[16] |= 1; /* the last slot, which was never written, is valid */
	state[18]++;
	must(!reps_decode(&r, state, size) && r.valid == 2, "valid slots around the end of a ring that is not full");
}

/* A connection before reps_init. */
static void unconfigured(void) {
	reps_connection r;
	uint16_t ev = 1;
	memset(&r, 0, sizeof r);
	must(sizeof r == (sizeof(void *) == 8 ? 48 : 40), "the size of a connection");
	for (int i = 0; i < 3; i++) {
		reps_on_ack(&r, 0, 7, false);
		reps_on_nack(&r, 1);
		reps_on_idle(&r, 2);
		reps_on_probe_reply(&r);
		must(!reps_next_ev(&r, UINT64_MAX, &ev) && ev == 0 && r.written == 0, "a connection of zeros");
		reps_on_failure(&r, 3);
	}
}

/* Programs that were compiled with fewer or more options. */
static void configurations(void) {
	struct {
		reps_config known;
		uint32_t later;
	} c = {{sizeof c, 3, 5, 7, 9, 2, REPS_PAPER, REPS_EXIT_ON_PROBE, REPS_CACHE_NEW, 0}, 0};
	uint16_t ring[64], ev;
	reps_connection r;
	must(reps_version() == REPS_VERSION, "reps_version");
	must(reps_init(&r, &c.known, ring, 3) == 0, "a later option at its default");
	must(r.buffer_size == 3 && r.evs_size == 5 && r.freezing_timeout_ns == 7 && r.packets_per_window == 9 &&
		r.reuse_count == 2 && r.exit == REPS_EXIT_ON_PROBE && r.freeze_cache == REPS_CACHE_NEW, "the options");
	must(reps_init(&r, &c.known, ring, 2) == 2, "a ring without room");
	c.later = 1;
	must(reps_init(&r, &c.known, ring, 64) == 1, "a later option");
	c.known.size = 0;
	must(reps_init(&r, &c.known, ring, 64) == 1, "no size");
	c.known.size = 4100;
	must(reps_init(&r, &c.known, ring, 64) == 1, "an enormous size");
	c.known.size = sizeof c.known - 1;
	must(reps_init(&r, &c.known, ring, 64) == 1, "half an option");
	c.known.size = sizeof c.known;
	c.known.rules = 3;
	c.known.reuse_count = 0;
	must(reps_init(&r, &c.known, ring, 64) == 7, "unknown rules");
	c.known.rules = REPS_PAPER;
	c.known.freeze_cache = REPS_CACHE_ALL;
	c.known.disable_freezing = 2;
	must(reps_init(&r, &c.known, ring, 64) == 10, "freezing disabled twice");
	must(r.buffer_size == 3 && r.reuse_count == 2 && r.freeze_cache == REPS_CACHE_NEW, "a refusal changes nothing");
	c.known.size = 8;
	must(reps_init(&r, &c.known, ring, 64) == 0 && r.buffer_size == 3 && r.evs_size == 65536 && r.reuse_count == 1 &&
		r.exit == REPS_EXIT_ON_TIMEOUT, "an earlier program");
	must(reps_init(&r, NULL, ring, 64) == 0 && r.buffer_size == 8 && r.packets_per_window == 100 &&
		r.freezing_timeout_ns == 10000000, "no configuration");
	must(reps_init(&r, NULL, ring, 7) == 2, "no room for the default");
	must(reps_encode(&r, (uint8_t *)ring, 24) == 0, "no room for the state");
	c.known = (reps_config){sizeof c.known, 32, 0, 0, 0, 2, REPS_PAPER, 0, 0, 0};
	must(reps_init(&r, &c.known, ring, 64) == 0 && reps_encoded_size(&r) > 0, "the longest ring with a state");
	reps_on_ack(&r, 0, 7, false);
	must(reps_next_ev(&r, 0, &ev) && ev == 7 && r.uses == 1, "an EV used once of two times");
	reps_on_idle(&r, 0);
	must(r.valid == 0 && r.uses == 0, "a pause");
	c.known.buffer_size = 33;
	must(reps_init(&r, &c.known, ring, 64) == 0 && reps_encoded_size(&r) == 0, "a longer ring");
	puts("configurations of other versions: as documented");
}

/* Always the same word: its stride is prime to no even number. Counts the calls. */
static uint64_t stuck(void *calls) {
	++*(int *)calls;
	return (uint64_t)1 << 63;
}

static void mrc_edges(void) {
	static mrc_plane planes[MRC_MAX_PLANES];
	uint8_t state[MRC_MAX_ENCODED];
	mrc_connection m;
	mrc_ev ev;
	mrc_config most = {sizeof most, MRC_MAX_PLANES, 0, 128, MRC_MAX_SET, 0, 0, 0};
	int calls = 0;
	must(mrc_init(&m, NULL, planes, 0, zeros, NULL) == 2, "no plane");
	must(mrc_init(&m, NULL, planes, 2, zeros, NULL) == 0 && m.active == 128 && m.set == 256 && m.min_active == 32 &&
		m.probe_replies == 3 && m.values == 65536, "MRC without a configuration");
	must(mrc_init(&m, &most, planes, MRC_MAX_PLANES, stuck, &calls) == 0 && calls == 257 * MRC_MAX_PLANES &&
		planes[15].start == 32768 && planes[15].stride == 1, "a generator that is stuck");
	must(m.ports == 0xffff && mrc_next_ev(&m, 0x8000, &ev) && ev.port == 15 && mrc_state(&m, ev) == MRC_GOOD, "16 planes");
	must(mrc_encoded_size(&m) == MRC_MAX_ENCODED && mrc_encode(&m, state, MRC_MAX_ENCODED - 1) == 0 &&
		mrc_encode(&m, state, MRC_MAX_ENCODED) == MRC_MAX_ENCODED, "room for the longest state");
	must(mrc_decode(&m, state, MRC_MAX_ENCODED) && !mrc_decode(&m, state, 0), "states of other lengths");
	most.planes = 1, most.values = most.active = most.set = 5;
	must(mrc_init(&m, &most, planes, 1, zeros, NULL) == 0 && mrc_encode(&m, state, sizeof state) == 13, "a set of 5");
	must(m.min_active == 2, "a quarter of 5, rounded up");
	state[5] = 3;
	must(!mrc_decode(&m, state, 13), "as many replies as end a test");
	state[5] = 2;
	must(mrc_decode(&m, state, 13) && m.replies == 2, "a reply less");
	state[12] |= 0xfc;
	must(mrc_decode(&m, state, 13) && mrc_encode(&m, state, 13) == 13 && state[12] == 0, "bits that no EV has");
}

int main(int argc, char **argv) {
	if (argc != 3)
		return 2;
	replay(argv[1], reps_line);
	replay(argv[2], mrc_line);
	configurations();
	limits();
	exits();
	around();
	mrc_edges();
	unconfigured();
	return 0;
}
