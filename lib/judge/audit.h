/* An audit of a run: what it is about to do, and what it has found. */
#ifndef LIB_JUDGE_AUDIT_H
#define LIB_JUDGE_AUDIT_H

#include "judge/audit_segment.h"

#include <stdio.h>

struct json_object;

struct audit {
    struct engine_context *context;
    struct engine_audit given;
    const char *path;
    struct engine_config *config;   /* of the run, undivided */
    struct engine_run *plan;        /* of it; it never starts */
    const struct engine_impl *own;  /* that of the run; NULL: not known */
    const struct engine_impl *impl; /* that of the audit */
    const struct engine_plugin *about;
    struct audit_record record;
    struct auditor auditor;
    uint64_t seed, total, drawn;    /* the number of segments, and of those that are checked */
    uint64_t *segments;             /* their numbers, ascending */
    uint64_t done, resumed;         /* of them; those that an earlier audit has checked */
    struct json_object *faults;     /* texts */
    struct engine_error first;      /* the first of them */
    double predicted, began, saved; /* seconds, and times of machine_clock */
};

/* Hands the text that `put` prints to the caller's program. */
void audit_print(const struct audit *audit, void (*put)(const struct audit *audit, FILE *to));

/* Replaces control characters in lines of text, but for the ends of lines: a terminal would obey them. */
void audit_make_printable(char *lines);

/* Notes a difference, unless it is noted already, and hands it to the caller's program. (audit_print.c) */
void audit_add_fault(struct audit *audit, const char *text);

/* Chooses the implementation of the audit. ENGINE_STATUS_USAGE: none gives bits that can be compared. (audit_choose.c) */
int audit_choose(struct audit *audit, struct engine_error *error);

/* Goes on from the file given.progress, if the same audit was interrupted, and else begins with a seed. audit_save writes
 * the file. If it cannot, the context gets a message, once. audit_forget removes it.
 * (audit_progress.c) */
int audit_begin(struct audit *audit, struct engine_error *error);
void audit_save(struct audit *audit, bool now);
void audit_forget(const struct audit *audit);

/* Print what the audit is about to do, and what it has found. (audit_print.c) */
void audit_print_plan(const struct audit *audit, FILE *to);
void audit_print_result(const struct audit *audit, FILE *to);
int audit_json(const struct audit *audit, char **text, struct engine_error *error);

#endif
