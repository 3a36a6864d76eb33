#include "judge/audit_record.h"
#include "base/error.h"
#include "base/hash.h"
#include "files/json.h"
#include "files/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 10 }; /* of the step in the name of a file, at least */

static const uint64_t table_most = UINT64_C(1) << 36; /* bytes of a table that is read */

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

bool audit_is_hash(const char *text)
{
    return strlen(text) == ENGINE_HASH_SIZE - 1 && strspn(text, "0123456789abcdef") == ENGINE_HASH_SIZE - 1;
}

static bool is_any(const char *text)
{
    return *text;
}

/* Reads a row, whose step is later than that of the row before it. */
static bool read_row(const struct audit_table *table, const char *line, bool (*is_rest)(const char *),
                     struct audit_row *row)
{
    char *end, again[32];
    row->step = strtoull(line, &end, 10);
    row->rest = end + 1;
    const int length = snprintf(again, sizeof again, "%llu,", (unsigned long long) row->step);
    return row->step <= INT64_MAX && strncmp(line, again, (size_t) length) == 0 && is_rest(row->rest) &&
           (table->count == 0 || row->step > table->rows[table->count - 1].step);
}

static void report_line(const struct folder *folder, const char *name, uint64_t number,
                        const struct audit_faults *faults)
{
    char text[512];
    snprintf(text, sizeof text, "%.300s/%.64s:%llu: this line is not a row of the table%s", folder->path, name,
             (unsigned long long) number, number > 1 ? " whose step is later than that before it" : "");
    faults->add(faults->user, text);
}

/* Cuts the text into lines, which become rows. */
static void read_rows(const struct folder *folder, const char *name, const char *columns, bool (*is_rest)(const char *),
                      const struct audit_faults *faults, char *end, struct audit_table *table)
{
    uint64_t number = 1;
    const size_t length = strlen(columns);
    for (char *line = table->text, *next; line < end; line = next, number++) {
        char *feed = memchr(line, '\n', (size_t) (end - line));
        next = feed ? feed + 1 : end;
        if (feed)
            *feed = '\0';
        bool good = feed && strlen(line) == (size_t) (feed - line);
        if (number == 1) {
            good = good && (columns[length - 1] == ',' ? strncmp(line, columns, length) : strcmp(line, columns)) == 0;
            table->columns = line;
        } else if (good && (good = read_row(table, line, is_rest, &table->rows[table->count])))
            table->count++;
        if (!good)
            report_line(folder, name, number, faults);
    }
}

int audit_table_read(const struct folder *folder, const char *name, const char *columns, bool (*is_rest)(const char *),
                     const struct audit_faults *faults, struct audit_table *table, struct engine_error *error)
{
    bool found;
    size_t length, lines = 1;
    *table = (struct audit_table){0};
    if (folder_has(folder, name, &found, error) != 0)
        return error->status;
    if (!found)
        return 0;
    if (folder_read(folder, name, table_most, &table->text, &length, error) != 0)
        return error->status;
    for (size_t i = 0; i < length; i++)
        lines += table->text[i] == '\n';
    table->rows = calloc(lines, sizeof *table->rows);
    if (!table->rows)
        return error_memory(error, lines * sizeof *table->rows, "the rows of a table");
    table->columns = "";
    read_rows(folder, name, columns, is_rest, faults, table->text + length, table);
    return 0;
}

/* The first of `count` structures, in the order of the steps that they begin with, whose step is at least `step`. */
static uint64_t first_from(const void *structures, size_t size, uint64_t count, uint64_t step)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint64_t *const at = (const void *) ((const char *) structures + middle * size);
        if (*at < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t first_row_from(const struct audit_table *table, uint64_t step)
{
    return first_from(table->rows, sizeof *table->rows, table->count, step);
}

const struct audit_row *audit_row_at(const struct audit_table *table, uint64_t step)
{
    const uint64_t index = first_row_from(table, step);
    return index < table->count && table->rows[index].step == step ? &table->rows[index] : NULL;
}

uint64_t audit_row_behind(const struct audit_table *table, uint64_t step)
{
    const uint64_t index = first_row_from(table, step + 1);
    return index < table->count ? table->rows[index].step : UINT64_MAX;
}

/* ---- States ---------------------------------------------------------------------------------------------------- */

static bool is_field(const struct engine_plugin *about, const char *name, size_t length)
{
    for (uint32_t i = 0; i < about->fields.count; i++)
        if (strlen(about->fields.at[i].name) == length && strncmp(about->fields.at[i].name, name, length) == 0)
            return true;
    return false;
}

/* Is it checkpoint-<step>.snapshot, or <field>-<step>.snapshot of a field of the run? */
static bool is_state(const struct engine_plugin *about, const char *name, uint64_t *step)
{
    const char *dash = strrchr(name, '-');
    char *end;
    if (!dash || strspn(dash + 1, "0123456789") < DIGITS)
        return false;
    *step = strtoull(dash + 1, &end, 10);
    const size_t length = (size_t) (dash - name);
    return strcmp(end, ".snapshot") == 0 && *step <= INT64_MAX &&
           ((length == strlen("checkpoint") && strncmp(name, "checkpoint", length) == 0) ||
            is_field(about, name, length));
}

struct listing {
    struct audit_record *record;
    const struct engine_plugin *about;
    struct engine_error *error;
};

/* Adds the bytes of a file, which may be missing, and its identity. */
static int count_bytes(struct audit_record *record, const char *name, struct hash *identity, struct engine_error *error)
{
    char text[320];
    struct stat about = {.st_size = 0};
    if (TEMP_FAILURE_RETRY(fstatat(record->folder->file, name, &about, AT_SYMLINK_NOFOLLOW)) != 0 && errno != ENOENT)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot be looked up: %s", record->folder->path, name,
                         strerror(errno));
    record->bytes += (double) about.st_size;
    snprintf(text, sizeof text, "%.200s %lld %lld %lld\n", name, (long long) about.st_size,
             (long long) about.st_mtim.tv_sec, (long long) about.st_mtim.tv_nsec);
    hash_add(identity, text, strlen(text));
    return 0;
}

