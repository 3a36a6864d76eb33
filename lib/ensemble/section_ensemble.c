#include "ensemble/section_ensemble.h"

static const struct engine_param section_keys[] = {
    [KEY_ENSEMBLE_SWEEP] = KEY_TEXT("sweep", KEY_SUBJECT | KEY_COMMON | KEY_SEVERAL, "",
                                    "section.key=v1,v2 or section.key=1..100: one member runs for each value; "
                                    "' and ' separates several sweeps, and every combination is a member"),
    [KEY_ENSEMBLE_AT_ONCE] =
        KEY_INTEGER("at_once", KEY_FREE | KEY_COMMON | KEY_SEVERAL, "0", 0, 1024,
                    "number of members or batches that run at the same time; 0: the engine chooses"),
    [KEY_ENSEMBLE_BATCH] = KEY_INTEGER("batch", KEY_FREE | KEY_COMMON | KEY_SEVERAL, "0", 0, 65536,
                                       "number of members that one batch computes; 1: each member is a run of its own; "
                                       "0: the engine chooses"),
    [KEY_ENSEMBLE_EXCHANGE] =
        KEY_INTEGER("exchange", KEY_SUBJECT | KEY_COMMON | KEY_SEVERAL, "0", 0, 1e18,
                    "steps between two exchanges of positions by members of different temperatures; 0: none"),
    [KEY_ENSEMBLE_ENERGY] = KEY_TEXT("energy", KEY_SUBJECT | KEY_COMMON | KEY_SEVERAL, "potential",
                                     "the metric that decides exchanges: the energy of the positions"),
};

const struct section ensemble_section = {
    .about = {"ensemble", "many runs side by side, with one table of results", ENGINE_ARRAY(section_keys)}};
