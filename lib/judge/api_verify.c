/* engine_verify: compares all implementations, for every combination of swept values. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/text.h"
#include "files/json.h"
#include "judge/trial.h"
#include "judge/verify_print.h"

#include <stdlib.h>
#include <string.h>

struct engine_verification {
    struct json_object *json; /* an array of results */
    FILE *lines;              /* writes `text` */
    char *text;
    size_t length;
    int status;                /* of all combinations together */
    struct engine_error error; /* the reason of the status */
};

/* ---- One combination ------------------------------------------------------------------------------------------- */

/* Adds the status of one combination. A broken promise has precedence; otherwise the first failure counts. */
static void take_status(struct engine_verification *all, const struct engine_error *error)
{
    if (all->status == ENGINE_STATUS_DONE ||
        (all->status != ENGINE_STATUS_UNVERIFIED && error->status == ENGINE_STATUS_UNVERIFIED)) {
        all->status = error->status;
        all->error = *error;
    }
}

/* Reports a combination that cannot be tried. The other combinations are still tried. */
static void report_untried(struct engine_verification *all, const struct engine_context *context,
                           const struct trial *trial, uint64_t combination, const struct engine_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (stream) {
        sweep_print(stream, &trial->sweeps, combination);
        fprintf(stream, "%s%s", trial->sweeps.count ? ": " : "", error->text);
        text_stream_close(stream, &text);
    }
    engine_message(context, ENGINE_LOG_ERROR, text ? text : error->text);
    free(text);
    take_status(all, error);
}

static void take_worst(struct engine_verification *all, const struct engine_context *context,
                       const struct verification *verification, bool named)
{
    struct engine_error error;
    const struct verify_result *worst = verify_worst(verification, named, &error.status);
    if (!worst)
        return;
    if (error.status == ENGINE_STATUS_UNVERIFIED)
        error_set(&error, error.status, "%s/%s breaks its promise", verification->about->name, worst->impl->name);
    else
        error_set(&error, error.status, "%s: %s", worst->impl->name, worst->text);
    if (worst->status == error.status)
        engine_message(context, ENGINE_LOG_ERROR, error.text);
    take_status(all, &error);
}

/* Appends the results of one combination, and hands their text to the caller. */
static void take_results(struct engine_verification *all, const struct trial *trial,
                         const struct verification *verification, uint64_t combination)
{
    const size_t begin = all->length;
    verify_append_json(all->json, verification, &trial->sweeps, combination);
    verify_print(all->lines, verification, &trial->sweeps, combination);
    if (fflush(all->lines) == 0 && trial->given.print)
        trial->given.print(trial->given.user, all->text + begin);
}

static void try_combination(struct engine_verification *all, const struct engine_config *config,
                            const struct trial *trial, uint64_t combination)
{
    const struct engine_context *context = engine_config_context(config);
    const uint64_t steps = trial->given.steps ? trial->given.steps : VERIFY_STEPS;
    struct verification verification = {0};
    struct engine_config *copy = NULL;
    struct engine_error error;
    if (trial_config(trial, config, combination, &copy, &error) != 0 ||
        verify_all(copy, trial->names.at, trial->names.count, steps, &verification, &error) != 0)
        report_untried(all, context, trial, combination, &error);
    else {
        take_worst(all, context, &verification, trial->names.count > 0);
        take_results(all, trial, &verification, combination);
    }
    verify_release(&verification);
    engine_config_close(copy);
}

/* ---- The interface --------------------------------------------------------------------------------------------- */

static int open_results(struct engine_verification **out, struct engine_error *error)
{
    struct engine_verification *all = calloc(1, sizeof *all);
    *out = NULL;
    if (!all)
        return error_memory(error, sizeof *all, "the results");
    all->json = json_new_array();
    if (json_check(&all->json, error) == 0 && !(all->lines = open_memstream(&all->text, &all->length)))
        error_memory(error, sizeof *all, "the results");
    if (!all->lines) {
        engine_verification_close(all);
        return error->status;
    }
    *out = all;
    return 0;
}

int engine_verify(const struct engine_config *config, const struct engine_trial *given,
                  struct engine_verification **out, struct engine_error *error)
{
    API_NUMBERS;
    struct trial trial;
    *out = NULL;
    trial_copy(&trial, given);
    if (trial_read(&trial, engine_config_context(config), error) == 0 && open_results(out, error) == 0) {
        const uint64_t combinations = sweep_combinations(&trial.sweeps);
        for (uint64_t i = 0; i < combinations; i++)
            try_combination(*out, config, &trial, i);
    }
    trial_release(&trial);
    return *out ? 0 : error->status;
}

void engine_verification_close(struct engine_verification *verification)
{
    if (!verification)
        return;
    json_object_put(verification->json);
    if (verification->lines)
        fclose(verification->lines);
    free(verification->text);
    free(verification);
}

int engine_verification_status(const struct engine_verification *verification, struct engine_error *error)
{
    if (verification->status)
        *error = verification->error;
    return verification->status;
}

int engine_verification_print(const struct engine_verification *verification, int form, char **text,
                              struct engine_error *error)
{
    API_NUMBERS;
    if (form == ENGINE_JSON)
        return json_take_lines(json_object_get(verification->json), text, error);
    *text = fflush(verification->lines) == 0 && !ferror(verification->lines) ? strdup(verification->text) : NULL;
    return *text ? 0 : error_memory(error, verification->length, "the results");
}
