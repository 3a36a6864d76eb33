/* The rows of one combination, side by side: their repeats, and the hashes by which they are compared. */
#include "base/error.h"
#include "base/machine.h"
#include "judge/bench.h"
#include "judge/candidate.h"
#include "judge/cost_share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const uint64_t repeat_steps = (uint64_t) 1 << 40; /* enough, if steps take no time once the state repeats */

void bench_fail_row(struct bench_row *row, const struct engine_error *error)
{
    row->status = error->status;
    snprintf(row->text, sizeof row->text, "%.*s", (int) sizeof row->text - 1, error->text);
}

/* ---- One row ------------------------------------------------------------------------------------------------ */

/* Does a key, "section.key", change no result of this plugin? Those of other plugins change none. */
static bool is_tuning(const struct engine_plugin *about, const char *name)
{
    const int length = (int) strcspn(name, ".");
    const struct engine_section *of;
    char section[80];
    snprintf(section, sizeof section, "%.*s", length, name);
    bool known = strcasecmp(section, about->name) == 0;
    for (uint32_t i = 0; !known && (of = engine_section_at(i)); i++)
        known = strcasecmp(section, of->name) == 0;
    return !known || engine_key_flags(about, section, name + length + 1) & ENGINE_PARAM_TUNING;
}

static bool sweeps_problem(const struct engine_plugin *about, const struct sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->key_count; i++)
        if (!is_tuning(about, sweep->keys[i]))
            return true;
    return false;
}

static void name_problem(const struct bench *bench, const struct engine_plugin *about, struct bench_row *row)
{
    size_t length = 0;
    for (uint32_t i = 0; i < bench->sweeps->count; i++)
        if (sweeps_problem(about, &bench->sweeps->at[i]) && length < sizeof row->problem)
            length += (size_t) snprintf(row->problem + length, sizeof row->problem - length, "%s=%s ",
                                        bench->sweeps->at[i].name, sweep_value(bench->sweeps, i, row->combination));
}

/* Fills in the facts of a row after its run has started. */
static void describe_row(const struct bench *bench, const struct engine_run *run, struct bench_row *row)
{
    const size_t name = (size_t) (candidate_impl(row->impl) - row->impl);
    const struct engine_impl *impl = engine_run_impl(run);
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(run, &plugin);
    snprintf(row->impl + name, sizeof row->impl - name, "%s", impl->name);
    row->reference = impl == plugin.reference;
    row->exact = impl->flags & ENGINE_EXACT;
    row->run.size = sizeof row->run;
    engine_run_about(run, &row->run);
    snprintf(row->unit, sizeof row->unit, "%s", row->run.work_unit);
    row->problem[0] = '\0';
    name_problem(bench, plugin.about, row);
    row->cost.size = sizeof row->cost;
    engine_run_cost(run, &row->cost);
}

void bench_open_row(const struct bench *bench, const struct engine_config *config, struct bench_row *row,
                    struct candidate *candidate)
{
    struct engine_error error;
    *candidate = (struct candidate){0};
    if (row->status != 0)
        return;
    if (candidate_open(config, row->impl, &candidate->run, &error) != 0)
        bench_fail_row(row, &error);
    else
        describe_row(bench, candidate->run, row);
}

/* Takes a hash of a row's state. The plugin has not been called since the timed steps. */
static void take_hash(struct bench_row *row, const struct candidate *candidate, struct bench_hash *hash)
{
    struct engine_error error;
    hash->step = engine_run_step(candidate->run);
    if (row->exact && engine_run_hash(candidate->run, hash->text, &error) != 0)
        bench_fail_row(row, &error);
}

/* Runs a new instance from the initial state on. Its first step is not timed: it pays for what every run pays for once,
 * such as the first forces. Returns the seconds of the `steps` steps after it, and the hash of the last state; hash
 * NULL: none is wanted. After an error the row has failed. */
static double timed(struct bench_row *row, struct candidate *candidate, uint64_t steps, struct bench_hash *hash)
{
    struct engine_error error;
    int status = engine_run_return(candidate->run, candidate->kept, &error);
    if (status == 0)
        status = engine_run_take(candidate->run, 1, UINT64_MAX, &error);
    const double begin = machine_clock();
    if (status == 0)
        status = engine_run_take(candidate->run, steps, UINT64_MAX, &error);
    const double seconds = machine_clock() - begin;
    if (status != 0)
        bench_fail_row(row, &error);
    else if (hash)
        take_hash(row, candidate, hash);
    return seconds;
}

uint64_t bench_find_steps(double (*take)(void *user, uint64_t steps), void *user, uint32_t preferred, double seconds)
{
    const uint64_t batch = preferred ? preferred : 1;
    uint64_t batches = 1;
    for (;;) {
        const double taken = take(user, batches * batch), wanted = seconds / (taken + 1e-9);
        if (taken < 0 || wanted < 1 || batches * batch >= repeat_steps)
            return batches * batch;
        if (wanted < 3)
            return (uint64_t) ((double) batches * wanted) * batch;
        batches *= wanted < 16 ? (uint64_t) wanted / 2 + 1 : 8;
    }
}

