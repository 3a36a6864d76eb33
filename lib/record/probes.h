/* Probes: single cells and particles, whose values are columns of metrics.csv. [output] probes lists them as
 * field:x:y:z, or field:index for particles and bins, separated by spaces. */
#ifndef LIB_RECORD_PROBES_H
#define LIB_RECORD_PROBES_H

#include "record/section_output.h"

struct probe {
    uint32_t field;
    struct region cell;
    char name[128]; /* as [output] probes has it; the names of columns begin with it */
};

struct probes {
    uint32_t count;
    struct probe *at;
};

/* Finds the probes of the states and outputs of a plan. Those of an analysis are without those that the run has. The
 * caller frees probes->at. ENGINE_STATUS_USAGE. */
int probes_find(const struct plan *plan, struct probes *probes, struct engine_error *error);

/* Checks that each probe is of a state or an output of the plan, or of the run that it analyses.
 * ENGINE_STATUS_USAGE. */
int probes_check(const struct plan *plan, struct engine_error *error);

/* The name of the column of a component: "cells:1:2", "position:5.x", "spin:7.3". Returns text. */
enum { PROBE_COLUMN = 160 };
const char *probe_column(const struct plan *plan, const struct probe *probe, uint32_t component,
                         char text[PROBE_COLUMN]);

#endif
