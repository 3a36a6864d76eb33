/* The only caller of a plugin's create, advance, settle, measure, advise and destroy: one object of the plugin. */
#ifndef CORE_RUN_CALLER_H
#define CORE_RUN_CALLER_H

#include "plugin/host.h"
#include "run/state.h"

struct caller {
    struct state *state;
    struct host *host;
    const struct engine_plan *plan;
    struct engine_buffer *views; /* one for each field; whoever has the caller sets them before each call */
    bool unsettled;              /* caller_advance leaves the call of settle to its caller: see caller_settle */
    void *self;
    bool created;
};

/* The host of callers of a state, and a new one in its place, without notes and threads of its own. host_release frees
 * it. */
void caller_init_host(const struct state *state, struct host *host);
void caller_renew_host(const struct state *state, struct host *host);

int caller_create(struct caller *caller, struct engine_error *error);

/* Calls destroy if create was called. */
void caller_destroy(struct caller *caller);

/* The plugin leaves the result in buffer *result. After an error *lost tells whether the state is lost. */
int caller_advance(struct caller *caller, uint64_t steps, uint32_t *result, bool *lost, struct engine_error *error);

/* Calls settle for the call of advance that took `steps` steps from step `first` on: the calls before have been
 * settled. After an error the state is lost. */
int caller_settle(struct caller *caller, uint64_t first, uint64_t steps, struct engine_error *error);

int caller_measure(struct caller *caller, double *values, struct engine_error *error);

/* Calls advise, which the implementation has: would it pay to take `steps` steps at a time? `text` has room for `size`
 * bytes. Nothing but caller_destroy may follow. */
int caller_advise(struct caller *caller, uint64_t steps, char *text, uint64_t size, struct engine_error *error);

/* "life2d-bit/cpu: advance" */
enum { CALLER_TEXT = 192 };
const char *caller_name(const struct caller *caller, const char *function, char text[CALLER_TEXT]);

#endif
