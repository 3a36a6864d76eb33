/* The potentials in double precision, for the CPU and the GPU. */
#ifndef PAIRS_POTENTIAL_H
#define PAIRS_POTENTIAL_H

#include "pairs.h"

#include <math.h>

ENGINE_INLINE struct pairs_term pairs_term_make(double energy, double force)
{
    struct pairs_term term;
    term.energy = energy;
    term.force = force;
    return term;
}

ENGINE_INLINE struct pairs_term lennard_jones(double epsilon, double sigma, double square)
{
    const double s2 = sigma * sigma / square, s6 = s2 * s2 * s2;
    return pairs_term_make(4 * epsilon * s6 * (s6 - 1), 24 * epsilon * s6 * (2 * s6 - 1) / square);
}

ENGINE_INLINE struct pairs_term yukawa(double epsilon, double sigma, double kappa, double square)
{
    const double r = sqrt(square), energy = epsilon * sigma / r * exp(-kappa * r);
    return pairs_term_make(energy, energy * (1 / r + kappa) / r);
}

/* The bond of a chain: -k / 2 R^2 ln(1 - r^2 / R^2), and Lennard-Jones up to its minimum, as of wca. For r < R. Kremer and
 * Grest, Journal of Chemical Physics 92 (1990) 5057. */
ENGINE_INLINE struct pairs_term fene(const struct pairs_plan *plan, uint32_t type, double square)
{
    const double r2 = plan->bond_length * plan->bond_length, left = 1 - square / r2, sigma = plan->sigma[type];
    struct pairs_term term = pairs_term_make(-plan->bond_strength / 2 * r2 * log(left), -plan->bond_strength / left);
    if (square < 1.2599210498948732 * sigma * sigma) { /* 2^(1/3) */
        const struct pairs_term core = lennard_jones(plan->epsilon[type], sigma, square);
        term.energy += core.energy + plan->epsilon[type];
        term.force += core.force;
    }
    return term;
}

/* The cubic through energies and forces of the two rows around r. Below the first row, the force falls with r to 0 at
 * 0. Behind the last row there is none. */
ENGINE_INLINE struct pairs_term from_table(const struct pairs_row *rows, uint32_t count, double r)
{
    uint32_t low = 0, high = count - 1;
    if (r < rows[0].r) {
        const double slope = rows[0].f / rows[0].r;
        return pairs_term_make(rows[0].u + slope / 2 * (rows[0].r * rows[0].r - r * r), slope);
    }
    if (r >= rows[high].r)
        return pairs_term_make(0, 0);
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (rows[middle].r <= r)
            low = middle;
        else
            high = middle;
    }
    const double h = rows[high].r - rows[low].r, t = (r - rows[low].r) / h;
    const double a = -h * rows[low].f, b = -h * rows[high].f, rise = rows[high].u - rows[low].u;
    const double c2 = 3 * rise - 2 * a - b, c3 = a + b - 2 * rise;
    return pairs_term_make(rows[low].u + t * (a + t * (c2 + t * c3)), -(a + t * (2 * c2 + t * 3 * c3)) / h / r);
}

/* The term of `lj`, `wca` or `yukawa`, without cutoff and shift. */
ENGINE_INLINE struct pairs_term pairs_smooth(const struct pairs_plan *plan, uint32_t type, double square)
{
    if (plan->potential == PAIRS_YUKAWA)
        return yukawa(plan->epsilon[type], plan->sigma[type], plan->kappa, square);
    return lennard_jones(plan->epsilon[type], plan->sigma[type], square);
}

/* See pairs_term_at; `rows` is the plan's table, where the code that runs can read it. */
ENGINE_INLINE struct pairs_term pairs_term_of(const struct pairs_plan *plan, const struct pairs_row *rows,
                                              uint32_t type, double square)
{
    const double epsilon = plan->epsilon[type], sigma = plan->sigma[type];
    struct pairs_term term = {0, 0};
    if (!(square < plan->cutoff[type] * plan->cutoff[type]) || !(square > 0))
        return term;
    if (plan->potential == PAIRS_FROM_TABLE) {
        term = from_table(rows, plan->row_count, sqrt(square) / sigma);
        term.energy *= epsilon;
        term.force *= epsilon / (sigma * sigma);
    } else {
        term = pairs_smooth(plan, type, square);
    }
    term.energy -= plan->offset[type];
    return term;
}

#endif
