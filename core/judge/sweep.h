/* Sweeps: keys of a configuration that take one value after another, and every combination of several sweeps. */
#ifndef CORE_JUDGE_SWEEP_H
#define CORE_JUDGE_SWEEP_H

#include "config/config.h"
#include <stdint.h>

enum { SWEEPS_MAX = 8, SWEEP_KEYS_MAX = 8, SWEEP_VALUES_MAX = 64 };

/* Several keys move together: as many parts has each value, with colons between them. */
struct sweep {
    char *name; /* "section.key", or "section.key:section.key"; it and the next own the rest */
    char *text; /* of keys and values, cut into parts */
    uint32_t key_count, count;
    char *keys[SWEEP_KEYS_MAX];
    char *values[SWEEP_VALUES_MAX];
};

/* Reads texts such as "section.key=v1,v2,…", or "section.key:section.key=v1:w1,v2:w2,…", SWEEPS_MAX at most.
 * ENGINE_STATUS_USAGE; sweeps_release after that, too. */
int sweeps_read(struct sweep sweeps[SWEEPS_MAX], uint32_t *count, const char *const *texts, uint32_t text_count,
                struct engine_error *error);
void sweeps_release(struct sweep *sweeps, uint32_t count);

/* How many combinations there are: 1 without sweeps. */
uint64_t sweep_combinations(const struct sweep *sweeps, uint32_t count);

/* The value of sweep `index` in a combination; the last sweep changes fastest. */
const char *sweep_value(const struct sweep *sweeps, uint32_t count, uint32_t index, uint64_t combination);

/* Sets a combination's values in a configuration. */
int sweep_set(const struct sweep *sweeps, uint32_t count, uint64_t combination, struct config *config,
              struct engine_error *error);

#endif
