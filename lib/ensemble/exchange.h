/* Replica exchange: the members of an ensemble are the same system at several temperatures, and take their steps
 * together. After every [ensemble] exchange steps, members that are neighbours in the sweep may exchange their
 * positions: those with the indices 0 and 1, 2 and 3, … after an even number of intervals, and those with 1 and 2, 3
 * and 4, … after an odd one. They do so with the probability min(1, exp((1/Ta - 1/Tb) (Ea - Eb))). A member keeps its
 * temperature, its seed and its velocities, which do not depend on positions in the canonical distribution. If an
 * implementation takes many universes in a call, and the plugin has parameters by universe, all members are one run.
 *
 * `exchanges.csv` gets a row for each member before each exchange. The snapshots of all members and `exchange.state`
 * are what a stopped or killed ensemble continues from. */
#ifndef LIB_ENSEMBLE_EXCHANGE_H
#define LIB_ENSEMBLE_EXCHANGE_H

#include "ensemble/ensemble.h"

struct exchange;

/* Starts all members, or continues them from the files of the ensemble's folder. The context gives the hooks of theirs.
 * exchange_close may be called after an error. */
int exchange_open(const struct ensemble *ensemble, struct engine_context *context, struct exchange **exchange,
                  struct engine_error *error);

/* Removes the files to continue from, if all steps were taken. */
void exchange_close(struct exchange *exchange);

/* Takes all steps. If the caller's hook asks to stop, it saves the members and returns before the end. */
int exchange_execute(struct exchange *exchange, struct engine_error *error);

/* How a member has ended. What *outcome points to lives as long as the exchange. */
void exchange_outcome(const struct exchange *exchange, uint64_t member, struct outcome *outcome);

#endif
