/* Runs that several processes share, the side of the processes that serve rank 0 (parts/ranks.h). */
#ifndef LIB_PARTS_SERVE_H
#define LIB_PARTS_SERVE_H

#include "parts/link.h"
#include "plugin/registry.h"

/* What to do with an ensemble (ensemble/schedule.h). */
struct serve_ensembles {
    void *user; /* passed to the functions */
    int (*open)(void *user, const char *texts, uint64_t bytes, struct engine_error *error);
    int (*run)(void *user, struct engine_error *error); /* if all ranks have opened it */
};

/* Carries out the commands of rank 0 until it ends. ENGINE_STATUS_DEVICE if the link is lost. */
int serve(struct registry *registry, struct link *link, const struct serve_ensembles *ensembles,
          struct engine_error *error);

#endif
