/* Regions of a state: only their cells are read, where they are, on devices and in the parts of a divided run. */
#ifndef LIB_RECORD_STATE_REGION_H
#define LIB_RECORD_STATE_REGION_H

#include "run/state.h"

/* Reads elements [begin, begin + count) of the canonical array that a region of a field becomes. As for state_read. */
int state_read_region(const struct state *state, uint32_t field, const struct region *region, uint64_t begin,
                      uint64_t count, void *out, struct engine_error *error);

#endif
