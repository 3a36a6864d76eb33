/* The axes of a grid along which the cells beyond the edges are dead at all times, for the kernels of Life. */
#ifndef LIFE_CUDA_EDGES_H
#define LIFE_CUDA_EDGES_H

enum { LIFE_DEAD_X = 1, LIFE_DEAD_Y = 2, LIFE_DEAD_Z = 4 };

#endif
