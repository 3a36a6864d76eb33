#include "judge/audit_segment.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/type.h"
#include "judge/candidate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20 }; /* bytes of inputs that are hashed at a time */

__attribute__((format(printf, 2, 3))) static void set_fault(struct auditor *auditor, const char *format, ...)
{
    va_list arguments;
    if (*auditor->fault)
        return;
    va_start(arguments, format);
    vsnprintf(auditor->fault, sizeof auditor->fault, format, arguments);
    va_end(arguments);
}

/* ---- Inputs ---------------------------------------------------------------------------------------------------- */

static int hash_input(const struct engine_run *run, uint32_t field, void *piece, struct hash *hash,
                      struct engine_error *error)
{
    static const uint32_t largest = 16; /* bytes of an element */
    struct engine_shape shape = {.size = sizeof shape};
    engine_run_shape(run, field, &shape);
    const uint64_t bytes = type_bytes(shape.type), most = PIECE / largest;
    const uint64_t count = shape.extent[0] * shape.extent[1] * shape.extent[2] * shape.components;
    for (uint64_t begin = 0, now; begin < count; begin += now) {
        now = count - begin < most ? count - begin : most;
        if (engine_run_fetch(run, field, begin, now, piece, error) != 0)
            return error->status;
        hash_add(hash, piece, now * bytes);
    }
    return 0;
}

