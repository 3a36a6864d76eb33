/* The ways in which a run's first state is made, for the files init*.c alone. Each fills a fresh state. */
#ifndef CORE_RUN_INIT_WAYS_H
#define CORE_RUN_INIT_WAYS_H

#include "run/init.h"

enum { INIT_PIECE = 1 << 16 }; /* elements handled at a time */

/* source = random: the same cells whatever the threads and the implementation. */
int init_random(struct state *state, struct engine_error *error);

/* A pattern somewhere on the grid. ENGINE_STATUS_INPUT. */
int init_pattern(struct state *state, struct engine_error *error);

/* All of a field at its initial value. */
int init_default(struct state *state, uint32_t field, struct engine_error *error);

/* So many elements of that type, all of the same value: of complex numbers the real part, the other is left as it is.
 */
void init_elements(void *elements, uint32_t type, uint64_t count, double value);

/* The fields of the state's plugin, and the elements of one. */
const struct engine_field *init_field(const struct state *state, uint32_t field);
uint32_t init_fields(const struct state *state);
uint64_t init_element_count(const struct state *state, uint32_t field);

#endif
