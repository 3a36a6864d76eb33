/* engine/access.h - functions that read a plan and a call. engine/plugin.h includes this file. The functions are
 * compiled into the plugin and are not part of the binary interface. `index` is that of a parameter or field in the
 * plugin's table. */
#ifndef ENGINE_ACCESS_H
#define ENGINE_ACCESS_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The value of a parameter. The functions below it return the value by type. A choice is the index of its word; a flag
 * is 0 or 1; a text lives as long as the plan. A parameter that the plugin's table does not have is not a number, the
 * least integer, and "". */
static inline const struct engine_value *engine_param_value(const struct engine_plan *plan, uint32_t index)
{
    static const struct engine_value none = {INT64_MIN, __builtin_nan(""), ""};
    if (index >= plan->params.count)
        return &none;
    return (const struct engine_value *) (const void *) ((const char *) plan->params.at +
                                                         (size_t) index * plan->params.item_size);
}

static inline int64_t engine_param_integer(const struct engine_plan *plan, uint32_t index)
{
    return engine_param_value(plan, index)->integer;
}

static inline double engine_param_real(const struct engine_plan *plan, uint32_t index)
{
    return engine_param_value(plan, index)->real;
}

static inline int engine_param_flag(const struct engine_plan *plan, uint32_t index)
{
    return engine_param_value(plan, index)->integer != 0;
}

static inline const char *engine_param_text(const struct engine_plan *plan, uint32_t index)
{
    return engine_param_value(plan, index)->text;
}

static inline int engine_param_choice(const struct engine_plan *plan, uint32_t index)
{
    return (int) engine_param_value(plan, index)->integer;
}

/* The shape of a field. */
static inline const struct engine_shape *engine_field_shape(const struct engine_plan *plan, uint32_t index)
{
    return (const struct engine_shape *) (const void *) ((const char *) plan->shapes.at +
                                                         (size_t) index * plan->shapes.item_size);
}

/* The buffer of a field. */
static inline const struct engine_buffer *engine_field_buffer(const struct engine_call *call, uint32_t index)
{
    return (const struct engine_buffer *) (const void *) ((const char *) call->buffers.at +
                                                          (size_t) index * call->buffers.item_size);
}

/* Returns the address of cell x = 0 in row (y, z) of buffer `which`, which is call->current or call->result for a state
 * and 0 for an input or output. In C the pointer needs no cast:
 *
 *     const float *row = engine_row(u, call->current, y, 0);
 */
static inline void *engine_row(const struct engine_buffer *buffer, uint32_t which, int64_t y, int64_t z)
{
    return (void *) ((char *) buffer->origin[which] + y * buffer->row_stride + z * buffer->plane_stride);
}

#ifdef __cplusplus
}
#endif

#endif
