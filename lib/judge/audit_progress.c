/* The file of the caller that says how far an audit is, so that an interrupted one goes on. */
#include "base/error.h"
#include "base/machine.h"
#include "files/json.h"
#include "files/replace.h"
#include "judge/audit.h"
#include "judge/audit_draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* A seed has as many bits as a person may copy. Between two times that the file is written, so many seconds pass. */
enum { SEED_BITS = 40, SAVE_SECONDS = 5, PROGRESS_BYTES_MAX = 1 << 26 };

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static struct json_object *progress_json(const struct audit *audit)
{
    struct json_object *json = json_new_object();
    json_add_text(json, "record", audit->record.identity);
    json_add_text(json, "implementation", audit->impl->name);
    json_add_count(json, "segments", audit->total);
    json_add_count(json, "drawn", audit->drawn);
    json_add_count(json, "seed", audit->seed);
    json_add_count(json, "done", audit->done);
    json_add(json, "faults", json_object_get(audit->faults));
    return json;
}

static int write_progress(const struct audit *audit, struct engine_error *error)
{
    struct folder *folder;
    const char *name;
    char *text;
    if (folder_open_around(audit->given.progress, &folder, &name, error) != 0)
        return error->status;
    int status = json_take_lines(progress_json(audit), &text, error);
    if (status == 0)
        status = replace_text(folder, name, text, error);
    free(text);
    folder_close(folder);
    return status;
}

void audit_save(struct audit *audit, bool now)
{
    struct engine_error error;
    const double clock = machine_clock();
    if (!audit->given.progress || audit->saved < 0 || (!now && clock - audit->saved < SAVE_SECONDS))
        return;
    audit->saved = clock;
    if (write_progress(audit, &error) == 0)
        return;
    audit->saved = -1;
    error_prefix(&error, "an audit that is interrupted begins again: ");
    engine_message(audit->context, ENGINE_LOG_WARNING, error.text);
}

void audit_forget(const struct audit *audit)
{
    struct engine_error error;
    struct folder *folder;
    const char *name;
    if (!audit->given.progress || folder_open_around(audit->given.progress, &folder, &name, &error) != 0)
        return;
    if (folder_remove(folder, name, &error) != 0)
        engine_message(audit->context, ENGINE_LOG_WARNING, error.text);
    folder_close(folder);
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

static bool has_count(struct json_object *json, const char *key, uint64_t value)
{
    struct json_object *member = json_member(json, key, json_type_int);
    return member && json_object_get_uint64(member) == value;
}

static bool has_text(struct json_object *json, const char *key, const char *text)
{
    struct json_object *member = json_member(json, key, json_type_string);
    return member && strcmp(json_object_get_string(member), text) == 0;
}

/* Is it the same audit of the same record? */
static bool is_same(const struct audit *audit, struct json_object *json)
{
    struct json_object *seed = json_member(json, "seed", json_type_int);
    return has_text(json, "record", audit->record.identity) && has_text(json, "implementation", audit->impl->name) &&
           seed && has_count(json, "segments", audit->total) && has_count(json, "drawn", audit->drawn) &&
           (audit->given.seed == 0 || audit->given.seed == json_object_get_uint64(seed)) &&
           json_member(json, "done", json_type_int) && json_member(json, "faults", json_type_array);
}

static void take(struct audit *audit, struct json_object *json)
{
    struct json_object *faults = json_member(json, "faults", json_type_array);
    const uint64_t done = json_object_get_uint64(json_member(json, "done", json_type_int));
    audit->seed = json_object_get_uint64(json_member(json, "seed", json_type_int));
    audit->done = audit->resumed = done < audit->drawn ? done : audit->drawn;
    for (size_t i = 0; i < json_object_array_length(faults); i++) {
        const char *text = json_object_get_string(json_object_array_get_idx(faults, i));
        if (text)
            audit_add_fault(audit, text);
    }
}

/* A file that is missing, or that cannot be read, is of no audit. */
static void read_progress(struct audit *audit)
{
    struct json_object *json = NULL;
    struct engine_error ignored;
    struct folder *folder;
    const char *name;
    char *text;
    size_t length;
    if (!audit->given.progress || folder_open_around(audit->given.progress, &folder, &name, &ignored) != 0)
        return;
    if (folder_read(folder, name, PROGRESS_BYTES_MAX, &text, &length, &ignored) == 0)
        json_parse_object(text, length, &json, &ignored);
    free(text);
    folder_close(folder);
    if (json && is_same(audit, json))
        take(audit, json);
    json_object_put(json);
}

static int find_seed(struct audit *audit, struct engine_error *error)
{
    audit->seed = audit->given.seed;
    while (audit->seed == 0) {
        if (TEMP_FAILURE_RETRY(getrandom(&audit->seed, sizeof audit->seed, 0)) != sizeof audit->seed)
            return error_set(error, ENGINE_STATUS_DEVICE, "the system gives no random number: %s", strerror(errno));
        audit->seed >>= 64 - SEED_BITS;
    }
    return 0;
}

int audit_begin(struct audit *audit, struct engine_error *error)
{
    const uint64_t asked = audit->given.segments ? audit->given.segments : 60;
    audit->total = audit_segments(&audit->record);
    audit->drawn = audit->given.all || asked > audit->total ? audit->total : asked;
    audit->segments = calloc(audit->drawn + 1, sizeof *audit->segments);
    if (!audit->segments)
        return error_memory(error, audit->drawn * sizeof *audit->segments, "the segments");
    if (find_seed(audit, error) != 0)
        return error->status;
    read_progress(audit);
    audit_draw(audit->seed, audit->total, audit->drawn, audit->segments);
    return 0;
}
