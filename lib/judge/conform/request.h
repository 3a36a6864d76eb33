/* What a caller of engine_conform asks for. */
#ifndef LIB_JUDGE_CONFORM_REQUEST_H
#define LIB_JUDGE_CONFORM_REQUEST_H

#include "judge/conform/test.h"

struct conform_request {
    struct test test;   /* with its caller, context, name, config and settings */
    bool position;      /* the rule depends on where a cell lies */
    char *const *impls; /* only these; none: all */
    uint32_t impl_count;
    const char *properties; /* parts of names with commas between them: only these; NULL: all */
    uint32_t seconds;       /* for each property */
    uint64_t draws, seed; /* draw so many configurations, from number `seed` on, in place of the properties; 0: none */
    const struct sweeps *sweeps;                                        /* values to draw */
    void (*report)(void *user, const struct engine_property *property); /* called for each property, in order */
    void *user;
};

#endif
