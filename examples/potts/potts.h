/* The cellular Potts model of F. Graner and J. A. Glazier (Physical Review Letters 69, 1992, 2013). A cell is a set of
 * sites with one number. The energy is
 *
 *     sum over pairs of neighbouring sites of two cells: J of their types  +  lambda * sum over cells: (volume - target)^2
 *
 * A site copies the number of one of its eight neighbours, if that lowers the energy, and otherwise with the probability
 * exp(-change / temperature). Only one colour of sites changes in a step, so no two neighbours change together:
 *
 *     0 1 0 1 …
 *     2 3 2 3 …
 *
 * Four steps visit each site once. The volumes are those before the step. */
#define STENCIL_AXES            2
#define STENCIL_REACH           1
#define STENCIL_CELL(member)    member(uint16_t, cells)
#define STENCIL_OUTPUTS(member) member(uint8_t, look)
#define STENCIL_RANDOM
#define STENCIL_TOTALS 1024 /* the volumes of all cells that there may be, and of the medium, 0 */
#define STENCIL_SUMS   2
#include <engine/stencil.h>

#include <engine/random.h>

#include <math.h>

enum { SITES, LOOK };                                                /* fields */
enum { DARK, MIXED, LIGHT, MEDIUM, VOLUME, STIFFNESS, TEMPERATURE }; /* parameters */
enum { DARK_SITES, LIGHT_SITES };                                    /* metrics */
enum { LOOKS_MEDIUM, LOOKS_EDGE, LOOKS_DARK, LOOKS_LIGHT, LOOKS };   /* values of LOOK */
enum { BITS = 12 };                                                  /* of an energy */

struct rule {
    uint64_t seed;
    int64_t width;
    int32_t dark, mixed, light, medium; /* J */
    int64_t volume, stiffness;          /* the target, and lambda */
    float powers[BITS];                 /* exp(-2^i / temperature) */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    struct rule rule = {plan->seed,
                        (int64_t) engine_field_shape(plan, SITES)->extent[0],
                        (int32_t) engine_param_integer(plan, DARK),
                        (int32_t) engine_param_integer(plan, MIXED),
                        (int32_t) engine_param_integer(plan, LIGHT),
                        (int32_t) engine_param_integer(plan, MEDIUM),
                        engine_param_integer(plan, VOLUME),
                        engine_param_integer(plan, STIFFNESS),
                        {0}};
    for (int i = 0; i < BITS; i++)
        rule.powers[i] = (float) exp(-(double) (1 << i) / engine_param_real(plan, TEMPERATURE));
    return rule;
}

/* J between two cells. Those with even numbers are dark, those with odd ones are light. */
ENGINE_INLINE int32_t adhesion(const struct rule *rule, int32_t a, int32_t b)
{
    const int32_t alike = a & 1 ? rule->light : rule->dark;
    return a == b ? 0 : a == 0 || b == 0 ? rule->medium : (a ^ b) & 1 ? rule->mixed : alike;
}

/* The change of lambda (volume - target)^2 if a cell gains (1) or loses (-1) a site. */
ENGINE_INLINE int64_t tension(const struct rule *rule, const struct engine_near *near, int32_t cell, int64_t sites)
{
    const int64_t change = 1 + 2 * sites * (engine_total(near, cell) - rule->volume);
    return cell == 0 ? 0 : rule->stiffness * change;
}

/* exp(-energy / temperature), or 1 for an energy below 0: a product of powers, because expf has other bits on a GPU. */
ENGINE_INLINE float chance(const struct rule *rule, int64_t energy)
{
    const uint32_t bits = energy < 0 ? 0 : energy < 1 << BITS ? (uint32_t) energy : (1u << BITS) - 1;
    float product = 1;
    for (int i = 0; i < BITS; i++)
        product *= bits >> i & 1 ? rule->powers[i] : 1;
    return product;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    uint32_t words[4];
    if ((uint64_t) ((near->x & 1) + 2 * (near->y & 1)) != (near->step & 3))
        return;
    engine_random_block(rule->seed, (UINT64_C(1) << 40) + near->step, (uint64_t) (near->y * rule->width + near->x),
                        words);
    const int32_t mine = cell->cells;
    const int32_t drawn = (int32_t) (words[0] >> 29), place = drawn + (drawn >= 4); /* of 9; 4 is the site itself */
    int32_t taken = mine, change = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            taken = 3 * y + x + 4 == place ? engine_at(near, x, y).cells : taken;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            const int32_t other = engine_at(near, x, y).cells;
            change += x == 0 && y == 0 ? 0 : adhesion(rule, taken, other) - adhesion(rule, mine, other);
        }
    const int64_t energy = change + tension(rule, near, taken, 1) + tension(rule, near, mine, -1);
    if ((float) (words[1] >> 8) * 0x1p-24f < chance(rule, energy))
        cell->cells = (uint16_t) taken;
}

ENGINE_INLINE void count(const struct rule *rule, const struct engine_values *cell, struct engine_totals *totals)
{
    engine_add(totals, cell->cells, 1);
    (void) rule;
}

/* What pictures show: the types, and the edges of cells as they were before the step. */
ENGINE_INLINE void show(const struct rule *rule, const struct engine_near *near, const struct engine_cell *cell,
                        struct engine_shown *shown)
{
    const int32_t mine = engine_at(near, 0, 0).cells;
    const int edge = mine != engine_at(near, 1, 0).cells || mine != engine_at(near, 0, 1).cells;
    shown->look = (uint8_t) (mine == 0 ? LOOKS_MEDIUM : edge ? LOOKS_EDGE : mine & 1 ? LOOKS_LIGHT : LOOKS_DARK);
    (void) rule, (void) cell;
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    sums[DARK_SITES] += cell->cells != 0 && cell->cells % 2 == 0;
    sums[LIGHT_SITES] += cell->cells % 2;
    (void) rule;
}
