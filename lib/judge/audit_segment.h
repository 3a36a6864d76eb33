/* Takes the steps of a segment again, and compares what the record of the run says about them. */
#ifndef LIB_JUDGE_AUDIT_SEGMENT_H
#define LIB_JUDGE_AUDIT_SEGMENT_H

#include "judge/audit_record.h"

/* What an audit computes with, and what it has compared. */
struct auditor {
    const struct engine_config *config; /* of the run, undivided */
    const char *impl;
    const struct audit_record *record;
    const struct engine_plugin *about;
    uint64_t universes; /* of a batch; 1 */

    struct engine_run *run; /* it has the implementation; NULL: none is open */
    char inputs[33];        /* the hash of the inputs that it begins with */
    double *values;         /* of the metrics */
    uint32_t *columns;      /* of each metric: its column of the table; 0: it has none */

    uint64_t hashes, metrics, states; /* that were compared */
    uint64_t inexact;                 /* metrics that are no whole numbers, which were not compared */
    bool stopped;                     /* the caller's program asked to stop */
    char fault[1024];                 /* of the segment: the first difference; "": none */
};

/* Opens what the audit computes with. The caller sets the first five members before, and calls auditor_close, also after
 * an error. Errors: those of engine_run_start. */
int auditor_open(struct auditor *auditor, struct engine_error *error);
void auditor_close(struct auditor *auditor);

/* Fills the run with the state of a kept step, or makes the initial state, and compares the files of this step with each
 * other. A difference is a fault. */
int auditor_load(struct auditor *auditor, uint64_t step, struct engine_error *error);

/* Checks a segment. auditor->fault says what differs, or is "". */
int auditor_check(struct auditor *auditor, uint64_t index, struct engine_error *error);

#endif
