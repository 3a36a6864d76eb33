/* Tells when live cells come to an edge of a grid. Beyond a dead edge nothing lives, and on a torus cells come round. Both
 * differ from what a pattern does on an unbounded grid. */
#ifndef LIB_RECORD_EDGE_H
#define LIB_RECORD_EDGE_H

#include "run/observer.h"

/* Can cells come to an edge? They are states of a grid that has edges. */
bool edge_can_be_met(const struct plan *plan);

/* Sets *met to whether a cell at an end of one of these axes, 1 << axis, is alive, not 0. edge_can_be_met is true. */
int edge_is_met(const struct state *state, uint32_t axes, bool *met, struct engine_error *error);

/* What a run watches: a pattern that was not at the edge at its start. */
struct edge_watch {
    const struct state *state;
    uint32_t dead, torus;  /* axes with dead edges; with seams that nobody has asked for; 0: not watched (any more) */
    bool met;              /* live cells were at a dead edge */
    uint64_t step, looked; /* the first step at which they were seen there; that of the last look */
};

void edge_watch_start(struct edge_watch *watch, const struct state *state);
struct observer edge_observer(struct edge_watch *watch);

#endif
