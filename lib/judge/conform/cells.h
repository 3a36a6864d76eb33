/* The canonical arrays of a fixture's fields: filled, read, written, compared. */
#ifndef LIB_JUDGE_CONFORM_CELLS_H
#define LIB_JUDGE_CONFORM_CELLS_H

#include "base/type.h"
#include "judge/conform/fixture.h"

/* Seeds for which the cells of grids have their largest value, and their least and largest values in pieces of rows. */
enum { CELLS_FULL = 1 << 20, CELLS_EXTREME };

struct cells {
    const struct test *test;
    uint32_t count;
    void *at[TEST_FIELDS_MAX]; /* NULL: the field is absent */
    struct engine_shape shape[TEST_FIELDS_MAX];
};

/* An initial state that follows from a seed: every fixture of the same shape gets the same. It is what [init] of the
 * configuration describes, or what the plugin's generator for this suite produces. Without both, values are random.
 * Outputs are zero. */
struct cells cells_start(const struct fixture *fixture, uint64_t seed);
struct cells cells_read(const struct fixture *fixture);
void cells_write(struct fixture *fixture, const struct cells *cells);
void cells_free(struct cells *cells);

/* The cells `steps` steps after these, taken by a new instance that begins at step `first`. Fails the property where
 * the implementation refuses the size. */
struct cells cells_after(struct test *test, const struct engine_impl *impl, struct setup setup,
                         const struct cells *start, uint64_t first, uint64_t steps);

/* Opens a fixture, fills it from a seed, and starts it. NULL where fixture_open returns NULL. */
struct fixture *cells_run(struct test *test, const struct engine_impl *impl, struct setup setup, uint64_t seed);

/* Fails the property where states or outputs differ by more than the tolerance, relative to the largest value; with a
 * tolerance of 0, in any bit. The text says what is compared. */
void cells_compare(const struct cells *is, const struct cells *should, double tolerance, const char *format, ...)
    ENGINE_PRINTF(4, 5);

/* Are all real numbers finite? */
bool cells_are_finite(const struct cells *cells);

/* Sets an element that is one number. */
void set_number(void *element, uint32_t type, double value);

/* A hash of two numbers (SplitMix64). */
uint64_t mix(uint64_t a, uint64_t b);

#endif
