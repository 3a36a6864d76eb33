/* The sizes at which an implementation is quick enough for a test, by the time that a step takes. */
#ifndef LIB_JUDGE_CONFORM_PACE_H
#define LIB_JUDGE_CONFORM_PACE_H

#include "judge/conform/test.h"

/* Takes a step at each of fixture_sizes() until one takes long, or would take very long. Sets
 * test->told->most_elements, which fixtures keep to. Does nothing for an implementation that was measured, for NULL, and
 * where the configuration gives the size. */
void pace_measure(struct test *test, const struct engine_impl *impl);

#endif
