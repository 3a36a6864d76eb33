/* The services a plugin is handed: the table of the interface, and what it records on the engine's side. */
#ifndef CORE_HOST_H
#define CORE_HOST_H

#include "device/device.h"
#include "error.h"

enum { HOST_NOTES_MAX = 16 };

struct host_note {
    char key[32];
    char text[96];
};

/* One table and its records; an instance has one of its own, planning another. */
struct host {
    struct engine_host table;
    uint32_t threads;
    char reason[1024]; /* the last one given to fail; "" when none */
    const char *place; /* source file of that call */
    int line;          /* and line */
    uint32_t note_count;
    struct host_note notes[HOST_NOTES_MAX];
    struct host_scratch *scratch; /* list, newest first */
    struct device *device;        /* where scratch of device memory comes from; may be NULL in the plan phase */
};

/* Lines for people, on stderr; all output of plugins goes through here. */
enum host_verbosity { HOST_QUIET, HOST_NORMAL, HOST_VERBOSE };
extern enum host_verbosity host_verbosity; /* set once, by the command line */

void host_init(struct host *host, uint32_t threads, struct device *device);
void host_release(struct host *host); /* frees its scratch */

/* Forgets the last reason; before a call into a plugin. */
void host_clear(struct host *host);

/* Records an error for a code that a plugin's function returned: the reason it gave, or that it gave none, and the exit
 * status its code means. `who` names plugin, implementation and function. */
int host_error(const struct host *host, int code, const char *who, struct error *error);

/* The last reason given through this table, or "". */
const char *host_reason(const struct engine_host *table);

#endif
