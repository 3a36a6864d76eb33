/* The conformance suite, from outside: every implementation of a plugin against every promise of the interface. */
#ifndef CORE_JUDGE_CONFORM_EXAMINE_H
#define CORE_JUDGE_CONFORM_EXAMINE_H

#include "base/context.h"
#include "plugin/registry.h"

struct conform_request {
    struct context context;    /* of the registry */
    struct registry *registry; /* with the plugin */
    const struct plugin *plugin;
    char *const *impls; /* only these; none: all */
    uint32_t impl_count;
    const char *const *settings; /* section.key=value of every configuration that is tried */
    uint32_t setting_count;
    bool position; /* the rule depends on where a cell lies, so that moving a pattern may change what becomes of it */
    uint32_t seconds;                                                   /* that a property may take */
    void (*report)(void *user, const struct engine_property *property); /* called for each, in order */
    void *user;
};

/* Forks a process for each property, so that one that crashes or hangs fails alone; the caller has not used a device
 * and has one thread. Registry and texts belong to the caller. */
void conform_examine(const struct conform_request *request);

#endif
