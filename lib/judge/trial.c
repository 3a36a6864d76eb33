#include "judge/trial.h"
#include "base/error.h"
#include "ensemble/words.h"

#include <string.h>

void trial_copy(struct trial *trial, const struct engine_trial *given)
{
    *trial = (struct trial){.given = {.size = sizeof trial->given}};
    if (given)
        memcpy(&trial->given, given, given->size < sizeof *given ? given->size : sizeof *given);
}

int trial_read(struct trial *trial, const struct engine_context *context, struct engine_error *error)
{
    char words[WORDS];
    if (candidate_names_read(&trial->names, trial->given.impls, error) != 0)
        return error_prefix(error, "%s: ", words_of(context, ENGINE_WORDS_OPTION, "impl", words));
    if (sweeps_read(&trial->sweeps, trial->given.sweeps, trial->given.sweep_count, error) != 0)
        return error_prefix(error, "%s ", words_of(context, ENGINE_WORDS_OPTION, "sweep", words));
    return trial_check(trial, context, error);
}

int trial_check(const struct trial *trial, const struct engine_context *context, struct engine_error *error)
{
    char sweep[WORDS], impl[WORDS];
    return sweeps_key(&trial->sweeps, "run.implementation")
               ? error_set(error, ENGINE_STATUS_USAGE,
                           "%s run.implementation: a sweep takes other keys; choose implementations with %s a,b,c",
                           words_of(context, ENGINE_WORDS_OPTION, "sweep", sweep),
                           words_of(context, ENGINE_WORDS_OPTION, "impl", impl))
               : 0;
}

void trial_release(struct trial *trial)
{
    candidate_names_release(&trial->names);
    candidate_names_release(&trial->removes);
    sweeps_release(&trial->sweeps);
}

int trial_config(const struct trial *trial, const struct engine_config *config, uint64_t combination,
                 struct engine_config **copy, struct engine_error *error)
{
    if (engine_config_copy(config, copy, error) != 0)
        return error->status;
    if (sweep_set(&trial->sweeps, combination, *copy, error) == 0)
        return 0;
    engine_config_close(*copy);
    *copy = NULL;
    return error->status;
}
