/* engine_bench: every combination of swept values, timed on every implementation. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/text.h"
#include "judge/bench_print.h"
#include "judge/contest.h"
#include "judge/section_bench.h"
#include "judge/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct engine_bench {
    struct trial trial;
    struct bench bench; /* points to the trial's sweeps */
};

/* ---- The trial ------------------------------------------------------------------------------------------------- */

/* The texts of [bench] removes belong to the names of [bench] impl, and to no others. Judges of processes have none. */
static int read_removes(struct trial *trial, const struct engine_config *config, const char *list,
                        struct engine_error *error)
{
    if (!*list || trial->given.impls || trial->given.isolated)
        return 0;
    return candidate_texts_read(&trial->removes, list, trial->names.count, error) == 0
               ? 0
               : error_prefix(error, "%s: [bench] removes: ", engine_config_place(config, "bench", "removes"));
}

/* Parses the caller's trial. Takes what the caller does not give from the section [bench]. */
static int read_trial(struct trial *trial, const struct engine_config *config, struct engine_error *error)
{
    const struct engine_context *context = engine_config_context(config);
    struct engine_value values[KEYS_OF_BENCH];
    if (engine_config_values(config, &bench_section.about, values, error) != 0 ||
        trial_read(trial, context, error) != 0)
        return error->status;
    const char *impls = values[KEY_BENCH_IMPL].text, *sweeps = values[KEY_BENCH_SWEEP].text;
    if (trial->names.count == 0 && *impls && candidate_names_read(&trial->names, impls, error) != 0)
        return error_prefix(error, "%s: [bench] impl: ", engine_config_place(config, "bench", "impl"));
    if (read_removes(trial, config, values[KEY_BENCH_REMOVES].text, error) != 0)
        return error->status;
    if (trial->sweeps.count == 0 && *sweeps && sweeps_read_list(&trial->sweeps, sweeps, error) != 0)
        return error_prefix(error, "%s: [bench] sweep: ", engine_config_place(config, "bench", "sweep"));
    if (trial->given.repeats == 0)
        trial->given.repeats = (uint32_t) values[KEY_BENCH_REPEATS].integer;
    if (trial->given.steps == 0)
        trial->given.steps = (uint64_t) values[KEY_BENCH_STEPS].integer;
    return trial_check(trial, context, error);
}

/* ---- Measuring ------------------------------------------------------------------------------------------------- */

/* Adds the rows of one combination, or one row with the error that the combination has. */
static int run_combination(struct bench *bench, const struct engine_config *config, const struct trial *trial,
                           uint64_t combination, struct engine_error *error)
{
    struct engine_config *copy;
    struct engine_error why;
    if (trial_config(trial, config, combination, &copy, &why) != 0)
        return bench_refuse(bench, combination, &why, error);
    const int status = (bench->draw ? contest_combination : bench_combination)(
        bench, copy, combination, trial->names.at, trial->names.count, error);
    engine_config_close(copy);
    return status;
}

/* The number from which everything follows that is drawn; 0: implementations are not isolated. JSON has numbers of 53
 * bits. */
static uint64_t draw_number(const struct engine_context *context, const struct engine_trial *given)
{
    uint64_t number = given->draw;
    if (!given->isolated)
        return 0;
    if (!given->start) {
        engine_message(context, ENGINE_LOG_WARNING,
                       "the implementations are not isolated: the program has no hook that starts processes");
        return 0;
    }
    if (number == 0 && getrandom(&number, sizeof number, 0) == (ssize_t) sizeof number)
        number = number >> 11;
    return number ? number : 1;
}

