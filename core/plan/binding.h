/* Binds the inputs of an analysis to fields of the run. The analysis reads a field where it lies in memory or, if the
 * type differs, a converted copy. */
#ifndef CORE_PLAN_BINDING_H
#define CORE_PLAN_BINDING_H

#include "plan/plan.h"

/* Finds the run's field for every input of an analysis: the state or input of the same name and kind. An optional input
 * may have none. ENGINE_STATUS_USAGE. */
int binding_find_all(struct plan *plan, struct engine_error *error);

/* Refuses an analysis that writes a field of the same name as the run does, because files are named after fields. A
 * plan that is not an analysis passes. ENGINE_STATUS_USAGE. */
int binding_check_names(const struct plan *plan, struct engine_error *error);

/* Finds the shape of a field of an analysis before the plugin adjusts it: that of the run's field to which it is bound,
 * otherwise that of the run's first field of the same kind. Type and components are those of the field itself.
 * ENGINE_STATUS_USAGE. */
int binding_shape(const struct plan *plan, uint32_t field, uint64_t step, struct engine_shape *shape,
                  struct engine_error *error);

/* Compares the shape and type of a bound field with those of the run's field. Types may differ if one can be converted
 * to the other (base/convert.h). A field that is not bound passes. ENGINE_STATUS_USAGE. */
int binding_check_shape(const struct plan *plan, uint32_t field, uint64_t step, const struct engine_shape *shape,
                        struct engine_error *error);

/* Returns the layout that a field of an analysis has by default: that of the run's field which it reads in place. An
 * implementation of the analysis may only accept this layout; binding_check_layout checks that it did not change it.
 * Other fields pass. ENGINE_STATUS_PLUGIN. */
struct engine_layout binding_layout(const struct plan *plan, uint32_t field);
int binding_check_layout(const struct plan *plan, uint32_t field, const struct engine_layout *layout,
                         struct engine_error *error);

#endif
