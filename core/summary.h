/* What a run says at its end, for people and for programs. */
#ifndef CORE_SUMMARY_H
#define CORE_SUMMARY_H

#include "loop.h"

/* Prints the summary on stderr (people, unless quiet) or one JSON object on stdout. */
int summary_print(const struct instance *instance, const struct output *output, const struct loop_result *result,
                  bool json, struct error *error);

#endif
