/* The halo exchange: parts get copies of their neighbours' rows or planes, their margins (parts/parts.h). */
#ifndef LIB_PARTS_HALO_EXCHANGE_H
#define LIB_PARTS_HALO_EXCHANGE_H

#include "run/state.h"

/* Fills the margins of the parts of a divided run, in the states and, if `inputs` is set, in the inputs. All processes
 * that share the run call it at the same step. */
int halo_exchange(struct state *state, bool inputs, struct engine_error *error);

/* Does halo_exchange only enqueue work, which the devices of the parts can record? */
bool halo_exchange_enqueues(const struct state *state);

/* Decides with all other processes what carries the margins between them, before the first exchange. Does nothing if
 * one process has all parts, or if they have decided before. */
int halo_exchange_open(struct state *state, struct engine_error *error);

/* Waits for the devices of the parts and, as long as [run] patience allows, for the processes for which they wait. */
int halo_exchange_wait(const struct state *state, struct engine_error *error);

#endif
