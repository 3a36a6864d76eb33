/* engine/tiles.h - grids that the engine keeps in tiles ([grid] edges = unbounded, [tiles] side), since 1.15.
 *
 * A grid in tiles has memory only where a cell differs from the background, the value of all other cells. The engine
 * copies tiles, each with a margin of its neighbours' cells, side by side into a batch of small grids, and calls
 * advance for this batch. So an implementation needs no code for tiles. It cannot find out where a small grid lies in
 * the large one, or which small grids are neighbours. */
#ifndef ENGINE_TILES_H
#define ENGINE_TILES_H

#include <engine/plugin.h>

/* A flag of an implementation: the next value of a cell depends only on the cells within the reach of the fields. It
 * must not depend on the place of the cell, the seed, or data that the instance keeps. It may depend on the number of the
 * step if the implementation also has the flag ENGINE_TIMED (queue.h). The engine then computes all tiles in each round.
 * Each metric must be a sum over the cells. The engine uses tiles only with implementations that state this. */
#define ENGINE_UNIFORM (1 << 15)

#endif
