/* A candidate: a run of a configuration on one implementation, to be compared with others. */
#ifndef LIB_JUDGE_CANDIDATE_H
#define LIB_JUDGE_CANDIDATE_H

#include <engine/engine.h>

/* Plans and starts a run that takes steps and does nothing else. `name` is a value of [run] implementation, or
 * plugin:implementation for another plugin than the configuration's. [run] implementation of the configuration has no
 * effect. After an error *run is NULL. */
int candidate_open(const struct engine_config *config, const char *name, struct engine_run **run,
                   struct engine_error *error);

/* Returns the part of a name that names the implementation. */
const char *candidate_impl(const char *name);

/* Writes the part that names the plugin to `plugin`. Returns plugin, or NULL if the name has no such part. */
const char *candidate_plugin(const char *name, char plugin[128]);

/* The names of a list such as "cpu,cuda" or "cpu,life2d-lut:cpu". */
enum { CANDIDATES_MAX = 64 };
struct candidate_names {
    char *text; /* cut into names */
    char *at[CANDIDATES_MAX];
    uint32_t count; /* 0: there is no list */
};

/* Reads a list; NULL: none. After an error there is nothing to release. ENGINE_STATUS_USAGE. */
int candidate_names_read(struct candidate_names *names, const char *list, struct engine_error *error);

/* The same for texts with | between them, one for each of `count` names. */
int candidate_texts_read(struct candidate_names *texts, const char *list, uint32_t count, struct engine_error *error);
void candidate_names_release(struct candidate_names *names);

#endif
