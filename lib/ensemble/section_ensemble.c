#include "ensemble/section_ensemble.h"

static const struct engine_param section_keys[] = {
    [KEY_ENSEMBLE_SWEEP] = KEY_TEXT("sweep", KEY_SUBJECT | KEY_COMMON | KEY_SEVERAL, "",
                                    "section.key=v1,v2 or section.key=1..100: one member runs for each value; "
                                    "' and ' separates several sweeps, and every combination is a member"),
    [KEY_ENSEMBLE_AT_ONCE] = KEY_INTEGER("at_once", KEY_FREE | KEY_COMMON | KEY_SEVERAL, "0", 0, 1024,
                                         "number of members that run at the same time; 0: the engine chooses"),
};

const struct section ensemble_section = {
    .about = {"ensemble", "many runs side by side, with one table of results", ENGINE_ARRAY(section_keys)}};
