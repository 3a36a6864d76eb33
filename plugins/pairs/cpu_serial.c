/* cpu-serial, the reference: one thread, all pairs, forces in double precision. */
#include "pairs.h"

#include <math.h>

int pairs_serial_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t count = engine_field_shape(plan, PAIRS_POSITION)->extent[0];
    if (count <= PAIRS_SERIAL_MAX)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%llu particles are too many for all pairs; expected at most %d",
                       (unsigned long long) count, PAIRS_SERIAL_MAX);
}

/* The vector from particle j to particle i, and the term of the two. */
static struct pairs_term pair(const struct pairs_solver *solver, uint64_t i, uint64_t j, double d[3], double *square)
{
    const struct pairs_particles *now = &solver->now;
    *square = 0;
    for (int c = 0; c < 3; c++) {
        const double edge = solver->plan.box[c];
        d[c] = now->x[c][i] - now->x[c][j];
        d[c] -= edge * nearbyint(d[c] / edge);
        *square += d[c] * d[c];
    }
    return pairs_term_at(&solver->plan, pairs_type(now->species[i], now->species[j]), *square);
}

static int forces(struct pairs_solver *solver, int fresh)
{
    (void) fresh;
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        double sum[3] = {0, 0, 0}, d[3], square;
        for (uint64_t j = 0; j < solver->plan.count; j++)
            if (j != i) {
                const double force = pair(solver, i, j, d, &square).force;
                for (int c = 0; c < 3; c++)
                    sum[c] += force * d[c];
            }
        for (int c = 0; c < 3; c++)
            solver->now.force[c][i] = sum[c];
    }
    return 0;
}

static void sums(struct pairs_solver *solver, double *energy, double *virial)
{
    for (uint64_t i = 0; i < solver->plan.count; i++)
        for (uint64_t j = i + 1; j < solver->plan.count; j++) {
            double d[3], square;
            const struct pairs_term term = pair(solver, i, j, d, &square);
            *energy += term.energy;
            *virial += term.force * square;
        }
}

int pairs_serial_create(const struct engine_call *call, void **self)
{
    struct pairs_plan plan;
    const int status = pairs_plan_load(call->host, call->plan, &plan);
    if (status != 0)
        return status;
    struct pairs_solver *solver =
        (struct pairs_solver *) call->host->scratch(call->host, sizeof *solver, ENGINE_HOST_MEMORY);
    if (!solver || pairs_solver_make(call, &plan, solver) != 0)
        return ENGINE_NO_MEMORY;
    solver->serial = 1;
    solver->forces = forces;
    solver->sums = sums;
    *self = solver;
    return 0;
}