static bool list_state(void *context, const char *name)
{
    struct listing *listing = context;
    struct audit_record *record = listing->record;
    uint64_t step;
    if (!is_state(listing->about, name, &step) || strlen(name) >= sizeof record->files->name)
        return true;
    struct audit_file *files = realloc(record->files, (record->file_count + 1) * sizeof *files);
    if (!files) {
        error_memory(listing->error, (record->file_count + 1) * sizeof *files, "the list of states");
        return false;
    }
    record->files = files;
    files[record->file_count].step = step;
    snprintf(files[record->file_count++].name, sizeof files->name, "%s", name);
    return true;
}

static int compare_files(const void *left, const void *right)
{
    const struct audit_file *a = left, *b = right;
    return a->step != b->step ? (a->step > b->step) - (a->step < b->step) : strcmp(a->name, b->name);
}

static int list_states(struct audit_record *record, const struct engine_plugin *about, struct engine_error *error)
{
    struct listing listing = {record, about, error};
    error->status = 0;
    if (folder_visit(record->folder, list_state, &listing, error) != 0 || error->status != 0)
        return error->status;
    if (record->file_count > 0)
        qsort(record->files, record->file_count, sizeof *record->files, compare_files);
    record->kept = calloc(record->file_count + 1, sizeof *record->kept);
    if (!record->kept)
        return error_memory(error, record->file_count * sizeof *record->kept, "the list of states");
    record->kept_count = 1;
    for (uint64_t i = 0; i < record->file_count; i++)
        if (record->files[i].step != record->kept[record->kept_count - 1])
            record->kept[record->kept_count++] = record->files[i].step;
    return 0;
}

uint64_t audit_file_from(const struct audit_record *record, uint64_t step)
{
    return first_from(record->files, sizeof *record->files, record->file_count, step);
}

uint64_t audit_segments(const struct audit_record *record)
{
    return record->kept_count - (record->kept[record->kept_count - 1] >= record->last);
}

uint64_t audit_segment_end(const struct audit_record *record, uint64_t index)
{
    return index + 1 < record->kept_count ? record->kept[index + 1] : record->last;
}

/* ---- All ------------------------------------------------------------------------------------------------------- */

static void take_text(struct json_object *summary, const char *key, char *text, size_t size)
{
    struct json_object *member = json_member(summary, key, json_type_string);
    snprintf(text, size, "%s", member ? json_object_get_string(member) : "");
}

/* A summary that is missing or damaged says nothing: a run that goes on has none. */
static int read_summary(struct audit_record *record, struct engine_error *error)
{
    struct json_object *summary;
    if (run_folder_read_summary(record->folder, &summary, error) != 0)
        return error->status;
    struct json_object *step = json_member(summary, "step", json_type_int);
    take_text(summary, "implementation", record->impl, sizeof record->impl);
    if (step) {
        take_text(summary, "hash", record->hash, sizeof record->hash);
        record->ended = json_object_get_uint64(step);
    }
    json_object_put(summary);
    return 0;
}

static int measure_files(struct audit_record *record, struct engine_error *error)
{
    static const char *const names[] = {FOLDER_CONFIG, FOLDER_HASHES, FOLDER_METRICS, FOLDER_SUMMARY};
    struct hash *identity = malloc(sizeof *identity);
    int status = identity ? 0 : error_memory(error, sizeof *identity, "a hash");
    if (status == 0)
        hash_begin(identity);
    for (size_t i = 0; status == 0 && i < sizeof names / sizeof names[0]; i++)
        status = count_bytes(record, names[i], identity, error);
    for (uint64_t i = 0; status == 0 && i < record->file_count; i++)
        status = count_bytes(record, record->files[i].name, identity, error);
    if (status == 0)
        hash_print(identity, record->identity);
    free(identity);
    return status;
}

static uint64_t last_of(const struct audit_table *table, uint64_t last)
{
    const uint64_t own = table->count > 0 ? table->rows[table->count - 1].step : 0;
    return own > last ? own : last;
}

int audit_record_open(const char *path, const struct engine_plugin *about, const struct audit_faults *faults,
                      struct audit_record *record, struct engine_error *error)
{
    *record = (struct audit_record){0};
    if (run_folder_open(path, &record->folder, error) != 0 || list_states(record, about, error) != 0 ||
        read_summary(record, error) != 0 ||
        audit_table_read(record->folder, FOLDER_HASHES, "step,hash", audit_is_hash, faults, &record->hashes, error) !=
            0 ||
        audit_table_read(record->folder, FOLDER_METRICS, "step,", is_any, faults, &record->metrics, error) != 0 ||
        measure_files(record, error) != 0)
        return error->status;
    record->last = record->kept[record->kept_count - 1];
    record->last = last_of(&record->metrics, last_of(&record->hashes, record->last));
    if (*record->hash && record->ended > record->last)
        record->last = record->ended;
    return 0;
}

void audit_record_close(struct audit_record *record)
{
    folder_close(record->folder);
    free(record->hashes.text);
    free(record->hashes.rows);
    free(record->metrics.text);
    free(record->metrics.rows);
    free(record->files);
    free(record->kept);
}
