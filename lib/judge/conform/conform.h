/* The conformance suite: every implementation of a plugin against every promise of the interface. */
#ifndef LIB_JUDGE_CONFORM_CONFORM_H
#define LIB_JUDGE_CONFORM_CONFORM_H

#include "base/context.h"
#include "plugin/registry.h"

struct conform_request {
    struct context context; /* of the registry */
    struct registry *registry;
    const char *name;   /* of the plugin, which the registry finds */
    char *const *impls; /* only these; none: all */
    uint32_t impl_count;
    const struct config *config; /* with the initial state, box, size and parameters to try; NULL: none */
    const char *const *settings; /* section.key=value of every configuration that is tried */
    uint32_t setting_count;
    bool position;    /* the rule depends on where a cell lies, so a pattern may evolve differently elsewhere */
    uint32_t seconds; /* for each property */
    void (*report)(void *user, const struct engine_property *property); /* called for each property, in order */
    void *user;
};

/* Tests all properties, each in a process made by fork, so that one that crashes or hangs fails alone. The caller has
 * one thread and has not used a device. A plugin that does not load breaks a property. ENGINE_STATUS_USAGE,
 * ENGINE_STATUS_INPUT: the names of implementations, or the configuration, are refused. */
int conform_examine(struct conform_request *request, struct engine_error *error);

#endif
