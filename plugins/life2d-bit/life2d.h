/* What the implementations of life2d-bit share. */
#ifndef LIFE2D_BIT_LIFE2D_H
#define LIFE2D_BIT_LIFE2D_H

#include <engine/plugin.h>
#include <life/rule.h>

/* The one field, and the parameters in the order of the plugin's table. */
enum { LIFE2D_CELLS };
enum { LIFE2D_RULE, LIFE2D_BYTES_PER_THREAD, LIFE2D_STEPS_PER_PASS, LIFE2D_INSTRUCTIONS };

/* The rule of a plan; it was checked when the plan was made. */
static inline struct life_rule life2d_rule(const struct engine_plan *plan)
{
    struct life_rule rule = {0, 0};
    life_rule_parse(engine_param_value(plan, LIFE2D_RULE)->text, &rule);
    return rule;
}

/* cpu.c */
int life2d_serial_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                         struct engine_layout *layout);
int life2d_serial_advance(void *self, struct engine_call *call);
int life2d_cpu_probe(const struct engine_host *host, const struct engine_plan *plan);
int life2d_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                      struct engine_layout *layout);
int life2d_cpu_create(const struct engine_call *call, void **self);
int life2d_cpu_advance(void *self, struct engine_call *call);
int life2d_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost);

#endif
