/* cpu-serial, the reference: one thread, all pairs, forces in double precision. */
#include "cell.h"
#include "potential.h"

int pairs_serial_probe(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t count = engine_field_shape(plan, PAIRS_POSITION)->extent[0];
    if (count <= PAIRS_SERIAL_MAX)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%llu particles are too many for all pairs; expected at most %d",
                       (unsigned long long) count, PAIRS_SERIAL_MAX);
}

/* The integer nearest to a number of at most 2^51. The sum has no bits for a fraction, so the addition rounds. */
static inline double nearest(double number)
{
    const double shift = 0x1.8p52;
    return number + shift - shift;
}

struct box {
    double edge[3], inverse[3], reach2;
};

static struct box box_of(const struct pairs_plan *plan)
{
    const double *edge = plan->box;
    return (struct box){
        {edge[0], edge[1], edge[2]}, {1 / edge[0], 1 / edge[1], 1 / edge[2]}, plan->reach * plan->reach};
}

/* Sets d to the vector from particle j to particle i, and *square to the square of its length. Returns whether they are
 * near enough to interact. */
static inline int is_near(const struct pairs_solver *solver, const struct box *box, uint64_t i, uint64_t j, double d[3],
                          double *square)
{
    const struct pairs_particles *now = &solver->now;
    for (int c = 0; c < 3; c++) {
        const double apart = now->x[c][i] - now->x[c][j];
        d[c] = solver->plan.skewed ? apart : apart - box->edge[c] * nearest(apart * box->inverse[c]);
    }
    if (solver->plan.skewed)
        pairs_nearest(&solver->plan, d);
    *square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    return i != j && *square < box->reach2;
}

static uint32_t type_of(const struct pairs_solver *solver, uint64_t i, uint64_t j)
{
    return pairs_type(solver->now.species[i], solver->now.species[j]);
}

static struct pairs_term term_of(const struct pairs_solver *solver, uint64_t i, uint64_t j, double square)
{
    return pairs_term_at(&solver->plan, type_of(solver, i, j), square);
}

static int is_bonded(const struct pairs_solver *solver, uint64_t i, uint64_t j)
{
    uint32_t partners[PAIRS_BONDS_MAX];
    int count = pairs_partners(solver, i, partners);
    while (count > 0 && partners[count - 1] != j)
        count--;
    return count > 0;
}

static void add_bonds(const struct pairs_solver *solver, uint64_t i, double sum[3])
{
    uint32_t partners[PAIRS_BONDS_MAX];
    double d[3];
    for (int k = pairs_partners(solver, i, partners); k-- > 0;) {
        const double square = pairs_apart(solver, i, partners[k], d);
        const double force = fene(&solver->plan, type_of(solver, i, partners[k]), square).force;
        for (int c = 0; c < 3; c++)
            sum[c] += force * d[c];
    }
}

static int forces(struct pairs_solver *solver, const struct engine_call *call, int fresh)
{
    (void) fresh;
    const struct box box = box_of(&solver->plan);
    const struct engine_part *part = &call->plan->part;
    const uint64_t end = engine_share_begin(part->index + 1, part->count, solver->plan.count);
    for (uint64_t i = engine_share_begin(part->index, part->count, solver->plan.count); i < end; i++) {
        double sum[3] = {0, 0, 0}, d[3], square;
        for (uint64_t j = 0; j < solver->plan.count; j++)
            if (is_near(solver, &box, i, j, d, &square) && !is_bonded(solver, i, j)) {
                const double force = term_of(solver, i, j, square).force;
                for (int c = 0; c < 3; c++)
                    sum[c] += force * d[c];
            }
        add_bonds(solver, i, sum);
        for (int c = 0; c < 3; c++)
            solver->now.force[c][i] = sum[c];
    }
    return pairs_gather_forces(solver, call, 1);
}

/* Every part adds up all pairs, because the sum depends on their order. */
static int sums(struct pairs_solver *solver, const struct engine_call *call, struct pairs_term *sum)
{
    (void) call;
    const struct box box = box_of(&solver->plan);
    double d[3], square;
    for (uint64_t i = 0; i < solver->plan.count; i++)
        for (uint64_t j = i + 1; j < solver->plan.count; j++) {
            struct pairs_term term = {0, 0};
            if (is_bonded(solver, i, j)) {
                square = pairs_apart(solver, i, j, d);
                term = fene(&solver->plan, type_of(solver, i, j), square);
            } else if (is_near(solver, &box, i, j, d, &square)) {
                term = term_of(solver, i, j, square);
            }
            sum->energy += term.energy;
            sum->force += term.force * square;
        }
    return 0;
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
