/* mrc.c: see mrc.h. Letters and numbers in comments are the steps of mrc/testdata/README.md. */
#include "mrc.h"
#include "reps_common.h"

/* The inverse of a, modulo a number from 1 to 2^16, by Euclid's algorithm; 0 if there is none. */
static uint16_t invert(uint16_t a, uint32_t modulus) {
	int32_t r = (int32_t)modulus, next = a, t = 0, next_t = 1;
	while (next != 0) {
		int32_t quotient = r / next, rest = r % next, rest_t = t - quotient * next_t;
		r = next, next = rest, t = next_t, next_t = rest_t;
	}
	return (uint16_t)(r != 1 ? 0 : t < 0 ? t + (int32_t)modulus : t);
}

static int state(const mrc_plane *p, uint32_t k) { return p->states[k / 4] >> 2 * (k % 4) & 3; }

/* Counts the active EVs and finds the place after the last one. */
static void find_end(const mrc_connection *m, mrc_plane *p) {
	p->active = p->end = 0;
	for (; p->end < m->set && p->active < m->active; p->end++)
		if (state(p, p->end) <= MRC_SKIP)
			p->active++;
}

static void set_state(mrc_plane *p, uint32_t k, int state) {
	p->states[k / 4] = (uint8_t)((p->states[k / 4] & ~(3 << 2 * (k % 4))) | state << 2 * (k % 4));
}

static void init_plane(const mrc_connection *m, mrc_plane *p, uint32_t start, uint32_t stride) {
	*p = (mrc_plane){.start = (uint16_t)start, .stride = (uint16_t)stride};
	p->inverse = invert(p->stride, m->values);
	find_end(m, p);
}

/* The numbers of a configuration, as in mrc_config. */
enum { CONFIG_SIZE, PLANES, VALUES, ACTIVE, SET, MIN_ACTIVE, REPLIES, SKIP_ONE, NUMBERS };

/* Applies the defaults and returns the first fault. */
static uint32_t check(uint32_t c[NUMBERS], uint32_t room) {
	uint32_t planes = c[PLANES] == 0 ? 1 : c[PLANES], values = c[VALUES] == 0 ? 65536 : c[VALUES];
	uint32_t largest = values < MRC_MAX_SET ? values : MRC_MAX_SET, each = 128 / planes == 0 ? 1 : 128 / planes;
	uint32_t active = c[ACTIVE] != 0 ? c[ACTIVE] : each < values ? each : values;
	const uint32_t otherwise[NUMBERS] = {0, planes, values, active, active <= largest / 2 ? 2 * active : largest,
		(planes * active + 3) / 4, 3, 0};
	const uint32_t most[NUMBERS] = {0, room < MRC_MAX_PLANES ? room : MRC_MAX_PLANES, 65536, largest, largest,
		planes * active, 255, 1};
	uint32_t wrong = check_config(c, otherwise, most, NUMBERS);
	return c[SET] < c[ACTIVE] && (wrong == 0 || wrong > SET) ? SET + 1 : wrong;
}

uint32_t mrc_init(mrc_connection *m, const mrc_config *config, mrc_plane *planes, uint32_t room,
	uint64_t (*random)(void *context), void *context) {
	uint32_t c[NUMBERS] = {0, 0, 0, 0, 0, 0, 0, 0};
	uint32_t wrong = config == NULL ? 0 : read_config(c, NUMBERS, config, config->size);
	wrong = wrong != 0 ? wrong : check(c, room);
	if (wrong != 0)
		return wrong;
	*m = (mrc_connection){.planes = planes, .values = c[VALUES], .active = (uint16_t)c[ACTIVE], .set = (uint16_t)c[SET],
		.min_active = (uint16_t)c[MIN_ACTIVE], .ports = (uint16_t)(((uint32_t)1 << c[PLANES]) - 1),
		.count = (uint8_t)c[PLANES], .last = (uint8_t)(c[PLANES] - 1), .probe_replies = (uint8_t)c[REPLIES],
		.skip_one = (uint8_t)c[SKIP_ONE]};
	for (uint32_t i = 0; i < c[PLANES]; i++) {
		uint32_t start = below(random(context), c[VALUES]), stride = 0;
		for (int tries = 0; c[VALUES] > 1 && tries < 256 && invert((uint16_t)stride, c[VALUES]) == 0; tries++)
			stride = 1 + below(random(context), c[VALUES] - 1);
		init_plane(m, &planes[i], start, invert((uint16_t)stride, c[VALUES]) == 0 ? 1 : stride);
	}
	return 0;
}

