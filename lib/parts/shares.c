#include "parts/shares.h"
#include "parts/parts.h"

/* The parts of a process follow each other. */
struct share share_of(const struct plan *plan, uint32_t rank, uint32_t field, uint64_t step)
{
    const uint64_t slab = parts_slab_elements(plan, field, step);
    struct share share = {.begin = UINT64_MAX};
    for (uint32_t i = 0; i < plan->settings.parts; i++) {
        const struct plan_slab own = parts_slab(plan, i, field, step);
        if (parts_rank(plan, i) != rank)
            continue;
        share.begin = share.begin < own.first * slab ? share.begin : own.first * slab;
        share.end = (own.first + own.count) * slab;
    }
    return share;
}