/* Hashes the inputs, which the hash of a state does not contain. A field that cannot be fetched is absent. */
static int hash_inputs(const struct auditor *auditor, char text[33], struct engine_error *error)
{
    struct hash *hash = malloc(sizeof *hash);
    void *piece = malloc(PIECE);
    int status = hash && piece ? 0 : error_memory(error, PIECE, "a part of the inputs");
    if (status == 0)
        hash_begin(hash);
    for (uint32_t i = 0; status == 0 && i < auditor->about->fields.count; i++)
        if (auditor->about->fields.at[i].role == ENGINE_INPUT) {
            status = hash_input(auditor->run, i, piece, hash, error);
            status = status == ENGINE_STATUS_USAGE ? 0 : status;
        }
    if (status == 0)
        hash_print(hash, text);
    free(piece);
    free(hash);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

/* The number of the column of that name, from 1 on behind the step; 0: there is none. */
static uint32_t column_named(const char *columns, const char *name)
{
    uint32_t number = 0;
    const size_t length = strlen(name);
    for (const char *at = columns; (at = strchr(at, ',')); number++)
        if (strncmp(++at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return number + 1;
    return 0;
}

int auditor_open(struct auditor *auditor, struct engine_error *error)
{
    const struct engine_metric_array *metrics = &auditor->about->metrics;
    const char *columns = auditor->record->metrics.columns;
    auditor->values = calloc(metrics->count + 1, sizeof *auditor->values);
    auditor->columns = calloc(metrics->count + 1, sizeof *auditor->columns);
    if (!auditor->values || !auditor->columns)
        return error_memory(error, metrics->count * sizeof *auditor->values, "metrics");
    if (candidate_open(auditor->config, auditor->impl, &auditor->run, error) != 0)
        return error->status;
    if (engine_run_impl(auditor->run)->measure)
        for (uint32_t i = 0; columns && i < metrics->count; i++)
            auditor->columns[i] = column_named(columns, metrics->at[i].name);
    return hash_inputs(auditor, auditor->inputs, error);
}

void auditor_close(struct auditor *auditor)
{
    engine_run_close(auditor->run);
    free(auditor->values);
    free(auditor->columns);
    auditor->run = NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------ */

/* Is it a whole number, or a mean of whole numbers over the universes? */
static bool is_whole(const struct auditor *auditor, double value)
{
    const double sum = value * (double) auditor->universes;
    return fabs(sum - rint(sum)) <= (auditor->universes > 1 ? 1e-12 * fabs(sum) : 0);
}

static const char *field_of(const char *rest, uint32_t column, char text[64])
{
    for (uint32_t i = 1; rest && i < column; i++) {
        rest = strchr(rest, ',');
        rest += rest != NULL;
    }
    snprintf(text, 64, "%.*s", rest ? (int) strcspn(rest, ",") : 0, rest ? rest : "");
    return text;
}

/* Sums of floating-point numbers are in another order, so only whole numbers must be the same. */
static void compare_metric(struct auditor *auditor, uint64_t step, const char *name, const char *is, double value)
{
    char *end, should[64];
    const double recorded = strtod(is, &end);
    snprintf(should, sizeof should, "%.17g", value);
    const bool near = fabs(recorded - value) <= 1e-6 * fmax(1, fmax(fabs(recorded), fabs(value)));
    if (strcmp(is, should) == 0)
        auditor->metrics++;
    else if (end == is || *end || (is_whole(auditor, value) && (is_whole(auditor, recorded) || !near)))
        set_fault(auditor, "step %llu: %s is %s, recorded is '%s'", (unsigned long long) step, name, should, is);
    else
        auditor->inexact++;
}

static int compare_metrics(struct auditor *auditor, uint64_t step, struct engine_error *error)
{
    const struct engine_metric_array *metrics = &auditor->about->metrics;
    const struct audit_row *row = audit_row_at(&auditor->record->metrics, step);
    char text[64];
    bool any = false;
    for (uint32_t i = 0; i < metrics->count; i++)
        any = any || auditor->columns[i] > 0;
    if (!row || !any)
        return 0;
    if (engine_run_measure(auditor->run, auditor->values, metrics->count, error) != 0)
        return error->status;
    for (uint32_t i = 0; i < metrics->count; i++)
        if (auditor->columns[i] > 0)
            compare_metric(auditor, step, metrics->at[i].name, field_of(row->rest, auditor->columns[i], text),
                           auditor->values[i]);
    return 0;
}

static void compare_hash(struct auditor *auditor, uint64_t step, const char *where, const char *is, const char *should)
{
    auditor->hashes++;
    if (strcmp(is, should) != 0)
        set_fault(auditor, "step %llu: the hash is %s, in %s it is %.32s", (unsigned long long) step, should, where,
                  is);
}

/* Compares all that is recorded about the present step. `hash` is that of the present state, or "". */
static int compare_step(struct auditor *auditor, char hash[33], struct engine_error *error)
{
    const struct audit_record *record = auditor->record;
    const uint64_t step = engine_run_step(auditor->run);
    const struct audit_row *row = audit_row_at(&record->hashes, step);
    const bool ended = *record->hash && step == record->ended;
    if ((row || ended) && !*hash && engine_run_hash(auditor->run, hash, error) != 0)
        return error->status;
    if (row)
        compare_hash(auditor, step, "hashes.csv", row->rest, hash);
    if (ended)
        compare_hash(auditor, step, "summary.json", record->hash, hash);
    return compare_metrics(auditor, step, error);
}

/* ---- States ---------------------------------------------------------------------------------------------------- */

/* Reads a file to its end. ENGINE_STATUS_OUTPUT: it is gone, or the system cannot read it. */
static int read_through(const struct folder *folder, const char *name, struct engine_error *error)
{
    char *piece = malloc(PIECE);
    int file = -1;
    ssize_t got = 1;
    int status = piece ? folder_open_file(folder, name, O_RDONLY, &file, error)
                       : error_memory(error, PIECE, "a part of a state");
    while (status == 0 && got > 0)
        got = TEMP_FAILURE_RETRY(read(file, piece, PIECE));
    if (got < 0)
        status =
            error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot be read: %s", folder->path, name, strerror(errno));
    if (file >= 0)
        close(file);
    free(piece);
    return status;
}

/* Fills the run from a file. If the system can read the file and the bytes are no state, that is a fault: *damaged. */
static int restore(struct auditor *auditor, const struct audit_file *file, bool *damaged, struct engine_error *error)
{
    char path[4352];
    const struct folder *folder = auditor->record->folder;
    snprintf(path, sizeof path, "%s/%s", folder->path, file->name);
    *damaged = false;
    int status = engine_run_restore(auditor->run, path, error);
    if (status != ENGINE_STATUS_INPUT)
        return status;
    if (read_through(folder, file->name, error) != 0)
        return error->status;
    status = engine_run_restore(auditor->run, path, error);
    *damaged = status == ENGINE_STATUS_INPUT;
    if (*damaged)
        set_fault(auditor, "step %llu: %.900s", (unsigned long long) file->step, error->text);
    return *damaged ? 0 : status;
}

/* Fills the run from a file, and compares its state with `hash`, the state of that step, or takes its hash where that is
 * "". */
static int load_file(struct auditor *auditor, const struct audit_file *file, char hash[33], struct engine_error *error)
{
    char own[33], inputs[33];
    bool damaged;
    const int status = restore(auditor, file, &damaged, error);
    if (status != 0 || damaged)
        return status;
    if (engine_run_hash(auditor->run, own, error) != 0 || hash_inputs(auditor, inputs, error) != 0)
        return error->status;
    auditor->states++;
    if (engine_run_step(auditor->run) != file->step)
        set_fault(auditor, "%s: holds step %llu", file->name, (unsigned long long) engine_run_step(auditor->run));
    if (strcmp(inputs, auditor->inputs) != 0)
        set_fault(auditor, "%s: holds other inputs than the run begins with", file->name);
    if (*hash && strcmp(own, hash) != 0)
        set_fault(auditor, "step %llu: the hash is %s, that of the state in %s is %s", (unsigned long long) file->step,
                  hash, file->name, own);
    memcpy(hash, own, sizeof own);
    return 0;
}

static int load_files(struct auditor *auditor, uint64_t step, char hash[33], struct engine_error *error)
{
    const struct audit_record *record = auditor->record;
    for (uint64_t i = audit_file_from(record, step);
         i < record->file_count && record->files[i].step == step && !*auditor->fault; i++)
        if (load_file(auditor, &record->files[i], hash, error) != 0)
            return error->status;
    return 0;
}

static int make_initial(struct auditor *auditor, char hash[33], struct engine_error *error)
{
    engine_run_close(auditor->run);
    auditor->run = NULL;
    return candidate_open(auditor->config, auditor->impl, &auditor->run, error) != 0
               ? error->status
               : engine_run_hash(auditor->run, hash, error);
}

static int load(struct auditor *auditor, uint64_t step, char hash[33], struct engine_error *error)
{
    *hash = '\0';
    auditor->fault[0] = '\0';
    auditor->stopped = false;
    if (step == 0 && make_initial(auditor, hash, error) != 0)
        return error->status;
    return load_files(auditor, step, hash, error);
}

int auditor_load(struct auditor *auditor, uint64_t step, struct engine_error *error)
{
    char hash[33];
    return load(auditor, step, hash, error);
}

/* ---- A segment ------------------------------------------------------------------------------------------------- */

/* The next step about which something is recorded, at most `end`. */
static uint64_t next_stop(const struct audit_record *record, uint64_t step, uint64_t end)
{
    const uint64_t hashed = audit_row_behind(&record->hashes, step), row = audit_row_behind(&record->metrics, step);
    uint64_t next = hashed < row ? hashed : row;
    if (*record->hash && record->ended > step && record->ended < next)
        next = record->ended;
    return next < end ? next : end;
}

static int advance(struct auditor *auditor, uint64_t end, char hash[33], struct engine_error *error)
{
    while (engine_run_step(auditor->run) < end && !*auditor->fault && !auditor->stopped) {
        const uint64_t step = engine_run_step(auditor->run), next = next_stop(auditor->record, step, end);
        uint64_t taken;
        if (engine_run_advance(auditor->run, next - step, &taken, NULL, error) != 0)
            return error->status;
        *hash = '\0';
        auditor->stopped = taken < next - step;
        if (!auditor->stopped && compare_step(auditor, hash, error) != 0)
            return error->status;
    }
    return 0;
}

int auditor_check(struct auditor *auditor, uint64_t index, struct engine_error *error)
{
    char hash[33];
    const uint64_t end = audit_segment_end(auditor->record, index);
    if (load(auditor, auditor->record->kept[index], hash, error) != 0)
        return error->status;
    if (*auditor->fault)
        return 0;
    if (compare_step(auditor, hash, error) != 0 || advance(auditor, end, hash, error) != 0)
        return error->status;
    if (*auditor->fault || auditor->stopped || (!*hash && engine_run_hash(auditor->run, hash, error) != 0))
        return *auditor->fault || auditor->stopped ? 0 : error->status;
    return load_files(auditor, end, hash, error);
}
