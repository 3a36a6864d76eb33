/* A universe of a batch beside its run alone. */
#ifndef LIB_JUDGE_UNIVERSE_H
#define LIB_JUDGE_UNIVERSE_H

#include "judge/compare.h"

/* The number of universes of a run's plan: 1 where it is no batch. */
uint64_t universe_count(struct engine_run *run);

/* Starts a run of one universe, from the cells and with the seed that it has in the batch `start` at step 0. After an
 * error *alone is NULL. */
int universe_open(const struct engine_config *config, const char *impl, const struct engine_run *start,
                  uint64_t universe, struct engine_run **alone, struct engine_error *error);

/* Compares a field of the universe in the batch with that of its run alone, bit by bit. */
int universe_compare(struct comparison *comparison, const struct engine_run *batch, const struct engine_run *alone,
                     uint64_t universe, uint32_t field, struct engine_error *error);

#endif
