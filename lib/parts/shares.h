/* What each process has of the fields of a divided run: the rows, planes or universes of its parts, a range of the
 * canonical array of each field. Parts that have copies of all fields have no shares. */
#ifndef LIB_PARTS_SHARES_H
#define LIB_PARTS_SHARES_H

#include "plan/plan.h"

/* Elements [begin, end) of a canonical array. */
struct share {
    uint64_t begin, end;
};

/* The share that process `rank` has of a field at a step. */
struct share share_of(const struct plan *plan, uint32_t rank, uint32_t field, uint64_t step);

#endif
