/* The promise of an implementation: the bits of an oracle, or its numbers within a tolerance. */
#ifndef LIB_JUDGE_PROMISE_H
#define LIB_JUDGE_PROMISE_H

#include <engine/engine.h>

struct promise {
    const struct engine_impl *oracle; /* that it is compared with; NULL: it is the reference itself */
    double tolerance;                 /* of the last step; 0: bits */
};

/* Exact implementations are compared with an exact one, all others with the reference. If the reference is not exact,
 * `first_exact` is the oracle of the exact ones; it is itself within the tolerance that the reference promises.
 * first_exact: the plugin's first exact implementation that can run; NULL: none can. */
struct promise promise_of(const struct engine_impl *reference, const struct engine_impl *impl,
                          const struct engine_impl *first_exact);

#endif
