/* Cells of many members, each of which comes from another neighbour. NUMBER: the axes, 2 or 3. */
#define STENCIL_AXES  NUMBER
#define STENCIL_REACH 1
#define STENCIL_CELL(member) \
    member(uint16_t, a) member(uint16_t, b) member(uint16_t, c) member(uint16_t, d) member(uint16_t, e) \
        member(uint32_t, f) member(uint32_t, g) member(uint32_t, h)
#define STENCIL_INPUTS(member) member(uint8_t, weight)
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
    const uint32_t sum =
        3u * AT(-1, -1, 1).a + 5u * AT(1, 1, -1).b + 7u * AT(-1, 1, 0).c + 11u * AT(1, -1, 1).d + 13u * AT(0, 1, -1).e;
    const uint32_t place = (uint32_t) (near->x + 100 * near->y + 10000 * near->z);
    const uint32_t mixed = (AT(1, 0, 1).f ^ AT(0, -1, -1).g) + AT(-1, 0, 0).h * near->input.weight;
    cell->a = (uint16_t) (sum * rule->factor >> 7);
    cell->b = (uint16_t) (cell->c + sum);
    cell->c = (uint16_t) (mixed >> 5);
    cell->d = (uint16_t) (cell->e + place);
    cell->e = (uint16_t) (sum - mixed);
    cell->h += cell->f * 2654435761u;
    cell->f = mixed;
    cell->g = sum + place;
}

#ifndef __CUDACC__
enum { SHORT, WEIGHT, LONG };

#define STATE(field, kind_of, count) \
    { \
        .name = field, .help = "", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = kind_of, .components = count, \
        .rank = NUMBER, .reach = { \
            1, \
            1, \
            NUMBER == 3 \
        } \
    }

static const struct engine_field fields[] = {
    STATE("short", ENGINE_U16, 5),
    {ENGINE_GRID_FIELD("weight", "", ENGINE_INPUT, ENGINE_U8, NUMBER)},
    STATE("long", ENGINE_U32, 3),
};

static uint64_t read_number(const struct place *place, uint32_t field, uint32_t component, int x, int y, int z)
{
    return (uint64_t) plain_read(place, field, component, x, y, NUMBER == 3 ? z : 0);
}

static void plain(const struct place *place)
{
    const uint64_t sum = 3 * read_number(place, SHORT, 0, -1, -1, 1) + 5 * read_number(place, SHORT, 1, 1, 1, -1) +
                         7 * read_number(place, SHORT, 2, -1, 1, 0) + 11 * read_number(place, SHORT, 3, 1, -1, 1) +
                         13 * read_number(place, SHORT, 4, 0, 1, -1);
    const uint64_t at = (uint64_t) (place->x + 100 * place->y + 10000 * place->z);
    const uint64_t mixed = ((read_number(place, LONG, 0, 1, 0, 1) ^ read_number(place, LONG, 1, 0, -1, -1)) +
                            read_number(place, LONG, 2, -1, 0, 0) * read_number(place, WEIGHT, 0, 0, 0, 0)) %
                           4294967296u;
    const uint64_t c = read_number(place, SHORT, 2, 0, 0, 0), e = read_number(place, SHORT, 4, 0, 0, 0);
    const uint64_t f = read_number(place, LONG, 0, 0, 0, 0), h = read_number(place, LONG, 2, 0, 0, 0);
    plain_write(place, SHORT, 0, (double) (sum * 40503 % 4294967296u / 128 % 65536));
    plain_write(place, SHORT, 1, (double) ((c + sum) % 65536));
    plain_write(place, SHORT, 2, (double) (mixed / 32 % 65536));
    plain_write(place, SHORT, 3, (double) ((e + at) % 65536));
    plain_write(place, SHORT, 4, (double) ((sum + 4294967296u - mixed) % 65536));
    plain_write(place, LONG, 0, (double) mixed);
    plain_write(place, LONG, 1, (double) ((sum + at) % 4294967296u));
    plain_write(place, LONG, 2, (double) ((h + f * 2654435761u) % 4294967296u));
}
#endif
