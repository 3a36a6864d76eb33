/* What the files source*.c share. */
#ifndef CORE_PLAN_SOURCE_PARTS_H
#define CORE_PLAN_SOURCE_PARTS_H

#include "plan/source.h"

/* What a file has to be so that a field starts from it, for messages. */
const char *source_file_for(const struct engine_field *field);

#endif
