/* Sweeps: keys of a configuration that take one value after another, and every combination of several sweeps. A value
 * such as 1..1000 stands for all integers from the first number to the last. */
#ifndef LIB_ENSEMBLE_SWEEP_H
#define LIB_ENSEMBLE_SWEEP_H

#include <engine/engine.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SWEEPS_MAX = 8, SWEEP_KEYS_MAX = 8, SWEEP_VALUES_MAX = 1000000, SWEEP_COMBINATIONS_MAX = 100000000 };

/* One sweep. Several keys move together: each value then has one part for each key, with colons between them. */
struct sweep {
    char *name;  /* "section.key", or "section.key:section.key" */
    char *given; /* the text that was read */
    char *text;  /* of keys and values, cut into parts, which `keys` and `values` point to */
    uint32_t key_count, count;
    char *keys[SWEEP_KEYS_MAX];
    const char **values; /* `count` of them: parts of `text`, or of `numbers` */
    char *numbers;       /* of ranges */
};

struct sweeps {
    uint32_t count;
    struct sweep at[SWEEPS_MAX];
};

/* Reads texts such as "section.key=v1,v2,…", "section.key=1..1000", or "section.key:section.key=v1:w1,v2:w2,…". After
 * an error there is nothing to release. ENGINE_STATUS_USAGE. */
int sweeps_read(struct sweeps *sweeps, const char *const *texts, uint32_t count, struct engine_error *error);

/* Reads one text, in which " and " separates the sweeps. */
int sweeps_read_list(struct sweeps *sweeps, const char *list, struct engine_error *error);

/* Does a sweep change this key, "section.key"? */
bool sweeps_key(const struct sweeps *sweeps, const char *key);

void sweeps_release(struct sweeps *sweeps);

/* The number of combinations: 1 without sweeps. */
uint64_t sweep_combinations(const struct sweeps *sweeps);

/* The value of sweep `index` in a combination. The last sweep changes fastest. */
const char *sweep_value(const struct sweeps *sweeps, uint32_t index, uint64_t combination);

/* Sets a combination's values in a configuration. ENGINE_STATUS_USAGE. */
int sweep_set(const struct sweeps *sweeps, uint64_t combination, struct engine_config *config,
              struct engine_error *error);

/* Prints a combination, as "run.threads=2, grid.size=64 64". */
void sweep_print(FILE *to, const struct sweeps *sweeps, uint64_t combination);

#endif
