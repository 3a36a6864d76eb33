#include "ensemble/tables.h"
#include "base/text.h"
#include "files/replace.h"
#include "files/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const tables_states[] = {"done", "failed", "stopped", NULL};

/* ---- Cells ------------------------------------------------------------------------------------------------------ */

void tables_print(FILE *to, const char *text, char end)
{
    const bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted)
        fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text == '\n' ? ' ' : *text, to);
    }
    if (quoted)
        fputc('"', to);
    fputc(end, to);
}

bool tables_cell(const char **at, char *cell, size_t bytes)
{
    const char *from = *at;
    size_t used = 0;
    bool quoted = false;
    if (*from == '\0' || *from == '\n')
        return false;
    for (; *from && *from != '\n' && (quoted || *from != ','); from++) {
        if (*from == '"' && !(quoted && from[1] == '"')) {
            quoted = !quoted;
            continue;
        }
        from += *from == '"'; /* the second of two */
        if (used + 1 < bytes)
            cell[used++] = *from;
    }
    cell[used] = '\0';
    *at = from + (*from == ',');
    return true;
}

/* ---- Rows in memory --------------------------------------------------------------------------------------------- */

bool tables_is_done(const struct tables *tables, uint64_t member)
{
    return tables->done && tables->done[member / 8] & (1u << member % 8);
}

static int keep(struct tables *tables, const struct tables_row *row, struct engine_error *error)
{
    if (tables->count == tables->capacity) {
        const uint64_t capacity = tables->capacity ? 2 * tables->capacity : 1024;
        struct tables_row *rows = realloc(tables->rows, capacity * sizeof *rows);
        if (!rows)
            return error_memory(error, capacity * sizeof *rows, "the rows of an ensemble");
        tables->rows = rows;
        tables->capacity = capacity;
    }
    tables->rows[tables->count++] = *row;
    if (row->state == TABLE_DONE)
        tables->done[row->member / 8] |= (uint8_t) (1u << row->member % 8);
    return 0;
}

static int by_member(const void *a, const void *b)
{
    const uint64_t left = ((const struct tables_row *) a)->member, right = ((const struct tables_row *) b)->member;
    return (left > right) - (left < right);
}

static void sort(struct tables *tables)
{
    if (tables->count)
        qsort(tables->rows, tables->count, sizeof *tables->rows, by_member);
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static int failed(const struct tables *tables, const char *name, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot write: %s", tables->folder->path, name,
                     strerror(errno));
}

/* Appends bytes to a file, which is opened for the first ones. */
static int append(const struct tables *tables, int *file, const char *name, const char *bytes, size_t count,
                  struct engine_error *error)
{
    if (*file < 0 && folder_open_file(tables->folder, name, O_WRONLY | O_APPEND, file, error) != 0)
        return error->status;
    while (count > 0) {
        const ssize_t written = TEMP_FAILURE_RETRY(write(*file, bytes, count));
        if (written < 0)
            return failed(tables, name, error);
        bytes += written;
        count -= (size_t) written;
    }
    return 0;
}

/* Calls `print` with a stream whose text then replaces the file. */
static int replace(const struct tables *tables, const char *name, void (*print)(FILE *to, const void *user),
                   const void *user, struct engine_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (to)
        print(to, user);
    int status = 0;
    if (!to || !text_stream_close(to, &text))
        status = error_memory(error, bytes, "the tables of an ensemble");
    else
        status = replace_text(tables->folder, name, text, error);
    free(text);
    return status;
}

static void print_rows(FILE *to, const void *user)
{
    const struct tables *tables = user;
    fputs(tables->header, to);
    for (uint64_t i = 0; i < tables->count; i++)
        fputs(tables->rows[i].line, to);
}

static void print_header(FILE *to, const void *user)
{
    fprintf(to, "member,%s", (const char *) user);
}

int tables_add(struct tables *tables, struct tables_row row, struct engine_error *error)
{
    if (append(tables, &tables->file, FOLDER_MEMBERS, row.line, strlen(row.line), error) == 0 &&
        keep(tables, &row, error) == 0)
        return 0;
    free(row.line);
    return error->status;
}

/* ---- Metrics over time ------------------------------------------------------------------------------------------ */

/* Checks the columns of a member, or begins the file with them. */
static int take_header(const struct tables *tables, struct tables_series *series, const char *text, size_t length,
                       struct engine_error *error)
{
    if (!series->header) {
        series->header = strndup(text, length);
        return series->header ? replace(tables, series->name, print_header, series->header, error)
                              : error_memory(error, length, "the metrics of an ensemble");
    }
    return strlen(series->header) == length && strncmp(series->header, text, length) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE,
                           "%s: the columns of this member differ from those of other members", series->name);
}