/* For bench_find_steps. */
struct timing {
    struct bench_row *row;
    struct candidate *candidate;
};

static double take_timed(void *user, uint64_t steps)
{
    const struct timing *timing = user;
    const double seconds = timed(timing->row, timing->candidate, steps, NULL);
    return timing->row->status == 0 ? seconds : -1;
}

static void time_exchange(struct bench_row *row, struct candidate *candidate)
{
    struct engine_error error;
    if (engine_run_time_exchange(candidate->run, &row->exchange_per_step, &error) != 0)
        bench_fail_row(row, &error);
}

/* An implementation on a device may tell only when it measures what it has skipped. */
static void measure_row(struct bench_row *row, struct candidate *candidate)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(candidate->run, &plugin);
    const uint32_t count = plugin.about->metrics.count;
    double *values = calloc(count + 1, sizeof *values);
    struct engine_error error;
    if (!values)
        error_memory(&error, count * sizeof *values, "metrics");
    if (!values || (count > 0 && engine_run_impl(candidate->run)->measure &&
                    engine_run_measure(candidate->run, values, count, &error) != 0))
        bench_fail_row(row, &error);
    free(values);
}

static void take_notes(struct bench_row *row, const struct engine_run *run)
{
    size_t length = 0;
    const char *text, *key;
    for (uint32_t i = 0; (text = engine_run_note(run, i, &key)); i++) {
        if (strcmp(key, "settled") == 0)
            row->skipped = cost_skipped(text);
        if (length < sizeof row->notes)
            length +=
                (size_t) snprintf(row->notes + length, sizeof row->notes - length, "%s%s=%s", i ? " " : "", key, text);
    }
}

void bench_end_row(struct bench_row *row, struct candidate *candidate)
{
    if (row->status == 0)
        time_exchange(row, candidate);
    if (row->status == 0 && row->run.memory != ENGINE_HOST_MEMORY)
        measure_row(row, candidate);
    if (candidate->run)
        take_notes(row, candidate->run);
}

/* ---- Rows side by side -------------------------------------------------------------------------------------- */

/* The number of steps of a run that all rows make before the first repeat, for a comparison. It is at most the number
 * that the slowest row takes in a repeat, or 2. Unless steps are given it is one of 2, 6, 14, 30 and so on. With the first
 * step it is odd, because the errors of two steps may cancel. The list is short, so that other combinations of the same
 * problem are likely to use the same number. */
static uint64_t common_steps(const struct round *round)
{
    uint64_t least = UINT64_MAX, common = 2;
    if (round->steps)
        return round->steps;
    for (uint32_t i = 0; i < round->count; i++)
        if (round->rows[i].status == 0 && round->rows[i].steps < least)
            least = round->rows[i].steps;
    while (common < least / 2)
        common = 2 * common + 2;
    return common;
}

/* The host must have the memory of all rows, which are open at the same time, and of their initial states. A device
 * reports a lack of memory itself. */
static int keep(struct round *round, const struct bench_row *row, struct candidate *candidate,
                struct engine_error *error)
{
    const uint64_t have = (uint64_t) sysconf(_SC_PHYS_PAGES) * (uint64_t) sysconf(_SC_PAGESIZE);
    round->bytes += row->run.kept_bytes + (row->run.memory == ENGINE_HOST_MEMORY ? row->run.bytes : 0);
    if (round->bytes <= have)
        return engine_run_keep(candidate->run, &candidate->kept, error);
    return error_set(error, ENGINE_STATUS_DEVICE, "the other rows leave too little memory for this one; time %s alone",
                     row->impl);
}

void bench_close_candidate(struct candidate *candidate)
{
    engine_kept_close(candidate->kept);
    engine_run_close(candidate->run);
    *candidate = (struct candidate){0};
}

/* Reports what is being done with a row. */
static void tell(const struct round *round, const struct bench_row *row, const char *what)
{
    char activity[256];
    snprintf(activity, sizeof activity, "bench: %s, %s", row->impl, what);
    engine_activity(round->bench->context, activity);
}

static void start_row(struct round *round, struct bench_row *row, struct candidate *candidate)
{
    struct engine_error error;
    tell(round, row, "finding the number of steps");
    bench_open_row(round->bench, round->config, row, candidate);
    if (row->status == 0 && keep(round, row, candidate, &error) != 0) {
        bench_fail_row(row, &error);
        bench_close_candidate(candidate);
    }
    struct timing timing = {row, candidate};
    row->steps = round->steps;
    if (row->steps == 0 && row->status == 0)
        row->steps = bench_find_steps(take_timed, &timing, engine_run_impl(candidate->run)->batch, bench_repeat);
}

