/* Keys of a configuration that nothing uses, and a missing source. */
#ifndef LIB_FILES_PLAN_USE_H
#define LIB_FILES_PLAN_USE_H

#include "plan/plan.h"

/* Refuses keys of [init] that nothing uses. plan_check_use does this too; it also refuses or warns of keys in all other
 * sections that a run and its analysis, or NULL, do not use. ENGINE_STATUS_USAGE. */
int plan_check_init(const struct plan *plan, struct engine_error *error);
int plan_check_use(const struct plan *run, const struct plan *analysis, struct engine_error *error);

/* Is the initial state all 0 because nothing in the configuration gives it? plan_warn_init says so to the caller, and
 * does what init_pattern_warn does. */
bool plan_is_empty(const struct plan *plan);
void plan_warn_init(const struct plan *plan);

/* Says to the caller that one device is predicted to be faster than those among which the run is divided. */
void plan_warn_slow(const struct plan *plan);

/* Does the run use this key of [init], KEY_INIT_… of config/keys.h? */
bool plan_uses_init(const struct plan *plan, uint32_t key);

#endif