int tables_add_series(struct tables *tables, uint32_t index, uint64_t member, const char *text,
                      struct engine_error *error)
{
    struct tables_series *series = &tables->series[index];
    const size_t header = strcspn(text, "\n") + 1;
    char *rows = NULL;
    size_t bytes = 0;
    if (take_header(tables, series, text, header, error) != 0)
        return error->status;
    FILE *to = open_memstream(&rows, &bytes);
    for (text += header; to && *text; text += strcspn(text, "\n") + 1)
        fprintf(to, "%llu,%.*s\n", (unsigned long long) member, (int) strcspn(text, "\n"), text);
    int status = 0;
    if (!to || !text_stream_close(to, &rows))
        status = error_memory(error, bytes, "the metrics of an ensemble");
    else
        status = append(tables, &series->file, series->name, rows, bytes, error);
    free(rows);
    return status;
}

/* The rows of a file of metrics. */
struct lines {
    char *text; /* of the whole file */
    uint64_t count;
    struct tables_row *at; /* their `line`s point into `text` */
};

/* Splits a file into its complete rows. lines->text stays NULL if there is no file. */
static int read_lines(const struct tables *tables, const char *name, struct lines *lines, struct engine_error *error)
{
    size_t bytes;
    bool found;
    *lines = (struct lines){NULL, 0, NULL};
    if (folder_has(tables->folder, name, &found, error) != 0)
        return error->status;
    if (!found)
        return 0;
    if (folder_read(tables->folder, name, UINT64_C(1) << 40, &lines->text, &bytes, error) != 0)
        return error->status;
    uint64_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += lines->text[i] == '\n';
    lines->at = calloc(count + 1, sizeof *lines->at);
    if (!lines->at)
        return error_memory(error, count * sizeof *lines->at, "the tables of an ensemble");
    for (char *line = lines->text, *end; (end = strchr(line, '\n')); line = end + 1)
        lines->at[lines->count++] = (struct tables_row){.member = strtoull(line, NULL, 10), .line = line};
    return 0;
}

static void free_lines(struct lines *lines)
{
    free(lines->text);
    free(lines->at);
}

static void print_lines(FILE *to, const void *user)
{
    const struct lines *lines = user;
    for (uint64_t i = 0; i < lines->count; i++)
        fwrite(lines->at[i].line, 1, strcspn(lines->at[i].line, "\n") + 1, to);
}

/* Rows of one member stay in their order. */
static int by_member_and_place(const void *a, const void *b)
{
    const struct tables_row *left = a, *right = b;
    const int order = by_member(a, b);
    return order ? order : (left->line > right->line) - (left->line < right->line);
}

/* Sorts the file of a series by member. */
static int sort_series(const struct tables *tables, const struct tables_series *series, struct engine_error *error)
{
    struct lines lines;
    int status = read_lines(tables, series->name, &lines, error);
    if (status == 0 && lines.count > 1) {
        qsort(lines.at + 1, lines.count - 1, sizeof *lines.at, by_member_and_place);
        status = replace(tables, series->name, print_lines, &lines, error);
    }
    free_lines(&lines);
    return status;
}

