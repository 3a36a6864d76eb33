/* What the folder of a run holds that an audit can compare: kept states, hashes, metrics, the summary. */
#ifndef LIB_JUDGE_AUDIT_RECORD_H
#define LIB_JUDGE_AUDIT_RECORD_H

#include "files/folder.h"

#include <engine/engine.h>

/* A row of a table: its step, and the text behind the comma. */
struct audit_row {
    uint64_t step;
    const char *rest;
};

/* hashes.csv or metrics.csv, in the order of the steps. */
struct audit_table {
    char *text;
    const char *columns; /* the first line; NULL: there is no such file */
    uint64_t count;
    struct audit_row *rows;
};

/* A file that holds a state. */
struct audit_file {
    uint64_t step;
    char name[192];
};

struct audit_record {
    struct folder *folder;
    struct audit_table hashes, metrics;
    uint64_t file_count;
    struct audit_file *files; /* in the order of the steps */
    uint64_t kept_count;
    uint64_t *kept;          /* the steps of the states, ascending; the first is 0, the initial state */
    char impl[64], hash[33]; /* of the summary: the implementation, and the hash of step `ended`; "": not known */
    uint64_t ended;
    uint64_t last;     /* the last step about which something is recorded */
    double bytes;      /* of all these files */
    char identity[33]; /* the hash of names, sizes and times of these files: another one is another record */
};

/* Gets a sentence about a part of the record that cannot be right. */
struct audit_faults {
    void (*add)(void *user, const char *text);
    void *user;
};

/* Reads the record of a run of that plugin. The caller calls audit_record_close, also after an error. A row that is
 * none is a fault. ENGINE_STATUS_INPUT, ENGINE_STATUS_OUTPUT: a file cannot be read. */
int audit_record_open(const char *path, const struct engine_plugin *about, const struct audit_faults *faults,
                      struct audit_record *record, struct engine_error *error);
void audit_record_close(struct audit_record *record);

/* Reads a table whose rows have what `is_rest` accepts behind the step; `columns` is its first line, or begins it where
 * it ends with a comma. table->columns is NULL if there is no such file. The caller frees `text` and `rows`. */
int audit_table_read(const struct folder *folder, const char *name, const char *columns, bool (*is_rest)(const char *),
                     const struct audit_faults *faults, struct audit_table *table, struct engine_error *error);

/* Is it a hash of 32 hexadecimal digits? */
bool audit_is_hash(const char *text);

/* The row of a step, or NULL. */
const struct audit_row *audit_row_at(const struct audit_table *table, uint64_t step);

/* The first step behind `step` about which there is a row; UINT64_MAX: none. */
uint64_t audit_row_behind(const struct audit_table *table, uint64_t step);

/* The index of the first file of that step or a later one. */
uint64_t audit_file_from(const struct audit_record *record, uint64_t step);

/* Segments: number `index` begins at kept[index]. It ends at the next kept state or, if it is the last one, at `last`.
 */
uint64_t audit_segments(const struct audit_record *record);
uint64_t audit_segment_end(const struct audit_record *record, uint64_t index);

#endif
