/* A rule of three-dimensional Life as ranges, for kernels that test a register full of counts at once. */
#ifndef LIFE_RANGES3D_H
#define LIFE_RANGES3D_H

#include <life/rule3d.h>

/* Counts from `first` to `last` here include the cell itself: 0 … 26 about a dead one, 1 … 27 about a live one. */
struct life3d_range {
    uint8_t first, last;
};

enum { LIFE3D_RANGES_MAX = 14 }; /* every second number from 0 to 26 */

/* A cell is born, or survives, when its count lies in one of the `count` ranges. Where one set has fewer ranges than
 * the other, the rest of its ranges hold no number: they begin one above where they end. */
struct life3d_ranges {
    uint32_t count;
    struct life3d_range birth[LIFE3D_RANGES_MAX], survive[LIFE3D_RANGES_MAX];
};

/* The ranges of set bits of a mask; returns how many. */
static inline uint32_t life3d_mask_ranges(uint32_t mask, struct life3d_range *ranges)
{
    uint32_t count = 0;
    for (uint8_t bit = 0; bit < 32; bit++) {
        if (!(mask >> bit & 1))
            continue;
        if (bit == 0 || !(mask >> (bit - 1) & 1))
            ranges[count++].first = bit;
        ranges[count - 1].last = bit;
    }
    return count;
}

static inline struct life3d_ranges life3d_rule_ranges(struct life3d_rule rule)
{
    struct life3d_ranges ranges;
    for (uint32_t i = 0; i < LIFE3D_RANGES_MAX; i++)
        ranges.birth[i] = ranges.survive[i] = (struct life3d_range){1, 0};
    const uint32_t birth = life3d_mask_ranges(rule.birth, ranges.birth);
    const uint32_t survive = life3d_mask_ranges(rule.survive << 1, ranges.survive);
    ranges.count = birth > survive ? birth : survive;
    return ranges;
}

#endif
