/* What all ways to make the first state share: the fields, and a field at its initial value. */
#ifndef CORE_RUN_INIT_FIELD_H
#define CORE_RUN_INIT_FIELD_H

#include "run/state.h"

enum { INIT_PIECE = 1 << 16 }; /* elements handled at a time */

/* The fields of the state's plugin, and the number of elements of one. */
uint32_t init_fields(const struct state *state);
const struct engine_field *init_field(const struct state *state, uint32_t field);
uint64_t init_element_count(const struct state *state, uint32_t field);

/* Sets elements of a type to one value. Of complex elements it sets the real part and leaves the imaginary part. */
void init_elements(void *elements, uint32_t type, uint64_t count, double value);

/* Sets a whole field to its initial value. */
int init_default(struct state *state, uint32_t field, struct engine_error *error);

#endif
