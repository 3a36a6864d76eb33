/* What a caller asks of engine_verify and engine_bench, read: names of implementations and sweeps. */
#ifndef CORE_API_TRIAL_H
#define CORE_API_TRIAL_H

#include "api/handles.h"
#include "judge/contender.h"
#include "judge/sweep.h"

struct trial {
    struct engine_trial given; /* members beyond the caller's size are 0 */
    struct contender_names names;
    struct sweeps sweeps;
};

/* Copies what the caller gives, which may be NULL. */
void trial_copy(struct trial *trial, const struct engine_trial *given);

/* Reads names and sweeps. trial_release may be called after an error too. ENGINE_STATUS_USAGE. */
int trial_read(struct trial *trial, struct engine_error *error);
void trial_release(struct trial *trial);

/* A copy of the configuration with the values of one combination. */
int trial_config(const struct trial *trial, const struct engine_config *config, uint64_t combination,
                 struct config **copy, struct engine_error *error);

#endif
