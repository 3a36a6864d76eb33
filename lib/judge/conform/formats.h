/* The conformance suite of file formats: what engine/format.h asks of a format. */
#ifndef LIB_JUDGE_CONFORM_FORMATS_H
#define LIB_JUDGE_CONFORM_FORMATS_H

#include "judge/conform/conform.h"

/* Tests all properties of the format of that name, which the context finds, each in a process made by fork. */
int conform_examine_format(struct conform_request *request, struct engine_error *error);

#endif
