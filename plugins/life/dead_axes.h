/* The axes of a grid beyond whose edges the cells are dead at all times, also where the rule would have them born.
 * Along the others the grid is a torus. */
#ifndef LIFE_DEAD_AXES_H
#define LIFE_DEAD_AXES_H

enum { LIFE_DEAD_X = 1, LIFE_DEAD_Y = 2, LIFE_DEAD_Z = 4 };

#endif
