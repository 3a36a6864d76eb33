/* The HTML page about a run. It needs no network, no script and no other file. The run need not have ended. */
#ifndef LIB_REPORT_REPORT_PAGE_H
#define LIB_REPORT_REPORT_PAGE_H

#include "report/report_folder.h"

/* Makes the text of the page, which the caller frees. limits: the sentence that compares the rate with the limits of
 * the machine, or "". context: that of the report, for a run whose summary does not name its folders of plugins.
 * ENGINE_STATUS_DEVICE. */
int report_page(const struct report_folder *folder, const char *limits, char **page, size_t *length,
                struct engine_error *error);

#endif
