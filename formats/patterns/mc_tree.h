/* A macrocell file as a tree of engine/tree.h. */
#ifndef FORMATS_PATTERNS_MC_TREE_H
#define FORMATS_PATTERNS_MC_TREE_H

#include "files/squares.h"
#include "formats/patterns/mc.h"

#include <engine/tree.h>

extern const struct engine_file_format mc_file_format;

/* Can the squares of a file become nodes? Their states are those of the cells, and they are neither very small nor very large. */
bool mc_is_tree(const struct mc *mc, uint32_t states);

/* Makes the tree. False: there is no memory. The tree keeps nothing of what was made. */
bool mc_plant(const struct mc *mc, const struct engine_tree *table, void *tree, struct engine_tree_root *root);

/* Describes the squares of a file. False: it is empty or very small, a part of it is outside of its grid, or its place is not
 * known. The structure lives as long as the file is open. */
bool mc_squares(const struct mc *mc, struct io_squares *squares);

/* Counts the live cells, or the squares of 2^level cells a side that have some; level 0 counts cells. UINT64_MAX: there are at
 * least as many, or there is no memory to count them. */
uint64_t mc_count(const struct mc *mc, uint32_t level);

#endif
