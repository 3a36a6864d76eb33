/* The results of a bench as JSON. */
#include "base/machine.h"
#include "files/json.h"
#include "judge/bench_print.h"

#include <math.h>
#include <stdio.h>

static struct json_object *seconds_json(const struct bench *bench, const struct bench_row *row)
{
    struct json_object *json = json_new_array();
    for (uint32_t r = 0; r < bench->repeats; r++)
        json_append(json, json_new_real(row->seconds[r]));
    return json;
}

/* The cost of a unit of work that the implementation declares; NULL: it declares none. */
static struct json_object *counted_json(const struct engine_cost *cost)
{
    if (!bench_is_counted(cost))
        return NULL;
    struct json_object *json = json_new_object();
    json_add_known_text(json, "operation", engine_operation_name(cost->operation));
    json_add_real(json, "operations", cost->operations);
    json_add_real(json, "bytes", cost->bytes);
    return json;
}

static void add_measured(struct json_object *json, const struct bench *bench, const struct bench_row *row)
{
    char unit[96];
    snprintf(unit, sizeof unit, "%s/s", row->unit);
    json_add_count(json, "threads", row->run.threads);
    json_add_count(json, "steps", row->steps);
    json_add(json, "seconds", seconds_json(bench, row));
    json_add_real(json, "seconds_median", row->time.median);
    json_add(json, "noisy", json_new_flag(bench_row_is_noisy(row)));
    if (!isnan(row->rate))
        json_add_real(json, "rate", row->rate);
    if (bench_row_skips(row))
        json_add_real(json, "effective", row->effective);
    if (row->skipped > 0)
        json_add_real(json, "skipped", row->skipped);
    json_add_text(json, "rate_unit", unit);
    json_add_known_text(json, "limit", row->limit);
    json_add(json, "share", row->limit ? json_new_real(row->share) : NULL);
    json_add(json, "at_most", row->limit ? json_new_real(row->most) : NULL);
    json_add(json, "counted", counted_json(&row->cost));
    json_add_real(json, "speedup", row->speedup);
    if (row->run.parts > 1) {
        json_add_count(json, "devices", row->run.devices);
        json_add_count(json, "parts", row->run.parts);
        json_add_real(json, "exchange", row->exchange_per_step * (double) row->steps / row->time.median);
    }
    json_add_real(json, "efficiency", row->efficiency);
    json_add(json, "exact", json_new_flag(row->exact));
    json_add_known_text(json, "hash", row->hashes[BENCH_REPEATS].text);
    json_add_count(json, "hash_step", row->hashes[BENCH_REPEATS].step);
    json_add_count(json, "confirmed_step", row->confirmed);
    json_add_known_text(json, "notes", row->notes);
    if (bench->draw) {
        json_add_real(json, "delivery", row->delivery);
        json_add_known_text(json, "mark", row->mark);
    }
}

static struct json_object *row_json(const struct bench *bench, const struct bench_row *row)
{
    struct json_object *json = json_new_object(), *swept = json_new_object();
    json_add_text(json, "implementation", row->impl);
    for (uint32_t s = 0; s < bench->sweeps->count; s++)
        json_add_text(swept, bench->sweeps->at[s].name, sweep_value(bench->sweeps, s, row->combination));
    json_add(json, "swept", swept);
    if (bench->removes) {
        json_add_text(json, "removes", row->removes);
        json_add(json, "absent", json_new_flag(row->absent));
    }
    json_add_known_text(json, "error", row->text);
    if (row->status == 0)
        add_measured(json, bench, row);
    return json;
}

static struct json_object *limits_json(const struct bench_limits *entry)
{
    struct json_object *json = json_new_object();
    json_add_text(json, "device", entry->run.device);
    json_add_count(json, "threads", entry->run.threads);
    json_add_real(json, "copy", entry->limits.copy);
    json_add_real(json, "logic", entry->limits.logic);
    json_add_real(json, "fma", entry->limits.fma);
    json_add_real(json, "fma64", entry->limits.fma64);
    return json;
}

int bench_json(const struct bench *bench, const char *command, char **text, struct engine_error *error)
{
    struct json_object *json = json_new_object(), *limits = json_new_array(), *rows = json_new_array();
    char processor[128], date[32];
    json_add_text(json, "engine", machine_version());
    json_add_text(json, "machine", machine_processor(processor));
    json_add_text(json, "date", machine_date(date));
    json_add_known_text(json, "command", command);
    json_add_known_text(json, "subject", bench->subject);
    json_add_count(json, "repeats", bench->repeats);
    if (bench->draw)
        json_add_count(json, "draw", bench->draw);
    for (uint32_t i = 0; i < bench->limits_count; i++)
        json_append(limits, limits_json(&bench->limits[i]));
    for (uint32_t i = 0; i < bench->count; i++)
        json_append(rows, row_json(bench, &bench->rows[i]));
    json_add(json, "limits", limits);
    json_add(json, "rows", rows);
    return json_take_lines(json, text, error);
}
