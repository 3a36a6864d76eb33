/* The conformance suite, from outside: every implementation of a plugin against every promise of the interface. */
#ifndef CORE_JUDGE_CONFORM_EXAMINE_H
#define CORE_JUDGE_CONFORM_EXAMINE_H

#include "plugin/registry.h"

enum conform_outcome { CONFORM_PASSED, CONFORM_FAILED, CONFORM_SKIPPED };

struct conform_result {
    const char *impl;     /* the implementation's name; NULL: of the plugin as a whole */
    const char *property; /* "equals the reference, whatever the steps of a call" */
    enum conform_outcome outcome;
    const char *why; /* it failed or does not apply, one line; "" */
};

struct conform_request {
    struct registry *registry; /* with the plugin */
    const struct plugin *plugin;
    char *const *impls; /* only these; none: all */
    uint32_t impl_count;
    const char *const *settings; /* section.key=value of every configuration that is tried */
    uint32_t setting_count;
    bool placed;      /* the rule depends on where a cell is: moving a pattern may change what becomes of it */
    uint32_t seconds; /* that a property may take */
    void (*report)(void *to, const struct conform_result *result); /* called for each, in order */
    void *to;
};

/* Forks a process for each property, so that one that crashes or hangs fails alone; the caller has not used a device
 * and has one thread. Registry and texts belong to the caller. */
void conform_examine(const struct conform_request *request);

#endif
