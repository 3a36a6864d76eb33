/* The conformance suite: every implementation of a plugin against every promise of the interface. */
#ifndef LIB_JUDGE_CONFORM_CONFORM_H
#define LIB_JUDGE_CONFORM_CONFORM_H

#include "judge/conform/request.h"

/* Tests all properties, each in a process made by fork, so that one that crashes or hangs fails alone. The caller has
 * one thread and has not used a device. A plugin that does not load breaks a property. ENGINE_STATUS_USAGE,
 * ENGINE_STATUS_INPUT: the names of implementations, or the configuration, are refused. */
int conform_examine(struct conform_request *request, struct engine_error *error);

#endif
