/* engine_audit_compare: the first row in which the hashes of two runs differ. */
#include "base/error.h"
#include "base/numeric.h"
#include "base/text.h"
#include "files/json.h"
#include "files/run_folder.h"
#include "judge/audit.h"

#include <stdlib.h>
#include <string.h>

/* The hashes of two runs, and what they have in common. */
struct pair {
    const char *path[2];
    struct audit_table tables[2];
    struct engine_error broken; /* the first line of a table that is no row; status 0: there is none */
    uint64_t same;              /* rows that both have, and that are equal, before the first that differs */
    uint64_t equal, differs;    /* the steps of the last of them, and of that one; UINT64_MAX: none */
    const char *hashes[2];      /* of that one */
};

static void note_broken(void *user, const char *text)
{
    struct pair *pair = user;
    if (pair->broken.status == 0)
        error_set(&pair->broken, ENGINE_STATUS_INPUT, "%s", text);
}

static int read_hashes(struct pair *pair, int which, struct engine_error *error)
{
    const struct audit_faults faults = {note_broken, pair};
    struct folder *folder;
    if (run_folder_open(pair->path[which], &folder, error) != 0)
        return error->status;
    const int status =
        audit_table_read(folder, FOLDER_HASHES, "step,hash", audit_is_hash, &faults, &pair->tables[which], error);
    folder_close(folder);
    if (status == 0 && pair->broken.status != 0)
        *error = pair->broken;
    if (status != 0 || pair->broken.status != 0)
        return error->status;
    return pair->tables[which].columns ? 0
                                       : error_set(error, ENGINE_STATUS_INPUT,
                                                   "%s: this run recorded no hashes: there is no " FOLDER_HASHES
                                                   "; [output] hash_every makes one",
                                                   pair->path[which]);
}

/* One pass over both tables. Two runs may differ and meet again, as two soups that settle to the same still lives: only
 * a look at every row finds the first that differs. */
static void find_first(struct pair *pair)
{
    const struct audit_table *a = &pair->tables[0], *b = &pair->tables[1];
    pair->equal = pair->differs = UINT64_MAX;
    for (uint64_t i = 0, k = 0; i < a->count && k < b->count && pair->differs == UINT64_MAX;) {
        const struct audit_row *row = &a->rows[i], *other = &b->rows[k];
        i += row->step <= other->step;
        k += other->step <= row->step;
        if (row->step != other->step)
            continue;
        if (strcmp(row->rest, other->rest) == 0) {
            pair->equal = row->step;
            pair->same++;
        } else {
            pair->differs = row->step;
            pair->hashes[0] = row->rest;
            pair->hashes[1] = other->rest;
        }
    }
}

static uint64_t last_step(const struct audit_table *table)
{
    return table->count > 0 ? table->rows[table->count - 1].step : 0;
}

static void print_text(const struct pair *pair, FILE *to)
{
    char rows[64];
    const unsigned long long last[2] = {last_step(&pair->tables[0]), last_step(&pair->tables[1])};
    text_count(pair->same, "row", rows);
    if (pair->differs == UINT64_MAX)
        fprintf(to, "%s and %s have the same hash in %s, all that both have, up to step %llu\n", pair->path[0],
                pair->path[1], rows, (unsigned long long) pair->equal);
    else {
        fprintf(to, "%s and %s first differ at step %llu; ", pair->path[0], pair->path[1],
                (unsigned long long) pair->differs);
        if (pair->equal != UINT64_MAX)
            fprintf(to, "they are the same in %s before it, up to step %llu\n", rows, (unsigned long long) pair->equal);
        else
            fprintf(to, "it is the first row that both have\n");
        for (int i = 0; i < 2; i++)
            fprintf(to, "  %s  %s\n", pair->hashes[i], pair->path[i]);
    }
    for (int i = 0; i < 2; i++)
        if (last[i] < last[1 - i])
            fprintf(to, "%s ends at step %llu: what %s has up to step %llu is not compared\n", pair->path[i], last[i],
                    pair->path[1 - i], last[1 - i]);
}

/* A step, or null. */
static void add_step(struct json_object *json, const char *key, uint64_t step)
{
    json_add(json, key, step == UINT64_MAX ? NULL : json_new_count(step));
}

static int take_json(const struct pair *pair, char **text, struct engine_error *error)
{
    struct json_object *json = json_new_object(), *last = json_new_array();
    add_step(json, "differs", pair->differs);
    add_step(json, "equal", pair->equal);
    json_add_count(json, "same_rows", pair->same);
    for (int i = 0; i < 2; i++)
        json_append(last, json_new_count(last_step(&pair->tables[i])));
    json_add(json, "last", last);
    return json_take_lines(json, text, error);
}

static int take_text(const struct pair *pair, char **text, struct engine_error *error)
{
    size_t length = 0;
    FILE *to = open_memstream(text, &length);
    if (to)
        print_text(pair, to);
    if (!to || !text_stream_close(to, text))
        return error_memory(error, length, "the comparison");
    audit_make_printable(*text);
    return 0;
}

static int compare(struct pair *pair, int form, char **text, struct engine_error *error)
{
    if (read_hashes(pair, 0, error) != 0 || read_hashes(pair, 1, error) != 0)
        return error->status;
    find_first(pair);
    if (pair->equal == UINT64_MAX && pair->differs == UINT64_MAX)
        return error_set(error, ENGINE_STATUS_INPUT, "%s and %s have no step with a hash in both", pair->path[0],
                         pair->path[1]);
    if ((form == ENGINE_JSON ? take_json : take_text)(pair, text, error) != 0)
        return error->status;
    return pair->differs == UINT64_MAX ? 0
                                       : error_set(error, ENGINE_STATUS_UNVERIFIED, "%s and %s differ at step %llu",
                                                   pair->path[0], pair->path[1], (unsigned long long) pair->differs);
}

int engine_audit_compare(const char *folder, const char *other, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    struct pair pair = {.path = {folder, other}};
    *text = NULL;
    const int status = compare(&pair, form, text, error);
    for (int i = 0; i < 2; i++) {
        free(pair.tables[i].text);
        free(pair.tables[i].rows);
    }
    return status;
}
