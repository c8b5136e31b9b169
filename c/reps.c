/* reps.c: see reps.h. Letters and numbers in comments are the steps of docs/vectors.md. */
#include "reps.h"
#include "reps_common.h"

uint32_t reps_version(void) { return REPS_VERSION; }

/* The slot after a slot, in a cycle of `slots` ones. */
static uint16_t next(uint16_t slot, uint16_t slots) { return (uint16_t)(slot + 1 < slots ? slot + 1 : 0); }

/* The slot n before head: S5. */
static uint16_t before_head(const reps_connection *r, uint16_t n) {
	return (uint16_t)(r->head >= n ? r->head - n : r->head + r->buffer_size - n);
}

/* The numbers of a configuration, as in reps_config. */
enum { CONFIG_SIZE, BUFFER_SIZE, EVS_SIZE, TIMEOUT, WINDOW, REUSE, RULES, EXIT, CACHE, DISABLE, NUMBERS };

uint32_t reps_init(reps_connection *r, const reps_config *config, uint16_t *ring, uint32_t room) {
	uint32_t c[NUMBERS] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	uint32_t wrong = config == NULL ? 0 : read_config(c, NUMBERS, config, config->size);
	bool paper = c[RULES] == REPS_PAPER, ultra = c[RULES] == REPS_ULTRA_ETHERNET;
	const uint32_t otherwise[NUMBERS] = {0, 8, ultra ? 64 : 65536, 10000000, ultra ? 16 : 100, 1, 0, ultra ? 3 : 1, 0, 0};
	const uint32_t most[NUMBERS] = {0, room < REPS_MAX_RING ? room : REPS_MAX_RING, 65536, 0x7fffffff, 65535,
		paper ? 16 : 1, 2, paper ? 2 : c[EXIT] == REPS_EXIT_ON_PROBE ? 0 : 3, c[DISABLE] ? 0 : 2, 1};
	wrong = wrong != 0 ? wrong : check_config(c, otherwise, most, NUMBERS);
	if (wrong != 0)
		return wrong;
	*r = (reps_connection){.ring = ring, .buffer_size = (uint16_t)c[BUFFER_SIZE], .evs_size = c[EVS_SIZE],
		.artifact = !paper, .reuse_count = (uint8_t)c[REUSE], .freezing_timeout_ns = c[TIMEOUT],
		.packets_per_window = (uint16_t)(paper && c[WINDOW] > 255 ? 255 : c[WINDOW]),
		.exit = (uint8_t)c[EXIT], .freeze_cache = (uint8_t)c[CACHE], .disable_freezing = (uint8_t)c[DISABLE]};
	return 0;
}

void reps_reset(reps_connection *r) {
	r->head = r->valid = r->written = r->pointer = r->explore = r->frozen = r->uses = 0;
	r->exit_time_ns = 0;
}

/* Whether the deadline passed 1 to 2^31 - 1 ns ago, on a clock that wraps: A6. */
static bool due(const reps_connection *r, uint32_t now_ns) {
	return r->frozen && (uint32_t)(now_ns - r->exit_time_ns - 1) < 0x7fffffff;
}

static void thaw_if(reps_connection *r, bool ends) {
	if (!ends)
		return;
	if (r->artifact)
		r->head = r->valid = r->written = r->pointer = 0;
	r->explore = r->packets_per_window;
	r->frozen = 0;
}

/* Whether the ring takes an EV. */
static bool takes(const reps_connection *r, uint16_t ev) {
	uint16_t i = 0;
	if (!r->frozen || r->freeze_cache != REPS_CACHE_NEW)
		return !r->frozen || r->freeze_cache == REPS_CACHE_ALL || r->written < r->buffer_size;
	while (i < r->written && r->ring[i] != ev)
		i++;
	return i == r->written;
}

/* A2 to A5. */
static void cache(reps_connection *r, uint16_t ev) {
	if (r->valid < r->buffer_size)
		r->valid++;
	else if (r->buffer_size > 0)
		r->uses = 0;
	else
		return;
	r->ring[r->head] = ev;
	if (r->head == r->written)
		r->written++;
	r->head = next(r->head, r->buffer_size);
}

void reps_on_ack(reps_connection *r, uint32_t now_ns, uint16_t ev, bool marked) {
	reps_on_nack(r, now_ns);
	if (!marked && takes(r, ev))
		cache(r, ev);
	thaw_if(r, !marked && r->exit == REPS_EXIT_ON_TIMEOUT && due(r, now_ns));
}

void reps_on_nack(reps_connection *r, uint32_t now_ns) { thaw_if(r, r->artifact && due(r, now_ns)); }

void reps_on_failure(reps_connection *r, uint32_t now_ns) {
	thaw_if(r, r->exit == REPS_EXIT_ON_FEEDBACK && due(r, now_ns));
	if (r->disable_freezing || r->frozen || r->explore > 0)
		return;
	r->frozen = 1;
	r->exit_time_ns = (uint32_t)(now_ns + r->freezing_timeout_ns);
}

void reps_on_probe_reply(reps_connection *r) { thaw_if(r, r->frozen && r->exit == REPS_EXIT_ON_PROBE); }

void reps_on_idle(reps_connection *r, uint32_t now_ns) {
	if (r->artifact || (r->frozen && (r->exit != REPS_EXIT_ON_TIMEOUT || !due(r, now_ns))))
		return;
	r->explore = r->valid = 0;
	r->frozen = r->uses = 0;
}

