/* engine/bench.h - rates, their share of the hardware limit, and advice: what `engine bench`, summaries and `engine
 * check` show. None of it changes a result. */
#ifndef ENGINE_BENCH_H
#define ENGINE_BENCH_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* engine_plugin.work: the work of a step, for rates: cell updates, interactions, pairs or bytes. The default is the
 * updates of the first field's cells, particles, elements or bins. */
struct engine_work {
    uint32_t size;
    uint32_t reserved; /* 0 */
    const char *unit;  /* plural: "cell updates" */
    double per_step;
};

enum {
    ENGINE_OPS_NONE = 0,  /* memory alone is the limit */
    ENGINE_OPS_LOGIC = 1, /* three-input logic operations and shifts on 32-bit words */
    ENGINE_OPS_FMA = 2,   /* single-precision multiply-adds, additions and multiplications */
    ENGINE_OPS_FMA64 = 3, /* the same in double precision */
    ENGINE_OPS_LOOKUP = 4 /* table lookups */
};

/* engine_impl.cost: the cost of one unit of work, from which `engine bench` computes the share of the hardware
 * limit. */
struct engine_cost {
    uint32_t size;
    uint32_t operation; /* ENGINE_OPS_… */
    double operations;  /* number of these operations */
    double bytes;       /* bytes read from memory and written to it; 0: the data stays in caches */
};

/* The key "settled" of host->note is for an implementation that leaves out work whose result it knows. The text begins
 * with the percentage of the work that was left out, as in "94.1 % of the work was skipped", or with "unknown" if the
 * implementation cannot tell. The rate counts this work too, so `engine report` does not compare it with the limits of
 * the machine. `engine bench` prints the rate of the work that was done, and beside it the rate of all work. If the
 * plugin has a parameter `settled` with the choice `no`, `engine bench` sets it, unless the user does. */

/* An extension (engine_plugin.extension), version 1, since 1.12, for an implementation whose time depends on the state:
 * it says whether it would pay. */
#define ENGINE_ADVICE(implementation) "engine.advice/" implementation

struct engine_advice {
    uint32_t size;     /* sizeof(struct engine_advice) */
    uint32_t reserved; /* 0 */

    /* Start phase, one thread an instance. Writes into `text`, which has room for `size` bytes, whether the
     * implementation would pay, in a few words that `engine check` shows. Returns 0, or an error if it does not know.
     * The buffers hold the initial state, and call->steps is the number of steps until the run first looks at the
     * state. The engine makes the instance for this call alone, so the function may use up the instance and the state.
     * It should take less than a second. */
    int (*advise)(void *self, const struct engine_call *call, char *text, uint64_t size);
};

#ifdef __cplusplus
}
#endif

#endif
