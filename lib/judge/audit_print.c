/* The texts of an audit: what it is about to do, and what it has found. */
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "ensemble/words.h"
#include "files/json.h"
#include "files/run_folder.h"
#include "judge/audit.h"
#include "judge/audit_draw.h"

#include <stdlib.h>
#include <string.h>

void audit_make_printable(char *lines)
{
    for (char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        text_make_printable(line);
        *end = '\n';
    }
}

void audit_print(const struct audit *audit, void (*put)(const struct audit *audit, FILE *to))
{
    char *text = NULL;
    size_t length;
    FILE *to = audit->given.print ? open_memstream(&text, &length) : NULL;
    if (!to)
        return;
    put(audit, to);
    if (text_stream_close(to, &text)) {
        audit_make_printable(text);
        audit->given.print(audit->given.user, text);
    }
    free(text);
}

static void print_last_fault(const struct audit *audit, FILE *to)
{
    const size_t count = json_object_array_length(audit->faults);
    fprintf(to, "  %-14s %s\n", "differs", json_object_get_string(json_object_array_get_idx(audit->faults, count - 1)));
}

void audit_add_fault(struct audit *audit, const char *text)
{
    const size_t count = json_object_array_length(audit->faults);
    for (size_t i = 0; i < count; i++)
        if (strcmp(json_object_get_string(json_object_array_get_idx(audit->faults, i)), text) == 0)
            return;
    json_append(audit->faults, json_new_text(text));
    if (count == 0)
        error_set(&audit->first, ENGINE_STATUS_UNVERIFIED, "%s", text);
    audit_print(audit, print_last_fault);
}

/* Writes a time as a person says it. Returns text. */
static const char *duration(double seconds, char text[32])
{
    if (seconds < 120)
        snprintf(text, 32, "%.2g s", seconds);
    else
        snprintf(text, 32, seconds < 7200 ? "%.0f min" : "%.1f h", seconds < 7200 ? seconds / 60 : seconds / 3600);
    return text;
}

static uint64_t steps_of(const struct audit *audit, uint64_t index)
{
    return audit_segment_end(&audit->record, index) - audit->record.kept[index];
}

/* The steps of the segments that are checked, of all, and of the longest of all. */
static uint64_t drawn_steps(const struct audit *audit)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < audit->drawn; i++)
        sum += steps_of(audit, audit->segments[i]);
    return sum;
}

static uint64_t longest(const struct audit *audit)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < audit->total; i++)
        most = steps_of(audit, i) > most ? steps_of(audit, i) : most;
    return most;
}

/* ---- Before ---------------------------------------------------------------------------------------------------- */

static void print_figures(const struct audit *audit, FILE *to)
{
    char few[32], one[32], words[WORDS];
    if (audit->drawn == audit->total) {
        fprintf(to, "  %-14s every segment is checked\n", "figures");
        return;
    }
    fprintf(to,
            "  %-14s if 5 %% of the segments are wrong, this audit misses it with %s; a single wrong segment with %s; "
            "%s checks every segment\n",
            "figures", audit_percent(audit_miss(audit->total, audit_few(audit->total), audit->drawn), few),
            audit_percent(audit_miss(audit->total, 1, audit->drawn), one),
            words_of(audit->context, ENGINE_WORDS_OPTION, "all", words));
}

/* What the audit does not compare. */
static void print_unchecked(const struct audit *audit, FILE *to)
{
    const char *analysis = engine_config_get(audit->config, "analyse", "plugin");
    const char *probes = engine_config_get(audit->config, "output", "probes");
    if (analysis && *analysis)
        fprintf(to, "  %-14s the analysis by %s, which has no hashes\n", "not checked", analysis);
    if (probes && *probes)
        fprintf(to, "  %-14s the columns of [output] probes\n", "not checked");
    if (audit->record.metrics.columns && audit->about->metrics.count > 0 && !audit->impl->measure)
        fprintf(to, "  %-14s the metrics, because %s measures none\n", "not checked", audit->impl->name);
    fprintf(to, "  %-14s files of other formats than snapshot, which are not states\n", "not checked");
}

/* Names the keys that keep more, if a segment is a large part of the run. */
static void print_advice(const struct audit *audit, FILE *to)
{
    char keys[96] = "";
    if (2 * longest(audit) > audit->record.last)
        snprintf(keys, sizeof keys, "[checkpoint] every and keep = all");
    if (!audit->record.hashes.columns)
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s[output] hash_every", *keys ? ", and " : "");
    if (*keys)
        fprintf(to,
                "  %-14s this run kept few states or hashes, so a segment is long or says little: the next run needs "
                "%s\n",
                "advice", keys);
}

