/* From times to results: which rows agree, their rates, and their share of the machine's limits. */
#include "base/error.h"
#include "base/text.h"
#include "judge/bench.h"
#include "judge/cost_share.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Hashes ------------------------------------------------------------------------------------------------- */

static void confirm(struct bench_row *row, uint64_t step)
{
    row->confirmed = step > row->confirmed ? step : row->confirmed;
}

/* Compares a hash of a row with a hash of another row that is right. Returns whether they are equal. */
static bool compare(struct bench_row *row, const struct bench_hash *is, const struct bench_row *other,
                    const struct bench_hash *should)
{
    if (is->step == 0 || is->step != should->step || row->status != 0)
        return false;
    if (strcmp(is->text, should->text) == 0) {
        confirm(row, is->step);
        return true;
    }
    row->status = ENGINE_STATUS_UNVERIFIED;
    char steps[64];
    snprintf(row->text, sizeof row->text, "its state after %s has the hash %s, and that of %s has %s",
             text_count(is->step, "step", steps), is->text, other->impl, should->text);
    return false;
}

static void compare_all(struct bench_row *row, struct bench_row *other)
{
    for (int i = 0; i < BENCH_HASHES; i++)
        for (int j = 0; j < BENCH_HASHES; j++)
            if (compare(row, &row->hashes[i], other, &other->hashes[j]))
                confirm(other, other->hashes[j].step);
}

/* Compares the rows of the reference, or the others in their order. */
static void compare_rows(struct bench *bench, bool references)
{
    for (uint32_t i = 0; i < bench->count; i++) {
        struct bench_row *row = &bench->rows[i];
        if (row->status != 0 || !row->exact || row->reference != references)
            continue;
        for (uint32_t j = 0; j < bench->count; j++)
            if (bench->rows[j].right && strcmp(row->problem, bench->rows[j].problem) == 0)
                compare_all(row, &bench->rows[j]);
        row->right = row->status == 0;
    }
}

/* Compares rows with those that followed them. Rows that contradict each other, and not the reference, are both wrong. */
static void compare_seen(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->count; i++) {
        struct bench_row *row = &bench->rows[i];
        const struct bench_row *witness = &bench->rows[row->witness];
        if (row->right && witness->right &&
            (!row->reference || strcmp(row->hashes[BENCH_REPEATS].text, row->seen.text) == 0))
            compare(row, &row->hashes[BENCH_REPEATS], witness, &row->seen);
    }
}

/* ---- Limits ------------------------------------------------------------------------------------------------- */

static bool same_device(const struct engine_run_info *a, const struct engine_run_info *b)
{
    return a->memory == b->memory && a->threads == b->threads &&
           (a->memory == ENGINE_HOST_MEMORY || a->device_number == b->device_number);
}

const struct bench_limits *bench_find_limits(const struct bench *bench, const struct bench_row *row)
{
    for (uint32_t i = 0; i < bench->limits_count; i++)
        if (same_device(&bench->limits[i].run, &row->run))
            return &bench->limits[i];
    return NULL;
}

/* The limits of the row's device, measured at the first request; NULL: not known. */
static const struct engine_limits *limits_for(struct bench *bench, const struct bench_row *row)
{
    const struct bench_limits *found = bench_find_limits(bench, row);
    if (found)
        return &found->limits;
    if (bench->limits_count == BENCH_LIMITS_MAX)
        return NULL;
    struct bench_limits *entry = &bench->limits[bench->limits_count];
    struct engine_error error;
    char threads[64], activity[128];
    snprintf(activity, sizeof activity, "bench: limits of the machine, %s",
             text_count(row->run.threads, "thread", threads));
    engine_activity(bench->context, activity);
    *entry = (struct bench_limits){.run = row->run, .limits.size = sizeof entry->limits};
    if (engine_machine_limits(bench->context, row->run.memory, row->run.device_number, row->run.threads, &entry->limits,
                              &error) != 0)
        return NULL;
    bench->limits_count++;
    return &entry->limits;
}

/* ---- Rates -------------------------------------------------------------------------------------------------- */

static double rate_of(const struct bench_row *row, uint32_t repeat)
{
    return row->run.work_per_step * (double) row->steps / row->seconds[repeat];
}

/* Each repeat is compared with the repeat that ran next to it, of the problem's first row that ran. */
static void find_speedup(const struct bench *bench, struct bench_row *row)
{
    const struct bench_row *first = bench->rows; /* it may be the row itself */
    while (first->status != 0 || strcmp(first->problem, row->problem) != 0)
        first++;
    for (uint32_t r = 0; r < bench->repeats; r++)
        bench->spare[r] = rate_of(row, r) / rate_of(first, r);
    row->speedup = statistics_of(bench->spare, bench->repeats).median;
}

/* Of the rows with the same implementation, a device of the first row of the same problem has 100 %. In weak scaling,
 * where each row is a problem of its own, it is a device of the first row that ran. */
static void find_efficiency(const struct bench *bench, struct bench_row *row)
{
    const struct bench_row *first = row, *same = row;
    uint32_t rows = 0, alike = 0;
    for (uint32_t i = 0; i < bench->count; i++) {
        const struct bench_row *other = &bench->rows[i];
        if (other->status != 0 || strcmp(other->impl, row->impl) != 0)
            continue;
        if (rows++ == 0)
            first = other;
        if (strcmp(other->problem, row->problem) == 0 && alike++ == 0)
            same = other;
    }
    const struct bench_row *full = alike > 1 ? same : first;
    row->efficiency = row->effective / row->run.devices / (full->effective / full->run.devices);
}

void bench_finish(struct bench *bench)
{
    if (!bench->draw) { /* those of isolated rows are compared as they come */
        compare_rows(bench, true);
        compare_rows(bench, false);
        compare_seen(bench);
    }
    for (uint32_t i = 0; i < bench->count; i++) {
        struct bench_row *row = &bench->rows[i];
        if (row->status != 0)
            continue;
        memcpy(bench->spare, row->seconds, bench->repeats * sizeof *bench->spare);
        row->time = statistics_of(bench->spare, bench->repeats);
        row->effective = row->run.work_per_step * (double) row->steps / row->time.median;
        row->rate = row->effective * (1 - row->skipped);
        find_speedup(bench, row);
        const bool comparable = !cost_is_skipped(row->skipped) && bench_is_counted(&row->cost);
        const struct engine_limits *limits = comparable ? limits_for(bench, row) : NULL;
        if (limits)
            row->limit = cost_share(limits, &row->cost, row->rate / row->run.devices, &row->share);
        row->most = row->limit ? row->rate / row->share : NAN;
    }
    for (uint32_t i = 0; i < bench->count; i++)
        if (bench->rows[i].status == 0)
            find_efficiency(bench, &bench->rows[i]);
    engine_activity(bench->context, NULL);
}

int bench_status(const struct bench *bench)
{
    int status = 0;
    bool any = false;
    for (uint32_t i = 0; i < bench->count; i++) {
        if (bench->rows[i].status == ENGINE_STATUS_UNVERIFIED)
            return ENGINE_STATUS_UNVERIFIED;
        any = any || bench->rows[i].status == 0;
        status = status ? status : bench->rows[i].status;
    }
    return any ? 0 : status;
}
