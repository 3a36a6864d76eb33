/* A rule of three-dimensional Life as ranges of counts, for kernels that compare many counts with one instruction. */
#ifndef LIFE_RANGES3D_H
#define LIFE_RANGES3D_H

#include <life/rule3d.h>

/* Counts from `first` to `last`. A count includes the cell itself: 0 … 26 for a dead cell, 1 … 27 for a live one. */
struct life3d_range {
    uint8_t first, last;
};

enum { LIFE3D_RANGES_MAX = 14 }; /* of the rule with every second number from 0 to 26 */

/* A cell is born, or survives, if its count lies in one of `count` ranges. If one of the two sets has fewer ranges than
 * the other, the rest of its ranges are empty: they begin one above their end. */
struct life3d_ranges {
    uint32_t count;
    struct life3d_range birth[LIFE3D_RANGES_MAX], survive[LIFE3D_RANGES_MAX];
};

/* Finds the ranges of set bits of a mask. Returns how many there are. */
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
