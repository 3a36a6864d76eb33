/* Finds out whether the grid has settled at the present step, and since when. */
#ifndef LIB_RECORD_SETTLED_SEARCH_H
#define LIB_RECORD_SETTLED_SEARCH_H

#include "record/rerun.h"

struct settled_found {
    bool settled;
    bool spaceships;
    uint64_t period;
    uint64_t first; /* the step from which on everything but departing spaceships is periodic */
    uint64_t cells; /* live at this step */
};

/* Is a search due at the step? Searches become rarer, because each takes as many steps as a part of the run has taken. */
bool settled_is_due(uint64_t start, uint64_t step, uint64_t every);

/* Takes steps again, and goes back to the present step. Sets found->settled to false if the rerun is abandoned. */
int settled_search(struct rerun *rerun, struct settled_found *found, struct engine_error *error);

#endif