/* Takes the next active EV in the order of the set: N3, N4. */
static uint32_t following(mrc_plane *p) {
	uint32_t k = p->position;
	while (k >= p->end || state(p, k) > MRC_SKIP)
		k = k + 1 < p->end ? k + 1 : 0;
	p->position = (uint16_t)(k + 1);
	return k;
}

static uint16_t value(const mrc_connection *m, const mrc_plane *p, uint32_t k) {
	return (uint16_t)((p->start + k * p->stride) % m->values);
}

bool mrc_next_ev(mrc_connection *m, uint16_t free_ports, mrc_ev *ev) {
	uint32_t port = m->last;
	for (uint32_t tries = 0; tries < m->count; tries++) {
		port = port + 1 < m->count ? port + 1 : 0;
		mrc_plane *p = &m->planes[port];
		if (((free_ports & m->ports) >> port & 1) == 0 || p->active == 0)
			continue;
		uint32_t k = following(p);
		for (bool may_reset = true; state(p, k) == MRC_SKIP; k = following(p)) {
			if (may_reset)
				set_state(p, k, MRC_GOOD);
			may_reset = !m->skip_one;
		}
		m->last = ev->port = (uint8_t)port;
		ev->value = value(m, p, k);
		return true;
	}
	return false;
}

/* The plane of an EV and its place in the set; null if the set does not have it. */
static mrc_plane *find(const mrc_connection *m, mrc_ev ev, uint32_t *k) {
	if (ev.port >= m->count || ev.value >= m->values)
		return NULL;
	mrc_plane *p = &m->planes[ev.port];
	*k = (ev.value + m->values - p->start) % m->values * p->inverse % m->values;
	return *k < m->set ? p : NULL;
}

int mrc_state(const mrc_connection *m, mrc_ev ev) {
	uint32_t k;
	const mrc_plane *p = find(m, ev, &k);
	return p == NULL ? MRC_DENIED : state(p, k);
}

/* Gives an EV a state if it is in another one. */
static void change(mrc_connection *m, mrc_ev ev, int before, int after) {
	uint32_t k;
	mrc_plane *p = find(m, ev, &k);
	if (p == NULL || state(p, k) != before)
		return;
	set_state(p, k, after);
	if ((before ^ after) > MRC_SKIP)
		find_end(m, p);
}

void mrc_on_ack(mrc_connection *m, mrc_ev ev, bool marked) { change(m, ev, MRC_GOOD, marked ? MRC_SKIP : MRC_GOOD); }

void mrc_on_trimmed(mrc_connection *m, mrc_ev ev, bool last_hop) { mrc_on_ack(m, ev, !last_hop); }

void mrc_on_loss(mrc_connection *m, mrc_ev ev) {
	uint32_t active = 0;
	int before = mrc_state(m, ev);
	if (before > MRC_SKIP)
		return;
	change(m, ev, before, MRC_ASSUMED_BAD);
	for (uint32_t i = 0; i < m->count; i++)
		active += m->planes[i].active;
	if (active < m->min_active)
		change(m, ev, MRC_ASSUMED_BAD, MRC_SKIP);
}

void mrc_on_ports(mrc_connection *m, uint16_t own, uint16_t peer) {
	m->ports = (uint16_t)(own & peer & (((uint32_t)1 << m->count) - 1));
}

