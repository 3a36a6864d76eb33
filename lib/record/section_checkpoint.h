/* [checkpoint]: saved states from which `engine resume` continues. */
#ifndef LIB_RECORD_SECTION_CHECKPOINT_H
#define LIB_RECORD_SECTION_CHECKPOINT_H

#include "plan/plan.h"

struct checkpoint_settings {
    uint64_t every; /* steps; 0: not by steps */
    double seconds; /* 0: not by time */
    uint64_t keep;  /* the number of checkpoints that stay; UINT64_MAX: all */
    bool compressed;
    int signal;    /* a further signal that stops the run; 0: none */
    bool any_bits; /* a resumed run may compute other bits than the run would have */
};

extern const struct section checkpoint_section;

/* The settings of a run, or of the run that a plan analyses. */
static inline const struct checkpoint_settings *checkpoint_settings(const struct plan *plan)
{
    return settings_section(&plan->settings, &checkpoint_section);
}

#endif
