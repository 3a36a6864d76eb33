/* The identity of a run: all that must be the same when it is resumed. It holds texts by key: plugins, parameters other
 * than tuning parameters, what the plugin's check notes, shapes, the initial state, frames, box. The keys are those of
 * the configuration where there is one, as "init.seed"; they stand in checkpoints and never change. */
#ifndef LIB_RECORD_IDENTITY_H
#define LIB_RECORD_IDENTITY_H

#include "plan/plan.h"

struct json_object;

/* Makes the identity of a run. `analysis` may be NULL. The caller frees it by json_object_put. ENGINE_STATUS_DEVICE. */
int identity_make(const struct plan *plan, const struct plan *analysis, struct json_object **identity,
                  struct engine_error *error);

/* Returns the identity that an older engine wrote with sentences for keys, such as "[init] seed". The caller frees it by
 * json_object_put. */
struct json_object *identity_of_sentences(struct json_object *sentences);

/* Refuses another identity than that of the plans, and names the difference. Does not compare parameters that decide
 * the bits of results alone (plugin_param_decides_bits): record_check_bits does. ENGINE_STATUS_USAGE. */
int identity_check(struct json_object *then, const struct plan *plan, const struct plan *analysis,
                   struct engine_error *error);

#endif
