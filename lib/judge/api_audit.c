/* engine_audit: draws segments of a run that has ended, takes their steps again, and compares. */
#include "base/error.h"
#include "base/machine.h"
#include "base/numeric.h"
#include "files/json.h"
#include "files/run_folder.h"
#include "judge/audit.h"

#include <stdlib.h>
#include <string.h>

static const double sample_seconds = 0.2; /* of the steps that are timed for the prediction */

static void add_fault(void *user, const char *text)
{
    audit_add_fault(user, text);
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

static int refuse_ensemble(const char *path, struct engine_error *error)
{
    struct folder *folder;
    bool ensemble = false;
    if (run_folder_open(path, &folder, error) != 0)
        return error->status;
    const int status = folder_has(folder, FOLDER_MEMBERS, &ensemble, error);
    folder_close(folder);
    return status != 0 || !ensemble ? status
                                    : error_set(error, ENGINE_STATUS_INPUT,
                                                "%s: is the folder of an ensemble; audit that of a member, such as "
                                                "%s/0001",
                                                path, path);
}

/* The division of a run decides no bit, and this machine may have other devices. */
static int open_config(struct audit *audit, struct engine_error *error)
{
    static const char *const undivided[] = {"run.devices=1", "run.parts=1"};
    char path[4352];
    snprintf(path, sizeof path, "%.4096s/" FOLDER_CONFIG, audit->path);
    int status = engine_config_open(audit->context, path, &audit->config, error);
    for (size_t i = 0; status == 0 && i < sizeof undivided / sizeof undivided[0]; i++)
        status = engine_config_set(audit->config, undivided[i], error);
    for (uint32_t i = 0; status == 0 && i < audit->given.assignment_count; i++)
        status = engine_config_set(audit->config, audit->given.assignments[i], error);
    return status;
}

static uint64_t universes_of(const struct engine_config *config)
{
    static const char *const sections[] = {"grid", "particles", "matrix"};
    uint64_t universes = 0;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0] && universes == 0; i++) {
        const char *text = engine_config_get(config, sections[i], "batch");
        universes = text ? strtoull(text, NULL, 10) : 0;
    }
    return universes > 0 ? universes : 1;
}

static int check_record(const struct audit *audit, struct engine_error *error)
{
    return audit_segments(&audit->record) > 0
               ? 0
               : error_set(
                     error, ENGINE_STATUS_INPUT,
                     "%s: this run kept nothing that an audit can compare; the next run needs [output] hash_every, "
                     "and [checkpoint] every with keep = all",
                     audit->path);
}

/* A table without the column of a metric that the run measured is not the table that the run wrote. */
static void check_columns(struct audit *audit)
{
    const struct engine_metric_array *metrics = &audit->about->metrics;
    char text[512];
    for (uint32_t i = 0; i < metrics->count; i++)
        if (audit->record.metrics.columns && audit->own && audit->own->measure && audit->impl->measure &&
            audit->auditor.columns[i] == 0) {
            snprintf(text, sizeof text, "%.300s/" FOLDER_METRICS ":1: there is no column %.100s", audit->path,
                     metrics->at[i].name);
            audit_add_fault(audit, text);
        }
}

static int open_audit(struct audit *audit, struct engine_error *error)
{
    const struct audit_faults faults = {add_fault, audit};
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    audit->faults = json_new_array();
    if (json_check(&audit->faults, error) != 0 || refuse_ensemble(audit->path, error) != 0 ||
        open_config(audit, error) != 0 || engine_run_plan_steps(audit->config, NULL, &audit->plan, error) != 0)
        return error->status;
    engine_run_plugin(audit->plan, &plugin);
    audit->about = plugin.about;
    if (audit_record_open(audit->path, audit->about, &faults, &audit->record, error) != 0 ||
        check_record(audit, error) != 0 || audit_choose(audit, error) != 0 || audit_begin(audit, error) != 0)
        return error->status;
    audit->auditor = (struct auditor){.config = audit->config,
                                      .impl = audit->impl->name,
                                      .record = &audit->record,
                                      .about = audit->about,
                                      .universes = universes_of(audit->config)};
    if (auditor_open(&audit->auditor, error) != 0)
        return error->status;
    check_columns(audit);
    return 0;
}

static void close_audit(struct audit *audit)
{
    auditor_close(&audit->auditor);
    engine_run_close(audit->plan);
    engine_config_close(audit->config);
    audit_record_close(&audit->record);
    json_object_put(audit->faults);
    free(audit->segments);
}

/* ---- The prediction -------------------------------------------------------------------------------------------- */