bool reps_next_ev(reps_connection *r, uint64_t random, uint16_t *ev) {
	bool reading = r->frozen && r->written > 0;
	bool exploring = r->explore > 0 && (--r->explore % r->buffer_size == 0 || r->artifact);
	uint16_t slot;
	if (exploring || (r->valid == 0 && !reading)) {
		*ev = (uint16_t)below(random, r->evs_size);
		return false;
	}
	if (reading && r->artifact) {
		slot = r->pointer;
		r->pointer = next(slot, r->written);
	} else if (r->valid > 0) {
		slot = before_head(r, r->valid);
		r->uses = (uint8_t)(r->uses + 1 < r->reuse_count ? r->uses + 1 : 0);
		if (r->uses == 0)
			r->valid--;
	} else {
		slot = (uint16_t)(r->head < r->written ? r->head : 0);
		r->head = next(slot, r->buffer_size);
	}
	*ev = r->ring[slot];
	return true;
}

/* The bits of writtenSlots and of uses in an encoded state. */
static uint32_t written_width(const reps_connection *r) {
	uint32_t n = r->buffer_size;
	return n < 2 ? 1 : n < 4 ? 2 : n < 8 ? 3 : n < 16 ? 4 : n < 32 ? 5 : 6;
}

static uint32_t uses_width(const reps_connection *r) { return r->reuse_count > 1 ? 4 : 0; }

size_t reps_encoded_size(const reps_connection *r) {
	uint32_t bits = 17u * r->buffer_size + 57 + written_width(r) + uses_width(r);
	return r->artifact || r->buffer_size < 1 || r->buffer_size > 32 ? 0 : (bits + 7) / 8;
}

/* The bits of isValid, slot 0 in the highest of buffer_size bits. */
static uint32_t valid_bits(const reps_connection *r) {
	uint32_t bits = 0;
	for (uint16_t n = 1; n <= r->valid; n++)
		bits |= (uint32_t)1 << (r->buffer_size - 1 - before_head(r, n));
	return bits;
}

/* Appends a variable, most significant bit first, and zeros up to the end of its last byte. */
static void put(uint8_t *data, uint32_t *at, uint32_t width, uint32_t value) {
	for (; width > 0; (*at)++)
		data[*at / 8] = (uint8_t)((*at % 8 == 0 ? 0 : data[*at / 8]) | (value >> --width & 1) << (7 - *at % 8));
}

size_t reps_encode(const reps_connection *r, uint8_t *data, size_t room) {
	uint32_t at = 0;
	size_t size = reps_encoded_size(r);
	if (size == 0 || size > room)
		return 0;
	for (uint16_t i = 0; i < r->buffer_size; i++)
		put(data, &at, 16, i < r->written ? r->ring[i] : 0);
	put(data, &at, r->buffer_size, valid_bits(r));
	put(data, &at, 8, r->head);
	put(data, &at, 8, r->valid);
	put(data, &at, 32, r->exit_time_ns);
	put(data, &at, 1, r->frozen);
	put(data, &at, 8, r->explore);
	put(data, &at, written_width(r), r->written);
	put(data, &at, uses_width(r), r->uses);
	return size;
}

static uint32_t get(const uint8_t *data, uint32_t *at, uint32_t width) {
	uint32_t value = 0;
	for (; width > 0; width--, (*at)++)
		value = value << 1 | (uint32_t)(data[*at / 8] >> (7 - *at % 8) & 1);
	return value;
}

/* Whether a state that was read, with its isValid, agrees with itself and with the configuration. */
static bool consistent(const reps_connection *r, uint32_t is_valid) {
	uint32_t n = r->buffer_size, around = r->written < n ? r->head : n; /* slots that may be valid */
	bool ring = r->head < n && r->written <= n && r->head <= r->written && (r->head > 0 || r->written % n == 0);
	return ring && r->valid <= around && valid_bits(r) == is_valid && !(r->frozen && r->disable_freezing) &&
		r->explore <= (r->disable_freezing || r->frozen ? 0 : r->packets_per_window) &&
		r->uses < r->reuse_count && (r->uses == 0 || r->valid > 0);
}

bool reps_decode(reps_connection *r, const uint8_t *data, size_t size) {
	reps_connection read = *r;
	uint32_t n = r->buffer_size, at = 16 * n, zeros = 0;
	if (size == 0 || size != reps_encoded_size(r))
		return false;
	uint32_t is_valid = get(data, &at, n);
	read.head = (uint16_t)get(data, &at, 8);
	read.valid = (uint16_t)get(data, &at, 8);
	read.exit_time_ns = get(data, &at, 32);
	read.frozen = (uint8_t)get(data, &at, 1);
	read.explore = (uint16_t)get(data, &at, 8);
	read.written = (uint16_t)get(data, &at, written_width(r));
	read.uses = (uint8_t)get(data, &at, uses_width(r));
	zeros |= get(data, &at, (uint32_t)(8 * size) - at);
	for (at = 16u * read.written; at < 16 * n;)
		zeros |= get(data, &at, 16);
	if (zeros != 0 || !consistent(&read, is_valid))
		return false;
	*r = read;
	at = 0;
	for (uint32_t i = 0; i < n; i++)
		r->ring[i] = (uint16_t)get(data, &at, 16);
	return true;
}
