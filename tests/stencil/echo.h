/* Two members, one of which is the other one a step before. NUMBER: the axes, 2 or 3. A step looks 2 cells far in two
 * dimensions and 1 cell in three. */
#define STENCIL_AXES         NUMBER
#define STENCIL_REACH        (4 - NUMBER)
#define STENCIL_CELL(member) member(uint16_t, before) member(uint16_t, now)
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

#if NUMBER == 3
#define AT(x, y, z) engine_at(near, x, y, z)
#else
#define AT(x, y, z) engine_at(near, x, y)
#endif

struct rule {
    uint32_t factor;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {40503};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    enum { FAR = STENCIL_REACH };
    const uint32_t sum = 3u * AT(-FAR, 0, 1).now + 5u * AT(1, FAR, 0).now + 7u * AT(0, -1, -1).now;
    const uint32_t old = 11u * AT(FAR, -FAR, 0).before + 13u * AT(0, 1, -1).before + cell->before;
    cell->before = cell->now;
    cell->now = (uint16_t) ((sum + 17u * old) * rule->factor >> 5);
}

#ifndef __CUDACC__
#define STATE(name) \
    { \
        ENGINE_GRID_FIELD(name, "", ENGINE_STATE, ENGINE_U16, NUMBER), .reach = { \
            STENCIL_REACH, \
            STENCIL_REACH, \
            NUMBER == 3 ? STENCIL_REACH : 0 \
        } \
    }

static const struct engine_field fields[] = {STATE("before"), STATE("now")};

static uint64_t read_number(const struct place *place, uint32_t field, int x, int y, int z)
{
    return (uint64_t) plain_read(place, field, 0, x, y, NUMBER == 3 ? z : 0);
}

static void plain(const struct place *place)
{
    const int far = NUMBER == 3 ? 1 : 2;
    const uint64_t sum = 3 * read_number(place, 1, -far, 0, 1) + 5 * read_number(place, 1, 1, far, 0) +
                         7 * read_number(place, 1, 0, -1, -1);
    const uint64_t old = 11 * read_number(place, 0, far, -far, 0) + 13 * read_number(place, 0, 0, 1, -1) +
                         read_number(place, 0, 0, 0, 0);
    plain_write(place, 0, 0, (double) read_number(place, 1, 0, 0, 0));
    plain_write(place, 1, 0, (double) ((sum + 17 * old) * 40503 % 4294967296u / 32 % 65536));
}
#endif
