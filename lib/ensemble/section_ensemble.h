/* The section [ensemble]. */
#ifndef LIB_ENSEMBLE_SECTION_ENSEMBLE_H
#define LIB_ENSEMBLE_SECTION_ENSEMBLE_H

#include "config/keys.h"

enum {
    KEY_ENSEMBLE_SWEEP,
    KEY_ENSEMBLE_AT_ONCE,
    KEY_ENSEMBLE_BATCH,
    KEY_ENSEMBLE_EXCHANGE,
    KEY_ENSEMBLE_ENERGY,
    KEYS_OF_ENSEMBLE
};

extern const struct section ensemble_section;

#endif
