/* reps_common.h: shared by reps.c and mrc.c, which are to be compiled apart: both define the same static names. A
 * configuration is 32-bit numbers, counted from 1; the first is the size in bytes. */

/* Copies a configuration to `known` numbers that are 0. Options that the caller does not know stay 0, their default.
 * Returns 0, or 1 if the size is wrong, or an option is not 0 that only the caller knows. */
static uint32_t read_config(uint32_t *to, uint32_t known, const void *from, uint32_t size) {
	bool later = size < 4 || size > 4096 || size % 4 != 0;
	for (uint32_t i = 0; i < size && !later; i++)
		if (i < 4 * known)
			((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
		else
			later = ((const unsigned char *)from)[i] != 0;
	return later;
}

/* Sets numbers that are 0 to their defaults. Returns the first number above its limit, or 0. */
static uint32_t check_config(uint32_t *c, const uint32_t *otherwise, const uint32_t *most, uint32_t numbers) {
	uint32_t wrong = 0;
	for (uint32_t i = numbers; i-- > 1;) {
		c[i] = c[i] == 0 ? otherwise[i] : c[i];
		wrong = c[i] > most[i] ? i + 1 : wrong;
	}
	return wrong;
}

/* Maps a uniform word to a number below n, at most 2^16: the high half of the 128-bit product word * n. */
static uint32_t below(uint64_t word, uint32_t n) {
	return (uint32_t)(((word >> 32) * n + ((word & 0xffffffff) * n >> 32)) >> 32);
}
