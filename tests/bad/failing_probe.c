/* The probe reports that the implementation cannot run on this machine. */
#define NAME  "failing_probe"
#define PROBE failing_probe
#include "base.h"

static int failing_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    (void) plan;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "this machine has no abacus");
}

PLUGIN
