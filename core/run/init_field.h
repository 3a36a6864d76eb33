/* Making the initial state, for the files init*.c: the sources that need a file of their own, and the functions that
 * all sources share. */
#ifndef CORE_RUN_INIT_FIELD_H
#define CORE_RUN_INIT_FIELD_H

#include "run/state.h"

enum { INIT_PIECE = 1 << 16 }; /* elements handled at a time */

/* The fields of the state's plugin, and the number of elements of one: of the whole field, and of a universe. */
uint32_t init_fields(const struct state *state);
const struct engine_field *init_field(const struct state *state, uint32_t field);
uint64_t init_element_count(const struct state *state, uint32_t field);
uint64_t init_universe_count(const struct state *state, uint32_t field);

/* A range of elements of a field that lies in one universe. A field that is no batch is universe 0. */
struct init_range {
    uint64_t universe;
    uint64_t begin, count; /* elements of the universe's array */
};

/* The longest range that begins at element `at` of the whole field and has at most `most` elements. */
struct init_range init_range_at(const struct state *state, uint32_t field, uint64_t at, uint64_t most);

/* Copies the elements of universe 0 to all others. */
int init_repeat_universe(struct state *state, uint32_t field, struct engine_error *error);

/* Sets elements of a type to one value. If the elements are complex, it sets the real parts and leaves the imaginary
 * parts. */
void init_elements(void *elements, uint32_t type, uint64_t count, double value);

/* Sets a whole field, or every field, to its initial value. */
int init_default(struct state *state, uint32_t field, struct engine_error *error);
int init_defaults(struct state *state, struct engine_error *error);

/* Fills the fields with random numbers: the same for any number of threads and any implementation (init_random.c). */
int init_random(struct state *state, struct engine_error *error);

#endif
