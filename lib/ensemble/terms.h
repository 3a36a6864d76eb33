/* What a batch of members has to do for each of them: which steps it has to see, and when a member ends. */
#ifndef LIB_ENSEMBLE_TERMS_H
#define LIB_ENSEMBLE_TERMS_H

#include <engine/engine.h>
#include <stdbool.h>
#include <stdint.h>

enum { TERMS_CONDITIONS_MAX = 16 };

struct terms {
    uint64_t steps;
    uint64_t rows_every; /* steps between two rows of metrics; 0: there is one at the end */
    bool measures;       /* members have metrics */
    bool together;  /* steps depend on seeds, on their number or on parameters by universe: members begin together */
    bool plans;     /* each member of a batch may have a plan of its own */
    uint32_t count; /* of the conditions that end a member: ENGINE_UNTIL_REPEATS, ENGINE_UNTIL_UNCHANGED */
    uint32_t conditions[TERMS_CONDITIONS_MAX];
    uint64_t every; /* steps between two looks at the conditions */
    uint64_t pace;  /* steps after which a batch compares states: a multiple of `every` */
};

/* Reads the terms of a planned run. Returns false if it cannot be a universe of a batch of members: because its
 * implementation takes one universe in a call, or because it is divided, has an analysis or probes, or ends by other
 * conditions. */
bool terms_read(const struct engine_config *config, const struct engine_run *run, struct terms *terms);

/* The number of members that a batch on so many threads should have. `bytes` is how many its buffers may have. */
uint32_t terms_width(const struct terms *terms, const struct engine_run *run, uint32_t threads, uint64_t bytes);

#endif
