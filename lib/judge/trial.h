/* The trial that a caller of engine_verify, engine_bench or engine_conform asks for, with its lists parsed. */
#ifndef LIB_JUDGE_TRIAL_H
#define LIB_JUDGE_TRIAL_H

#include "ensemble/sweep.h"
#include "judge/candidate.h"

struct trial {
    struct engine_trial given; /* members beyond the caller's size are 0 */
    struct candidate_names names;
    struct sweeps sweeps;
    struct candidate_names removes; /* bench: a text for each of `names`; count 0: none */
};

/* Copies the caller's structure. `given` may be NULL. */
void trial_copy(struct trial *trial, const struct engine_trial *given);

/* Parses the names and the sweeps, which messages call by the words of the context's caller. The caller calls
 * trial_release afterwards, even after an error. ENGINE_STATUS_USAGE. */
int trial_read(struct trial *trial, const struct engine_context *context, struct engine_error *error);

/* Refuses sweeps that a trial cannot have. trial_read does this, too. ENGINE_STATUS_USAGE. */
int trial_check(const struct trial *trial, const struct engine_context *context, struct engine_error *error);
void trial_release(struct trial *trial);

/* Makes a copy of the configuration with the values of one combination. The caller closes *copy. */
int trial_config(const struct trial *trial, const struct engine_config *config, uint64_t combination,
                 struct engine_config **copy, struct engine_error *error);

#endif