int tables_finish(struct tables *tables, struct engine_error *error)
{
    sort(tables);
    for (uint32_t s = 0; s < TABLE_SERIES; s++)
        if (tables->series[s].header && sort_series(tables, &tables->series[s], error) != 0)
            return error->status;
    return replace(tables, FOLDER_MEMBERS, print_rows, tables, error);
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static int prepare(struct tables *tables, const struct folder *folder, char *header, uint64_t members,
                   const char *const series[TABLE_SERIES], struct engine_error *error)
{
    *tables = (struct tables){.folder = folder, .header = header, .file = -1, .members = members};
    for (uint32_t s = 0; s < TABLE_SERIES; s++) {
        tables->series[s] = (struct tables_series){.file = -1, .required = *series[s] != '\0'};
        snprintf(tables->series[s].name, sizeof tables->series[s].name, "%s", series[s]);
    }
    tables->done = calloc(members / 8 + 1, 1);
    return tables->done && header ? 0 : error_memory(error, members / 8, "the rows of an ensemble");
}

int tables_begin(struct tables *tables, const struct folder *folder, char *header, uint64_t members,
                 const char *const series[TABLE_SERIES], struct engine_error *error)
{
    return prepare(tables, folder, header, members, series, error) != 0
               ? error->status
               : replace(tables, FOLDER_MEMBERS, print_rows, tables, error);
}

/* Reads the member, the state and the steps of a row. The state follows the swept values. */
static bool parse_row(const struct tables *tables, struct tables_row *row)
{
    char title[256], cell[2048];
    const char *titles = tables->header, *at = row->line;
    bool whole = row->member >= 1 && row->member <= tables->members, state = false;
    while (whole && tables_cell(&titles, title, sizeof title) &&
           (whole = tables_cell(&at, cell, sizeof cell) || !*titles)) {
        if (strcmp(title, "state") == 0)
            state = strcmp(cell, tables_states[TABLE_DONE]) == 0;
        if (strcmp(title, "steps") == 0) {
            row->steps = strtoull(cell, NULL, 10);
            break;
        }
    }
    row->state = TABLE_DONE;
    return whole && state;
}

/* Keeps the rows of ensemble.csv that are done. Sorts them. */
static int read_rows(struct tables *tables, tables_check *check, const void *user, struct engine_error *error)
{
    struct lines lines;
    int status = read_lines(tables, FOLDER_MEMBERS, &lines, error);
    if (status == 0 && lines.count > 0 && strncmp(lines.at[0].line, tables->header, strlen(tables->header)) != 0)
        status =
            error_set(error, ENGINE_STATUS_INPUT,
                      "%s/" FOLDER_MEMBERS ": its columns are not those of this ensemble; put the ensemble's own file "
                      "back, or remove it to run all members again",
                      tables->folder->path);
    for (uint64_t i = 1; status == 0 && i < lines.count; i++) {
        struct tables_row row = lines.at[i];
        if (!parse_row(tables, &row) || tables_is_done(tables, row.member))
            continue;
        if (!check(user, row.member, row.line))
            status =
                error_set(error, ENGINE_STATUS_INPUT,
                          "%s/" FOLDER_MEMBERS ": the values of member %llu are not those of this ensemble; put the "
                          "ensemble's own file back, or remove it to run all members again",
                          tables->folder->path, (unsigned long long) row.member);
        else if (!(row.line = strndup(row.line, strcspn(row.line, "\n") + 1)))
            status = error_memory(error, 256, "the rows of an ensemble");
        else
            status = keep(tables, &row, error);
    }
    free_lines(&lines);
    sort(tables);
    return status;
}

static struct tables_row *row_of(const struct tables *tables, uint64_t member)
{
    const struct tables_row wanted = {.member = member};
    return tables->count ? bsearch(&wanted, tables->rows, tables->count, sizeof wanted, by_member) : NULL;
}

/* Finds out which members have all their rows in the file of a series, up to that of their last step. The others are
 * not done: after a power failure the file may have lost rows. */
static int check_series(struct tables *tables, const struct lines *lines, struct engine_error *error)
{
    uint8_t *complete = calloc(tables->members / 8 + 1, 1);
    if (!complete)
        return error_memory(error, tables->members / 8, "the rows of an ensemble");
    for (uint64_t i = 1; i < lines->count; i++) {
        const struct tables_row *row = row_of(tables, lines->at[i].member);
        const char *step = strchr(lines->at[i].line, ',');
        if (row && step && strtoull(step + 1, NULL, 10) == row->steps)
            complete[row->member / 8] |= (uint8_t) (1u << row->member % 8);
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < tables->count; i++) {
        const uint64_t member = tables->rows[i].member;
        if (complete[member / 8] & (1u << member % 8)) {
            tables->rows[kept++] = tables->rows[i];
            continue;
        }
        free(tables->rows[i].line);
        tables->done[member / 8] &= (uint8_t) ~(1u << member % 8);
    }
    tables->count = kept;
    free(complete);
    return 0;
}

/* Keeps the rows of the members that are done. */
static int cut_series(struct tables *tables, struct tables_series *series, struct lines *lines,
                      struct engine_error *error)
{
    const char *columns = strchr(lines->at[0].line, ',');
    uint64_t kept = 1;
    if (!columns)
        return 0;
    series->header = strndup(columns + 1, strcspn(columns + 1, "\n") + 1);
    if (!series->header)
        return error_memory(error, 256, "the metrics of an ensemble");
    for (uint64_t i = 1; i < lines->count; i++)
        if (row_of(tables, lines->at[i].member))
            lines->at[kept++] = lines->at[i];
    lines->count = kept;
    return replace(tables, series->name, print_lines, lines, error);
}

int tables_resume(struct tables *tables, const struct folder *folder, char *header, uint64_t members,
                  const char *const names[TABLE_SERIES], tables_check *check, const void *user,
                  struct engine_error *error)
{
    struct lines lines[TABLE_SERIES] = {{NULL, 0, NULL}};
    int status = prepare(tables, folder, header, members, names, error);
    if (status == 0)
        status = read_rows(tables, check, user, error);
    for (uint32_t s = 0; status == 0 && s < TABLE_SERIES; s++)
        if (tables->series[s].required && (status = read_lines(tables, names[s], &lines[s], error)) == 0)
            status = check_series(tables, &lines[s], error);
    for (uint32_t s = 0; status == 0 && s < TABLE_SERIES; s++)
        if (lines[s].count > 0)
            status = cut_series(tables, &tables->series[s], &lines[s], error);
    for (uint32_t s = 0; s < TABLE_SERIES; s++)
        free_lines(&lines[s]);
    return status == 0 ? replace(tables, FOLDER_MEMBERS, print_rows, tables, error) : status;
}

void tables_close(struct tables *tables)
{
    for (uint32_t s = 0; s < TABLE_SERIES; s++) {
        if (tables->folder && tables->series[s].file >= 0)
            close(tables->series[s].file);
        free(tables->series[s].header);
    }
    if (tables->folder && tables->file >= 0)
        close(tables->file);
    for (uint64_t i = 0; i < tables->count; i++)
        free(tables->rows[i].line);
    free(tables->rows);
    free(tables->done);
    free(tables->header);
    *tables = (struct tables){0};
}
