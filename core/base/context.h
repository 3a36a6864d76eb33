/* The caller of the library: where messages and progress go, and who asks the work to stop. The core prints nothing,
 * reads no environment and handles no signal; it calls these functions. */
#ifndef CORE_BASE_CONTEXT_H
#define CORE_BASE_CONTEXT_H

#include <engine/engine.h>

struct device;
struct devices;
struct link;
struct formats;
struct modules;

/* The function of a plugin that runs now. Threads that a plugin starts may end the program, so any thread may read
 * it. */
struct running {
    _Atomic(const char *) plugin,
        function;               /* NULL: no plugin runs; the last that began, where several threads run one */
    _Atomic(uint32_t) count;    /* calls that have not ended */
    _Atomic(uint32_t) breaches; /* of the interface, by plugins */
};

/* The processes that share the runs of a context. All 0: there is one. */
struct processes {
    uint32_t count;
    uint32_t of_host;    /* the number of this one among those of its host, from 0 */
    uint32_t processors; /* that this one may use; 0: all of the host */
};

struct context {
    struct engine_hooks hooks;         /* members beyond the caller's size are 0 */
    const struct memory_hooks *memory; /* see context_memory */
    struct devices *devices;           /* memory/devices.h */
    struct running *running;           /* NULL: nobody asks */
    struct link *link;                 /* parts/link.h; NULL: no other process shares the runs */
    struct processes processes;
    const struct modules *modules; /* base/modules.h; NULL: none */
    struct formats *formats;       /* files/formats.h; NULL: the file formats that are part of the engine */
};

/* Functions that memory/allocate.h calls instead of those of the devices. */
struct memory_hooks {
    int (*allocate)(const struct context *context, struct device *device, uint64_t bytes, void **memory,
                    struct engine_error *error);
    void (*release)(const struct context *context, struct device *device, void *memory, uint64_t bytes);
};

/* Returns the hooks of a context for memory, or NULL if devices allocate their memory themselves, and clear it. The
 * context may be NULL. */
static inline const struct memory_hooks *context_memory(const struct context *context)
{
    return context ? context->memory : NULL;
}

/* Sends a line of text to the caller, with the source "engine". `level` is ENGINE_LOG_DEBUG …. If the context is NULL,
 * it drops the text. */
void context_message(const struct context *context, int level, const char *format, ...) ENGINE_PRINTF(3, 4);

/* Sends a line of text to the caller. `source` is a plugin's name. */
void context_pass(const struct context *context, int level, const char *source, const char *text);

/* Reports that the activity has ended. */
void context_idle(const struct context *context);

/* Reports the steps taken so far. */
void context_progress(const struct context *context, const struct engine_progress *progress);

/* Records that a function of a plugin begins, and that it has ended. The texts live as long as the context. */
void context_enter(const struct context *context, const char *plugin, const char *function);
void context_leave(const struct context *context);

/* Returns the plugin whose function runs, and that function; NULL: none. */
const char *context_running(const struct context *context, const char **function);

enum { CONTEXT_WORDS = 2048 }; /* bytes of the caller's words */

/* Returns how the caller calls what a message speaks of, ENGINE_WORDS_…, or the subject if it has no words. The context
 * may be NULL. */
const char *context_words(const struct context *context, uint32_t topic, const char *subject,
                          char words[CONTEXT_WORDS]);

/* The same; NULL if the caller has no words. */
const char *context_said(const struct context *context, uint32_t topic, const char *subject, char words[CONTEXT_WORDS]);

/* The same for a clause, with "; " in front. "" if the caller has no words. */
const char *context_clause(const struct context *context, uint32_t topic, const char *subject,
                           char clause[CONTEXT_WORDS]);

/* Counts a breach of the interface by a plugin: an error without a reason, or a layout that is not allowed. */
void context_breach(const struct context *context);

/* Returns the caller's reason to stop, or 0 to go on. */
int context_stop(const struct context *context);

#endif
