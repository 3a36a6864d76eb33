/* Where the plan of a configuration finds plugins and file formats: in the folders of its context, and in the folder of
 * [run] plugins. Other configurations of the context do not see this folder. */
#ifndef CORE_PLAN_SEARCH_H
#define CORE_PLAN_SEARCH_H

#include "base/context.h"
#include "config/config.h"
#include "plugin/registry.h"

struct plan_search {
    struct registry *registry; /* finds everything */
    struct registry *own;      /* the same, if the configuration names a folder; otherwise NULL */
    struct context context;    /* of `own`: a copy, with formats of its own */
};

/* The loaded plugins belong to `registry`. The structure must not move in memory. The caller calls plan_search_close,
 * also after an error. ENGINE_STATUS_USAGE: there is no such folder. */
int plan_search_open(struct plan_search *search, const struct config *config, struct registry *registry,
                     struct engine_error *error);
void plan_search_close(struct plan_search *search);

#endif
