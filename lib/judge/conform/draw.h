/* A configuration that is drawn: keys with values, and the most steps to verify. */
#ifndef LIB_JUDGE_CONFORM_DRAW_H
#define LIB_JUDGE_CONFORM_DRAW_H

#include "ensemble/sweep.h"
#include "judge/conform/test.h"

enum { DRAW_KEYS_MAX = 64, DRAW_NAME_MAX = 128, DRAW_VALUE_MAX = SWEEP_VALUE_MAX + 2 };

struct draw_key {
    char name[DRAW_NAME_MAX]; /* "section.key" */
    char value[DRAW_VALUE_MAX];
    bool needed; /* a size, or a number of threads that would depend on the machine: it is not left out */
};

struct draw {
    uint64_t steps;
    const struct engine_impl *impl; /* the only one that is verified; NULL: all */
    uint32_t count;
    struct draw_key at[DRAW_KEYS_MAX];
};

/* Draws configuration `number` of the plugin under test: the same one on every machine. Keys that the test's
 * configuration gives are not drawn, and those of the sweeps take one of their values. A value that the engine or the
 * plugin refuses is drawn again a few times and then left out. What is tried is in *draw at any time. */
void draw_make(struct test *test, const struct sweeps *sweeps, uint64_t number, struct draw *draw);

/* Makes the configuration of a draw. The caller closes it. ENGINE_STATUS_USAGE. */
int draw_config(const struct test *test, const struct draw *draw, struct engine_config **config,
                struct engine_error *error);

#endif
