/* A contender: a configuration that runs on one implementation, from its initial state on, to be compared with
 * others. */
#ifndef LIB_JUDGE_CONTENDER_H
#define LIB_JUDGE_CONTENDER_H

#include "run/instance.h"

struct contender {
    struct plan *plan;
    struct state *state;
    struct instance *instance;
    uint64_t kept_step; /* of the state that contender_keep has kept */
    void *kept[PLAN_FIELDS_MAX];
};

/* Plans, allocates, makes the initial state and calls create. `name` is a value of [run] implementation, or
 * plugin:implementation for another plugin than the configuration's. [run] implementation of the configuration is
 * ignored. After an error there is nothing to close. Configuration and registry must outlive the contender. */
int contender_open(const struct config *config, struct registry *registry, const char *name,
                   struct contender *contender, struct engine_error *error);
void contender_close(struct contender *contender);

/* Copies the states and outputs to memory of the host, contender_kept_bytes of it. contender_restart brings them back,
 * and replaces the instance by a new one, which knows nothing of what the old one has learnt. */
int contender_keep(struct contender *contender, struct engine_error *error);
uint64_t contender_kept_bytes(const struct contender *contender);
int contender_restart(struct contender *contender, struct engine_error *error);

/* Copies the states and outputs of another contender, and its step. */
int contender_follow(struct contender *contender, const struct contender *other, struct engine_error *error);

/* The part of a name that is the implementation's. */
const char *contender_impl(const char *name);

/* The names of a list such as "cpu,cuda" or "cpu,life2d-lut:cpu". */
enum { CONTENDERS_MAX = 64 };
struct contender_names {
    char *text; /* cut into names */
    char *at[CONTENDERS_MAX];
    uint32_t count; /* 0: there is no list */
};

/* Reads a list; NULL: none. After an error there is nothing to release. ENGINE_STATUS_USAGE. */
int contender_names_read(struct contender_names *names, const char *list, struct engine_error *error);
void contender_names_release(struct contender_names *names);

/* Takes `steps` steps in calls of at most `most` steps, or of as many as the ghosts allow, and waits for the end. */
int contender_advance(struct contender *contender, uint64_t steps, uint64_t most, struct engine_error *error);

#endif
