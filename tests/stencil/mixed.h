/* Two axes, a star: a float and a double, inputs of two types, random numbers and the cell's place. The floats are
 * coupled logistic maps, so no wrong bit is lost. */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_CELL(member)   member(float, level) member(double, slow)
#define STENCIL_INPUTS(member) member(uint8_t, wall) member(float, drive) member(float, bias)
#define STENCIL_RANDOM
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

#include <engine/random.h>

struct rule {
    uint64_t seed;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {plan->seed};
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    uint32_t words[4];
    engine_random_block(rule->seed, (UINT64_C(1) << 40) + near->step, (uint64_t) (near->y * 1048576 + near->x), words);
    const float mean = ((engine_at(near, -1, 0).level + engine_at(near, 1, 0).level) +
                        (engine_at(near, 0, -1).level + engine_at(near, 0, 1).level)) *
                       0.25f;
    const double slow = engine_at(near, 0, 1).slow - engine_at(near, 1, 0).slow;
    const float level = 3.9f * mean * (1 - mean);
    cell->slow =
        (cell->slow + slow) * 0.25 + (double) (near->input.drive - near->input.bias) + (double) (words[1] >> 31);
    if (!near->input.wall)
        cell->level = (words[0] & 15) == 0 ? 0.5f * near->input.drive : level;
}

#ifndef __CUDACC__
enum { LEVEL, WALL, SLOW, DRIVE };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("level", "", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0}},
    {ENGINE_GRID_FIELD("wall", "", ENGINE_INPUT, ENGINE_U8, 2), .values = 2},
    {ENGINE_GRID_FIELD("slow", "", ENGINE_STATE, ENGINE_F64, 2), .reach = {1, 1, 0}},
    {.name = "drive",
     .help = "",
     .kind = ENGINE_GRID,
     .role = ENGINE_INPUT,
     .type = ENGINE_F32,
     .components = 2,
     .rank = 2},
};

/* host->random computes the same words by the engine's own code. */
static void plain(const struct place *place)
{
    const struct engine_host *host = place->call->host;
    uint32_t words[2];
    host->random(host, place->call->plan->seed, (UINT64_C(1) << 40) + place->call->first_step,
                 4 * (uint64_t) (place->y * 1048576 + place->x), 2, words);
    const float west = (float) plain_read(place, LEVEL, 0, -1, 0, 0),
                east = (float) plain_read(place, LEVEL, 0, 1, 0, 0);
    const float north = (float) plain_read(place, LEVEL, 0, 0, -1, 0),
                south = (float) plain_read(place, LEVEL, 0, 0, 1, 0);
    const float row = west + east, column = north + south, all = row + column, mean = all / 4;
    const float drive = (float) plain_read(place, DRIVE, 0, 0, 0, 0),
                bias = (float) plain_read(place, DRIVE, 1, 0, 0, 0);
    const double slow = plain_read(place, SLOW, 0, 0, 1, 0) - plain_read(place, SLOW, 0, 1, 0, 0);
    const double old = plain_read(place, SLOW, 0, 0, 0, 0) + slow;
    const float push = drive - bias;
    plain_write(place, SLOW, 0, old / 4 + (double) push + (words[1] >= 0x80000000u ? 1 : 0));
    if (plain_read(place, WALL, 0, 0, 0, 0) != 0) {
        plain_write(place, LEVEL, 0, plain_read(place, LEVEL, 0, 0, 0, 0));
    } else if (words[0] % 16 == 0) {
        plain_write(place, LEVEL, 0, (double) (drive / 2));
    } else {
        const float product = 3.9f * mean, rest = 1 - mean, level = product * rest;
        plain_write(place, LEVEL, 0, (double) level);
    }
}
#endif