/* Takes some steps, at most `most`, and gives the seconds of one. The first call pays for what is done once. */
static int time_steps(struct engine_run *run, uint64_t most, double *seconds, struct engine_error *error)
{
    double spent = 0;
    uint64_t taken = 0;
    for (uint64_t steps = 1; taken < most && spent < sample_seconds; steps *= 2) {
        const uint64_t now = steps < most - taken ? steps : most - taken;
        const double begin = machine_clock();
        if (engine_run_advance(run, now, NULL, NULL, error) != 0)
            return error->status;
        spent = machine_clock() - begin;
        *seconds = spent / (double) now;
        taken += now;
    }
    return 0;
}

/* Predicts the time of the segments that are left by that of a state, of some steps, and of a hash. */
static int predict(struct audit *audit, struct engine_error *error)
{
    const struct audit_record *record = &audit->record;
    char hash[ENGINE_HASH_SIZE];
    double step = 0, steps = 0;
    if (audit->done == audit->drawn)
        return 0;
    const uint64_t first = audit->segments[audit->done];
    const double begin = machine_clock();
    if (auditor_load(&audit->auditor, record->kept[first], error) != 0)
        return error->status;
    const double loaded = machine_clock();
    if (*audit->auditor.fault) /* the segment will tell */
        return 0;
    if (engine_run_hash(audit->auditor.run, hash, error) != 0)
        return error->status;
    const double hashed = machine_clock();
    if (time_steps(audit->auditor.run, audit_segment_end(record, first) - record->kept[first], &step, error) != 0)
        return error->status;
    for (uint64_t i = audit->done; i < audit->drawn; i++)
        steps += (double) (audit_segment_end(record, audit->segments[i]) - record->kept[audit->segments[i]]);
    const double rows = steps * (double) record->hashes.count / (double) record->last;
    audit->predicted =
        steps * step + rows * (hashed - loaded) + 2 * (double) (audit->drawn - audit->done) * (loaded - begin);
    return 0;
}

/* ---- The segments ---------------------------------------------------------------------------------------------- */

static int check_segment(struct audit *audit, struct engine_error *error)
{
    char text[1280];
    const uint64_t index = audit->segments[audit->done];
    snprintf(text, sizeof text, "audit: segment %llu of %llu", (unsigned long long) audit->done + 1,
             (unsigned long long) audit->drawn);
    engine_activity(audit->context, text);
    if (auditor_check(&audit->auditor, index, error) != 0)
        return error->status;
    if (audit->auditor.stopped)
        return 0;
    if (*audit->auditor.fault) {
        snprintf(text, sizeof text, "steps %llu to %llu: %s", (unsigned long long) audit->record.kept[index],
                 (unsigned long long) audit_segment_end(&audit->record, index), audit->auditor.fault);
        audit_add_fault(audit, text);
    }
    audit->done++;
    audit_save(audit, *audit->auditor.fault);
    return 0;
}

/* What the hook `stop` says between two segments. */
static int asked_to_stop(const struct audit *audit)
{
    const struct engine_hooks *hooks = engine_context_hooks(audit->context);
    return hooks->stop ? hooks->stop(hooks->user) : 0;
}

static int check_segments(struct audit *audit, struct engine_error *error)
{
    int status = 0, signal = 0;
    audit->began = audit->saved = machine_clock();
    while (status == 0 && audit->done < audit->drawn && (signal = asked_to_stop(audit)) == 0)
        status = check_segment(audit, error);
    engine_activity(audit->context, NULL);
    if (status == 0 && signal == 0)
        return 0;
    audit_save(audit, true);
    return status != 0 ? status
                       : error_set(error, 128 + signal,
                                   "stopped by signal %d after %llu of %llu segments; the same audit goes on from here",
                                   signal, (unsigned long long) audit->done, (unsigned long long) audit->drawn);
}

static int run_audit(struct audit *audit, char **json, struct engine_error *error)
{
    if (open_audit(audit, error) != 0 || predict(audit, error) != 0)
        return error->status;
    audit->auditor.states = 0;
    audit_print(audit, audit_print_plan);
    if (check_segments(audit, error) != 0 || json_check(&audit->faults, error) != 0)
        return error->status;
    audit_forget(audit);
    audit_print(audit, audit_print_result);
    if (json && audit_json(audit, json, error) != 0)
        return error->status;
    *error = audit->first;
    return audit->first.status;
}

/* ---- The interface --------------------------------------------------------------------------------------------- */

int engine_audit(struct engine_context *context, const char *folder, const struct engine_audit *given, char **json,
                 struct engine_error *error)
{
    API_NUMBERS;
    struct audit audit = {.context = context, .path = folder, .given = {.size = sizeof audit.given}};
    if (json)
        *json = NULL;
    if (given)
        memcpy(&audit.given, given, given->size < sizeof *given ? given->size : sizeof *given);
    const int status = run_audit(&audit, json, error);
    close_audit(&audit);
    return status;
}