int engine_bench(const struct engine_config *config, const struct engine_trial *given, struct engine_bench **out,
                 struct engine_error *error)
{
    API_NUMBERS;
    struct engine_bench *bench = calloc(1, sizeof *bench);
    *out = NULL;
    if (!bench)
        return error_memory(error, sizeof *bench, "the rows");
    struct trial *trial = &bench->trial;
    trial_copy(trial, given);
    int status = read_trial(trial, config, error);
    bench->bench = (struct bench){.context = engine_config_context(config),
                                  .trial = &trial->given,
                                  .repeats = trial->given.repeats,
                                  .steps = trial->given.steps,
                                  .sweeps = &trial->sweeps,
                                  .removes = trial->removes.count ? trial->removes.at : NULL};
    if (status == 0)
        bench->bench.draw = draw_number(bench->bench.context, &trial->given);
    const uint64_t combinations = sweep_combinations(&trial->sweeps);
    for (uint64_t i = 0; status == 0 && i < combinations; i++)
        status = run_combination(&bench->bench, config, trial, i, error);
    if (status == 0)
        status = bench_check_any(&bench->bench, error);
    if (status != 0) {
        engine_bench_close(bench);
        return status;
    }
    bench_finish(&bench->bench);
    *out = bench;
    return 0;
}

void engine_bench_close(struct engine_bench *bench)
{
    if (!bench)
        return;
    bench_release(&bench->bench);
    trial_release(&bench->trial);
    free(bench);
}

/* ---- Results --------------------------------------------------------------------------------------------------- */

int engine_bench_row(const struct engine_bench *bench, uint32_t index, struct engine_bench_row *out)
{
    if (index >= bench->bench.count)
        return 0;
    const struct bench_row *row = &bench->bench.rows[index];
    const struct engine_bench_row filled = {.size = out->size,
                                            .impl = row->impl,
                                            .error = row->status ? row->text : NULL,
                                            .status = row->status,
                                            .repeats = bench->bench.repeats,
                                            .seconds = row->seconds,
                                            .steps = row->steps,
                                            .rate = row->rate,
                                            .unit = row->unit,
                                            .limit = row->limit,
                                            .share = row->share,
                                            .speedup = row->speedup,
                                            .effective = row->effective};
    memcpy(out, &filled, out->size < sizeof filled ? out->size : sizeof filled);
    return 1;
}

int engine_bench_status(const struct engine_bench *bench, struct engine_error *error)
{
    API_NUMBERS;
    const int status = bench_status(&bench->bench);
    for (uint32_t i = 0; status && i < bench->bench.count; i++) {
        const struct bench_row *row = &bench->bench.rows[i];
        if (row->status == status)
            return error_set(error, status, "%s%s%s", row->refused ? "" : row->impl, row->refused ? "" : ": ",
                             row->text);
    }
    return status;
}

static int print(FILE *to, const struct bench *bench, int form, const char *command, struct engine_error *error)
{
    switch (form) {
    case ENGINE_TEXT:
        bench_print_table(to, bench, command);
        return 0;
    case ENGINE_CSV:
        bench_print_csv(to, bench);
        return 0;
    case ENGINE_HEADING:
        bench_print_heading(to, bench, command);
        return 0;
    case ENGINE_SVG:
        if (!bench->removes || bench->sweeps->count)
            return bench_print_plot(to, bench, command, error);
        bench_print_ladder(to, bench, command);
        return 0;
    case ENGINE_ROOFLINE:
        return bench_print_roofline(to, bench, command, error);
    default:
        return error_set(error, ENGINE_STATUS_USAGE, "form %d: expected one of ENGINE_TEXT to ENGINE_ROOFLINE", form);
    }
}

int engine_bench_print(const struct engine_bench *bench, int form, const char *command, char **text,
                       struct engine_error *error)
{
    API_NUMBERS;
    if (form == ENGINE_JSON)
        return bench_json(&bench->bench, command, text, error);
    size_t length;
    FILE *stream = open_memstream(text, &length);
    const int status = stream ? print(stream, &bench->bench, form, command, error) : 0;
    if (!stream || !text_stream_close(stream, text)) {
        *text = NULL;
        return status ? status : error_memory(error, bench->bench.count, "the results");
    }
    if (status != 0) {
        free(*text);
        *text = NULL;
    }
    return status;
}