void audit_print_plan(const struct audit *audit, FILE *to)
{
    char bytes[32], time[32];
    const struct audit_record *record = &audit->record;
    fprintf(to, "audit of %s: %s, computed by %s, checked by %s\n", audit->path, audit->about->name,
            audit->own ? audit->own->name : "an implementation that is not known here", audit->impl->name);
    fprintf(to, "  %-14s %llu, of at most %llu steps; %llu are checked, drawn with seed %llu\n", "segments",
            (unsigned long long) audit->total, (unsigned long long) longest(audit), (unsigned long long) audit->drawn,
            (unsigned long long) audit->seed);
    fprintf(to, "  %-14s %llu states in files, %llu hashes, %llu rows of metrics; %sB on the disk\n", "record",
            (unsigned long long) record->file_count, (unsigned long long) record->hashes.count,
            (unsigned long long) record->metrics.count, text_si(record->bytes, bytes));
    print_figures(audit, to);
    print_unchecked(audit, to);
    print_advice(audit, to);
    if (audit->resumed > 0)
        fprintf(to, "  %-14s %llu segments, by an audit that was interrupted\n", "done before",
                (unsigned long long) audit->resumed);
    fprintf(to, "  %-14s about %s for %llu steps, by the time of some of them\n", "time",
            duration(audit->predicted, time), (unsigned long long) drawn_steps(audit));
}

/* ---- Afterwards ------------------------------------------------------------------------------------------------ */

static uint64_t fault_count(const struct audit *audit)
{
    return json_object_array_length(audit->faults);
}

void audit_print_result(const struct audit *audit, FILE *to)
{
    const struct auditor *auditor = &audit->auditor;
    char time[64];
    if (auditor->inexact > 0)
        fprintf(to, "  %-14s %llu metrics that are no whole numbers and differ in their last digits\n", "not checked",
                (unsigned long long) auditor->inexact);
    fprintf(to, "  %-14s %llu segments, %llu hashes, %llu metrics and %llu states in files, in %s\n", "compared",
            (unsigned long long) audit->done, (unsigned long long) auditor->hashes,
            (unsigned long long) auditor->metrics, (unsigned long long) auditor->states,
            duration(machine_clock() - audit->began, time));
    if (fault_count(audit) > 0)
        fprintf(to, "  %-14s %s\n", "result", text_count(fault_count(audit), "difference", time));
    else
        fprintf(to, "  %-14s no difference\n", "result");
}

/* The steps at which the segments that were drawn begin; null: all were checked. */
static struct json_object *begins_json(const struct audit *audit)
{
    struct json_object *begins = audit->drawn < audit->total ? json_new_array() : NULL;
    for (uint64_t i = 0; begins && i < audit->drawn; i++)
        json_append(begins, json_new_count(audit->record.kept[audit->segments[i]]));
    return begins;
}

int audit_json(const struct audit *audit, char **text, struct engine_error *error)
{
    const struct auditor *auditor = &audit->auditor;
    struct json_object *json = json_new_object();
    json_add_text(json, "folder", audit->path);
    json_add_text(json, "engine", machine_version());
    json_add_text(json, "plugin", audit->about->name);
    json_add_known_text(json, "computed_by", audit->own ? audit->own->name : NULL);
    json_add_text(json, "checked_by", audit->impl->name);
    json_add_count(json, "segments", audit->total);
    json_add_count(json, "checked", audit->done);
    json_add(json, "begins", begins_json(audit));
    json_add_count(json, "longest", longest(audit));
    json_add_count(json, "steps", drawn_steps(audit));
    json_add_count(json, "seed", audit->seed);
    json_add_real(json, "misses_5_percent", audit_miss(audit->total, audit_few(audit->total), audit->drawn));
    json_add_real(json, "misses_one", audit_miss(audit->total, 1, audit->drawn));
    json_add_count(json, "hashes", auditor->hashes);
    json_add_count(json, "metrics", auditor->metrics);
    json_add_count(json, "metrics_not_whole", auditor->inexact);
    json_add_count(json, "states", auditor->states);
    json_add_count(json, "bytes", (uint64_t) audit->record.bytes);
    json_add_real(json, "predicted_seconds", audit->predicted);
    json_add_real(json, "seconds", machine_clock() - audit->began);
    json_add(json, "faults", json_object_get(audit->faults));
    return json_take_lines(json, text, error);
}
