/* engine/batch.h - many universes in one call ([grid] batch, [particles] batch), since 1.7: grids of one size, or systems
 * of as many particles, that do not know of each other. */
#ifndef ENGINE_BATCH_H
#define ENGINE_BATCH_H

#include <engine/plugin.h>

/* A flag of an implementation: all fields are particles, or grids of one axis or two, and a call takes the steps of
 * plan->universes universes. A buffer has one axis more than its field: universe u of a grid of two axes is its plane u,
 * engine_row(buffer, which, y, u), and that of particles or of a grid of one axis its row u. Shapes and call->end are
 * those of one universe. Universe u takes the steps of a run with the seed plan->seed + u. measure writes the metrics of all
 * universes, all of universe 0 first.
 *
 * An ensemble makes members the universes of a batch. If the implementation has neither ENGINE_SEEDED nor ENGINE_TIMED,
 * the universes are at different steps of their runs, and first_step says nothing about them. If it has one of them, the
 * members have consecutive seeds and begin together.
 *
 * Without this flag, the engine makes an instance of each universe, and calls them one after the other with
 * plan->universes = 1. */
#define ENGINE_BATCH (1 << 10)

#endif
