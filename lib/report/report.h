/* The report of a run: an HTML page in its folder. */
#ifndef LIB_REPORT_REPORT_H
#define LIB_REPORT_REPORT_H

#include "base/context.h"
#include "base/error.h"

/* Writes report.html into the folder of a run, with its rate compared with the limits of this machine.
 * ENGINE_STATUS_INPUT where the folder does not hold a run. */
int report_write(struct engine_context *context, const char *folder, struct engine_error *error);

#endif