static void start(struct round *round)
{
    for (uint32_t i = 0; i < round->count; i++)
        start_row(round, &round->rows[i], &round->candidates[i]);
    const uint64_t common = common_steps(round);
    for (uint32_t i = 0; i < round->count; i++)
        if (round->rows[i].status == 0)
            timed(&round->rows[i], &round->candidates[i], common, &round->rows[i].hashes[BENCH_EARLY]);
}

static void repeat_row(struct bench_row *row, struct candidate *candidate, uint32_t repeat)
{
    struct bench_hash hash = {0};
    row->seconds[repeat] = timed(row, candidate, row->steps, &hash);
    if (repeat == 0)
        row->hashes[BENCH_REPEATS] = hash;
    if (row->status != 0 || strcmp(hash.text, row->hashes[BENCH_REPEATS].text) == 0)
        return;
    row->status = ENGINE_STATUS_UNVERIFIED;
    snprintf(row->text, sizeof row->text, "its repeats end in states that differ: %s in the first one, %s in number %u",
             row->hashes[BENCH_REPEATS].text, hash.text, repeat + 1);
}

static void repeat_rows(struct round *round)
{
    for (uint32_t r = 0; r < round->bench->repeats; r++)
        for (uint32_t i = 0; i < round->count; i++) {
            struct bench_row *row = &round->rows[i];
            char repeat[64];
            snprintf(repeat, sizeof repeat, "repeat %u of %u", r + 1, round->bench->repeats);
            tell(round, row, repeat);
            if (row->status == 0)
                repeat_row(row, &round->candidates[i], r);
        }
}

/* ---- Rows that take different numbers of steps ---------------------------------------------------------------- */

static bool is_other_exact(const struct bench_row *other, const struct bench_row *row)
{
    return other->status == 0 && other->exact && strcmp(other->impl, row->impl) != 0;
}

/* How many times as long as a repeat would a row take for the steps of another one? */
static double repeats_for(const struct bench_row *row, const struct bench_row *other)
{
    return (double) other->steps / (double) row->steps;
}

/* The row that follows another one to the end of its repeats: the reference, or else the fastest. It must not take
 * longer for that than for its own repeats. */
static struct bench_row *find_witness(const struct round *round, const struct bench_row *row)
{
    struct bench_row *best = NULL;
    for (uint32_t i = 0; i < round->count; i++) {
        struct bench_row *other = &round->rows[i];
        if (!is_other_exact(other, row) || repeats_for(other, row) > round->bench->repeats)
            continue;
        if (!best || other->reference ||
            (!best->reference &&
             repeats_for(other, row) * other->seconds[0] < repeats_for(best, row) * best->seconds[0]))
            best = other;
    }
    return best;
}

/* The number of steps of a repeat of the fastest row that is slower; 0: there is none. */
static uint64_t slower_steps(const struct round *round, const struct bench_row *row)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < round->count; i++) {
        const struct bench_row *other = &round->rows[i];
        if (is_other_exact(other, row) && other->steps < row->steps && other->steps > steps)
            steps = other->steps;
    }
    return steps;
}

/* Another row takes the steps of a repeat, so that the states can be compared. If none can do so in time, the row takes
 * the steps of a slower one. Only the state at the end of a run that was timed speaks for the row. */
static void follow(struct round *round, struct bench_row *row)
{
    struct bench_row *witness = find_witness(round, row);
    const uint64_t steps = witness ? row->steps : slower_steps(round, row);
    struct bench_row *runs = witness ? witness : row;
    tell(round, row, "comparing");
    row->witness = (uint32_t) (runs - round->bench->rows);
    if (steps > 0)
        timed(runs, &round->candidates[runs - round->rows], steps, witness ? &row->seen : &row->hashes[BENCH_SLOWER]);
}

static void finish(struct round *round)
{
    for (uint32_t i = 0; i < round->count; i++)
        bench_end_row(&round->rows[i], &round->candidates[i]);
    for (uint32_t i = 0; i < round->count && round->steps == 0; i++)
        if (round->rows[i].status == 0 && round->rows[i].exact)
            follow(round, &round->rows[i]);
    for (uint32_t i = 0; i < round->count; i++)
        bench_close_candidate(&round->candidates[i]);
}

int bench_measure(struct round *round, struct engine_error *error)
{
    struct bench *bench = round->bench;
    bench->spare = bench->spare ? bench->spare : calloc(bench->repeats, sizeof *bench->spare);
    round->candidates = calloc(round->count + 1, sizeof *round->candidates);
    if (!round->candidates || !bench->spare) {
        free(round->candidates);
        return error_memory(error, round->count * sizeof *round->candidates, "rows");
    }
    start(round);
    repeat_rows(round);
    finish(round);
    free(round->candidates);
    engine_activity(bench->context, NULL);
    return 0;
}
