/* What the kernels need of a rule: the limits of the bit planes, or the taps of the sums. */
#include "ltl.h"

void ltl_plan_rule(const struct engine_plan *plan, struct ltl_rule *rule)
{
    const char *at;
    ltl_parse_at(engine_param_text(plan, LTL_RULE), rule, &at);
    rule->odd = (uint32_t) (plan->part.offset[0] + plan->part.offset[1]) & 1;
}

/* ---- Bit planes ------------------------------------------------------------------------------------------------ */

static void masks_of(uint32_t *masks, uint32_t limit)
{
    for (int bit = 0; bit < BITS_MAX; bit++)
        masks[bit] = limit >> bit & 1 ? 0 : UINT32_MAX;
}

/* Finds the one range [*least, *over) of counts. Returns 0 if there are several. */
static int one_range(const struct ltl_rule *rule, int cell, uint32_t *least, uint32_t *over)
{
    const uint32_t *counts = rule->counts[cell];
    uint32_t n = 0;
    while (n <= rule->most && !ltl_holds(counts, (int32_t) n))
        n++;
    *least = n;
    while (n <= rule->most && ltl_holds(counts, (int32_t) n))
        n++;
    *over = n;
    while (n <= rule->most && !ltl_holds(counts, (int32_t) n))
        n++;
    return n > rule->most;
}

int ltl_bit_rule(const struct ltl_rule *rule, struct bit_rule *bits)
{
    const uint32_t side = 2 * rule->radius + 1;
    *bits = (struct bit_rule){.radius = rule->radius};
    if (rule->radius > LTL_RADIUS_MAX)
        return 0;
    while (side >> (bits->levels + 1))
        bits->levels++;
    for (int cell = 0; cell < LTL_CONDITIONS; cell++) {
        const uint32_t itself = cell == LTL_ALIVE && !rule->middle;
        uint32_t least, over;
        if (!one_range(rule, cell, &least, &over))
            return 0;
        masks_of(bits->least[cell], least + itself);
        masks_of(bits->over[cell], over + itself);
    }
    return rule->neighbourhood == 'M' && rule->states == 2;
}

/* ---- Sums ------------------------------------------------------------------------------------------------------ */

struct ltl_sums ltl_sums_of(const struct ltl_rule *rule, const uint64_t *extent, int64_t slack)
{
    enum { ALIGN = 32 };
    const int64_t radius = rule->radius, width = (int64_t) extent[0] + 2 * radius + LTL_STRIDE_MAX;
    struct ltl_sums sums = {.pitch = (width + ALIGN - 1) / ALIGN * ALIGN, .rows = (int64_t) extent[1] + 2 * radius};
    sums.origin = radius * sums.pitch + radius + LTL_STRIDE_MAX;
    sums.count = sums.pitch * sums.rows + slack;
    return sums;
}

static int32_t weight_at(const struct ltl_rule *rule, int64_t dx, int64_t dy)
{
    const int64_t radius = rule->radius;
    return dx < -radius || dx > radius || dy < -radius || dy > radius ? 0 : rule->weight[radius + dy][radius + dx];
}

/* The weight of the running sum at (dx, dy). A cell is the difference of two sums: c[x] = P[x] - P[x - stride]. */
static int32_t tap_at(const struct ltl_rule *rule, int64_t dx, int64_t dy, int64_t stride)
{
    return weight_at(rule, dx, dy) - (stride ? weight_at(rule, dx + stride, dy) : 0);
}

/* The same of one of the lists: `whole`, or the other one, which triangular rules have for odd cells. */
static int32_t list_at(const struct ltl_rule *rule, int64_t dx, int64_t dy, int64_t stride, int other)
{
    if (other && rule->triangular)
        return tap_at(rule, dx, -dy, stride);
    return tap_at(rule, dx, dy, stride) - (other ? tap_at(rule, dx, dy + 1, stride) : 0);
}

/* Writes one of the lists, or counts its taps if it is NULL. */
static uint32_t list_taps(const struct ltl_rule *rule, int64_t stride, int64_t pitch, int other, struct ltl_tap *taps)
{
    const int64_t radius = rule->radius;
    uint32_t count = 0;
    for (int64_t dy = -radius - other; dy <= radius; dy++)
        for (int64_t dx = -radius - stride; dx <= radius; dx++) {
            const int32_t weight = list_at(rule, dx, dy, stride, other);
            if (weight && taps)
                taps[count] = (struct ltl_tap){dy * pitch + dx, weight, 0};
            count += weight != 0;
        }
    return count;
}

struct ltl_taps ltl_find_taps(const struct ltl_rule *rule, int64_t pitch, struct ltl_tap *whole, struct ltl_tap *other)
{
    struct ltl_taps best = {0};
    uint32_t least = UINT32_MAX;
    for (uint32_t stride = 0; stride <= LTL_STRIDE_MAX; stride++) {
        const uint32_t all = list_taps(rule, stride, pitch, 0, NULL), some = list_taps(rule, stride, pitch, 1, NULL);
        const uint32_t each = some < all ? some : all;
        if (each < least) {
            least = each;
            best = (struct ltl_taps){stride, !rule->triangular && some < all, all, some, rule->triangular, rule->odd};
        }
    }
    list_taps(rule, best.stride, pitch, 0, whole);
    list_taps(rule, best.stride, pitch, 1, other);
    return best;
}
