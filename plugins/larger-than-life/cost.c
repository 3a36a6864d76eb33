/* The cost of a cell on all threads and on a GPU. It does not depend on the state. */
#include "ltl.h"

enum { WORD = 32 /* cells */, FUNNEL = 1, SHIFTS = 3 };

/* Operations of planes.h on a word in each row. A full adder takes two operations of three inputs. A word of cells from
 * any place on takes `shift` operations: FUNNEL, one shift of two words, or SHIFTS, two shifts and an `or`. */
static double add_ahead(int k, int bits, int shift)
{
    return bits * (2 + (k < WORD ? shift : 0)) + 1;
}

static double operations_of_word(const struct bit_rule *rule, int shift)
{
    const int levels = (int) rule->levels, bits = 2 * levels + 2;
    const uint32_t side = 2 * rule->radius + 1;
    double operations = 2 * shift + 2; /* the rows that enter and leave, and their difference */
    for (int level = 1; level <= levels; level++) {
        operations += add_ahead(1 << (level - 1), level + 1, shift);
        if (level == levels || side >> level & 1)
            operations += add_ahead(1 << level, level + 2, shift);
    }
    return operations + 2 * bits - 1 /* the sums move down */ + 4 * bits + 3 /* four limits, and the next cells */;
}

/* By sums along rows, a step reads a cell twice and writes it once, and writes and reads a sum of two bytes, or of four for
 * radii above 50. */
static int cost_of(const struct engine_plan *plan, int shift, struct engine_cost *cost)
{
    struct ltl_rule rule;
    struct bit_rule bits;
    ltl_plan_rule(plan, &rule);
    if (ltl_bit_rule(&rule, &bits)) {
        cost->operation = ENGINE_OPS_LOGIC;
        cost->operations = operations_of_word(&bits, shift) / WORD;
        cost->bytes = 2.0 / 8;
    } else {
        cost->operation = ENGINE_OPS_NONE;
        cost->bytes = 3 + 2 * (double) (rule.radius <= LTL_RADIUS_MAX ? sizeof(uint16_t) : sizeof(int32_t));
    }
    return 0;
}

int ltl_cpu_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host;
    return cost_of(plan, SHIFTS, cost);
}

int ltl_cuda_cost(const struct engine_host *host, const struct engine_plan *plan, struct engine_cost *cost)
{
    (void) host;
    return cost_of(plan, FUNNEL, cost);
}
