/* engine/tiles.h - grids that the engine keeps in tiles ([grid] edges = unbounded, [tiles] side), since 1.15.
 *
 * A grid in tiles has memory only where a cell differs from the background, the value of all other cells. The engine
 * copies tiles, each with a margin of its neighbours' cells, side by side into a batch of small grids, and calls
 * advance for this batch. So an implementation needs no code for tiles. But the small grids know neither their place in
 * the large one nor each other. */
#ifndef ENGINE_TILES_H
#define ENGINE_TILES_H

#include <engine/plugin.h>

/* A flag of an implementation: what becomes of a cell in a step depends only on the cells within the reach of its
 * fields. It depends neither on the place of the cell nor on the number of the step nor on the seed, and no memory of
 * the instance changes it. The metrics are sums over the cells. The engine uses tiles only with implementations that
 * state this. */
#define ENGINE_UNIFORM (1 << 15)

#endif
