/* [analyse]: a second plugin that analyses the fields of the run. */
#ifndef LIB_RECORD_SECTION_ANALYSE_H
#define LIB_RECORD_SECTION_ANALYSE_H

#include "plan/plan.h"

struct analyse_settings {
    const char *plugin; /* "": there is no analysis */
    const char *implementation;
    uint64_t from, every; /* first step to analyse; steps to the next; every = 0: the final state only */
};

extern const struct section analyse_section;

/* The settings of a run, or of the run that a plan analyses. */
static inline const struct analyse_settings *analyse_settings(const struct plan *plan)
{
    return settings_section(&plan->settings, &analyse_section);
}

/* The number of steps among 0 … last at which the analysis is due. */
uint64_t analyse_frames(const struct plan *plan, uint64_t last);

#endif
