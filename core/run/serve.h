/* Runs that several processes share, the side of the processes that serve rank 0 (run/ranks.h). */
#ifndef CORE_RUN_SERVE_H
#define CORE_RUN_SERVE_H

#include "base/link.h"
#include "plugin/registry.h"

/* Carries out the commands of rank 0 until it ends. ENGINE_STATUS_DEVICE if the link is lost. */
int serve(struct registry *registry, struct link *link, struct engine_error *error);

#endif
