/* Lattice Boltzmann, D2Q9 with half-way bounce-back: nine floats and the velocity, an input of bytes, and a branch. */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_DIVISIBLE
#define STENCIL_CELL(member) \
    member(float, f0) member(float, f1) member(float, f2) member(float, f3) member(float, f4) member(float, f5) \
        member(float, f6) member(float, f7) member(float, f8) member(float, ux)
#define STENCIL_INPUTS(member) member(uint8_t, solid)
#include <engine/stencil.h>

struct rule {
    float omega, force;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {1 / 0.6f, 1e-5f};
    (void) plan;
    return rule;
}

#define SWAP(a, b) \
    { \
        const float was = cell->a; \
        cell->a = cell->b; \
        cell->b = was; \
    }
#define RELAX(i, weight, along, way) \
    cell->f##i += rule->omega * ((weight) *rho * (1 + 3 * (along) + 4.5f * (along) * (along) -square) - cell->f##i) + \
                  (weight) *3 * (way) *rule->force

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float w0 = 4.0f / 9, w1 = 1.0f / 9, w5 = 1.0f / 36;
    cell->f1 = engine_at(near, -1, 0).f1;
    cell->f2 = engine_at(near, 0, -1).f2;
    cell->f3 = engine_at(near, 1, 0).f3;
    cell->f4 = engine_at(near, 0, 1).f4;
    cell->f5 = engine_at(near, -1, -1).f5;
    cell->f6 = engine_at(near, 1, -1).f6;
    cell->f7 = engine_at(near, 1, 1).f7;
    cell->f8 = engine_at(near, -1, 1).f8;
    if (near->input.solid) {
        SWAP(f1, f3)
        SWAP(f2, f4)
        SWAP(f5, f7)
        SWAP(f6, f8)
        cell->ux = 0;
        return;
    }
    const float rho =
        ((cell->f0 + cell->f1) + (cell->f2 + cell->f3)) + ((cell->f4 + cell->f5) + (cell->f6 + cell->f7)) + cell->f8;
    const float ux = ((cell->f1 - cell->f3) + (cell->f5 - cell->f7) + (cell->f8 - cell->f6)) / rho;
    const float uy = ((cell->f2 - cell->f4) + (cell->f5 - cell->f7) + (cell->f6 - cell->f8)) / rho;
    const float square = 1.5f * (ux * ux + uy * uy);
    RELAX(0, w0, 0.0f, 0.0f);
    RELAX(1, w1, ux, 1.0f);
    RELAX(2, w1, uy, 0.0f);
    RELAX(3, w1, -ux, -1.0f);
    RELAX(4, w1, -uy, 0.0f);
    RELAX(5, w5, ux + uy, 1.0f);
    RELAX(6, w5, uy - ux, -1.0f);
    RELAX(7, w5, -ux - uy, -1.0f);
    RELAX(8, w5, ux - uy, 1.0f);
    cell->ux = ux;
}

#ifndef __CUDACC__
static const struct engine_field fields[] = {
    {.name = "f",
     .help = "",
     .kind = ENGINE_GRID,
     .role = ENGINE_STATE,
     .type = ENGINE_F32,
     .components = 9,
     .rank = 2,
     .reach = {1, 1, 0}},
    {ENGINE_GRID_FIELD("ux", "", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0}},
    {ENGINE_GRID_FIELD("solid", "", ENGINE_INPUT, ENGINE_U8, 2), .values = 2},
};

/* The way of each population, and the one that goes back. */
static inline void plain(const struct place *place)
{
    static const int way[9][2] = {{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    static const int back[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
    const float weight[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                             1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
    float f[9];
    for (int i = 0; i < 9; i++)
        f[i] = (float) plain_read(place, 0, i, -way[i][0], -way[i][1], 0);
    const float rho = ((f[0] + f[1]) + (f[2] + f[3])) + ((f[4] + f[5]) + (f[6] + f[7])) + f[8];
    const float ux = ((f[1] - f[3]) + (f[5] - f[7]) + (f[8] - f[6])) / rho;
    const float uy = ((f[2] - f[4]) + (f[5] - f[7]) + (f[6] - f[8])) / rho;
    const float along[9] = {0, ux, uy, -ux, -uy, ux + uy, uy - ux, -ux - uy, ux - uy};
    const float square = 1.5f * (ux * ux + uy * uy), omega = 1 / 0.6f;
    const int solid = plain_read(place, 2, 0, 0, 0, 0) != 0;
    for (int i = 0; i < 9; i++) {
        const float wanted = weight[i] * rho * (1 + 3 * along[i] + 4.5f * along[i] * along[i] - square);
        const float after = f[i] + (omega * (wanted - f[i]) + weight[i] * 3 * (float) way[i][0] * 1e-5f);
        plain_write(place, 0, (uint32_t) i, (double) (solid ? f[back[i]] : after));
    }
    plain_write(place, 1, 0, solid ? 0 : (double) ux);
}
#endif
