/* What lies beyond the edges of the grids of a plan: [grid] edges, edge_shift and edge_value, or the bounded grid that
 * a pattern file states. */
#ifndef CORE_PLAN_EDGES_H
#define CORE_PLAN_EDGES_H

#include "plan/plan.h"

/* The word for a kind of edge in a configuration, by ENGINE_EDGE_…; NULL after the last. */
const char *edges_word(uint32_t kind);

/* Finds the edges, and checks that the grids can have them. The shapes are known. ENGINE_STATUS_USAGE. */
int edges_make(struct plan *plan, struct engine_error *error);

/* The edges of the field of that index. */
struct edges edges_of_field(const struct plan *plan, uint32_t index);

/* Can an implementation with that layout of a grid honour the edges? ENGINE_STATUS_PLUGIN. */
int edges_check_layout(const struct plan *plan, const struct engine_impl *impl, const struct engine_layout *layout,
                       struct engine_error *error);

/* Is every axis that the plan's grids have a torus without a shift? */
bool edges_are_usual(const struct plan *plan);

/* Is the grid a strip: unbounded along some axes, with a size along others? */
static inline bool plan_is_strip(const struct plan *plan)
{
    const uint32_t all = (1u << plan->shapes[0].rank) - 1;
    return plan_is_unbounded(plan) && (plan->open & all) != all;
}

/* Writes the words of [grid] edges, such as "torus dead", and of edge_shift and edge_value. Returns text; "": the edges
 * need no such key. */
enum { EDGES_TEXT = 512 };
const char *edges_text(const struct plan *plan, char text[EDGES_TEXT]);
const char *edges_shift_text(const struct plan *plan, char text[EDGES_TEXT]);
const char *edges_value_text(const struct plan *plan, char text[EDGES_TEXT]);

#endif
