/* The conformance suite: every implementation of a plugin against every promise of the interface. */
#ifndef LIB_JUDGE_CONFORM_CONFORM_H
#define LIB_JUDGE_CONFORM_CONFORM_H

#include "judge/conform/test.h"

struct conform_request {
    struct test test;   /* with its caller, context, name, config and settings */
    bool position;      /* the rule depends on where a cell lies */
    char *const *impls; /* only these; none: all */
    uint32_t impl_count;
    uint32_t seconds;                                                   /* for each property */
    void (*report)(void *user, const struct engine_property *property); /* called for each property, in order */
    void *user;
};

/* Tests all properties, each in a process made by fork, so that one that crashes or hangs fails alone. The caller has
 * one thread and has not used a device. A plugin that does not load breaks a property. ENGINE_STATUS_USAGE,
 * ENGINE_STATUS_INPUT: the names of implementations, or the configuration, are refused. */
int conform_examine(struct conform_request *request, struct engine_error *error);

#endif
