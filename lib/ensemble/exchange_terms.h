/* What an ensemble whose members exchange positions (ensemble/exchange.h) may ask for. */
#ifndef LIB_ENSEMBLE_EXCHANGE_TERMS_H
#define LIB_ENSEMBLE_EXCHANGE_TERMS_H

#include "ensemble/sweep.h"

enum { EXCHANGE_MEMBERS_MAX = 1024 };

/* Checks the keys, and that there is one sweep, of a temperature and init.seed. *energy is the number of the metric that
 * [ensemble] energy names. ENGINE_STATUS_USAGE. */
int exchange_check(const struct engine_config *config, const struct sweeps *sweeps, const struct engine_plugin *about,
                   uint32_t *energy, struct engine_error *error);

/* Reads the temperature and the seed of combination `i`. Returns false if there is no seed, or no temperature above 0. */
bool exchange_values(const struct sweeps *sweeps, uint64_t i, double *temperature, uint64_t *seed);

#endif
