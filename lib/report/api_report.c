/* engine_report. */
#include "api/handles.h"
#include "report/report.h"

int engine_report(struct engine_context *context, const char *folder, struct engine_error *error)
{
    API_NUMBERS;
    return report_write(context, folder, error);
}