void mrc_deny(mrc_connection *m, mrc_ev ev, bool denied) {
	change(m, ev, denied ? mrc_state(m, ev) : MRC_DENIED, denied ? MRC_DENIED : MRC_GOOD);
}

/* Moves the test to the next EV, plane after plane. */
static void probe_next(mrc_connection *m) {
	m->replies = 0;
	m->plane = (uint8_t)(m->plane + 1 < m->count ? m->plane + 1 : 0);
	if (m->plane == 0)
		m->place = (uint8_t)(m->place + 1 < m->set ? m->place + 1 : 0);
}

bool mrc_probe(mrc_connection *m, mrc_ev *ev) {
	uint32_t left = (uint32_t)m->count * m->set;
	for (; left > 0 && state(&m->planes[m->plane], m->place) != MRC_ASSUMED_BAD; left--)
		probe_next(m);
	*ev = (mrc_ev){value(m, &m->planes[m->plane], m->place), m->plane};
	return left > 0;
}

static bool tests(const mrc_connection *m, mrc_ev ev) {
	return ev.port == m->plane && ev.value == value(m, &m->planes[m->plane], m->place);
}

void mrc_on_probe_reply(mrc_connection *m, mrc_ev ev, bool marked) {
	if (!tests(m, ev) || mrc_state(m, ev) != MRC_ASSUMED_BAD || ++m->replies < m->probe_replies)
		return;
	change(m, ev, MRC_ASSUMED_BAD, marked ? MRC_SKIP : MRC_GOOD);
	probe_next(m);
}

void mrc_on_probe_loss(mrc_connection *m, mrc_ev ev) {
	if (tests(m, ev))
		probe_next(m);
}

/* The bytes of a plane in the encoded state. */
static size_t plane_size(const mrc_connection *m) { return 5u + (m->set + 3u) / 4; }

size_t mrc_encoded_size(const mrc_connection *m) { return 6 + m->count * plane_size(m); }

static uint16_t get16(const uint8_t *data) { return (uint16_t)(data[0] | (uint32_t)data[1] << 8); }

static uint8_t *put16(uint8_t *data, uint32_t value) {
	data[0] = (uint8_t)value, data[1] = (uint8_t)(value >> 8);
	return data + 2;
}

size_t mrc_encode(const mrc_connection *m, uint8_t *data, size_t room) {
	size_t size = mrc_encoded_size(m);
	if (size > room)
		return 0;
	data = put16(put16(put16(data, m->ports), m->last | (uint32_t)m->plane << 8), m->place | (uint32_t)m->replies << 8);
	for (const mrc_plane *p = m->planes; p < m->planes + m->count; p++) {
		data = put16(put16(data, p->start), p->stride);
		*data++ = (uint8_t)(p->position % m->set);
		for (uint32_t i = 0; i < (m->set + 3u) / 4; i++)
			*data++ = p->states[i];
	}
	return size;
}

bool mrc_decode(mrc_connection *m, const uint8_t *data, size_t size) {
	bool good = size == mrc_encoded_size(m) && get16(data) >> m->count == 0 && data[2] < m->count &&
		data[3] < m->count && data[4] < m->set && data[5] < m->probe_replies;
	for (size_t at = 6; good && at < size; at += plane_size(m)) {
		uint16_t start = get16(data + at), stride = get16(data + at + 2);
		good = start < m->values && (stride < m->values || stride == 1) && invert(stride, m->values) > 0 &&
			data[at + 4] < m->set;
	}
	if (!good)
		return false;
	m->ports = get16(data);
	m->last = data[2], m->plane = data[3], m->place = data[4], m->replies = data[5];
	for (mrc_plane *p = m->planes; p < m->planes + m->count; p++, data += plane_size(m)) {
		init_plane(m, p, get16(data + 6), get16(data + 8));
		p->position = data[10];
		for (uint32_t k = 0; k < m->set; k++)
			set_state(p, k, data[11 + k / 4] >> 2 * (k % 4) & 3);
		find_end(m, p);
	}
	return true;
}
