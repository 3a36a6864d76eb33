/* What the implementations of life3d-packed share. */
#ifndef LIFE3D_PACKED_PACKED_H
#define LIFE3D_PACKED_PACKED_H

#include <engine/plugin.h>
#include <life/rule3d.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one field, and the parameters in the order of the plugin's table. */
enum { PACKED_CELLS };
enum { PACKED_RULE };

/* The rule of a plan; it was checked when the plan was made. */
static inline struct life3d_rule packed_rule(const struct engine_plan *plan)
{
    struct life3d_rule rule = {0, 0};
    life3d_rule_parse(engine_param_value(plan, PACKED_RULE)->text, &rule);
    return rule;
}

#ifdef __cplusplus
}
#endif

#endif
