/* Two branches compute the same product of two numbers of the rule, and others do not. gcc from 12 on took the product of
 * one branch for that of the other, where it is 0, if vectors have masks (AVX-512). */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_DIVISIBLE
#define STENCIL_CELL(member) member(float, level)
#include <engine/stencil.h>

struct rule {
    float part, whole;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {0.3f, 0.7f};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float left = engine_at(near, -1, 0).level, below = engine_at(near, 0, -1).level;
    float other, share;
    if (cell->level < 0.5f) {
        if (below > 0.75f) {
            cell->level = 1 - left;
            return;
        }
        other = left;
        share = rule->part * rule->whole;
    } else {
        if (left > 0.75f) {
            cell->level = 1 - left;
            return;
        }
        other = below;
        share = rule->part * rule->whole;
    }
    cell->level = other + share;
}

#ifndef __CUDACC__
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("level", "", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0}},
};

static inline void plain(const struct place *place)
{
    const float level = (float) plain_read(place, 0, 0, 0, 0, 0), left = (float) plain_read(place, 0, 0, -1, 0, 0);
    const float below = (float) plain_read(place, 0, 0, 0, -1, 0), low = level < 0.5f;
    const float next = (low ? left : below) + 0.3f * 0.7f;
    plain_write(place, 0, 0, (double) ((low ? below : left) > 0.75f ? 1 - left : next));
}
#endif
