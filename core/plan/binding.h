/* The inputs of an analysis: fields of the run, read where they lie. */
#ifndef CORE_PLAN_BINDING_H
#define CORE_PLAN_BINDING_H

#include "plan/plan.h"

/* Finds the run's field for every input of an analysis: the state or input of the same name and kind. An optional input
 * may go without. ENGINE_STATUS_USAGE. */
int binding_find_all(struct plan *plan, struct engine_error *error);

/* Refuses an analysis that writes a field of the same name as the run, since files are named after fields. What is no
 * analysis passes. ENGINE_STATUS_USAGE. */
int binding_check_names(const struct plan *plan, struct engine_error *error);

/* The shape that an analysis' field starts out with: that of the run's field that it is bound to, else of the run's
 * first field of its kind, with the type and components of its own. ENGINE_STATUS_USAGE. */
int binding_shape(const struct plan *plan, uint32_t field, uint64_t step, struct engine_shape *shape,
                  struct engine_error *error);

/* Holds a bound field's shape and type against the run's. What is not bound passes. ENGINE_STATUS_USAGE. */
int binding_check_shape(const struct plan *plan, uint32_t field, uint64_t step, const struct engine_shape *shape,
                        struct engine_error *error);

/* The layout that an implementation of an analysis gets for a bound field, and whether it was left as it is. What is
 * not bound passes. ENGINE_STATUS_PLUGIN. */
struct engine_layout binding_layout(const struct plan_field *bound);
int binding_check_layout(const struct plan *plan, uint32_t field, const struct engine_layout *layout,
                         struct engine_error *error);

#endif
