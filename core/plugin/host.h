/* The services a plugin is handed: the table of the interface, and what it records on the engine's side. */
#ifndef CORE_PLUGIN_HOST_H
#define CORE_PLUGIN_HOST_H

#include "base/context.h"
#include "config/param.h"
#include "memory/device.h"

#include <pthread.h>

enum { HOST_NOTES_MAX = 16 };

struct host_note {
    char key[32];
    char text[96];
};

/* One table and its records; an instance has one of its own, planning another. */
struct host {
    struct engine_host table;
    const struct context *context;
    const char *plugin;
    uint32_t threads;
    pthread_mutex_t lock; /* held by fail and message, which a plugin may call from several threads at once */
    char reason[1024];    /* the last one given to fail; "" when none */
    const char *place;    /* source file of that call */
    int line;             /* and line */
    uint32_t note_count;
    struct host_note notes[HOST_NOTES_MAX];
    struct host_scratch *scratch; /* list, newest first */
    struct device *device;        /* where scratch of device memory comes from; may be NULL in the plan phase */
};

/* Messages of the plugin of that name go to the context. Both outlive the host; the context may be NULL. */
void host_init(struct host *host, const struct context *context, const char *plugin, uint32_t threads,
               struct device *device);
/* Frees its scratch. A host that is all zeros, because host_init was not reached, stays as it is. */
void host_release(struct host *host);

/* Forgets the last reason; before a call into a plugin. */
void host_clear(struct host *host);

/* Records an error for a code that a plugin's function returned: the reason it gave, or that it gave none, and the exit
 * status its code means. `who` names plugin, implementation and function. */
int host_error(const struct host *host, int code, const char *who, struct engine_error *error);

/* Returns what calls the `check` of the plugin's parameters with this host's table. */
struct param_checker host_param_checker(struct host *host);

#endif
