/* Makes a configuration that fails as small as possible. */
#ifndef LIB_JUDGE_CONFORM_SHRINK_H
#define LIB_JUDGE_CONFORM_SHRINK_H

#include "judge/conform/draw.h"

/* The numbers to try in place of a larger one: each small one, and then such that leave something of it. UINT64_MAX
 * after the last. */
uint64_t shrink_smaller(uint64_t number, uint32_t index);

/* Leaves out keys of *draw, and makes its numbers and texts smaller one by one, as long as `fails` says that the rest
 * still fails, until nothing more can be taken away. */
void shrink(struct draw *draw, bool (*fails)(void *user, const struct draw *draw), void *user);

#endif
