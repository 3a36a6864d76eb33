/* The tables of an ensemble: ensemble.csv with a row for each member, and metrics.csv with the metrics of all members
 * over time. Rows are appended when a member ends, first those of metrics.csv. So after a kill, a member with a
 * complete row in ensemble.csv is complete in both, and everything else is dropped when the ensemble is resumed. */
#ifndef LIB_ENSEMBLE_TABLES_H
#define LIB_ENSEMBLE_TABLES_H

#include "files/folder.h"

#include <stdio.h>

enum tables_state { TABLE_DONE, TABLE_FAILED, TABLE_STOPPED };

extern const char *const tables_states[];

struct tables_row {
    uint64_t member, steps;
    enum tables_state state;
    char *line; /* with its line feed */
};

/* The metrics over time of all members: of the runs, or of their analyses. */
struct tables_series {
    char name[192]; /* of the file */
    char *header;   /* its first line, without "member,"; NULL: no member has rows yet */
    bool required;  /* every member that is done has rows */
    int file;       /* -1: not open */
};

enum { TABLE_SERIES = 2 };

struct tables {
    const struct folder *folder;
    char *header; /* of ensemble.csv, with its line feed */
    int file;     /* -1: not open */
    struct tables_series series[TABLE_SERIES];
    struct tables_row *rows; /* in the order of the file */
    uint64_t count, capacity;
    uint8_t *done; /* one bit for each member, from 1 */
    uint64_t members;
};

/* Tells whether a row that was read belongs to the ensemble: its swept values are those of its member. */
typedef bool tables_check(const void *user, uint64_t member, const char *line);

/* Begins the tables in a folder, which must outlive them. It takes ownership of `header`. `series` names the files
 * of metrics; "" has none. tables_close may be called after an error. ENGINE_STATUS_OUTPUT. */
int tables_begin(struct tables *tables, const struct folder *folder, char *header, uint64_t members,
                 const char *const series[TABLE_SERIES], struct engine_error *error);

/* The same for tables that exist: keeps the rows of members that are done, and drops all others. ENGINE_STATUS_INPUT if
 * the tables are those of another ensemble. */
int tables_resume(struct tables *tables, const struct folder *folder, char *header, uint64_t members,
                  const char *const series[TABLE_SERIES], tables_check *check, const void *user,
                  struct engine_error *error);
void tables_close(struct tables *tables);

bool tables_is_done(const struct tables *tables, uint64_t member);

/* Appends the metrics of a member over time, a CSV text with its header. */
int tables_add_series(struct tables *tables, uint32_t series, uint64_t member, const char *text,
                      struct engine_error *error);

/* Appends the row of a member. Takes ownership of row.line. */
int tables_add(struct tables *tables, struct tables_row row, struct engine_error *error);

/* Sorts all tables by member, and synchronises them to disk. No row can be added afterwards. */
int tables_finish(struct tables *tables, struct engine_error *error);

/* Appends a text to a row, quoted if necessary, and `end`. */
void tables_print(FILE *to, const char *text, char end);

/* Copies the next cell of a row to `cell` and moves *at behind it. Returns false at the end of the row. A cell that
 * does not fit is cut. */
bool tables_cell(const char **at, char *cell, size_t bytes);

#endif
