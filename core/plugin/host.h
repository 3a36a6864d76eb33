/* The services for a plugin: the table of the interface, and the records behind it. */
#ifndef CORE_PLUGIN_HOST_H
#define CORE_PLUGIN_HOST_H

#include "base/context.h"
#include "config/param.h"
#include "memory/device.h"
#include "plugin/foreign.h"

#include <pthread.h>

enum { HOST_NOTES_MAX = 16 };

struct host_note {
    char key[32];
    char text[96];
};

/* One table with its records. Each instance has a host of its own, and so has the plan. */
struct host {
    struct engine_host table;
    const struct context *context;
    const char *plugin;
    uint32_t threads;
    pthread_mutex_t lock;      /* held by fail, which a plugin may call from several threads at once */
    pthread_mutex_t *messages; /* held by message: `lock`, or one for all instances that run at the same time */
    char reason[1024];         /* the reason last given to fail, or "" */
    const char *place;         /* source file of that call of fail */
    int line;                  /* its line */
    uint32_t note_count;
    struct host_note notes[HOST_NOTES_MAX];
    struct host_scratch *scratch;   /* a list, newest first */
    struct foreign call;            /* the present one, between host_enter and host_leave */
    struct device *device;          /* that scratch of device memory comes from; may be NULL in the plan phase */
    struct thread_pool *own_pool;   /* that `parallel` uses in place of the context's, or NULL */
    const struct engine_team *team; /* the service ENGINE_TEAM: at first, that of a run that is not divided */
    void *team_part;                /* for the functions of this table */
};

/* Makes a host for the plugin of that name. Its messages go to the context, and the devices of the context give it
 * scratch. Both outlive the host. The context may be NULL for a plugin that asks for no scratch. */
void host_init(struct host *host, const struct context *context, const char *plugin, uint32_t threads,
               struct device *device);
/* Frees its scratch. A host that is all zeros, because host_init was not reached, stays as it is. */
void host_release(struct host *host);

/* Call these before and after each call of a function of the plugin. host_enter forgets the last reason; both do what
 * plugin/foreign.h says. `function` is the name of the member of the interface, such as "advance", a constant. */
void host_enter(struct host *host, const char *function);
void host_leave(struct host *host);

/* Returns the reason that the plugin gave for an error, or NULL. An error without a reason is a breach of the
 * interface. */
const char *host_reason(const struct host *host);

/* Records the error for a code that a function of the plugin returned: the reason that it gave, if any, and the status
 * that the code means. `who` names plugin, implementation and function. */
int host_error(const struct host *host, int code, const char *who, struct engine_error *error);

/* Returns the checker that calls the `check` of the plugin's parameters with this host's table. */
struct param_checker host_param_checker(struct host *host);

#endif
